// Pages for tests: the template with a report and its values, filled in as the program does it (README.md says how).

/** `values` is { times, columns, steps }: lists of numbers, columns and steps one list for each of the report's. */
export function makePage(template, report, values) {
  const json = JSON.stringify(report).replaceAll("<", "\\u003c");
  const fill = (page, empty, full) => {
    const parts = page.split(empty);
    if (parts.length !== 2) throw new Error(`the template must contain ${empty} once`);
    return parts[0] + full + parts[1];
  };
  const page = fill(template, '<script id="report" type="application/json">{}</script>', `<script id="report" type="application/json">${json}</script>`);
  const text = encodeValues(values, report.columns);
  return fill(page, '<script id="values" type="text/plain"></script>', `<script id="values" type="text/plain">${text}</script>`);
}

/** `fields` are the report's columns, whose offset and scale are taken off the values. */
export function encodeValues({ times, columns, steps }, fields = []) {
  const stored = columns.map((column, k) => {
    const { offset = 0, scale = 1 } = fields?.[k] ?? {};
    return Float32Array.from(column, (value) => (value - offset) / scale);
  });
  const blocks = [Float64Array.from(times), ...stored, ...steps.map((column) => Float64Array.from(column))];
  return Buffer.concat(blocks.map((block) => Buffer.from(block.buffer))).toString("base64");
}

/** Least and largest number of a column, null without any. */
export function extremes(values) {
  const numbers = values.filter(Number.isFinite);
  return numbers.length === 0 ? { min: null, max: null } : numbers.reduce(({ min, max }, v) => ({ min: Math.min(min, v), max: Math.max(max, v) }), { min: Infinity, max: -Infinity });
}
