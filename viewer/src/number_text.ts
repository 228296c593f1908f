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

/** A value of a column that moves by `span` in all: with digits enough to see it move. */
export function formatValue(value: number | undefined, span: number): string {
  if (value === undefined || !Number.isFinite(value) || value === 0 || !(span > 0)) return formatNumber(value);
  const digits = Math.ceil(Math.log10(Math.abs(value) / span)) + 4;
  return digits <= 5 ? formatNumber(value) : withDigits(value, Math.min(digits, 15));
}

function withDigits(value: number, digits: number): string {
  const number = Number(value.toPrecision(digits));
  return String(number).replace("e+", "e").replaceAll("-", "−");
}

export interface TickTexts {
  readonly texts: readonly string[];
  /** What is to be added to them, "" for nothing. */
  readonly offset: string;
}

/** Ticks at equal intervals; where their texts would be longer than so many characters, or alike, what they share is taken off. */
export function formatTicks(ticks: readonly number[], longest: number): TickTexts {
  const plain = ticks.map(formatTick);
  if (ticks.length < 2) return { texts: plain.map((text, k) => (text.length > longest ? formatNumber(ticks[k], 12) : text)), offset: "" };
  const step = (ticks[ticks.length - 1] - ticks[0]) / (ticks.length - 1);
  const size = Math.max(...ticks.map(Math.abs));
  const isExact = size / step < 1e6 && new Set(plain).size === plain.length;
  if (isExact && plain.every((text) => text.length <= longest)) return { texts: plain, offset: "" };
  const power = Math.ceil(Math.log10(ticks[ticks.length - 1] - ticks[0]) - 1e-9);
  // Through text, so that the offset and what is left of the ticks are the numbers they look like.
  const offset = Number(`${Math.floor(ticks[0] / 10 ** power + 1e-9)}e${power}`);
  if (offset === 0 || !Number.isFinite(offset)) return { texts: plain, offset: "" };
  const decimals = 2 - Math.floor(Math.log10(step));
  const texts = ticks.map((tick) => formatTick(Number(`${Math.round((tick - offset) * 10 ** decimals)}e${-decimals}`)));
  return { texts, offset: `${offset < 0 ? "" : "+"}${formatOffset(offset)}` };
}

function formatOffset(value: number): string {
  const text = String(Number(value.toPrecision(15)));
  if (text.length <= 12 && !text.includes("e") && Math.abs(value) < 1e7 && Math.abs(value) >= 1e-3) return text.replace("-", "−");
  const [mantissa, exponent] = Number(value.toPrecision(15)).toExponential().split("e");
  const power = `10${superscript(Number(exponent))}`;
  return `${mantissa === "1" ? "" : mantissa === "-1" ? "−" : `${mantissa.replace("-", "−")}·`}${power}`;
}

/** A tick of an axis: plain number, or a power of ten when it is far from one. */
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
