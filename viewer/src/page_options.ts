// Options after the # of the page's address, for pictures and for embedding; README.md lists them. What is not understood is left out.

import type { Theme } from "./theme";

export type DisplayKey = "joints" | "reactions" | "forces" | "trails" | "labels" | "points" | "grid";

export const DISPLAY_KEYS: readonly DisplayKey[] = ["joints", "reactions", "forces", "trails", "labels", "points", "grid"];

export type Display = Record<DisplayKey, boolean>;

export interface PageOptions {
  readonly time: number | null;
  readonly play: boolean;
  readonly only: "animation" | "plots" | null;
  /** Whether `only=animation` keeps play button and slider. */
  readonly controls: boolean;
  readonly theme: Theme | null;
  readonly view: "2d" | "3d" | null;
  readonly speed: number | null;
  readonly follow: string | null;
  /** Names of points and bodies, "all", or null: those of the scene. */
  readonly trails: "all" | readonly string[] | null;
  readonly display: Partial<Display>;
}

export function readPageOptions(hash: string): PageOptions {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const display: Partial<Display> = {};
  for (const key of DISPLAY_KEYS) {
    const value = fields.get(key);
    if (value === "0" || value === "1") display[key] = value === "1";
  }
  const trails = fields.get("trails");
  return {
    time: readNumber(fields.get("t")),
    play: fields.get("play") === "1",
    controls: fields.get("controls") !== "0",
    only: oneOf(fields.get("only"), ["animation", "plots"] as const),
    theme: oneOf(fields.get("theme"), ["light", "dark"] as const),
    view: oneOf(fields.get("view"), ["2d", "3d"] as const),
    speed: readNumber(fields.get("speed")),
    follow: fields.get("follow"),
    trails: trails === null || trails === "0" || trails === "1" ? null : trails === "all" ? "all" : trails.split(","),
    display,
  };
}

function readNumber(text: string | null): number | null {
  if (text === null || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function oneOf<T extends string>(text: string | null, allowed: readonly T[]): T | null {
  return allowed.find((word) => word === text) ?? null;
}
