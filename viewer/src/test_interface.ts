// window.trammel: what tests and scripts that make pictures may ask the page to do. README.md lists it.

import type { Report } from "./data/report_data";
import type { Display } from "./page_options";
import type { Playback } from "./playback";
import type { PlotStack } from "./plots/plot_stack";
import type { SceneView } from "./scene/scene_view";
import type { AnimationCard } from "./ui/animation_card";

export interface ViewRequest extends Partial<Display> {
  readonly mode?: "2d" | "3d";
  readonly follow?: string | null;
  readonly fit?: boolean;
}

interface Parts {
  readonly report: Report;
  readonly playback: Playback;
  readonly view: SceneView | null;
  readonly card: AnimationCard | null;
  readonly plots: PlotStack;
  readonly cost: { readonly frames: number; readonly seconds: number; readonly updateSeconds: number };
}

export function provideTestInterface({ report, playback, view, card, plots, cost }: Parts): void {
  const surface = {
    seek: (time: number): void => playback.seek(time),
    play: (): void => playback.play(),
    pause: (): void => playback.pause(),
    time: (): number => playback.time(),
    rows: (): number => report.rows,
    renderedFrames: (): number => view?.stage.renderedFrames() ?? 0,
    /** Mean processor time of a frame on this page's thread [s]. */
    frameCost: (): number => (cost.frames === 0 ? 0 : cost.seconds / cost.frames),
    /** The part of it that moves things, before anything is drawn [s]. */
    updateCost: (): number => (cost.frames === 0 ? 0 : cost.updateSeconds / cost.frames),
    drawCalls: (): number => view?.stage.drawCalls() ?? 0,
    bodyPositions: (): number[] => view?.bodyPositions() ?? [],
    plots: () => plots.panels().map((panel) => ({ title: panel.title, ...panel.state() })),
    setView: ({ mode, follow, fit, ...display }: ViewRequest): void => {
      card?.setDisplay(display);
      if (mode !== undefined) card?.setMode(mode);
      if (follow !== undefined) card?.setFollow(follow);
      if (fit === true) view?.fit();
    },
  };
  Object.defineProperty(window, "trammel", { value: surface });
}
