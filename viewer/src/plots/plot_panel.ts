// One plot: some series over time on a shared x axis, an axis for each unit, a legend that shows values, and the line of the animation.

import uPlot from "uplot";
import type { RunEvent } from "../data/report_data";
import { findRow, rowFraction } from "../data/time_rows";
import { formatTick, formatTicks, formatValue } from "../number_text";
import type { ThemeSwitch } from "../theme";
import { button, element } from "../ui/elements";
import { linearRange, linearTicks, logRange, logTicks, SMALLEST_SPAN } from "./axis_ticks";
import { drawEventLines, tellEvents } from "./event_lines";
import type { PanelContent } from "./initial_panels";
import { plottedValues, valueRange, type Series, type SeriesCatalogue, type SeriesKind } from "./series";

export type TimeWindow = readonly [number, number];

/** What a panel tells the others. */
export interface PanelContext {
  readonly catalogue: SeriesCatalogue;
  readonly events: readonly RunEvent[];
  readonly theme: ThemeSwitch;
  readonly whole: TimeWindow;
  onSeek(time: number): void;
  /** null: everything. */
  onZoom(window: TimeWindow | null): void;
  onAdd(panel: PlotPanel): void;
  onRemove(panel: PlotPanel): void;
}

const PLOT_HEIGHT = 200;
const VALUE_TICKS = 5;
/** Room for a number on the axis of time [px]. */
const TIME_TICK_WIDTH = 80;
/** Characters of a number on either axis; what is longer gets an offset. */
const TIME_TICK_LENGTH = 11;
const VALUE_TICK_LENGTH = 8;
const TIME_AXIS_HEIGHT = 30;
/** For the line below the axis of time that names its offset [px]. */
const OFFSET_HEIGHT = 14;
const FONT = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
/** A press that moves less is a click, not a zoom. */
const CLICK_PIXELS = 4;

interface LegendEntry {
  readonly value: HTMLElement;
  readonly series: Series;
  /** By how much it moves. */
  readonly span: number;
}

export class PlotPanel {
  readonly node: HTMLElement;
  readonly title: string;
  private readonly context: PanelContext;
  private readonly host = element("div", { class: "plot-host" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly empty = element("p", { class: "plot-empty" });
  private readonly playhead = element("div", { class: "playhead" });
  private readonly eventTip = element("div", { class: "event-tip" });
  private timeOffset = "";
  /** On paper the width is known beforehand [px]. */
  private fixedWidth: number | null = null;
  private readonly logBox = element("input", { type: "checkbox" });
  private series_: Series[];
  private plot: uPlot | null = null;
  private entries: LegendEntry[] = [];
  private window: TimeWindow;
  private time = 0;
  private row = 0;
  private hovered: number | null = null;

  constructor(content: PanelContent, context: PanelContext) {
    this.title = content.title;
    this.series_ = [...content.series];
    this.context = context;
    this.window = context.whole;
    this.logBox.checked = content.isLog;
    this.logBox.addEventListener("change", () => this.rebuild());
    const tools = element(
      "div",
      { class: "panel-tools" },
      element("label", { class: "check", title: "Logarithmic axis; of negative values the size is shown" }, this.logBox, "log"),
      button("Columns", { class: "small", title: `Add columns to ${this.title}` }, () => context.onAdd(this), "plus"),
      button("", { class: "small quiet", "aria-label": `Remove the plot ${this.title}`, title: "Remove this plot" }, () => context.onRemove(this), "close"),
    );
    this.node = element(
      "section",
      { class: "card plot-panel", "aria-label": this.title },
      element("div", { class: "panel-head" }, element("h3", {}, this.title), tools),
      this.legend,
      this.host,
      this.empty,
    );
    this.eventTip.hidden = true;
    new ResizeObserver(() => this.fitWidth()).observe(this.host);
    this.rebuild();
  }

  series(): readonly Series[] {
    return this.series_;
  }

  kind(): SeriesKind | null {
    return this.series_[0]?.kind ?? null;
  }

  /** Time window in view and where the line of the animation stands, in pixels: for tests. */
  state(): { window: TimeWindow; playhead: number; series: string[]; isLog: boolean } {
    const { min, max } = this.plot?.scales.x ?? {};
    return {
      window: [min ?? this.window[0], max ?? this.window[1]],
      playhead: this.plot?.valToPos(this.time, "x") ?? 0,
      series: this.series_.map((series) => series.name),
      isLog: this.logBox.checked,
    };
  }

  setSeries(series: Series, isOn: boolean): void {
    const others = this.series_.filter((entry) => entry !== series);
    this.series_ = isOn ? [...others, series] : others;
    this.rebuild();
  }

  setWindow(window: TimeWindow): void {
    this.window = window;
    this.plot?.setScale("x", { min: window[0], max: window[1] });
    this.movePlayhead();
  }

  /** null: as wide as there is room. */
  setFixedWidth(width: number | null): void {
    this.fixedWidth = width;
    this.fitWidth();
  }

  setTime(time: number, withValues: boolean): void {
    this.time = time;
    this.movePlayhead();
    if (withValues && this.hovered === null) this.showValues();
  }

  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    this.hovered = null;
    this.buildLegend();
    const kind = this.kind();
    this.empty.hidden = kind !== null;
    this.host.hidden = kind === null;
    this.empty.textContent = "Nothing here yet. “Columns” adds curves.";
    if (kind === null) return;
    const isLog = this.logBox.checked;
    const times = this.context.catalogue.times[kind];
    const data = [times, ...this.series_.map((series) => plottedValues(series.values, isLog))] as uPlot.AlignedData;
    this.plot = new uPlot(this.makeOptions(kind, isLog), data, this.host);
    this.plot.over.append(this.playhead, this.eventTip);
    this.eventTip.hidden = true;
    this.listenForClicks(this.plot.over);
    this.movePlayhead();
    this.showValues();
  }

  private makeOptions(kind: SeriesKind, isLog: boolean): uPlot.Options {
    const colors = this.context.theme.colors();
    const units = [...new Set(this.series_.map((series) => series.unit))];
    const axis = { stroke: colors.quiet, font: FONT, grid: { stroke: colors.plotGrid, width: 1 }, ticks: { stroke: colors.plotGrid, width: 1, size: 5 } };
    const scales: uPlot.Scales = { x: { time: false, range: () => [...this.window] as [number, number] } };
    const axes: uPlot.Axis[] = [
      {
        ...axis,
        incrs: coarseIncrement,
        splits: (plot, _axis, min, max) => linearTicks(min, max, Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / TIME_TICK_WIDTH))),
        values: (_, splits) => {
          const { texts, offset } = formatTicks(splits, TIME_TICK_LENGTH);
          this.timeOffset = offset;
          return [...texts];
        },
        size: () => TIME_AXIS_HEIGHT + (this.timeOffset === "" ? 0 : OFFSET_HEIGHT),
      },
    ];
    units.forEach((unit, k) => {
      let offset = "";
      const isWhole = this.series_.every((series) => series.unit !== unit || series.values.every(Number.isInteger));
      scales[scaleKey(unit)] = { distr: isLog ? 3 : 1, range: (_, min, max) => (isLog ? logRange(min, max) : linearRange(min, max)) };
      axes.push({
        ...axis,
        scale: scaleKey(unit),
        side: k === 0 ? 3 : 1,
        size: 58,
        labelSize: 18,
        labelFont: FONT,
        label: () => (offset === "" ? unit : `${unit} (${offset})`),
        grid: k === 0 ? axis.grid : { show: false },
        incrs: coarseIncrement,
        splits: (_plot, _axis, min, max) => {
          const ticks = isLog ? logTicks(min, max, VALUE_TICKS) : linearTicks(min, max, VALUE_TICKS);
          return isWhole ? ticks.filter(Number.isInteger) : ticks;
        },
        filter: (_, splits) => splits,
        values: (_, splits) => {
          const ticks = isLog ? { texts: splits.map(formatTick), offset: "" } : formatTicks(splits, VALUE_TICK_LENGTH);
          offset = ticks.offset.trim();
          return [...ticks.texts];
        },
      });
    });
    return {
      width: this.fixedWidth ?? Math.max(this.host.clientWidth, 120),
      height: PLOT_HEIGHT,
      padding: [8, units.length > 1 ? 0 : 14, 0, 0],
      legend: { show: false },
      scales,
      axes,
      series: [
        {},
        ...this.series_.map((series, k): uPlot.Series => {
          const stroke = colors.series[k % colors.series.length];
          const shape: uPlot.Series = { label: series.name, scale: scaleKey(series.unit), stroke, width: 1.6, pxAlign: 0 };
          // A step lasts from the end of the one before to its own.
          if (kind === "steps" && uPlot.paths.stepped !== undefined) shape.paths = uPlot.paths.stepped({ align: -1 });
          if (kind === "steps") shape.points = { show: false };
          // A single value makes no line.
          if (series.values.length === 1) shape.points = { show: true, size: 7, fill: stroke };
          return shape;
        }),
      ],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
        sync: { key: "trammel", setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
        bind: {
          dblclick: () => () => {
            this.context.onZoom(null);
            return null;
          },
        },
      },
      hooks: {
        draw: [
          (plot) => {
            const { quiet, background } = this.context.theme.colors();
            drawEventLines(plot, this.context.events, quiet, background);
            this.drawTimeOffset(plot, quiet);
          },
        ],
        setCursor: [
          (plot) => {
            this.hover(plot.cursor.idx ?? null);
            this.showEvents(plot);
          },
        ],
        setSelect: [(plot) => this.select(plot)],
      },
    };
  }

  private buildLegend(): void {
    const colors = this.context.theme.colors();
    this.entries = [];
    this.legend.replaceChildren(
      ...this.series_.map((series, k) => {
        const value = element("span", { class: "value" });
        const range = valueRange(series.values);
        this.entries.push({ value, series, span: range === null ? 0 : range[1] - range[0] });
        const remove = button("", { class: "chip-remove", "aria-label": `Remove ${series.name}`, title: "Remove this curve" }, () => this.setSeries(series, false), "close");
        return element(
          "li",
          { title: series.description },
          element("i", { style: `background:${colors.series[k % colors.series.length]}` }),
          element("span", { class: "name" }, series.name),
          value,
          element("span", { class: "unit" }, series.unit),
          remove,
        );
      }),
    );
  }

  private hover(index: number | null): void {
    if (index === this.hovered) return;
    this.hovered = index;
    this.showValues();
  }

  /** At the place of the mouse, otherwise at the time of the animation. */
  private showValues(): void {
    const kind = this.kind();
    if (kind === null) return;
    const times = this.context.catalogue.times[kind];
    let index = this.hovered;
    if (index === null) {
      this.row = findRow(times, this.time, this.row);
      const isNext = kind === "steps" ? this.time > times[this.row] : rowFraction(times, this.row, this.time) > 0.5;
      index = Math.min(this.row + (isNext ? 1 : 0), times.length - 1);
    }
    for (const { value, series, span } of this.entries) value.textContent = formatValue(series.values[index], span);
  }

  private showEvents(plot: uPlot): void {
    const x = plot.cursor.left ?? -1;
    // The mouse in another plot moves the cursor here, too; one tip is enough.
    const text = x >= 0 && plot.over.matches(":hover") ? tellEvents(plot, this.context.events, x) : "";
    this.eventTip.hidden = text === "";
    if (text === "") return;
    this.eventTip.textContent = text;
    const left = Math.max(0, Math.min(x + 12, plot.over.clientWidth - this.eventTip.offsetWidth));
    this.eventTip.style.transform = `translate(${left}px, 4px)`;
  }

  private drawTimeOffset({ ctx, bbox }: uPlot, color: string): void {
    if (this.timeOffset === "") return;
    ctx.save();
    ctx.font = FONT.replace("11px", `${11 * devicePixelRatio}px`);
    ctx.fillStyle = color;
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.fillText(`${this.timeOffset} s`, bbox.left + bbox.width, ctx.canvas.height - devicePixelRatio);
    ctx.restore();
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < CLICK_PIXELS) return;
    const window: TimeWindow = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const size = Math.max(Math.abs(window[0]), Math.abs(window[1]));
    if (window[1] - window[0] > SMALLEST_SPAN * size) this.context.onZoom(window);
  }

  private listenForClicks(over: HTMLElement): void {
    let pressed = Number.NaN;
    over.addEventListener("mousedown", (event) => (pressed = event.clientX));
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressed) >= CLICK_PIXELS || this.plot === null) return;
      this.context.onSeek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  private movePlayhead(): void {
    if (this.plot === null) return;
    const [from, to] = this.window;
    const isInside = this.time >= from && this.time <= to;
    this.playhead.style.visibility = isInside ? "visible" : "hidden";
    // Not valToPos: the window may be newer than uPlot's scale, which follows at the end of the task.
    const x = ((this.time - from) / (to - from)) * this.plot.over.clientWidth;
    if (isInside) this.playhead.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  private fitWidth(): void {
    const width = this.fixedWidth ?? this.host.clientWidth;
    if (this.plot === null || width < 40 || width === this.plot.width) return;
    this.plot.setSize({ width, height: PLOT_HEIGHT });
    this.movePlayhead();
  }
}

/** Ticks are our own; uPlot only wants to hear of an increment that leaves room enough, or it hides the axis. */
function coarseIncrement(_plot: uPlot, _axis: number, min: number, max: number): number[] {
  return [Math.max(5, max - min)];
}

function scaleKey(unit: string): string {
  // A unit may have any name, also that of uPlot's own scale or of something that every object has.
  return `unit:${unit}`;
}
