// Typed access to parsed JSON. What is not as it should be ends in a FormatError whose text names the place, since the page shows it.

export class FormatError extends Error {}

/** A number that is not finite (null in JSON), or too large to be drawn. */
export class UndrawableError extends FormatError {}

export type Vector = readonly [number, number, number];

export class JsonObject {
  private readonly fields: Readonly<Record<string, unknown>>;
  readonly where: string;

  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new FormatError(`${where} is not an object`);
    this.fields = value as Record<string, unknown>;
    this.where = where;
  }

  has(key: string): boolean {
    return this.fields[key] !== undefined && this.fields[key] !== null;
  }

  raw(key: string): unknown {
    return this.fields[key];
  }

  text(key: string): string {
    const value = this.fields[key];
    if (typeof value !== "string") throw this.wrong(key, "a text");
    return value;
  }

  textOr(key: string, other: string): string {
    return this.has(key) ? this.text(key) : other;
  }

  number(key: string): number {
    const value = this.fields[key];
    if (value === null) throw new UndrawableError(`${this.place(key)} is not finite`);
    if (typeof value !== "number") throw this.wrong(key, "a number");
    return value;
  }

  /** A number that was not finite arrives as null. */
  numberOrNull(key: string): number | null {
    return this.has(key) ? this.number(key) : null;
  }

  count(key: string): number {
    const value = this.number(key);
    if (!Number.isInteger(value) || value < 0) throw this.wrong(key, "a count");
    return value;
  }

  truth(key: string): boolean {
    const value = this.fields[key];
    if (typeof value !== "boolean") throw this.wrong(key, "true or false");
    return value;
  }

  object(key: string): JsonObject {
    return new JsonObject(this.fields[key], this.place(key));
  }

  objectOrNull(key: string): JsonObject | null {
    return this.has(key) ? this.object(key) : null;
  }

  list(key: string): readonly unknown[] {
    const value = this.fields[key];
    if (!Array.isArray(value)) throw this.wrong(key, "a list");
    return value as unknown[];
  }

  listOrEmpty(key: string): readonly unknown[] {
    return this.has(key) ? this.list(key) : [];
  }

  objects(key: string): JsonObject[] {
    return this.listOrEmpty(key).map((value, k) => new JsonObject(value, `${this.place(key)}[${k}]`));
  }

  texts(key: string): string[] {
    return this.listOrEmpty(key).map((value, k) => {
      if (typeof value !== "string") throw new FormatError(`${this.place(key)}[${k}] is not a text`);
      return value;
    });
  }

  vector(key: string): Vector {
    return toVector(this.fields[key], this.place(key));
  }

  keys(): string[] {
    return Object.keys(this.fields);
  }

  private place(key: string): string {
    return this.where === "" ? key : `${this.where}.${key}`;
  }

  private wrong(key: string, expected: string): FormatError {
    return new FormatError(`${this.place(key)} is not ${expected}`);
  }
}

export function toNumbers(value: unknown, length: number, where: string): number[] {
  if (Array.isArray(value) && value.length === length && value.includes(null)) throw new UndrawableError(`${where} is not finite`);
  if (!Array.isArray(value) || value.length !== length || value.some((entry) => typeof entry !== "number")) {
    throw new FormatError(`${where} is not a list of ${length} numbers`);
  }
  return value as number[];
}

export function toVector(value: unknown, where: string): Vector {
  const numbers = toNumbers(value, 3, where);
  return [numbers[0], numbers[1], numbers[2]];
}
