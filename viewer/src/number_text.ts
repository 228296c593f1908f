// Numbers as text: short in tables and legends, of fixed width where they change all the time.

/** With so many significant digits, without idle zeros; "–" where there is no number. */
export function formatNumber(value: number | null | undefined, digits = 5): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "−").replace("e-", "e−");
  const text = value.toPrecision(digits);
  const plain = text.includes("e") ? String(Number(text)) : text;
  return (plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain).replace("-", "−");
}

export function formatCount(value: number): string {
  return Number.isInteger(value) ? value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009") : formatNumber(value);
}

/** Seconds for people: 1.63 ms, 12.4 s, 3 min 20 s. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 1e-3) return `${formatNumber(seconds * 1e6, 3)} µs`;
  if (seconds < 1) return `${formatNumber(seconds * 1e3, 3)} ms`;
  if (seconds < 100) return `${formatNumber(seconds, 3)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** How many decimals show a hundredth part of a per cent of the duration. */
export function timeDecimals(duration: number): number {
  if (!(duration > 0)) return 3;
  return Math.min(Math.max(Math.ceil(4 - Math.log10(duration)) - 1, 0), 9);
}

/** Ticks of an axis: plain numbers, or a power of ten when they are far from one. */
export function formatTick(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(6).split("e");
    const power = superscript(Number(exponent));
    const factor = String(Number(mantissa));
    if (factor === "1") return `10${power}`;
    if (factor === "-1") return `−10${power}`;
    return `${factor.replace("-", "−")}·10${power}`;
  }
  return String(Number(value.toPrecision(8))).replace("-", "−");
}

function superscript(value: number): string {
  return String(value).replace(/[-0-9]/g, (character) => (character === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(character)]));
}

/** rejected_error -> Rejected error */
export function humanise(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
