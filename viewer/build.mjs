// Bundles the page into one HTML file, the template that the program fills with results.
//
//     npm run build -- --out FILE.html
//
// The only script that may run is the bundle: the page's policy names its hash, so that markup in results stays text.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Libraries whose code is in the page, with the packages their licences come from. */
const LIBRARIES = ["three", "uplot"];

function fail(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}

function read(path, advice) {
  try {
    return readFileSync(join(HERE, path), "utf8");
  } catch {
    return fail(`there is no ${path} in ${HERE}; ${advice}`);
  }
}

function outputPath(words) {
  if (words.length === 0) return join(HERE, "dist/template.html");
  if (words.length !== 2 || words[0] !== "--out") fail("usage: npm run build -- [--out FILE.html]");
  return resolve(words[1]);
}

async function loadEsbuild() {
  try {
    return await import("esbuild");
  } catch (error) {
    return fail(`esbuild does not load (${error.code ?? error.message}); run 'npm ci' in ${HERE} first`);
  }
}

function collectLicences() {
  return LIBRARIES.map((name) => {
    const { version } = JSON.parse(read(`node_modules/${name}/package.json`, "run 'npm ci' first"));
    const text = read(`node_modules/${name}/LICENSE`, "the page must carry the licence of what it contains");
    return `This page contains ${name} ${version}:\n\n${text.trim()}`;
  })
    .join("\n\n")
    .replaceAll("--", "- -");
}

/** Inside a script element only these two would be taken for markup; a backslash changes neither strings nor regular expressions. */
function escapeScript(text) {
  return text.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--").trim();
}

const out = outputPath(process.argv.slice(2));
const { build } = await loadEsbuild();
const common = { absWorkingDir: HERE, bundle: true, minify: true, write: false, logLevel: "warning", legalComments: "none", charset: "utf8" };
let bundle;
let style;
try {
  bundle = await build({ ...common, entryPoints: ["src/main.ts"], format: "iife", target: ["es2022"], define: { "process.env.NODE_ENV": '"production"' } });
  style = await build({ ...common, stdin: { contents: '@import "uplot/dist/uPlot.min.css"; @import "./src/style.css";', loader: "css", resolveDir: HERE } });
} catch {
  fail("esbuild could not bundle the page, see above");
}

const script = escapeScript(bundle.outputFiles[0].text);
const css = style.outputFiles[0].text.trim();
if (/<\/style/i.test(css)) fail("the style sheet contains </style");
const hash = `sha256-${createHash("sha256").update(script, "utf8").digest("base64")}`;
const parts = { SCRIPT_HASH: hash, LICENCES: collectLicences(), STYLE: css, SCRIPT: script };
const template = read("src/template.html", "the sources are not complete");
for (const name of Object.keys(parts)) if (template.split(`@${name}@`).length !== 2) fail(`src/template.html must contain @${name}@ once`);
const page = template.replace(/@(SCRIPT_HASH|LICENCES|STYLE|SCRIPT)@/g, (_, name) => parts[name]);
for (const element of ['<script id="report" type="application/json">{}</script>', '<script id="values" type="text/plain"></script>']) {
  if (page.split(element).length !== 2) fail(`the page must contain ${element} once`);
}

mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}.part`, page);
renameSync(`${out}.part`, out);
console.log(`${out}: ${(page.length / 1024).toFixed(0)} kB, of which script ${(script.length / 1024).toFixed(0)} kB`);
