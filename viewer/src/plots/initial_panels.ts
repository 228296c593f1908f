// Which plots a page begins with: the motion, what the model's author asked for, and what tells whether the run can be trusted.

import type { Report } from "../data/report_data";
import { isMoving as isMovingSeries, valueRange, type Series, type SeriesCatalogue } from "./series";

export interface PanelContent {
  readonly title: string;
  readonly series: readonly Series[];
  readonly isLog: boolean;
}

export function chooseInitialPanels(report: Report, catalogue: SeriesCatalogue): PanelContent[] {
  const panels: PanelContent[] = [];
  const add = (title: string, series: readonly (Series | undefined)[], isLog = false): void => {
    const present = series.filter((entry): entry is Series => entry !== undefined && valueRange(entry.values) !== null);
    if (present.length === 0) return;
    const canBeLog = present.some((entry) => entry.values.some((value) => Math.abs(value) > 0));
    panels.push({ title, series: present, isLog: isLog && canBeLog });
  };
  const row = (name: string): Series | undefined => catalogue.find("rows", name);
  const step = (name: string): Series | undefined => catalogue.find("steps", name);

  add("Motion", chooseMotion(report, catalogue));
  add("Outputs", catalogue.all.filter((series) => series.kind === "rows" && series.group === "outputs").slice(0, 4));
  add("Energy", [row("energy.kinetic"), row("energy.potential"), row("energy.total")]);
  add("Energy balance", [row("energy.balance")]);
  add("Constraint drift", [row("drift.position"), row("drift.velocity")], true);
  add("Step size", [step("h")], true);
  const iterations = step("iterations");
  if (iterations !== undefined && (valueRange(iterations.values)?.[1] ?? 0) > 0) add("Newton iterations", [iterations]);
  return panels;
}

/** Without those that hardly move beside others of their unit: they would be straight lines. */
function keepLively(list: readonly Series[]): Series[] {
  const span = ({ values }: Series): number => {
    const range = valueRange(values);
    return range === null ? 0 : range[1] - range[0];
  };
  return list.filter((series) => span(series) >= 0.25 * Math.max(...list.filter((other) => other.unit === series.unit).map(span)));
}

/** Coordinates of the first trail or body that move, and the first coordinate of a joint that does. */
function chooseMotion(report: Report, catalogue: SeriesCatalogue): Series[] {
  // With a single row nothing moves, but its values can be read.
  const isMoving = report.rows > 1 ? isMovingSeries : (values: Float64Array): boolean => valueRange(values) !== null;
  const isPosition = (series: Series, owner: string): boolean =>
    ["x", "y", "z", "angle"].some((quantity) => series.name === `${owner}.${quantity}`) && isMoving(series.values);
  const rows = catalogue.all.filter((series) => series.kind === "rows");
  const owners = [...(report.scene?.trails ?? []), ...(report.scene?.bodies.map((body) => body.name) ?? [])];
  const chosen: Series[] = [];
  for (const owner of owners) {
    chosen.push(...keepLively(rows.filter((series) => isPosition(series, owner))));
    if (chosen.length > 0) break;
  }
  const joints = rows.filter((series) => series.group === "joints" && !series.name.endsWith("_rate") && isMoving(series.values));
  const joint = keepLively([...chosen, ...joints]).find((series) => series.group === "joints");
  if (joint !== undefined && !chosen.some((series) => series.unit === joint.unit && series.unit === "rad")) chosen.push(joint);
  if (chosen.length > 0) return chosen;
  const groups = ["bodies", "coordinates", "states", "variables"];
  const known = rows.filter((series) => groups.includes(series.group) && isMoving(series.values));
  return (known.length > 0 ? known : rows.filter((series) => isMoving(series.values))).slice(0, 4);
}
