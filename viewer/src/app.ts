// Puts the page together: data, clock, animation, plots and tables, and lets each know when the time changes.

import type { Report } from "./data/report_data";
import { rowTimeAfter, rowTimeBefore } from "./data/time_rows";
import { FrameLoop } from "./frame_loop";
import { readPageOptions, type PageOptions } from "./page_options";
import { Playback } from "./playback";
import { PlotStack } from "./plots/plot_stack";
import { isMoving } from "./plots/series";
import { SceneView } from "./scene/scene_view";
import { provideTestInterface } from "./test_interface";
import { ThemeSwitch } from "./theme";
import { AnimationCard } from "./ui/animation_card";
import { element } from "./ui/elements";
import { makeHeader, makeNotices } from "./ui/page_header";
import { listenForPrinting, PAPER_SIZE } from "./ui/printing";
import { makeTables } from "./ui/tables";
import { listenForKeys, Transport } from "./ui/transport";

export function startApp(report: Report): void {
  const options = readPageOptions(window.location.hash);
  const theme = new ThemeSwitch(options.theme);
  document.title = report.title;
  if (options.only !== null) document.documentElement.dataset.only = options.only;
  if (!options.controls) document.documentElement.dataset.controls = "none";

  const playback = new Playback(report.times[0] ?? 0, report.times[report.rows - 1] ?? 0);
  playback.setSpeed(options.speed !== null && options.speed > 0 ? options.speed : null);
  const loop = new FrameLoop(drawFrame);
  const transport = new Transport(playback);
  const [view, missing] = makeView(report, options, loop.invalidate);
  const plots = new PlotStack(report, playback, theme);
  const cost = { frames: 0, seconds: 0, updateSeconds: 0 };

  const card =
    view === null
      ? null
      : new AnimationCard(view, transport.node, options, loop.invalidate, {
          plotBody: (name) => {
            const wanted = ["x", "y", "z", "angle"].map((quantity) => `${name}.${quantity}`);
            plots.addPanel(plots.catalogue.all.filter((series) => wanted.includes(series.name) && isMoving(series.values)));
          },
        });
  const first = card?.node ?? makeMissingCard(missing, transport.node);
  const notices = makeNotices(report);
  const layout = element("main", { class: view === null ? "layout without-scene" : "layout" }, element("div", { class: "left" }, first), element("div", { class: "right" }, plots.node, makeTables(report, (time) => playback.seek(time))));
  document.body.append(makeHeader(report, theme), ...(notices === null ? [] : [notices]), layout);

  const paint = (): void => {
    view?.setColors(theme.colors());
    loop.invalidate();
  };
  paint();
  theme.onChange(paint);
  if (view !== null && card !== null) {
    card.start();
    showInitialTrails(view, card, options);
    if (options.follow !== null) card.setFollow(options.follow);
  }
  listenForPrinting((isPrinting) => {
    theme.setPrinting(isPrinting);
    plots.setFixedWidth(isPrinting ? PAPER_SIZE[0] : null);
    card?.setFixedSize(isPrinting ? PAPER_SIZE : null);
  });
  playback.onChange(loop.invalidate);
  listenForKeys(playback, (direction) => playback.seek((direction < 0 ? rowTimeBefore : rowTimeAfter)(report.times, playback.time())));
  playback.seek(options.time ?? playback.start);
  if (options.play) playback.play();
  provideTestInterface({ report, playback, view, card, plots, cost });
  announceReady();

  function drawFrame(seconds: number): boolean {
    const before = performance.now();
    playback.advance(seconds);
    const time = playback.time();
    view?.update(time);
    cost.updateSeconds += (performance.now() - before) / 1000;
    view?.render();
    plots.setTime(time);
    transport.update();
    ++cost.frames;
    cost.seconds += (performance.now() - before) / 1000;
    return playback.isPlaying();
  }
}

/** The animation, or a sentence that says why there is none. */
function makeView(report: Report, options: PageOptions, invalidate: () => void): [SceneView | null, string] {
  if (report.scene === null) return [null, "There is no animation: these results hold no scene, which tells what the model looks like. Files of runs of models (.yaml) do; .csv files hold none, and equations need one of their own."];
  if (report.rows === 0) return [null, "There is no animation: the result file has no rows."];
  if (report.scene.bodies.length === 0) return [null, "There is no animation: the model has no bodies."];
  try {
    return [new SceneView(report, report.scene, options.view, invalidate), ""];
  } catch (error) {
    if (error instanceof Error && error.message.includes("WebGL")) {
      return [null, "There is no animation: this browser offers no WebGL 2. The plots work without it."];
    }
    throw error;
  }
}

function makeMissingCard(reason: string, transport: HTMLElement): HTMLElement {
  return element("section", { class: "card no-scene", "aria-label": "Playback" }, element("p", {}, reason), transport);
}

function showInitialTrails(view: SceneView, card: AnimationCard, options: PageOptions): void {
  const wanted = options.trails ?? view.scene.trails;
  for (const point of view.trails.points) {
    const isWanted = wanted === "all" || wanted.includes(point.name) || wanted.some((name) => point.kind === "point" && point.name.endsWith(`.${name}`));
    if (isWanted) view.setTrail(point, true);
  }
  card.trailList.refresh();
}

/** Two frames later everything is on the screen: uPlot draws at the end of a task, the animation in the next frame. */
function announceReady(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => (document.documentElement.dataset.ready = "true")));
}
