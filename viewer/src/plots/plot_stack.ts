// All plots, one below the other: they share the window of time, the line of the animation and the dialog that chooses columns.

import type { Report } from "../data/report_data";
import type { Playback } from "../playback";
import type { ThemeSwitch } from "../theme";
import { button, element } from "../ui/elements";
import { ColumnPicker } from "./column_picker";
import { chooseInitialPanels } from "./initial_panels";
import { PlotPanel, type PanelContext, type TimeWindow } from "./plot_panel";
import { makeCatalogue, type Series, type SeriesCatalogue } from "./series";

/** Legends follow the animation at this interval [ms]: text that changes faster cannot be read. */
const VALUE_INTERVAL = 100;

export class PlotStack {
  readonly node: HTMLElement;
  readonly catalogue: SeriesCatalogue;
  private readonly list = element("div", { class: "plot-list" });
  private readonly context: PanelContext;
  private readonly picker: ColumnPicker;
  private readonly playback: Playback;
  private readonly resetButton: HTMLButtonElement;
  private panels_: PlotPanel[] = [];
  private count = 0;
  private window: TimeWindow;
  private lastValues = 0;

  constructor(report: Report, playback: Playback, theme: ThemeSwitch) {
    this.catalogue = makeCatalogue(report);
    this.playback = playback;
    const start = playback.start;
    // A single row stands in the middle.
    const half = Math.max(0.5, 1e-6 * Math.abs(start));
    const whole: TimeWindow = playback.end > start ? [start, playback.end] : [start - half, start + half];
    this.window = whole;
    this.context = {
      catalogue: this.catalogue,
      events: report.events,
      theme,
      whole,
      onSeek: (time) => playback.seek(time),
      onZoom: (window) => this.zoom(window ?? whole),
      onAdd: (panel) => this.picker.open(panel),
      onRemove: (panel) => this.remove(panel),
    };
    this.picker = new ColumnPicker(this.catalogue);
    this.resetButton = button("Whole run", { class: "small", title: "Show the whole time again (double click in a plot)", disabled: true }, () => this.zoom(whole), "fit");
    const add = button("New plot", { class: "small" }, () => this.picker.open(this.addPanel([])), "plus");
    this.node = element(
      "section",
      { class: "plots", "aria-label": "Plots" },
      element("div", { class: "section-head" }, element("h2", {}, "Plots"), element("div", { class: "panel-tools" }, this.resetButton, add)),
      this.list,
      this.picker.node,
    );
    for (const content of chooseInitialPanels(report, this.catalogue)) this.show(new PlotPanel(content, this.context));
    theme.onChange(() => this.panels_.forEach((panel) => panel.rebuild()));
  }

  panels(): readonly PlotPanel[] {
    return this.panels_;
  }

  addPanel(series: readonly Series[]): PlotPanel {
    const panel = new PlotPanel({ title: `Plot ${++this.count}`, series, isLog: false }, this.context);
    this.show(panel);
    panel.node.scrollIntoView({ block: "nearest" });
    return panel;
  }

  setTime(time: number): void {
    const now = performance.now();
    const withValues = !this.playback.isPlaying() || now - this.lastValues > VALUE_INTERVAL;
    if (withValues) this.lastValues = now;
    for (const panel of this.panels_) panel.setTime(time, withValues);
  }

  /** Plots of this width for paper [px]; null: as wide as the page allows. */
  setFixedWidth(width: number | null): void {
    for (const panel of this.panels_) panel.setFixedWidth(width);
  }

  zoom(window: TimeWindow): void {
    this.window = window;
    this.resetButton.disabled = window === this.context.whole;
    for (const panel of this.panels_) panel.setWindow(window);
  }

  private show(panel: PlotPanel): void {
    this.panels_.push(panel);
    this.list.append(panel.node);
    panel.setWindow(this.window);
    panel.setTime(this.playback.time(), true);
  }

  private remove(panel: PlotPanel): void {
    this.panels_ = this.panels_.filter((other) => other !== panel);
    panel.node.remove();
  }
}
