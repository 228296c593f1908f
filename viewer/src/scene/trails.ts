// Paths of points. The whole path is laid down once when a trail is switched on; from then on a frame only moves the end of what is drawn.

import { BufferGeometry, Color, Float32BufferAttribute, Line, LineBasicMaterial, Object3D, type InterleavedBufferAttribute } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { Vector } from "../data/json_fields";
import type { PoseTable } from "../data/pose_table";
import type { Scene } from "../data/scene_data";

/** A path has at most so many points, taken from rows at equal intervals: more cannot be told apart on a screen. */
const LARGEST_PATH = 2000;

export interface TrailPoint {
  readonly name: string;
  readonly body: number;
  readonly position: Vector;
  readonly kind: "body" | "point";
}

export function listTrailPoints(scene: Scene): TrailPoint[] {
  return scene.bodies.flatMap((body, k): TrailPoint[] => [
    { name: body.name, body: k, position: body.centre, kind: "body" },
    ...body.points.map((point) => ({
      name: point.name.startsWith(`${body.name}.`) ? point.name : `${body.name}.${point.name}`,
      body: k,
      position: point.position,
      kind: "point" as const,
    })),
  ]);
}

export class Trails {
  readonly object = new Object3D();
  readonly points: readonly TrailPoint[];
  private readonly active = new Map<TrailPoint, Trail>();
  private readonly table: PoseTable;
  private readonly rows: number;
  private readonly colors: readonly string[];
  private readonly lift: number;

  constructor(scene: Scene, table: PoseTable, rows: number, colors: readonly string[], lift: number) {
    this.points = listTrailPoints(scene);
    this.table = table;
    this.rows = rows;
    this.colors = colors;
    this.lift = lift;
  }

  isOn(point: TrailPoint): boolean {
    return this.active.has(point);
  }

  /** Uses the pose table; the caller evaluates it anew afterwards. */
  set(point: TrailPoint, isOn: boolean): void {
    const trail = this.active.get(point);
    if (isOn && trail === undefined) {
      const added = new Trail(point, this.table, this.rows, this.colors[point.body], this.lift);
      this.active.set(point, added);
      this.object.add(added.object);
    } else if (!isOn && trail !== undefined) {
      this.object.remove(trail.object);
      trail.dispose();
      this.active.delete(point);
    }
  }

  update(row: number): void {
    if (!this.object.visible) return;
    for (const trail of this.active.values()) trail.update(this.table, row);
  }
}

class Trail {
  readonly object = new Object3D();
  private readonly point: TrailPoint;
  /** From `object.position` on, which is the first place: single precision is fine near to it. */
  private readonly path: Float32Array;
  /** Rows from one point of the path to the next. */
  private readonly stride: number;
  private readonly lift: number;
  private readonly here = new Float64Array(3);
  private readonly geometry = new LineGeometry();
  private readonly material: LineMaterial;
  private readonly faint: Line<BufferGeometry, LineBasicMaterial>;
  private patched = 0;

  constructor(point: TrailPoint, table: PoseTable, rows: number, color: string, lift: number) {
    this.point = point;
    this.lift = lift;
    this.stride = Math.max(1, Math.ceil((rows - 1) / (LARGEST_PATH - 1)));
    const count = Math.max(2, Math.ceil((rows - 1) / this.stride) + 1);
    this.path = new Float32Array(3 * count);
    let isBegun = false;
    for (let k = 0; k < count; ++k) {
      table.eval(Math.min(k * this.stride, rows - 1), 0);
      if (table.isKnown[point.body] === 1) {
        table.calcPoint(point.body, point.position, this.here);
        // Places that are not known before the first one that is stay at it: zeros.
        if (!isBegun) this.object.position.set(this.here[0], this.here[1], this.here[2] + lift);
        isBegun = true;
        const { x, y, z } = this.object.position;
        this.path.set([this.here[0] - x, this.here[1] - y, this.here[2] + lift - z], 3 * k);
      } else if (k > 0) {
        this.path.copyWithin(3 * k, 3 * (k - 1), 3 * k);
      }
    }
    this.geometry.setPositions(this.path);
    this.material = new LineMaterial({ color: new Color(color).getHex(), linewidth: 2.5 });
    const bright = new Line2(this.geometry, this.material);
    bright.frustumCulled = false;

    const whole = new BufferGeometry();
    whole.setAttribute("position", new Float32BufferAttribute(this.path, 3));
    this.faint = new Line(whole, new LineBasicMaterial({ color, transparent: true, opacity: 0.35 }));
    this.object.add(this.faint, bright);
  }

  /** Segments up to `row`, of which the last ends where the point is now. */
  update(table: PoseTable, row: number): void {
    if (table.isKnown[this.point.body] === 0) return;
    table.calcPoint(this.point.body, this.point.position, this.here);
    const ends = this.geometry.attributes.instanceEnd as InterleavedBufferAttribute;
    const segments = ends.count;
    const segment = Math.min(Math.floor(row / this.stride), segments - 1);
    const k = 3 * (this.patched + 1);
    ends.setXYZ(this.patched, this.path[k], this.path[k + 1], this.path[k + 2]);
    ends.data.addUpdateRange(6 * this.patched, 6);
    const { x, y, z } = this.object.position;
    ends.setXYZ(segment, this.here[0] - x, this.here[1] - y, this.here[2] + this.lift - z);
    ends.data.addUpdateRange(6 * segment, 6);
    ends.data.needsUpdate = true;
    this.patched = segment;
    this.geometry.instanceCount = segment + 1;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.faint.geometry.dispose();
    this.faint.material.dispose();
  }
}
