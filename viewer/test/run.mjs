// Runs the tests: `npm test`, or one part: `node test/run.mjs unit`, `node test/run.mjs browser`.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const PARTS = { unit: ["unit.test.mjs"], browser: ["browser.test.mjs", "program.test.mjs"] };

const part = process.argv[2];
if (part !== undefined && !(part in PARTS)) {
  console.error(`usage: node test/run.mjs [${Object.keys(PARTS).join("|")}]`);
  process.exit(2);
}
const files = part === undefined ? Object.values(PARTS).flat() : PARTS[part];
const { status } = spawnSync(process.execPath, ["--test", ...files.map((file) => join(HERE, file))], { stdio: "inherit" });
process.exit(status ?? 1);
