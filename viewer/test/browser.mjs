// Chromium for tests: started once, with software WebGL, a profile of its own, and no network.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
export const CHROMIUM = process.env.TRAMMEL_CHROMIUM || "/usr/bin/chromium";
export const SKIP = existsSync(CHROMIUM) ? false : `there is no Chromium at ${CHROMIUM}; TRAMMEL_CHROMIUM names another one`;

const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** What Chromium itself says about drawing without a graphics card. */
const NOT_OURS = /GPU stall|GL Driver Message|Automatic fallback to software WebGL/;

export const folder = mkdtempSync(join(tmpdir(), "trammel-viewer-pages-"));

export function buildTemplate() {
  const file = join(folder, "template.html");
  execFileSync(process.execPath, [join(ROOT, "build.mjs"), "--out", file], { stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(file, "utf8");
}

export function savePage(name, text) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, text);
  return pathToFileURL(file).href;
}

export async function launch({ webgl = true } = {}) {
  const { chromium } = await import("playwright-core");
  // Playwright gives every browser a new folder for its profile.
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...FLAGS, ...(webgl ? WEBGL : ["--disable-gpu", "--disable-3d-apis"])] });
}

/** A page that is ready, and the complaints it made so far. */
export async function openPage(browser, address, { width = 1280, height = 900, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if ((message.type() === "error" || message.type() === "warning") && !NOT_OURS.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asked the network for ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true", undefined, { timeout: 30000 });
  return { page, complaints, close: () => context.close() };
}

/** After what was asked for has been drawn. */
export async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}
