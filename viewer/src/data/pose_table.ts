// Poses of all bodies at a time, from the columns of the results: straight lines for positions and angles, the normalised line for Euler
// parameters, whose sign is free and chosen so that the way is the short one. Nothing is allocated after the start.

import type { Vector } from "./json_fields";
import { GROUND, type Attachment, type Body } from "./scene_data";
import { valueBetween } from "./time_rows";

/** Farther away than this nothing can be drawn: squares of lengths must fit into single precision. */
const FARTHEST = 1e18;

/** Numbers of a pose: position x, y, z, then the quaternion x, y, z, w. */
export const POSE_SIZE = 7;

interface PoseColumns {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array | null;
  readonly angle: Float64Array | null;
  readonly e: readonly Float64Array[] | null;
}

export class PoseTable {
  readonly bodyCount: number;
  readonly poses: Float64Array;
  /** 0 where a pose is not a number, or out of all bounds. */
  readonly isKnown: Uint8Array;
  private readonly columns: readonly PoseColumns[];

  constructor(bodies: readonly Body[]) {
    this.bodyCount = bodies.length;
    this.poses = new Float64Array(POSE_SIZE * bodies.length);
    this.isKnown = new Uint8Array(bodies.length);
    this.columns = bodies.map(({ pose }) => ({
      x: pose.position[0].values,
      y: pose.position[1].values,
      z: pose.position.length > 2 ? pose.position[2].values : null,
      angle: pose.angle?.values ?? null,
      e: pose.orientation?.map((column) => column.values) ?? null,
    }));
  }

  /** Fills `poses` and `isKnown`. */
  eval(row: number, fraction: number): void {
    for (let k = 0; k < this.bodyCount; ++k) this.evalBody(k, row, fraction);
  }

  /** A point of a body (or of the ground) in the ground frame, into `out` from `offset` on. */
  calcPoint(body: number, position: Vector, out: Float64Array | Float32Array, offset = 0): void {
    if (body === GROUND) {
      out[offset] = position[0];
      out[offset + 1] = position[1];
      out[offset + 2] = position[2];
      return;
    }
    this.calcDirection(body, position, out, offset);
    const at = POSE_SIZE * body;
    out[offset] += this.poses[at];
    out[offset + 1] += this.poses[at + 1];
    out[offset + 2] += this.poses[at + 2];
  }

  /** A vector of a body's frame in ground axes. */
  calcDirection(body: number, vector: Vector, out: Float64Array | Float32Array, offset = 0): void {
    let [vx, vy, vz] = vector;
    if (body !== GROUND) {
      const at = POSE_SIZE * body;
      const p = this.poses;
      const qx = p[at + 3];
      const qy = p[at + 4];
      const qz = p[at + 5];
      const qw = p[at + 6];
      const tx = 2 * (qy * vz - qz * vy);
      const ty = 2 * (qz * vx - qx * vz);
      const tz = 2 * (qx * vy - qy * vx);
      vx += qw * tx + qy * tz - qz * ty;
      vy += qw * ty + qz * tx - qx * tz;
      vz += qw * tz + qx * ty - qy * tx;
    }
    out[offset] = vx;
    out[offset + 1] = vy;
    out[offset + 2] = vz;
  }

  calcAttachment(attachment: Attachment, out: Float64Array | Float32Array, offset = 0): void {
    this.calcPoint(attachment.body, attachment.position, out, offset);
  }

  isAttachmentKnown(attachment: Attachment): boolean {
    return attachment.body === GROUND || this.isKnown[attachment.body] === 1;
  }

  private evalBody(k: number, row: number, fraction: number): void {
    const at = POSE_SIZE * k;
    const p = this.poses;
    const columns = this.columns[k];
    p[at] = valueBetween(columns.x, row, fraction);
    p[at + 1] = valueBetween(columns.y, row, fraction);
    p[at + 2] = columns.z === null ? 0 : valueBetween(columns.z, row, fraction);
    p[at + 3] = 0;
    p[at + 4] = 0;
    p[at + 5] = 0;
    p[at + 6] = 1;
    if (columns.angle !== null) {
      const half = valueBetween(columns.angle, row, fraction) / 2;
      p[at + 5] = Math.sin(half);
      p[at + 6] = Math.cos(half);
    } else if (columns.e !== null) {
      this.evalOrientation(at, columns.e, row, fraction);
    }
    let sum = 0;
    for (let n = 0; n < POSE_SIZE; ++n) sum += Math.abs(p[at + n]);
    this.isKnown[k] = sum < FARTHEST ? 1 : 0;
  }

  private evalOrientation(at: number, e: readonly Float64Array[], row: number, fraction: number): void {
    const p = this.poses;
    let sign = 1;
    if (fraction > 0) {
      let product = 0;
      for (let n = 0; n < 4; ++n) product += e[n][row] * e[n][row + 1];
      if (product < 0) sign = -1;
    }
    let square = 0;
    for (let n = 0; n < 4; ++n) {
      const value = fraction > 0 ? (1 - fraction) * e[n][row] + fraction * sign * e[n][row + 1] : e[n][row];
      // Scalar first in the results, last here.
      p[at + 3 + ((n + 3) % 4)] = value;
      square += value * value;
    }
    const norm = Math.sqrt(square);
    for (let n = 3; n < POSE_SIZE; ++n) p[at + n] /= norm;
  }
}
