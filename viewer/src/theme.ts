// Light and dark: which one is on, and the colours that CSS cannot reach (the canvases of animation and plots).
// Bodies and curves use colours that stay apart for colour-blind eyes (after Paul Tol's and Okabe and Ito's sets, tuned for each ground).

export type Theme = "light" | "dark";

export interface ThemeColors {
  readonly background: string;
  readonly text: string;
  readonly quiet: string;
  readonly gridMajor: string;
  readonly gridMinor: string;
  readonly plotGrid: string;
  readonly metal: string;
  readonly pin: string;
  readonly outline: string;
  readonly ground: string;
  readonly spring: string;
  readonly reaction: string;
  readonly force: string;
  readonly series: readonly string[];
}

export const BODY_COLORS: readonly string[] = ["#3f7fbf", "#e07b39", "#3a9b6e", "#b65fa0", "#d1a92a", "#53b3cf", "#c4515c", "#7a6fc4", "#8c9a3c", "#a0785a"];

const COLORS: Record<Theme, ThemeColors> = {
  light: {
    background: "#fbfcfd",
    text: "#1c2430",
    quiet: "#5b6675",
    gridMajor: "#c3ccd6",
    gridMinor: "#e4e9ee",
    plotGrid: "#e8ecf0",
    metal: "#566170",
    pin: "#ffffff",
    outline: "#1f2833",
    ground: "#7b8694",
    spring: "#4b5563",
    reaction: "#b3261e",
    force: "#0b7a55",
    series: ["#2266aa", "#cc5500", "#1c8557", "#a03d8c", "#8a6d00", "#0f8aa8", "#b53240", "#5d51b5", "#66741a", "#7d5636"],
  },
  dark: {
    background: "#12171e",
    text: "#e6ebf2",
    quiet: "#9aa6b5",
    gridMajor: "#313c49",
    gridMinor: "#1e2630",
    plotGrid: "#232c37",
    metal: "#aab4c1",
    pin: "#f2f5f8",
    outline: "#06090d",
    ground: "#7d8997",
    spring: "#b9c3cf",
    reaction: "#ff7b72",
    force: "#4fd6a0",
    series: ["#6cb0f2", "#ff9d5c", "#5fcf9c", "#e28fd2", "#e6c34a", "#67d3ee", "#ff8a93", "#aaa0f5", "#b9c95a", "#cfa481"],
  },
};

export class ThemeSwitch {
  private theme_: Theme;
  private isChosen: boolean;
  /** What comes back after printing, null while nothing is printed. */
  private afterPrint: Theme | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(wanted: Theme | null) {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    this.theme_ = wanted ?? (system.matches ? "dark" : "light");
    this.isChosen = wanted !== null;
    system.addEventListener("change", () => {
      if (!this.isChosen && this.afterPrint === null) this.apply(system.matches ? "dark" : "light");
    });
    document.documentElement.dataset.theme = this.theme_;
  }

  theme(): Theme {
    return this.theme_;
  }

  colors(): ThemeColors {
    return COLORS[this.theme_];
  }

  /** Paper is light. */
  setPrinting(isPrinting: boolean): void {
    const before = this.afterPrint;
    this.afterPrint = isPrinting ? (before ?? this.theme_) : null;
    const theme = isPrinting ? "light" : (before ?? this.theme_);
    if (theme !== this.theme_) this.apply(theme);
  }

  toggle(): void {
    this.isChosen = true;
    this.apply(this.theme_ === "dark" ? "light" : "dark");
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private apply(theme: Theme): void {
    this.theme_ = theme;
    document.documentElement.dataset.theme = theme;
    for (const listener of this.listeners) listener();
  }
}
