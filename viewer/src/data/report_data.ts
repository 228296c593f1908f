// The report that the program writes into the page (schema trammel.report/1, see README.md): types, decoding, checking.

import { decodeBase64 } from "./base64";
import { FormatError, JsonObject } from "./json_fields";
import { decodeScene, type Scene } from "./scene_data";

export const REPORT_SCHEMA = "trammel.report/1";

export interface Column {
  readonly name: string;
  readonly unit: string;
  readonly group: string;
  readonly description: string;
  /** Over all rows of the result file, null without any number. */
  readonly min: number | null;
  readonly max: number | null;
  readonly values: Float64Array;
}

export interface StepColumn {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly values: Float64Array;
}

export interface RunEvent {
  readonly name: string;
  readonly t: number;
}

export interface Summary {
  readonly status: string;
  readonly reason: string;
  readonly endTime: number | null;
  readonly notes: readonly string[];
  /** Groups of numbers by name: drift, energy, statistics. */
  readonly drift: ReadonlyMap<string, number>;
  readonly energy: ReadonlyMap<string, number>;
  readonly statistics: ReadonlyMap<string, number>;
}

export interface Report {
  readonly title: string;
  readonly file: string;
  readonly method: string;
  readonly tolerance: number;
  readonly version: string;
  readonly created: string;
  readonly parameters: readonly (readonly [string, number | null])[];
  readonly attributes: readonly (readonly [string, string])[];
  readonly summary: Summary | null;
  readonly isFinished: boolean;
  readonly rows: number;
  readonly rowsTotal: number;
  readonly steps: number;
  readonly stepsTotal: number;
  readonly times: Float64Array;
  readonly columns: readonly Column[];
  readonly columnsByName: ReadonlyMap<string, Column>;
  readonly stepColumns: readonly StepColumn[];
  readonly events: readonly RunEvent[];
  readonly notes: readonly string[];
  readonly source: string;
  readonly scene: Scene | null;
}

export type DecodedReport = { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly problem: string };

export function decodeReport(reportText: string, valuesText: string): DecodedReport {
  try {
    return { ok: true, report: readReport(parse(reportText), valuesText.trim()) };
  } catch (error) {
    if (error instanceof FormatError) return { ok: false, problem: error.message };
    throw error;
  }
}

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError("the report in this page is not JSON; the file is damaged");
  }
  const root = new JsonObject(value, "");
  if (root.keys().length === 0) throw new FormatError("this page has no results in it: it is the template that the program fills");
  const schema = root.textOr("schema", "(none)");
  if (schema !== REPORT_SCHEMA) {
    throw new FormatError(`the results have the schema ${schema}, this page reads ${REPORT_SCHEMA}; write the page anew with the same version`);
  }
  return root;
}

function readReport(root: JsonObject, valuesText: string): Report {
  const rows = root.count("rows");
  const steps = root.count("steps");
  const blocks = new NumberBlocks(decodeBase64(valuesText, "values"));
  const columnFields = root.objects("columns");
  const stepFields = root.objects("step_columns");
  blocks.expect(8 * rows + 4 * rows * columnFields.length + 8 * steps * stepFields.length);

  const times = blocks.takeDoubles(rows);
  for (let k = 1; k < rows; ++k) {
    if (!(times[k] >= times[k - 1])) throw new FormatError(`time decreases, or is no number, at row ${k + 1} of ${rows}`);
  }
  const columns = columnFields.map((field): Column => ({
    name: field.text("name"),
    unit: field.textOr("unit", ""),
    group: field.textOr("group", "other"),
    description: field.textOr("description", ""),
    min: field.numberOrNull("min"),
    max: field.numberOrNull("max"),
    values: blocks.takeScaledFloats(rows, field.numberOrNull("offset") ?? 0, field.numberOrNull("scale") ?? 1),
  }));
  const stepColumns = stepFields.map((field): StepColumn => ({
    name: field.text("name"),
    unit: field.textOr("unit", ""),
    description: field.textOr("description", ""),
    values: blocks.takeDoubles(steps),
  }));
  const columnsByName = new Map(columns.map((column) => [column.name, column]));

  const file = root.textOr("file", "");
  const notes = root.texts("notes");
  let scene: Scene | null = null;
  const sceneFields = root.objectOrNull("scene");
  if (sceneFields !== null) {
    try {
      scene = decodeScene(sceneFields, columnsByName, notes);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      notes.push(`There is no animation, since its description is wrong: ${error.message}.`);
    }
  }
  return {
    title: root.textOr("title", "").trim() || file || "Results",
    file,
    method: root.textOr("method", ""),
    tolerance: root.numberOrNull("tolerance") ?? 0,
    version: root.textOr("version", ""),
    created: root.textOr("created", ""),
    parameters: readPairs(root, "parameters").map(([name, value]) => [name, typeof value === "number" ? value : null] as const),
    attributes: readPairs(root, "attributes").map(([name, value]) => [name, String(value)] as const),
    summary: readSummary(root.objectOrNull("summary")),
    isFinished: root.has("is_finished") ? root.truth("is_finished") : true,
    rows,
    rowsTotal: root.has("rows_total") ? root.count("rows_total") : rows,
    steps,
    stepsTotal: root.has("steps_total") ? root.count("steps_total") : steps,
    times,
    columns,
    columnsByName,
    stepColumns,
    events: root.objects("events").map((event) => ({ name: event.text("name"), t: event.number("t") })),
    notes,
    source: root.textOr("source", ""),
    scene,
  };
}

function readPairs(root: JsonObject, key: string): (readonly [string, unknown])[] {
  return root.listOrEmpty(key).map((pair, k) => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") throw new FormatError(`${key}[${k}] is not a pair of name and value`);
    return [pair[0], pair[1] as unknown] as const;
  });
}

function readSummary(fields: JsonObject | null): Summary | null {
  if (fields === null) return null;
  return {
    status: fields.textOr("status", ""),
    reason: fields.textOr("reason", ""),
    endTime: fields.numberOrNull("t"),
    notes: fields.texts("notes"),
    drift: readNumbers(fields.objectOrNull("drift")),
    energy: readNumbers(fields.objectOrNull("energy")),
    statistics: readNumbers(fields.objectOrNull("statistics")),
  };
}

function readNumbers(fields: JsonObject | null): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const key of fields?.keys() ?? []) {
    const value = fields?.raw(key);
    if (typeof value === "number") numbers.set(key, value);
  }
  return numbers;
}

/** Numbers one block after the other, little endian, as all machines with a browser are. */
class NumberBlocks {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private offset = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  expect(length: number): void {
    if (this.bytes.length !== length) {
      throw new FormatError(`the values have ${this.bytes.length} bytes where the report announces ${length}; the file is damaged or cut off`);
    }
  }

  takeDoubles(count: number): Float64Array {
    const start = this.offset;
    this.offset += 8 * count;
    // Floats before may leave the block off an 8-byte boundary, which views do not allow.
    return start % 8 === 0 ? new Float64Array(this.bytes.buffer, start, count) : new Float64Array(this.bytes.slice(start, this.offset).buffer);
  }

  /** offset + scale * stored: floats hold seven digits of a motion, wherever it takes place. */
  takeScaledFloats(count: number, offset: number, scale: number): Float64Array {
    const start = this.offset;
    this.offset += 4 * count;
    const values = Float64Array.from(new Float32Array(this.bytes.buffer, start, count));
    if (offset !== 0 || scale !== 1) for (let k = 0; k < count; ++k) values[k] = offset + scale * values[k];
    return values;
  }
}
