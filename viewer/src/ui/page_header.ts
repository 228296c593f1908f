// Head of the page: what was run, how it ended, and what the reader must know before trusting a curve.

import type { Report } from "../data/report_data";
import { formatCount, formatDuration, formatNumber, formatValue } from "../number_text";
import type { ThemeSwitch } from "../theme";
import { button, element } from "./elements";

export type Status = "completed" | "stopped" | "failed" | "unfinished" | "unknown";

export function calcStatus(report: Report): Status {
  if (!report.isFinished) return "unfinished";
  const status = report.summary?.status ?? "";
  if (status === "completed" || status === "stopped" || status === "failed") return status;
  return "unknown";
}

export function makeHeader(report: Report, theme: ThemeSwitch): HTMLElement {
  const status = calcStatus(report);
  const word = status === "unknown" ? report.summary?.status || "no summary" : status;
  const statistics = report.summary?.statistics;
  const facts: [string, string][] = [["Method", report.method || "–"]];
  facts.push(["Tolerance", report.tolerance > 0 ? formatNumber(report.tolerance) : "none"]);
  const end = report.summary?.endTime ?? report.times[report.rows - 1];
  facts.push(["End time", `${formatValue(end, end - report.times[0])} s`]);
  const steps = statistics?.get("steps") ?? (report.stepsTotal > 0 ? report.stepsTotal : undefined);
  if (steps !== undefined) facts.push(["Steps", formatCount(steps)]);
  const wall = statistics?.get("wall_seconds");
  if (wall !== undefined) facts.push(["Wall time", formatDuration(wall)]);
  facts.push(["Rows", report.rows < report.rowsTotal ? `${formatCount(report.rows)} of ${formatCount(report.rowsTotal)}` : formatCount(report.rows)]);

  const toggle = button("", { class: "quiet", "aria-label": "Switch between light and dark", title: "Light or dark" }, () => theme.toggle(), "sun");
  return element(
    "header",
    { class: "page-header" },
    element(
      "div",
      { class: "title-row" },
      element("h1", {}, report.title),
      element("span", { class: `badge ${status}`, id: "status" }, word),
      element("span", { class: "spacer" }),
      toggle,
    ),
    element("dl", { class: "facts" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
  );
}

/** Reason of a failure first, then notes; null when there is nothing to say. */
export function makeNotices(report: Report): HTMLElement | null {
  const status = calcStatus(report);
  const notices: HTMLElement[] = [];
  const reason = report.summary?.reason ?? "";
  if (status === "failed") notices.push(makeNotice("error", "The run failed", reason || "No reason is known."));
  else if (status === "stopped") notices.push(makeNotice("info", "The run stopped before its end time", reason));
  else if (status === "unfinished") notices.push(makeNotice("warning", "The run did not come to its end", reason || "It was killed, or is still running; the page shows what had been written."));
  for (const note of [...(report.summary?.notes ?? []), ...report.notes]) notices.push(makeNotice("note", "Note", note));
  return notices.length === 0 ? null : element("div", { class: "notices", role: "status" }, ...notices);
}

function makeNotice(kind: string, title: string, text: string): HTMLElement {
  return element("p", { class: `notice ${kind}` }, element("strong", {}, title), text);
}

/** In place of everything, when the page cannot be read. */
export function makeProblemPage(problem: string): HTMLElement {
  return element(
    "main",
    { class: "problem", role: "alert" },
    element("h1", {}, "This page cannot show its results"),
    element("p", {}, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`),
  );
}
