// Controls of the clock: play, loop, the slider, speed and time; and the keys that do the same.

import { formatNumber, timeDecimals } from "../number_text";
import { SPEEDS, type Playback } from "../playback";
import { button, element, icon } from "./elements";

const SLIDER_STEPS = 10000;

export class Transport {
  readonly node: HTMLElement;
  private readonly playback: Playback;
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly slider = element("input", { type: "range", min: 0, max: SLIDER_STEPS, step: 1, value: 0, "aria-label": "Time", class: "scrub" });
  private readonly clock = element("output", { class: "clock" });
  private readonly speed = element("select", { "aria-label": "Speed", title: "Speed" });
  private readonly decimals: number;
  private wasPlaying: boolean | null = null;

  constructor(playback: Playback) {
    this.playback = playback;
    this.decimals = timeDecimals(playback.end - playback.start);
    this.playButton = button("", { class: "primary play", "aria-label": "Play", title: "Play or pause (space)" }, () => playback.toggle(), "play");
    this.loopButton = button("", { class: "toggle", "aria-label": "Loop", title: "Begin again at the end", "aria-pressed": "true" }, () => playback.setLoop(!playback.loop()), "loop");
    this.slider.title = "Time (arrow keys, Home, End)";
    this.slider.addEventListener("input", () => playback.seek(this.timeAt(Number(this.slider.value))));
    this.speed.append(element("option", { value: "fit" }, `fit (${formatNumber(playback.fitSpeed(), 2)}×)`), ...SPEEDS.map((speed) => element("option", { value: speed }, `${speed}×`)));
    this.speed.addEventListener("change", () => playback.setSpeed(this.speed.value === "fit" ? null : Number(this.speed.value)));
    if (playback.end <= playback.start) for (const control of [this.playButton, this.slider, this.speed]) control.disabled = true;
    const width = Math.max(...[playback.start, playback.end].map((time) => time.toFixed(this.decimals).length)) + 2;
    this.clock.style.minWidth = `${width}ch`;
    this.node = element("div", { class: "transport", role: "group", "aria-label": "Playback" }, this.playButton, this.loopButton, this.slider, this.clock, this.speed);
    this.update();
  }

  update(): void {
    const { playback } = this;
    const time = playback.time();
    const share = playback.end > playback.start ? (time - playback.start) / (playback.end - playback.start) : 0;
    this.slider.value = String(Math.round(SLIDER_STEPS * share));
    this.slider.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    const text = `${time.toFixed(this.decimals)} s`;
    if (this.clock.value !== text) this.clock.value = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.loopButton.setAttribute("aria-pressed", String(playback.loop()));
    const speed = playback.speed();
    this.speed.value = speed === null ? "fit" : String(speed);
    if (playback.isPlaying() === this.wasPlaying) return;
    this.wasPlaying = playback.isPlaying();
    this.playButton.replaceChildren(icon(this.wasPlaying ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", this.wasPlaying ? "Pause" : "Play");
  }

  private timeAt(value: number): number {
    return this.playback.start + (value / SLIDER_STEPS) * (this.playback.end - this.playback.start);
  }
}

/** Space plays and pauses, arrows move by a hundredth of the run (with Shift by one row), Home and End go to the ends. */
export function listenForKeys(playback: Playback, stepRow: (direction: -1 | 1) => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]") !== null) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const isScrub = target.classList.contains("scrub");
    const isText = target.matches("input:not([type=checkbox]):not([type=range]), select, textarea");
    if (isText || (target.matches("input[type=range]") && !isScrub)) return;
    if (event.key === " " && target.matches("button, summary, input[type=checkbox], a")) return;
    const hundredth = (playback.end - playback.start) / 100;
    const actions: Record<string, () => void> = {
      " ": () => playback.toggle(),
      ArrowLeft: () => (event.shiftKey ? stepRow(-1) : playback.seek(playback.time() - hundredth)),
      ArrowRight: () => (event.shiftKey ? stepRow(1) : playback.seek(playback.time() + hundredth)),
      Home: () => playback.seek(playback.start),
      End: () => playback.seek(playback.end),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
