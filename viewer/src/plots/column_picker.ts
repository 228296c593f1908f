// The dialog that chooses columns of a plot: a tree of groups and owners, and a search. Parts of the tree are made when they are opened,
// since a long chain has thousands of columns.

import { humanise } from "../number_text";
import { button, element } from "../ui/elements";
import type { PlotPanel } from "./plot_panel";
import type { Series, SeriesCatalogue } from "./series";

const LARGEST_FOUND = 200;

export class ColumnPicker {
  readonly node: HTMLDialogElement;
  private readonly catalogue: SeriesCatalogue;
  private readonly heading = element("h2", { id: "picker-title" });
  private readonly search = element("input", { type: "search", placeholder: "Search names, units and descriptions", "aria-label": "Search columns" });
  private readonly tree = element("div", { class: "picker-tree" });
  private readonly hint = element("p", { class: "picker-hint" });
  private panel: PlotPanel | null = null;

  constructor(catalogue: SeriesCatalogue) {
    this.catalogue = catalogue;
    this.search.addEventListener("input", () => this.fill());
    const close = (): void => this.node.close();
    this.node = element(
      "dialog",
      { class: "picker", "aria-labelledby": "picker-title" },
      element("div", { class: "picker-head" }, this.heading, button("", { class: "quiet", "aria-label": "Close" }, close, "close")),
      this.search,
      this.hint,
      this.tree,
      element("div", { class: "picker-foot" }, button("Done", { class: "primary" }, close)),
    );
    this.node.addEventListener("click", (event) => {
      if (event.target === this.node) close();
    });
  }

  open(panel: PlotPanel): void {
    this.panel = panel;
    this.heading.textContent = `Columns of “${panel.title}”`;
    this.search.value = "";
    this.fill();
    this.node.showModal();
    this.search.focus();
  }

  private fill(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) {
      this.hint.textContent = `${this.catalogue.all.length} columns`;
      this.tree.replaceChildren(...this.groups());
      return;
    }
    const found = this.catalogue.all.filter((series) => {
      const text = `${series.name} ${series.unit} ${series.group} ${series.description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    this.hint.textContent = found.length > LARGEST_FOUND ? `${found.length} columns, the first ${LARGEST_FOUND} are shown` : `${found.length} columns`;
    this.tree.replaceChildren(this.makeList(found.slice(0, LARGEST_FOUND), (series) => series.name));
  }

  private groups(): HTMLElement[] {
    const shown = new Set(this.panel?.series().map((series) => series.group));
    return [...partition(this.catalogue.all, (series) => series.group)].map(([group, members]) =>
      this.makeBranch(humanise(group), members.length, shown.has(group), () => this.owners(members)),
    );
  }

  private owners(members: readonly Series[]): HTMLElement[] {
    const parts = [...partition(members, ownerOf)];
    if (parts.length === 1 || members.length <= 12) return [this.makeList(members, (series) => series.name)];
    const shown = new Set(this.panel?.series().map(ownerOf));
    return parts.map(([owner, list]) => this.makeBranch(owner, list.length, shown.has(owner), () => [this.makeList(list, (series) => series.name)]));
  }

  private makeBranch(title: string, count: number, isOpen: boolean, makeContent: () => HTMLElement[]): HTMLDetailsElement {
    const content = element("div", { class: "branch" });
    const branch = element("details", {}, element("summary", {}, element("span", {}, title), element("span", { class: "count" }, String(count))), content);
    const fill = (): void => {
      if (content.childElementCount === 0) content.append(...makeContent());
    };
    branch.addEventListener("toggle", fill);
    if (isOpen) {
      branch.open = true;
      fill();
    }
    return branch;
  }

  private makeList(list: readonly Series[], text: (series: Series) => string): HTMLElement {
    return element("ul", { class: "picker-list" }, ...list.map((series) => this.makeEntry(series, text(series))));
  }

  private makeEntry(series: Series, text: string): HTMLLIElement {
    const panel = this.panel;
    const box = element("input", { type: "checkbox" });
    box.checked = panel?.series().includes(series) ?? false;
    const kind = panel?.kind() ?? null;
    box.disabled = kind !== null && kind !== series.kind;
    const title = box.disabled ? "Rows and the history of steps have different times: open a new plot for it" : series.description;
    box.addEventListener("change", () => {
      const kindBefore = panel?.kind();
      panel?.setSeries(series, box.checked);
      if (panel?.kind() !== kindBefore) this.refreshDisabled();
    });
    box.dataset.kind = series.kind;
    return element(
      "li",
      {},
      element(
        "label",
        { title },
        box,
        element("span", { class: "name" }, text),
        element("span", { class: "unit" }, series.unit),
        element("span", { class: "description" }, series.description),
      ),
    );
  }

  private refreshDisabled(): void {
    const kind = this.panel?.kind() ?? null;
    for (const box of this.tree.querySelectorAll("input")) box.disabled = kind !== null && box.dataset.kind !== kind;
  }
}

/** beam.pen.x belongs to beam.pen */
function ownerOf(series: Series): string {
  const dot = series.name.lastIndexOf(".");
  return dot > 0 ? series.name.slice(0, dot) : series.name;
}

function partition(list: readonly Series[], key: (series: Series) => string): Map<string, Series[]> {
  const parts = new Map<string, Series[]>();
  for (const series of list) {
    const part = parts.get(key(series));
    if (part === undefined) parts.set(key(series), [series]);
    else part.push(series);
  }
  return parts;
}
