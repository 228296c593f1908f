// Events of the run as dashed lines with their names, drawn by uPlot on its canvas.

import type uPlot from "uplot";
import type { RunEvent } from "../data/report_data";
import { formatNumber } from "../number_text";

/** With more lines than this in view the names would be a grey bar. */
const LARGEST_NAMED = 24;
const LARGEST_DRAWN = 400;
/** Names that come too close stand in rows below each other. */
const NAME_ROWS = 3;
const ROW_HEIGHT = 13;
/** Of a name that is cut, at least so much must be left [px]. */
const SHORTEST_NAME = 40;
/** Between a line and its name, and between names [px]. */
const GAP = 4;
/** How near to a line the mouse must be [px], and how many events are named then. */
const NEAR = 5;
const LARGEST_TOLD = 6;

export interface NamePlace {
  readonly left: number;
  /** Less than that of the whole name where it is cut. */
  readonly width: number;
  readonly row: number;
}

/**
 * Places for names beside their lines, within [left, right] and without touching each other; null where there is no room. Names stand to
 * the right of their lines, at the end of the plot to the left of them.
 */
export function placeNames(names: readonly { readonly x: number; readonly width: number }[], left: number, right: number, ratio = 1): (NamePlace | null)[] {
  const gap = GAP * ratio;
  const shortest = SHORTEST_NAME * ratio;
  const taken: NamePlace[] = [];
  return names.map(({ x, width }) => {
    // The whole name in any row is better than a part of it in the first one.
    for (const part of [width, Math.min(width, Math.max(shortest, (right - left) / 4))]) {
      for (let row = 0; row < NAME_ROWS; ++row) {
        for (const start of [x + gap, x - gap - part]) {
          const isInside = start >= left && start + part <= right;
          const isFree = taken.every((other) => other.row !== row || start >= other.left + other.width + 2 * gap || start + part + 2 * gap <= other.left);
          if (!isInside || !isFree) continue;
          const place = { left: start, width: part, row };
          taken.push(place);
          return place;
        }
      }
    }
    return null;
  });
}

export function drawEventLines(plot: uPlot, events: readonly RunEvent[], color: string, ground: string): void {
  const { min, max } = plot.scales.x;
  if (min === undefined || max === undefined || min === null || max === null) return;
  const visible = events.filter((event) => event.t >= min && event.t <= max);
  if (visible.length === 0 || visible.length > LARGEST_DRAWN) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const places = visible.map(({ t }) => Math.round(plot.valToPos(t, "x", true)) + 0.5);
  ctx.save();
  ctx.strokeStyle = color;
  ctx.globalAlpha = 0.75;
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  for (const x of places) {
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  if (visible.length <= LARGEST_NAMED) {
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    ctx.fillStyle = color;
    ctx.strokeStyle = ground;
    ctx.lineWidth = 3 * ratio;
    ctx.lineJoin = "round";
    ctx.font = `${10.5 * ratio}px system-ui, "DejaVu Sans", sans-serif`;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    const widths = visible.map(({ name }) => ctx.measureText(name).width);
    placeNames(places.map((x, k) => ({ x, width: widths[k] })), bbox.left, bbox.left + bbox.width, ratio).forEach((place, k) => {
      if (place === null) return;
      const text = cutText(ctx, visible[k].name, widths[k], place.width);
      const top = bbox.top + (3 + ROW_HEIGHT * place.row) * ratio;
      // A seam in the colour of the ground, so that names can be read above curves.
      ctx.strokeText(text, place.left, top);
      ctx.fillText(text, place.left, top);
    });
  }
  ctx.restore();
}

function cutText(ctx: CanvasRenderingContext2D, text: string, width: number, room: number): string {
  if (width <= room) return text;
  const characters = [...text];
  let count = Math.floor((characters.length * room) / width);
  const cut = (): string => `${characters.slice(0, count).join("")}…`;
  while (count > 1 && ctx.measureText(cut()).width > room) --count;
  return cut();
}

/** Names and times of the events at the mouse; "" when there is none. */
export function tellEvents(plot: uPlot, events: readonly RunEvent[], x: number): string {
  const near = events.filter(({ t }) => Math.abs(plot.valToPos(t, "x") - x) <= NEAR);
  const lines = near.slice(0, LARGEST_TOLD).map(({ name, t }) => `${name} · ${formatNumber(t, 7)} s`);
  if (near.length > LARGEST_TOLD) lines.push(`and ${near.length - LARGEST_TOLD} more`);
  return lines.join("\n");
}
