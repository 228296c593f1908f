// Events of the run as dashed lines with their names, drawn by uPlot on its canvas.

import type uPlot from "uplot";
import type { RunEvent } from "../data/report_data";

/** With more lines than this in view the names would be a grey bar. */
const LARGEST_NAMED = 24;
const LARGEST_DRAWN = 400;

export function drawEventLines(plot: uPlot, events: readonly RunEvent[], color: string): void {
  const { min, max } = plot.scales.x;
  if (min === undefined || max === undefined || min === null || max === null) return;
  const visible = events.filter((event) => event.t >= min && event.t <= max);
  if (visible.length === 0 || visible.length > LARGEST_DRAWN) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.75;
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.font = `${10.5 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  let free = -Infinity;
  for (const { name, t } of visible) {
    const x = Math.round(plot.valToPos(t, "x", true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (visible.length > LARGEST_NAMED) continue;
    const text = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    const width = ctx.measureText(text).width;
    const isRight = x + width + 6 * ratio > bbox.left + bbox.width;
    const left = isRight ? x - width - 4 * ratio : x + 4 * ratio;
    if (left < free) continue;
    ctx.fillText(text, left, bbox.top + 3 * ratio);
    free = left + width + 8 * ratio;
  }
  ctx.restore();
}
