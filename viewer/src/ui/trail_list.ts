// The list of bodies and points whose paths can be shown, with a search.

import type { SceneView } from "../scene/scene_view";
import type { TrailPoint } from "../scene/trails";
import { button, element } from "./elements";

const LARGEST_SHOWN = 300;

export class TrailList {
  readonly node: HTMLElement;
  private readonly view: SceneView;
  private readonly onChange: () => void;
  private readonly list = element("ul", { class: "picker-list" });
  private readonly search = element("input", { type: "search", placeholder: "Search bodies and points", "aria-label": "Search trails" });

  constructor(view: SceneView, onChange: () => void) {
    this.view = view;
    this.onChange = onChange;
    this.search.addEventListener("input", () => this.refresh());
    this.node = element(
      "div",
      { class: "trail-list" },
      element("div", { class: "row" }, this.search, button("None", { class: "small" }, () => this.setAll(false))),
      this.list,
    );
    this.refresh();
  }

  set(point: TrailPoint, isOn: boolean): void {
    this.view.setTrail(point, isOn);
    this.refresh();
    this.onChange();
  }

  setAll(isOn: boolean): void {
    for (const point of this.view.trails.points) this.view.trails.set(point, isOn);
    this.refresh();
    this.onChange();
  }

  refresh(): void {
    const text = this.search.value.toLowerCase();
    const found = this.view.trails.points.filter((point) => point.name.toLowerCase().includes(text));
    this.list.replaceChildren(...found.slice(0, LARGEST_SHOWN).map((point) => this.makeEntry(point)));
    if (found.length > LARGEST_SHOWN) this.list.append(element("li", { class: "hint" }, `and ${found.length - LARGEST_SHOWN} more: search for them`));
  }

  private makeEntry(point: TrailPoint): HTMLLIElement {
    const box = element("input", { type: "checkbox" });
    box.checked = this.view.trails.isOn(point);
    box.addEventListener("change", () => {
      this.view.setTrail(point, box.checked);
      this.onChange();
    });
    return element("li", {}, element("label", {}, box, element("span", { class: "name" }, point.name), element("span", { class: "unit" }, point.kind)));
  }
}
