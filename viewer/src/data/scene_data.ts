// What is drawn (schema trammel.scene/1, see README.md): types, decoding, checking. Names of columns become the columns' values here,
// so that nothing looks them up while the animation runs.

import { decodeBase64 } from "./base64";
import { FormatError, JsonObject, UndrawableError, toNumbers, toVector, type Vector } from "./json_fields";
import type { Column } from "./report_data";

export const SCENE_SCHEMA = "trammel.scene/1";
export const GROUND = -1;

export type Orientation = readonly [number, number, number, number];

/** Columns of a pose: angle for planar bodies, orientation (Euler parameters, scalar first) for spatial ones, neither for mass points. */
export interface Pose {
  readonly position: readonly Column[];
  readonly angle: Column | null;
  readonly orientation: readonly Column[] | null;
}

export interface NamedPoint {
  readonly name: string;
  readonly position: Vector;
}

export type Shape = { readonly position: Vector; readonly orientation: Orientation; readonly color: string | null } & (
  | { readonly type: "box"; readonly size: Vector }
  | { readonly type: "cylinder"; readonly radius: number; readonly length: number }
  | { readonly type: "sphere"; readonly radius: number }
  | { readonly type: "mesh"; readonly vertices: Float32Array; readonly triangles: Uint32Array }
  | { readonly type: "line"; readonly points: readonly Vector[]; readonly closed: boolean }
);

export interface Body {
  readonly name: string;
  readonly pose: Pose;
  readonly centre: Vector;
  readonly mass: number | null;
  readonly points: readonly NamedPoint[];
  readonly shapes: readonly Shape[];
}

/** A marker on a body (or GROUND) in the body's frame. */
export interface Attachment {
  readonly body: number;
  readonly position: Vector;
  readonly x: Vector;
  readonly z: Vector;
}

/** Three columns, null where a component does not exist. */
export type VectorColumns = readonly [Column | null, Column | null, Column | null];

export interface Joint {
  readonly name: string;
  readonly type: string;
  readonly i: Attachment | null;
  readonly j: Attachment | null;
  readonly force: VectorColumns | null;
  readonly torque: VectorColumns | null;
}

export interface Force {
  readonly name: string;
  readonly type: string;
  readonly i: Attachment | null;
  readonly j: Attachment | null;
  readonly line: boolean;
  readonly value: Column | null;
  readonly force: VectorColumns | null;
  readonly torque: VectorColumns | null;
}

export interface Scene {
  readonly planar: boolean;
  readonly gravity: Vector;
  readonly bodies: readonly Body[];
  readonly ground: { readonly points: readonly NamedPoint[]; readonly shapes: readonly Shape[] };
  readonly joints: readonly Joint[];
  readonly forces: readonly Force[];
  readonly trails: readonly string[];
}

type Columns = ReadonlyMap<string, Column>;

/** Larger shapes cannot be drawn in single precision. */
const LARGEST_LENGTH = 1e15;

/** What is left out is told in `notes`. */
export function decodeScene(root: JsonObject, columns: Columns, notes: string[]): Scene {
  const schema = root.textOr("schema", SCENE_SCHEMA);
  if (schema !== SCENE_SCHEMA) throw new FormatError(`its schema is ${schema}, not ${SCENE_SCHEMA}`);
  const bodies = root.objects("bodies").map((body) => readBody(body, columns, notes));
  const ground = root.objectOrNull("ground");
  return {
    planar: root.truth("planar"),
    gravity: root.has("gravity") ? root.vector("gravity") : [0, 0, 0],
    bodies,
    ground: { points: ground === null ? [] : readPoints(ground), shapes: ground === null ? [] : readShapes(ground, "the ground", notes) },
    joints: root.objects("joints").map((joint) => ({
      name: joint.text("name"),
      type: joint.text("type"),
      i: readAttachment(joint, "i", bodies.length),
      j: readAttachment(joint, "j", bodies.length),
      force: readVectorColumns(joint, "force", columns),
      torque: readVectorColumns(joint, "torque", columns),
    })),
    forces: root.objects("forces").map((force) => ({
      name: force.text("name"),
      type: force.text("type"),
      i: readAttachment(force, "i", bodies.length),
      j: readAttachment(force, "j", bodies.length),
      line: force.has("line") && force.truth("line"),
      value: force.has("value") ? findColumn(force.text("value"), columns, force.where) : null,
      force: readVectorColumns(force, "force", columns),
      torque: readVectorColumns(force, "torque", columns),
    })),
    trails: root.texts("trails"),
  };
}

function findColumn(name: string, columns: Columns, where: string): Column {
  const column = columns.get(name);
  if (column === undefined) throw new FormatError(`${where} names the column ${name}, which is not there`);
  return column;
}

function readBody(body: JsonObject, columns: Columns, notes: string[]): Body {
  const pose = body.object("pose");
  const position = pose.texts("position").map((name) => findColumn(name, columns, pose.where));
  if (position.length < 2 || position.length > 3) throw new FormatError(`${pose.where}.position is not a list of 2 or 3 names`);
  const orientation = pose.has("orientation") ? pose.texts("orientation").map((name) => findColumn(name, columns, pose.where)) : null;
  if (orientation !== null && orientation.length !== 4) throw new FormatError(`${pose.where}.orientation is not a list of 4 names`);
  return {
    name: body.text("name"),
    pose: { position, angle: pose.has("angle") ? findColumn(pose.text("angle"), columns, pose.where) : null, orientation },
    centre: body.has("centre") ? body.vector("centre") : [0, 0, 0],
    mass: body.numberOrNull("mass"),
    points: readPoints(body),
    shapes: readShapes(body, `the body ${body.text("name")}`, notes),
  };
}

function readPoints(owner: JsonObject): NamedPoint[] {
  return owner.objects("points").map((point) => ({ name: point.text("name"), position: point.vector("position") }));
}

function readAttachment(owner: JsonObject, key: string, bodyCount: number): Attachment | null {
  const fields = owner.objectOrNull(key);
  if (fields === null) return null;
  const body = fields.number("body");
  if (!Number.isInteger(body) || body < GROUND || body >= bodyCount) throw new FormatError(`${fields.where}.body is not a body`);
  return {
    body,
    position: fields.vector("position"),
    x: fields.has("x") ? fields.vector("x") : [1, 0, 0],
    z: fields.has("z") ? fields.vector("z") : [0, 0, 1],
  };
}

function readVectorColumns(owner: JsonObject, key: string, columns: Columns): VectorColumns | null {
  if (!owner.has(key)) return null;
  const list = owner.list(key);
  if (list.length !== 3) throw new FormatError(`${owner.where}.${key} is not a list of 3 names`);
  const [x, y, z] = list.map((name) => (typeof name === "string" ? findColumn(name, columns, owner.where) : null));
  return x === null && y === null && z === null ? null : [x, y, z];
}

/** A shape whose numbers are not finite is skipped: it would blank the whole picture. */
function readShapes(owner: JsonObject, ownerName: string, notes: string[]): Shape[] {
  return owner.objects("shapes").flatMap((fields, k): Shape[] => {
    try {
      const shape = readShape(fields);
      checkShape(shape);
      return [shape];
    } catch (error) {
      if (!(error instanceof UndrawableError)) throw error;
      notes.push(`Shape ${k + 1} of ${ownerName} is not drawn: ${error.message}.`);
      return [];
    }
  });
}

function checkShape(shape: Shape): void {
  const check = (numbers: Iterable<number>, what: string): void => {
    for (const number of numbers) if (!(Math.abs(number) < LARGEST_LENGTH)) throw new UndrawableError(`its ${what} is not finite, or too large`);
  };
  check(shape.position, "position");
  check(shape.orientation, "orientation");
  switch (shape.type) {
    case "box":
      return check(shape.size, "size");
    case "cylinder":
      return check([shape.radius, shape.length], "size");
    case "sphere":
      return check([shape.radius], "radius");
    case "mesh":
      if (shape.triangles.length === 0) throw new UndrawableError("its mesh has no triangles");
      return check(shape.vertices, "mesh");
    case "line":
      if (shape.points.length < 2) throw new UndrawableError("its line has less than two points");
      check(shape.points.flat(), "line");
  }
}

function readShape(fields: JsonObject): Shape {
  const common = {
    position: fields.has("position") ? fields.vector("position") : ([0, 0, 0] as const),
    orientation: fields.has("orientation")
      ? (toNumbers(fields.raw("orientation"), 4, `${fields.where}.orientation`) as unknown as Orientation)
      : ([1, 0, 0, 0] as const),
    color: readColor(fields),
  };
  const type = fields.text("type");
  switch (type) {
    case "box":
      return { ...common, type, size: fields.vector("size") };
    case "cylinder":
      return { ...common, type, radius: fields.number("radius"), length: fields.number("length") };
    case "sphere":
      return { ...common, type, radius: fields.number("radius") };
    case "mesh":
      return { ...common, type, ...readMesh(fields) };
    case "line":
      return {
        ...common,
        type,
        points: fields.list("points").map((point, k) => toVector(point, `${fields.where}.points[${k}]`)),
        closed: fields.has("closed") && fields.truth("closed"),
      };
    default:
      throw new FormatError(`${fields.where} has the unknown type ${type}`);
  }
}

function readColor(fields: JsonObject): string | null {
  if (!fields.has("color")) return null;
  const color = fields.text("color");
  if (!/^#[0-9a-fA-F]{6}$/.test(color)) throw new FormatError(`${fields.where}.color is not of the form #rrggbb`);
  return color;
}

function readMesh(fields: JsonObject): { vertices: Float32Array; triangles: Uint32Array } {
  const vertices = decodeBase64(fields.text("vertices"), `${fields.where}.vertices`);
  const triangles = decodeBase64(fields.text("triangles"), `${fields.where}.triangles`);
  if (vertices.length % 12 !== 0 || triangles.length % 12 !== 0) throw new FormatError(`${fields.where} does not hold whole vertices and triangles`);
  const indices = new Uint32Array(triangles.buffer);
  const count = vertices.length / 12;
  for (const index of indices) if (index >= count) throw new FormatError(`${fields.where}.triangles name vertex ${index} of ${count}`);
  return { vertices: new Float32Array(vertices.buffer), triangles: indices };
}
