// Building the page's elements. Texts always become text nodes: names from the results can hold anything and must stay inert.

type Attributes = Readonly<Record<string, string | number | boolean>>;
type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function svgElement<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/** Paths on a field of 16 by 16. */
const ICONS = {
  play: "M4.5 2.6v10.8a.6.6 0 0 0 .92.5l8.3-5.4a.6.6 0 0 0 0-1L5.42 2.1a.6.6 0 0 0-.92.5z",
  pause: "M4 2.5h2.7v11H4zM9.3 2.5H12v11H9.3z",
  loop: "M3 8a5 5 0 0 1 8.6-3.5H9.8v1.4h4.1V1.8h-1.4v1.6A6.4 6.4 0 0 0 1.6 8zM13 8a5 5 0 0 1-8.6 3.5h1.8v-1.4H2.1v4.1h1.4v-1.6A6.4 6.4 0 0 0 14.4 8z",
  fit: "M1.8 1.8h4.4v1.4H3.2v3H1.8zM9.8 1.8h4.4v4.4h-1.4v-3h-3zM1.8 9.8h1.4v3h3v1.4H1.8zM12.8 9.8h1.4v4.4H9.8v-1.4h3z",
  cube: "M8 1.1l6 3.4v7L8 14.9l-6-3.4v-7zM8 2.7L4.3 4.8 8 6.9l3.7-2.1zM3.4 6v4.7l3.9 2.2V8.2zM12.6 6L8.7 8.2v4.7l3.9-2.2z",
  sun: "M8 4.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8zM7.3.8h1.4v2.3H7.3zM7.3 12.9h1.4v2.3H7.3zM.8 7.3h2.3v1.4H.8zM12.9 7.3h2.3v1.4h-2.3zM2.4 3.4l1-1 1.6 1.6-1 1zM11 12l1-1 1.6 1.6-1 1zM2.4 12.6L4 11l1 1-1.6 1.6zM11 4l1.6-1.6 1 1L12 5z",
  plus: "M7.2 2.5h1.6v4.7h4.7v1.6H8.8v4.7H7.2V8.8H2.5V7.2h4.7z",
  close: "M3.6 2.5L8 6.9l4.4-4.4 1.1 1.1L9.1 8l4.4 4.4-1.1 1.1L8 9.1l-4.4 4.4-1.1-1.1L6.9 8 2.5 3.6z",
  copy: "M5 1.5h8.5V11H12v1.4h3V.1H3.6v1.4zM1 3.6h9.9v12.3H1zM2.4 5v9.5h7.1V5z",
  path: "M2 13.4a1.6 1.6 0 1 1 1.9-2.2c2-.4 2.3-1.5 2.6-3C6.900 6.300 7.400 3.900 11 3.300a1.600 1.600 0 1 1 .3 1.400c-2.500.500-2.900 1.900-3.300 3.800-.400 1.800-.900 3.600-4 4.100A1.600 1.600 0 0 1 2 13.400z",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = svgElement("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" });
  svg.append(svgElement("path", { d: ICONS[name], fill: "currentColor" }));
  return svg;
}

export function button(text: string, attributes: Attributes, onClick: () => void, iconName?: IconName): HTMLButtonElement {
  const node = element("button", { type: "button", ...attributes });
  if (iconName !== undefined) node.append(icon(iconName));
  if (text !== "") node.append(element("span", {}, text));
  node.addEventListener("click", onClick);
  return node;
}

let idCount = 0;

export function freshId(prefix: string): string {
  return `${prefix}-${++idCount}`;
}
