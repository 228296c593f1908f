// Pages written by the program itself; TRAMMEL_PROGRAM names it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, launch, openPage, settle, SKIP } from "./browser.mjs";

const PROGRAM = process.env.TRAMMEL_PROGRAM;
const WHY = SKIP || (PROGRAM ? false : "TRAMMEL_PROGRAM does not name the program");

const CASES = [
  { name: "trammel", hasScene: true },
  { name: "seven-body", hasScene: true },
  { name: "double-wishbone", hasScene: true },
  { name: "mass-spring-damper", hasScene: null },
];

describe("pages that the program writes", { skip: WHY }, () => {
  let browser;

  before(async () => {
    browser = await launch();
  });

  after(() => browser?.close());

  for (const { name, hasScene } of CASES) {
    test(`${name} plays`, async () => {
      const stem = join(folder, name);
      execFileSync(PROGRAM, ["run", name, "--out", `${stem}.h5`, `--report=${stem}.html`, "-q"], { stdio: ["ignore", "ignore", "pipe"] });
      const { page, complaints, close } = await openPage(browser, pathToFileURL(`${stem}.html`).href);
      assert.equal(await page.locator(".problem").count(), 0);
      assert.equal(await page.textContent("#status"), "completed");
      assert.ok((await page.locator(".plot-panel").count()) >= 2);
      if (hasScene !== null) assert.equal((await page.locator(".stage canvas").count()) > 0, hasScene);
      const before = await page.evaluate(() => window.trammel.bodyPositions());
      await page.evaluate(() => window.trammel.play());
      await page.waitForFunction(() => window.trammel.time() > 0);
      await page.waitForTimeout(400);
      await page.evaluate(() => window.trammel.pause());
      await settle(page);
      const after = await page.evaluate(() => window.trammel.bodyPositions());
      if (hasScene) assert.notDeepEqual(after, before);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});
