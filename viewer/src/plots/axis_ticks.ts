// Ranges and ticks of value axes. Drifts and errors lie many decades below one, where uPlot's own ticks lose themselves in rounding.

/** A logarithmic axis shows no more decades than this below its largest value: less is zero for every purpose. */
const LARGEST_DECADES = 18;

const MANTISSAS = [1, 2, 5, 10];

/** Whole decades about the values, or 1, 2, 5 times a power of ten when they are close together. */
export function logRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(max > 0)) return [0.1, 10];
  const high = Math.log10(max);
  const low = Math.max(Math.log10(Math.max(min, Number.MIN_VALUE)), high - LARGEST_DECADES);
  if (high - low > 1.5) return [10 ** Math.floor(low + 1e-9), 10 ** Math.ceil(high - 1e-9)];
  const below = MANTISSAS.map((mantissa) => Number(`${mantissa}e${Math.floor(low)}`)).filter((value) => Math.log10(value) <= low - 0.02);
  const above = MANTISSAS.map((mantissa) => Number(`${mantissa}e${Math.floor(high)}`)).filter((value) => Math.log10(value) >= high + 0.02);
  return [below.pop() ?? Number(`5e${Math.floor(low) - 1}`), above[0] ?? Number(`2e${Math.floor(high) + 1}`)];
}

/** Powers of ten, not more than about `count`; within two decades their doubles and fives, too. */
export function logTicks(min: number, max: number, count: number): number[] {
  const bottom = Math.floor(Math.log10(min) + 1e-9);
  const top = Math.ceil(Math.log10(max) - 1e-9);
  const isClose = Math.log10(max / min) <= 2.01;
  const step = isClose ? 1 : Math.max(1, Math.ceil((top - bottom) / Math.max(count, 1)));
  const ticks: number[] = [];
  for (let exponent = bottom; exponent <= top; exponent += step) {
    for (const mantissa of isClose ? [1, 2, 5] : [1]) ticks.push(Number(`${mantissa}e${exponent}`));
  }
  return ticks.filter((tick) => tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9));
}

/** What moves less than this part of its size is constant but for rounding. */
export const SMALLEST_SPAN = 1e-12;

/** A little air above and below; a constant gets a range of its own size. */
export function linearRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  const span = max - min;
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (!(span > SMALLEST_SPAN * size)) return size > 0 ? [Math.min(min - 0.1 * size, 0), Math.max(max + 0.1 * size, 0)] : [-1, 1];
  return [min - 0.06 * span, max + 0.06 * span];
}

/** Multiples of 1, 2 or 5 times a power of ten. */
export function linearTicks(min: number, max: number, count: number): number[] {
  // Closer than rounding: counting steps from zero would not come to an end.
  if (!(max - min > 1e-3 * SMALLEST_SPAN * Math.max(Math.abs(min), Math.abs(max)))) return [min];
  const raw = (max - min) / Math.max(count, 1);
  const exponent = Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * 10 ** exponent >= raw * (1 - 1e-9)) ?? 10;
  const ticks: number[] = [];
  const step = factor * 10 ** exponent;
  // The text is read back so that ticks are the numbers they look like.
  for (let k = Math.ceil(min / step - 1e-9); k <= Math.floor(max / step + 1e-9); ++k) ticks.push(Number(`${k * factor}e${exponent}`));
  return ticks;
}
