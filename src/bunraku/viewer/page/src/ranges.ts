// The range of a plot: that of its curves, unless rare peaks (an impact) would flatten all the rest. Then the peaks are cut off and marked.
//
// With the 2nd and 98th percentile p, P of all values and s = P - p, values up to 1.5 s beyond are kept; farther ones are peaks if they are.

const MOST_LOOKED_AT = 4000; // values, evenly picked
const TAIL = 0.02;
const REACH = 1.5;
const NOISE = 1e-4; // what varies less, against its size or a thousandth, is a straight line

export interface Range {
  low: number;
  high: number;
  cutLow: boolean;
  cutHigh: boolean;
}

/** The range of several columns; `whole`: with all peaks. */
export function rangeOf(columns: readonly (readonly (number | null | undefined)[])[], whole: boolean): Range {
  const values: number[] = [];
  const total = columns.reduce((sum, column) => sum + column.length, 0);
  const stride = Math.max(1, Math.floor(total / MOST_LOOKED_AT));
  let [least, most] = [Infinity, -Infinity];
  for (const column of columns) {
    column.forEach((value, i) => {
      if (value == null || !Number.isFinite(value)) return;
      if (value < least) least = value;
      if (value > most) most = value;
      if (i % stride === 0) values.push(value);
    });
  }
  if (!(least <= most)) return { low: 0, high: 1, cutLow: false, cutHigh: false };
  values.sort((a, b) => a - b);
  const at = (part: number) => values[Math.round(part * (values.length - 1))]!;
  const span = at(1 - TAIL) - at(TAIL);
  const cutHigh = !whole && span > 0 && most > at(1 - TAIL) + REACH * span;
  const cutLow = !whole && span > 0 && least < at(TAIL) - REACH * span;
  const [low, high] = [cutLow ? at(TAIL) - 0.25 * span : least, cutHigh ? at(1 - TAIL) + 0.25 * span : most];
  const still = Math.max(0.1 * Math.abs(high), 1e-3);
  const pad = high - low > NOISE * still ? 0.06 * (high - low) : still;
  return { low: low - (cutLow ? 0 : pad), high: high + (cutHigh ? 0 : pad), cutLow, cutHigh };
}

export interface Peak {
  index: number;
  up: boolean;
  value: number;
}

/** The peaks of a column that a range cuts off: of each excursion the farthest value. */
export function peaksOf(column: readonly (number | null | undefined)[], { low, high }: Range): Peak[] {
  const peaks: Peak[] = [];
  let open: Peak | null = null;
  column.forEach((value, index) => {
    const out = value != null && (value > high || value < low);
    if (!out) {
      open = null;
      return;
    }
    const up = value > high;
    if (open && open.up === up) {
      if (up ? value > open.value : value < open.value) [open.index, open.value] = [index, value];
    } else peaks.push((open = { index, up, value }));
  });
  return peaks;
}
