// TypeScript modules of src/ for tests that run without a browser.

import { build } from "esbuild";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** One object with what the named modules export. */
export async function loadSource(...names) {
  const contents = names.map((name) => `export * from "./src/${name}";`).join("\n");
  const { outputFiles } = await build({ stdin: { contents, resolveDir: ROOT }, bundle: true, format: "esm", platform: "neutral", mainFields: ["module", "main"], write: false, logLevel: "warning" });
  const file = join(mkdtempSync(join(tmpdir(), "trammel-viewer-")), "source.mjs");
  writeFileSync(file, outputFiles[0].text);
  return import(pathToFileURL(file).href);
}
