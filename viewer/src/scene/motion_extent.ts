// How large the model is and where it goes, from samples over the whole run. Everything that is drawn takes its size from here.

import { Box3, Quaternion, Vector3 } from "three";
import type { Vector } from "../data/json_fields";
import type { PoseTable } from "../data/pose_table";
import { GROUND, type Attachment, type Body, type Scene, type Shape } from "../data/scene_data";

/** So many instants are looked at; the picture does not get better with more. */
const SAMPLES = 96;
/** A stone that falls out of the picture does not make the model large: its size is at most so many times what it begins with. */
const LARGEST_GROWTH = 2;
/** Shapes of the ground up to so many times the model's extent belong into the picture; a floor that is larger goes on beyond it. */
const LARGEST_GROUND = 3;

export class MotionExtent {
  /** Everything over the whole run. */
  readonly box = new Box3();
  /** Diagonal of the model at an instant, the median over the run, without what goes far away. */
  readonly size: number;
  /** Length that pins, bars and arrows are multiples of. */
  readonly unit: number;
  /** Points of each body in its frame that decide what a picture of it must hold. */
  readonly bodyPoints: readonly (readonly Vector[])[];
  readonly groundPoints: readonly Vector[];
  /** Corners of those shapes of the ground that a picture should hold. */
  readonly groundCorners: readonly Vector[];
  private readonly samples: { readonly poses: Float64Array; readonly isKnown: Uint8Array }[] = [];
  private readonly table: PoseTable;

  constructor(scene: Scene, table: PoseTable, rows: number) {
    this.table = table;
    this.bodyPoints = scene.bodies.map((body, k) => uniquePoints([...linkPoints(scene, body, k), ...body.shapes.flatMap(shapePoints)]));
    this.groundPoints = uniquePoints([...attachmentsOf(scene, GROUND).map((a) => a.position), ...scene.ground.points.map((p) => p.position)]);
    const groups = connectedBodies(scene).map((bodies) => ({ bodies, anchors: groundAnchors(scene, bodies) }));
    const count = Math.min(rows, SAMPLES);
    for (let k = 0; k < count; ++k) {
      table.eval(count > 1 ? Math.round((k * (rows - 1)) / (count - 1)) : 0, 0);
      this.samples.push({ poses: table.poses.slice(), isKnown: table.isKnown.slice() });
    }
    const sizes: number[] = [];
    const groupSizes: number[][] = groups.map(() => []);
    const instant = new Box3();
    const points: Vector3[] = [];
    this.forEachSample(() => {
      points.length = 0;
      this.addPoints(points);
      instant.setFromPoints(points);
      if (instant.isEmpty()) return;
      sizes.push(instant.getSize(new Vector3()).length());
      this.box.union(instant);
      groups.forEach(({ bodies, anchors }, k) => {
        points.length = 0;
        for (const body of bodies) this.addBodyPoints(body, points);
        if (points.length === 0) return;
        for (const p of anchors) points.push(new Vector3(...p));
        groupSizes[k].push(instant.setFromPoints(points).getSize(new Vector3()).length());
      });
    });
    if (this.box.isEmpty()) for (const shape of scene.ground.shapes) for (const p of shapePoints(shape)) this.box.expandByPoint(new Vector3(...p));
    if (this.box.isEmpty()) this.box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const span = this.box.getSize(new Vector3()).length();
    // Size of the largest part that holds together.
    const reach = Math.max(0, ...groupSizes.map(median));
    const bound = LARGEST_GROWTH * Math.max(reach, sizes[0] ?? 0);
    const usual = bound > 0 ? Math.min(median(sizes), bound) : median(sizes);
    this.size = usual > 0 ? usual : span > 0 ? span : 1;
    this.groundCorners = scene.ground.shapes.map(shapePoints).filter((corners) => this.isComparable(corners, Math.max(span, this.size))).flat();
    const links = this.bodyPoints.map(diagonal).filter((length) => length > 1e-9 * this.size);
    const link = links.length > 0 ? median(links) : this.size;
    // Chosen by eye: planar drawings take bolder lines than pictures in space, where things stand behind each other.
    const boldness = scene.planar ? 0.021 : 0.014;
    const isScattered = reach > 0 && median(sizes) > bound;
    const largest = isScattered ? 2 * boldness * reach : 0.5 * Math.max(link, ...links);
    this.unit = Math.min(Math.max(0.13 * link, 0.004 * this.size), boldness * this.size, largest);
  }

  /** Calls with the poses of each sample in the table, one after the other. */
  forEachSample(visit: () => void): void {
    for (const sample of this.samples) {
      this.table.poses.set(sample.poses);
      this.table.isKnown.set(sample.isKnown);
      visit();
    }
  }

  /** Adds the points of the model in the ground frame, with the poses that the table holds now. */
  addPoints(points: Vector3[]): void {
    for (const p of this.groundPoints) points.push(new Vector3(...p));
    for (let k = 0; k < this.bodyPoints.length; ++k) this.addBodyPoints(k, points);
  }

  private addBodyPoints(body: number, points: Vector3[]): void {
    if (this.table.isKnown[body] === 0) return;
    const place = new Float64Array(3);
    for (const p of this.bodyPoints[body]) {
      this.table.calcPoint(body, p, place);
      points.push(new Vector3(place[0], place[1], place[2]));
    }
  }

  private isComparable(corners: readonly Vector[], span: number): boolean {
    if (!(diagonal(corners) <= LARGEST_GROUND * span)) return false;
    const near = this.box.clone().expandByScalar(LARGEST_GROUND * span);
    return corners.every((p) => near.containsPoint(new Vector3(...p)));
  }
}

/** Bodies that joints and forces hold together, the ground not counted. */
export function connectedBodies(scene: Scene): number[][] {
  const leader = scene.bodies.map((_, k) => k);
  const find = (k: number): number => {
    while (leader[k] !== k) k = leader[k] = leader[leader[k]];
    return k;
  };
  for (const { i, j } of [...scene.joints, ...scene.forces]) {
    if (i !== null && j !== null && i.body !== GROUND && j.body !== GROUND) leader[find(i.body)] = find(j.body);
  }
  const groups = new Map<number, number[]>();
  leader.forEach((_, k) => {
    const group = groups.get(find(k));
    if (group === undefined) groups.set(find(k), [k]);
    else group.push(k);
  });
  return [...groups.values()];
}

/** Where these bodies are held by the ground. */
function groundAnchors(scene: Scene, bodies: readonly number[]): Vector[] {
  const members = new Set(bodies);
  return [...scene.joints, ...scene.forces].flatMap(({ i, j }) => {
    if (i === null || j === null) return [];
    if (i.body === GROUND && members.has(j.body)) return [i.position];
    return j.body === GROUND && members.has(i.body) ? [j.position] : [];
  });
}

export function attachmentsOf(scene: Scene, body: number): Attachment[] {
  const found: Attachment[] = [];
  for (const { i, j } of [...scene.joints, ...scene.forces]) {
    if (i?.body === body) found.push(i);
    if (j?.body === body) found.push(j);
  }
  return found;
}

/** What a body without shapes is drawn from: where joints and forces hold it, its markers and its centre. */
export function linkPoints(scene: Scene, body: Body, index: number): Vector[] {
  return uniquePoints([...attachmentsOf(scene, index).map((a) => a.position), ...body.points.map((p) => p.position), body.centre]);
}

function uniquePoints(points: readonly Vector[]): Vector[] {
  const tolerance = 1e-9 * Math.max(1e-30, ...points.map((p) => Math.hypot(...p)));
  const unique: Vector[] = [];
  for (const p of points) {
    if (!unique.some((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) <= tolerance)) unique.push(p);
  }
  return unique;
}

/** Corners of the box about a shape. */
function shapePoints(shape: Shape): Vector[] {
  const box = new Box3();
  const point = new Vector3();
  switch (shape.type) {
    case "box":
      box.setFromCenterAndSize(point, new Vector3(...shape.size));
      break;
    case "sphere":
      box.setFromCenterAndSize(point, new Vector3().setScalar(2 * shape.radius));
      break;
    case "cylinder":
      box.setFromCenterAndSize(point, new Vector3(2 * shape.radius, 2 * shape.radius, shape.length));
      break;
    case "mesh":
      for (let k = 0; k < shape.vertices.length; k += 3) box.expandByPoint(point.fromArray(shape.vertices, k));
      break;
    case "line":
      for (const p of shape.points) box.expandByPoint(point.set(...p));
  }
  if (box.isEmpty()) return [];
  const [w, x, y, z] = shape.orientation;
  const rotation = new Quaternion(x, y, z, w).normalize();
  const corners: Vector[] = [];
  for (let k = 0; k < 8; ++k) {
    point.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
    point.applyQuaternion(rotation);
    corners.push([point.x + shape.position[0], point.y + shape.position[1], point.z + shape.position[2]]);
  }
  return corners;
}

function diagonal(points: readonly Vector[]): number {
  const box = new Box3();
  const p = new Vector3();
  for (const point of points) box.expandByPoint(p.set(...point));
  return box.isEmpty() ? 0 : box.getSize(p).length();
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
