// What lies above the canvas as elements of the page: names of bodies, and the little axes in the corner.

import { Quaternion, Vector3, type Camera } from "three";
import { element, svgElement } from "../ui/elements";
import { AXIS_COLORS } from "./grid";

interface Label {
  readonly node: HTMLElement;
  readonly anchor: Vector3;
  width: number;
  isShown: boolean;
}

const LABEL_HEIGHT = 20;

/** Names beside their bodies; those that would cover another one are left out. */
export class Labels {
  readonly node = element("div", { class: "labels", "aria-hidden": "true" });
  private readonly labels: Label[] = [];
  private readonly projected = new Vector3();
  /** Left, top, right of each label that stands. */
  private readonly placed: Float64Array;

  constructor(names: readonly string[], colors: readonly string[]) {
    names.forEach((name, k) => {
      const node = element("span", { class: "label" }, element("i", { style: `background:${colors[k]}` }), name);
      this.node.append(node);
      this.labels.push({ node, anchor: new Vector3(), width: 0, isShown: true });
    });
    this.placed = new Float64Array(3 * names.length);
  }

  setVisible(isVisible: boolean): void {
    this.node.hidden = !isVisible;
  }

  anchor(k: number): Vector3 {
    return this.labels[k].anchor;
  }

  update(camera: Camera, width: number, height: number): void {
    if (this.node.hidden) return;
    let count = 0;
    for (const label of this.labels) {
      if (label.width === 0) label.width = label.node.offsetWidth;
      const p = this.projected.copy(label.anchor).project(camera);
      const isInside = p.z < 1 && Math.abs(p.x) < 1 && Math.abs(p.y) < 1;
      const x = Math.max(2, Math.min(((p.x + 1) / 2) * width + 10, width - label.width - 4));
      const y = Math.max(2, ((1 - p.y) / 2) * height - LABEL_HEIGHT - 4);
      const isShown = isInside && this.isFree(x, y, label.width, count);
      if (isShown !== label.isShown) {
        label.node.style.visibility = isShown ? "visible" : "hidden";
        label.isShown = isShown;
      }
      if (!isShown) continue;
      label.node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      this.placed[3 * count] = x;
      this.placed[3 * count + 1] = y;
      this.placed[3 * count + 2] = x + label.width;
      ++count;
    }
  }

  private isFree(x: number, y: number, width: number, count: number): boolean {
    for (let k = 0; k < count; ++k) {
      const isBeside = x > this.placed[3 * k + 2] || x + width < this.placed[3 * k];
      if (!isBeside && Math.abs(y - this.placed[3 * k + 1]) < LABEL_HEIGHT) return false;
    }
    return true;
  }
}

const TRIAD_SIZE = 64;
const TRIAD_ARM = 22;

export class Triad {
  readonly node = svgElement("svg", { class: "triad", width: TRIAD_SIZE, height: TRIAD_SIZE, viewBox: "-32 -32 64 64", "aria-hidden": "true" });
  private readonly axes: { readonly line: SVGLineElement; readonly text: SVGTextElement; readonly direction: Vector3 }[] = [];
  private readonly rotation = new Quaternion();
  private readonly seen = new Vector3();

  constructor() {
    [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].forEach((direction, k) => {
      const line = svgElement("line", { x1: 0, y1: 0, stroke: AXIS_COLORS[k], "stroke-width": 2, "stroke-linecap": "round" });
      const text = svgElement("text", { fill: AXIS_COLORS[k], "text-anchor": "middle", "dominant-baseline": "central" });
      text.textContent = "xyz"[k];
      this.node.append(line, text);
      this.axes.push({ line, text, direction });
    });
  }

  update(camera: Camera): void {
    this.rotation.copy(camera.quaternion).conjugate();
    for (const { line, text, direction } of this.axes) {
      const p = this.seen.copy(direction).applyQuaternion(this.rotation);
      line.setAttribute("x2", (TRIAD_ARM * p.x).toFixed(1));
      line.setAttribute("y2", (-TRIAD_ARM * p.y).toFixed(1));
      text.setAttribute("x", (1.3 * TRIAD_ARM * p.x).toFixed(1));
      text.setAttribute("y", (-1.3 * TRIAD_ARM * p.y).toFixed(1));
      // An axis that points at the reader has no room for its letter.
      text.setAttribute("visibility", Math.hypot(p.x, p.y) < 0.25 ? "hidden" : "visible");
    }
  }
}
