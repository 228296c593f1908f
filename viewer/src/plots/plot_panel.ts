// One plot: some series over time on a shared x axis, an axis for each unit, a legend that shows values, and the line of the animation.

import uPlot from "uplot";
import type { RunEvent } from "../data/report_data";
import { findRow, rowFraction } from "../data/time_rows";
import { formatNumber, formatTick } from "../number_text";
import type { ThemeSwitch } from "../theme";
import { button, element } from "../ui/elements";
import { linearRange, linearTicks, logRange, logTicks } from "./axis_ticks";
import { drawEventLines } from "./event_lines";
import type { PanelContent } from "./initial_panels";
import { plottedValues, type Series, type SeriesCatalogue, type SeriesKind } from "./series";

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
const FONT = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
/** A press that moves less is a click, not a zoom. */
const CLICK_PIXELS = 4;

interface LegendEntry {
  readonly value: HTMLElement;
  readonly series: Series;
}

export class PlotPanel {
  readonly node: HTMLElement;
  readonly title: string;
  private readonly context: PanelContext;
  private readonly host = element("div", { class: "plot-host" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly empty = element("p", { class: "plot-empty" });
  private readonly playhead = element("div", { class: "playhead" });
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
    this.plot.over.append(this.playhead);
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
        values: (_, splits) => splits.map(formatTick),
        size: 30,
      },
    ];
    units.forEach((unit, k) => {
      const isWhole = this.series_.every((series) => series.unit !== unit || series.values.every(Number.isInteger));
      scales[scaleKey(unit)] = { distr: isLog ? 3 : 1, range: (_, min, max) => (isLog ? logRange(min, max) : linearRange(min, max)) };
      axes.push({
        ...axis,
        scale: scaleKey(unit),
        side: k === 0 ? 3 : 1,
        size: 58,
        labelSize: 18,
        labelFont: FONT,
        label: unit === "" ? "" : unit,
        grid: k === 0 ? axis.grid : { show: false },
        incrs: coarseIncrement,
        splits: (_plot, _axis, min, max) => {
          const ticks = isLog ? logTicks(min, max, VALUE_TICKS) : linearTicks(min, max, VALUE_TICKS);
          return isWhole ? ticks.filter(Number.isInteger) : ticks;
        },
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((value) => (value === null ? "" : formatTick(value))),
      });
    });
    return {
      width: Math.max(this.host.clientWidth, 120),
      height: PLOT_HEIGHT,
      padding: [8, units.length > 1 ? 0 : 14, 0, 0],
      legend: { show: false },
      scales,
      axes,
      series: [
        {},
        ...this.series_.map((series, k): uPlot.Series => {
          const stroke = colors.series[k % colors.series.length];
          const shape: uPlot.Series = { label: series.name, scale: scaleKey(series.unit), stroke, width: 1.6 };
          // A step lasts from the end of the one before to its own.
          if (kind === "steps" && uPlot.paths.stepped !== undefined) shape.paths = uPlot.paths.stepped({ align: -1 });
          if (kind === "steps") shape.points = { show: false };
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
        draw: [(plot) => drawEventLines(plot, this.context.events, this.context.theme.colors().quiet)],
        setCursor: [(plot) => this.hover(plot.cursor.idx ?? null)],
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
        this.entries.push({ value, series });
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
    for (const { value, series } of this.entries) value.textContent = formatNumber(series.values[index]);
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < CLICK_PIXELS) return;
    const window: TimeWindow = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (window[1] > window[0]) this.context.onZoom(window);
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
    const width = this.host.clientWidth;
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
  return unit === "" ? "(none)" : unit;
}
