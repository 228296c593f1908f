// Where a time lies among the rows of the results. The work does not depend on the number of rows while time moves on, and grows with
// its logarithm after a jump.

/**
 * The row i with times[i] <= time < times[i + 1], within [0, rows - 2] (0 with a single row). Of rows at equal times the last one counts.
 * `hint` is where the search begins, usually the row found before.
 */
export function findRow(times: Float64Array, time: number, hint: number): number {
  const last = times.length - 2;
  if (last <= 0) return 0;
  let low = Math.min(Math.max(hint, 0), last);
  if (times[low] <= time) {
    if (low === last || time < times[low + 1]) return low;
    if (low + 1 === last || time < times[low + 2]) return low + 1;
  }
  low = 0;
  let high = last + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Where `time` lies between row i and the next one, from 0 to 1. */
export function rowFraction(times: Float64Array, row: number, time: number): number {
  if (row + 1 >= times.length) return 0;
  const span = times[row + 1] - times[row];
  if (!(span > 0)) return time > times[row] ? 1 : 0;
  return Math.min(Math.max((time - times[row]) / span, 0), 1);
}

/** The largest time of a row before `time`; the first one when there is none. */
export function rowTimeBefore(times: Float64Array, time: number): number {
  return times[Math.max(countBelow(times, (t) => t < time) - 1, 0)];
}

/** The smallest time of a row after `time`; the last one when there is none. */
export function rowTimeAfter(times: Float64Array, time: number): number {
  return times[Math.min(countBelow(times, (t) => t <= time), times.length - 1)];
}

/** How many of the first times fulfil a condition that the later ones do not. */
function countBelow(times: Float64Array, isBelow: (time: number) => boolean): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(times[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A column between two rows, on a straight line. */
export function valueBetween(values: Float64Array, row: number, fraction: number): number {
  if (fraction === 0) return values[row];
  const next = values[row + 1];
  return values[row] + fraction * (next - values[row]);
}
