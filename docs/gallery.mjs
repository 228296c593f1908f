// Makes the pictures of docs/gallery.md: runs each case, opens its page in Chromium and keeps what it shows.
//
//   node docs/gallery.mjs PROGRAM [CASE...]      (./dev gallery does it)
//
// Pictures go to docs/images/gallery/, one a case, named after it.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const docs = dirname(fileURLToPath(import.meta.url));
const { chromium } = await import(pathToFileURL(join(docs, "../viewer/node_modules/playwright-core/index.mjs")));

// A case, how it is run, and what the page shows of it.
const pictures = [
  { name: "trammel", show: "t=0.62&labels=0" },
  { name: "seven-body", show: "t=0.0125&reactions=1" },
  { name: "slider-crank-bushings", run: ["--method", "bdf-i3"], show: "t=0.55&labels=0" },
  { name: "servo-arm", show: "t=0.5&trails=forearm.hand" },
  { name: "double-wishbone", show: "t=0.4&reactions=1&labels=0" },
  { name: "hmmwv14-bushings", run: ["--method", "hht"], show: "t=0.62&labels=0&forces=0" },
  { name: "flyball-governor", show: "t=1.1&labels=0" },
  { name: "gyroscope", show: "t=3.4&labels=0&trails=rotor.tip" },
  { name: "heavy-top", show: "t=1.2&labels=0&trails=top.axis" },
  { name: "bricard", run: ["--t-end", "3"], show: "t=1.1&labels=0" },
  { name: "spatial-slider-crank", show: "t=0.4" },
  { name: "chain", run: ["--every", "0.002"], show: "t=0.8&labels=0" },
];

const size = { width: 720, height: 480 };
const flags = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

async function take(browser, program, folder, { name, run = [], show }) {
  const results = join(folder, `${name}.h5`);
  execFileSync(program, ["run", name, "-q", ...run, "--out", results, "--report"], { stdio: ["ignore", "ignore", "inherit"] });
  const page = await browser.newPage({ viewport: size });
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${pathToFileURL(join(folder, `${name}.html`))}#only=animation&controls=0&theme=light&${show}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await page.waitForTimeout(300); // the last frame reaches the screen
  const picture = join(docs, "images/gallery", `${name}.png`);
  await page.screenshot({ path: picture });
  await page.close();
  if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
  console.log(`${name}: ${Math.round(statSync(picture).size / 1000)} kB`);
}

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error("usage: node docs/gallery.mjs PROGRAM [CASE...]");
const chosen = names.length === 0 ? pictures : pictures.filter(({ name }) => names.includes(name));
if (chosen.length === 0) throw new Error(`no picture of ${names.join(", ")}; there are ${pictures.map((p) => p.name).join(", ")}`);
mkdirSync(join(docs, "images/gallery"), { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "trammel-gallery-"));
const browser = await chromium.launch({ executablePath: process.env.TRAMMEL_CHROMIUM ?? "/usr/bin/chromium", args: flags });
try {
  for (const picture of chosen) await take(browser, program, folder, picture);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
