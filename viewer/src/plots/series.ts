// What can be plotted: columns over the rows of the results, and columns over the history of steps. Each has its own times.

import type { Report } from "../data/report_data";

export type SeriesKind = "rows" | "steps";

export interface Series {
  readonly kind: SeriesKind;
  readonly name: string;
  readonly unit: string;
  readonly group: string;
  readonly description: string;
  readonly values: Float64Array;
}

export const STEP_GROUP = "history of steps";

export interface SeriesCatalogue {
  readonly all: readonly Series[];
  readonly times: Readonly<Record<SeriesKind, Float64Array>>;
  find(kind: SeriesKind, name: string): Series | undefined;
}

export function makeCatalogue(report: Report): SeriesCatalogue {
  const rows = report.columns.map((column): Series => ({ kind: "rows", ...column }));
  const stepTimes = report.stepColumns.find((column) => column.name === "t")?.values;
  const steps =
    stepTimes === undefined
      ? []
      : report.stepColumns.filter((column) => column.name !== "t").map((column): Series => ({ kind: "steps", group: STEP_GROUP, ...column }));
  const all = [...rows, ...steps];
  return {
    all,
    times: { rows: report.times, steps: stepTimes ?? new Float64Array(0) },
    find: (kind, name) => all.find((series) => series.kind === kind && series.name === name),
  };
}

/** For uPlot: gaps are null; a logarithmic axis shows sizes, and nothing where they are zero. */
export function plottedValues(values: Float64Array, isLog: boolean): Float64Array | (number | null)[] {
  if (isLog) return Array.from(values, (value) => (Math.abs(value) > 0 && Number.isFinite(value) ? Math.abs(value) : null));
  return values.every(Number.isFinite) ? values : Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

/** Least and largest finite value, null without any. */
export function valueRange(values: Float64Array): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** Whether it moves by more than noise. */
export function isMoving(values: Float64Array): boolean {
  const range = valueRange(values);
  return range !== null && range[1] - range[0] > Math.max(1e-8 * Math.max(Math.abs(range[0]), Math.abs(range[1])), 1e-12);
}
