// Tables below the plots: how the run went, its parameters and settings, its events, and the model file.

import type { Report } from "../data/report_data";
import { formatCount, formatDuration, formatNumber, humanise } from "../number_text";
import { button, element } from "./elements";

const LARGEST_EVENTS = 500;

/** What the program counts, in words. Others are shown under their own name. */
const STATISTICS: Readonly<Record<string, string>> = {
  steps: "Accepted steps",
  rejected_error: "Steps rejected by the error",
  rejected_convergence: "Steps rejected by convergence",
  force_evaluations: "Evaluations of forces",
  constraint_evaluations: "Evaluations of constraints",
  constraint_jacobian_evaluations: "Evaluations of the constraints' Jacobian",
  jacobian_evaluations: "Evaluations of the Jacobian",
  derivative_evaluations: "Evaluations of derivatives",
  newton_iterations: "Newton iterations",
  factorizations: "Factorizations",
  solves: "Linear solves",
  refinements: "Iterative refinements",
  restarts: "Restarts",
  smallest_step: "Smallest step",
  largest_step: "Largest step",
  wall_seconds: "Wall time",
  cpu_seconds: "Processor time",
};

export function makeTables(report: Report, onSeek: (time: number) => void): HTMLElement {
  const cards = [makeRunCard(report), makeEventsCard(report, onSeek), makeParametersCard(report), makeSettingsCard(report)];
  const node = element("section", { class: "tables", "aria-label": "Tables" }, ...cards.filter((card) => card !== null));
  if (report.source !== "") node.append(makeSourceCard(report.source));
  return node;
}

function makeRunCard(report: Report): HTMLElement | null {
  const { summary } = report;
  if (summary === null) return null;
  const rows: [string, string][] = [];
  for (const [name, value] of summary.statistics) rows.push([STATISTICS[name] ?? humanise(name), formatStatistic(name, value)]);
  for (const [name, value] of summary.drift) rows.push([`Final drift of the ${name} constraints`, formatNumber(value)]);
  for (const [name, value] of summary.energy) rows.push([`Energy, ${name}`, `${formatNumber(value, 7)} J`]);
  return makeCard("Summary", makePairs(rows));
}

function formatStatistic(name: string, value: number): string {
  if (name.endsWith("_seconds")) return formatDuration(value);
  if (name.endsWith("_step")) return `${formatNumber(value)} s`;
  return formatCount(value);
}

function makeParametersCard(report: Report): HTMLElement | null {
  if (report.parameters.length === 0) return null;
  return makeCard("Parameters", makePairs(report.parameters.map(([name, value]) => [name, formatNumber(value, 8)])));
}

function makeSettingsCard(report: Report): HTMLElement | null {
  const rows: [string, string][] = [["Method", report.method]];
  if (report.tolerance > 0) rows.push(["Tolerance", formatNumber(report.tolerance)]);
  for (const [name, value] of report.attributes) rows.push([name, value]);
  rows.push(["Result file", report.file], ["Written", report.created], ["Version", report.version]);
  return makeCard("Settings", makePairs(rows.filter(([, value]) => value !== "")));
}

function makeEventsCard(report: Report, onSeek: (time: number) => void): HTMLElement | null {
  if (report.events.length === 0) return null;
  const rows = report.events.slice(0, LARGEST_EVENTS).map((event) =>
    element(
      "tr",
      {},
      element("td", { class: "number" }, button(`${formatNumber(event.t, 7)} s`, { class: "link", title: "Show this moment" }, () => onSeek(event.t))),
      element("td", {}, event.name),
    ),
  );
  const table = element(
    "table",
    { id: "events" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "number" }, "Time"), element("th", { scope: "col" }, "Event"))),
    element("tbody", {}, ...rows),
  );
  const card = makeCard("Events", element("div", { class: "scroll" }, table));
  if (report.events.length > LARGEST_EVENTS) card.append(element("p", { class: "hint" }, `and ${report.events.length - LARGEST_EVENTS} more in the result file`));
  return card;
}

function makeSourceCard(source: string): HTMLElement {
  const lines = source.replace(/\n$/, "").split("\n");
  const numbers = lines.map((_, k) => k + 1).join("\n");
  const copy = button("Copy", { class: "small" }, () => void copyText(source, copy), "copy");
  const card = makeCard(
    "Model file",
    element(
      "div",
      { class: "source scroll", tabindex: 0, role: "region", "aria-label": "Model file" },
      element("pre", { class: "line-numbers", "aria-hidden": "true" }, numbers),
      element("pre", { id: "source" }, lines.join("\n")),
    ),
    copy,
  );
  card.classList.add("wide");
  return card;
}

async function copyText(text: string, source: HTMLButtonElement): Promise<void> {
  let word = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    word = "Not allowed here";
  }
  const label = source.querySelector("span");
  if (label === null) return;
  label.textContent = word;
  window.setTimeout(() => (label.textContent = "Copy"), 1500);
}

function makePairs(rows: readonly (readonly [string, string])[]): HTMLElement {
  const lines = rows.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, value)));
  return element("div", { class: "scroll" }, element("table", { class: "pairs" }, element("tbody", {}, ...lines)));
}

function makeCard(title: string, content: HTMLElement, ...tools: readonly HTMLElement[]): HTMLElement {
  const head = element("div", { class: "panel-head" }, element("h2", {}, title), element("div", { class: "panel-tools" }, ...tools));
  return element("section", { class: "card table-card", "aria-label": title }, head, content);
}
