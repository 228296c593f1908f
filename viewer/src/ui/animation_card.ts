// The animation with its controls: canvas, view buttons, what is shown, trails, and the name under the mouse.

import { formatNumber, humanise } from "../number_text";
import { DISPLAY_KEYS, type Display, type DisplayKey, type PageOptions } from "../page_options";
import type { SceneView } from "../scene/scene_view";
import { button, element } from "./elements";
import { TrailList } from "./trail_list";

export interface SelectionActions {
  plotBody(name: string): void;
}

const DISPLAY_TITLES: Record<DisplayKey, string> = {
  joints: "Signs of the joints",
  reactions: "Reaction forces of the joints: on the second body, on the first one where the second is the ground",
  forces: "Applied forces and torques",
  trails: "Paths of points",
  labels: "Names of the bodies",
  points: "Markers",
  grid: "Ground plane and axes of the origin",
};

export class AnimationCard {
  readonly node: HTMLElement;
  readonly display: Display;
  readonly trailList: TrailList;
  private readonly view: SceneView;
  private readonly invalidate: () => void;
  private readonly stageNode = element("div", { class: "stage" });
  private readonly tip = element("div", { class: "tip", hidden: true });
  private readonly selection = element("div", { class: "selection", hidden: true });
  private readonly boxes = new Map<DisplayKey, HTMLInputElement>();
  private readonly modeButton: HTMLButtonElement;
  private readonly followSelect = element("select", { "aria-label": "Camera", title: "What the camera follows" });
  private readonly actions: SelectionActions;
  private readonly paperCanvas = element("canvas", { class: "paper", "aria-hidden": "true" });
  private fixedSize: readonly [number, number] | null = null;

  constructor(view: SceneView, transport: HTMLElement, options: PageOptions, invalidate: () => void, actions: SelectionActions) {
    this.view = view;
    this.invalidate = invalidate;
    this.actions = actions;
    this.display = { joints: true, reactions: false, forces: false, trails: true, labels: view.scene.bodies.length <= 12, points: false, grid: true, ...options.display };
    const fit = button("Fit view", { class: "small", title: "Show the whole motion" }, () => view.fit(), "fit");
    this.modeButton = button("3D", { class: "small toggle", title: "Turn the view in space", "aria-pressed": "false" }, () => this.setMode(view.stage.mode() === "3d" ? "2d" : "3d"), "cube");
    this.modeButton.hidden = !view.scene.planar;
    this.trailList = new TrailList(view, invalidate);
    const trails = element("details", { class: "popover" }, element("summary", { class: "button small" }, "Trails …"), this.trailList.node);
    closeOutside(trails);
    this.fillFollow();
    const tools = element("div", { class: "panel-tools" }, fit, this.modeButton, this.followSelect, trails);

    this.stageNode.append(
      view.stage.canvas,
      view.labels.node,
      view.triad.node,
      element("span", { class: "scale", title: "Width of the squares of the grid" }, `grid ${formatNumber(view.gridSpacing)} m`),
      this.selection,
      this.tip,
    );
    view.stage.canvas.setAttribute("role", "img");
    view.stage.canvas.setAttribute("aria-label", "Animation of the model");
    this.node = element(
      "section",
      { class: "card animation", "aria-label": "Animation" },
      element("div", { class: "panel-head" }, element("h2", {}, "Animation"), tools),
      this.stageNode,
      transport,
      this.makeChoices(),
    );
    new ResizeObserver(() => this.resize()).observe(this.stageNode);
    this.listenForMouse();
    this.updateMode();
  }

  /** To be called once the card is in the page and has its size. */
  start(): void {
    this.resize();
    this.view.setDisplay(this.display);
    this.view.fit();
  }

  setDisplay(changes: Partial<Display>): void {
    Object.assign(this.display, changes);
    for (const [key, box] of this.boxes) box.checked = this.display[key];
    this.view.setDisplay(this.display);
    this.invalidate();
  }

  setMode(mode: "2d" | "3d"): void {
    this.view.setMode(mode);
    this.updateMode();
  }

  setFollow(name: string | null): void {
    const index = this.view.scene.bodies.findIndex((body) => body.name === name);
    this.view.setFollow(index < 0 ? null : index);
    this.followSelect.value = String(index);
    this.view.fit();
  }

  private updateMode(): void {
    this.modeButton.setAttribute("aria-pressed", String(this.view.stage.mode() === "3d"));
  }

  private fillFollow(): void {
    const { bodies } = this.view.scene;
    this.followSelect.append(element("option", { value: -1 }, "Fixed camera"), ...bodies.map((body, k) => element("option", { value: k }, `Follow ${body.name}`)));
    this.followSelect.value = String(this.view.follow() ?? -1);
    this.followSelect.addEventListener("change", () => {
      const index = Number(this.followSelect.value);
      this.view.setFollow(index < 0 ? null : index);
      this.view.fit();
    });
  }

  private makeChoices(): HTMLElement {
    const { view } = this;
    const checks = DISPLAY_KEYS.map((key) => {
      const box = element("input", { type: "checkbox" });
      box.checked = this.display[key];
      box.addEventListener("change", () => this.setDisplay({ [key]: box.checked }));
      this.boxes.set(key, box);
      return element("label", { class: "check", title: DISPLAY_TITLES[key] }, box, humanise(key));
    });
    const scale = element("input", { type: "range", min: -1, max: 1.5, step: 0.05, value: 0, "aria-label": "Length of arrows" });
    scale.addEventListener("input", () => {
      view.setArrowScale(10 ** Number(scale.value));
      this.invalidate();
    });
    const arrows = element("label", { class: "check arrow-scale", title: "Length of the arrows of reactions and forces" }, "Arrows", scale);
    return element("div", { class: "choices", role: "group", "aria-label": "What is shown" }, ...checks, arrows);
  }

  /** For paper; null: as large as there is room. Draws at once. */
  setFixedSize(size: readonly [number, number] | null): void {
    this.fixedSize = size;
    this.resize();
    this.view.render();
    if (size !== null) this.copyPicture();
  }

  /** Browsers put the canvas on paper after it has got its colours of the screen again: a copy keeps those of the paper. */
  private copyPicture(): void {
    const { canvas } = this.view.stage;
    canvas.after(this.paperCanvas);
    this.paperCanvas.width = canvas.width;
    this.paperCanvas.height = canvas.height;
    this.paperCanvas.getContext("2d")?.drawImage(canvas, 0, 0);
  }

  private resize(): void {
    const [width, height] = this.fixedSize ?? [this.stageNode.clientWidth, this.stageNode.clientHeight];
    if (width > 0 && height > 0) this.view.resize(width, height);
  }

  private listenForMouse(): void {
    const { canvas } = this.view.stage;
    let pressed: [number, number] = [0, 0];
    let waiting: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("pointermove", (event) => {
      // One look a frame is enough, and none while the view is being turned.
      if (event.buttons !== 0) return;
      if (waiting === null) {
        requestAnimationFrame(() => {
          const latest = waiting;
          waiting = null;
          this.hover(latest);
        });
      }
      waiting = event;
    });
    canvas.addEventListener("click", (event) => {
      if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) this.select(event);
    });
  }

  private hover(event: PointerEvent | null): void {
    const picked = event === null ? null : this.view.pick(event.offsetX, event.offsetY);
    this.tip.hidden = picked === null;
    this.view.setHighlight(picked?.body ?? null);
    this.invalidate();
    if (picked === null || event === null) return;
    this.tip.textContent = picked.text;
    const x = Math.min(event.offsetX + 14, this.stageNode.clientWidth - this.tip.offsetWidth - 6);
    this.tip.style.transform = `translate(${Math.max(x, 4)}px, ${event.offsetY + 16}px)`;
  }

  private select(event: MouseEvent): void {
    const picked = this.view.pick(event.offsetX, event.offsetY);
    this.selection.hidden = picked === null;
    if (picked === null) return;
    this.selection.replaceChildren(element("strong", {}, picked.text));
    const { body } = picked;
    if (body === null) return;
    const { name } = this.view.scene.bodies[body];
    const trail = this.view.trails.points.find((point) => point.body === body && point.kind === "body");
    const buttons = element("span", { class: "panel-tools" });
    if (trail !== undefined) buttons.append(button("Trail", { class: "small" }, () => this.trailList.set(trail, !this.view.trails.isOn(trail)), "path"));
    buttons.append(button("Follow", { class: "small" }, () => this.setFollow(name)), button("Plot", { class: "small" }, () => this.actions.plotBody(name)));
    this.selection.append(buttons);
  }
}

function closeOutside(details: HTMLDetailsElement): void {
  document.addEventListener("pointerdown", (event) => {
    if (details.open && event.target instanceof Node && !details.contains(event.target)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key === "Escape") details.open = false;
  });
}
