// Directions of the picture: which way is up, where the ground plane lies, how wide the squares of its grid are.

import { Vector3, type Box3 } from "three";
import type { Scene } from "../data/scene_data";

export interface ViewFrame {
  readonly planar: boolean;
  readonly up: Vector3;
  /** Two directions in the ground plane; with the third one, `normal`, a right-handed frame. */
  readonly first: Vector3;
  readonly second: Vector3;
  readonly normal: Vector3;
}

export function makeViewFrame(scene: Scene): ViewFrame {
  const up = new Vector3(...scene.gravity).negate();
  if (scene.planar) {
    up.z = 0;
    if (!(up.length() > 0)) up.set(0, 1, 0);
    up.normalize();
    return { planar: true, up, first: new Vector3(1, 0, 0), second: new Vector3(0, 1, 0), normal: new Vector3(0, 0, 1) };
  }
  if (!(up.length() > 0)) up.set(0, 0, 1);
  up.normalize();
  const first = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  first.addScaledVector(up, -first.dot(up)).normalize();
  return { planar: false, up, first, second: up.clone().cross(first), normal: up.clone() };
}

/** Height of the ground plane over the origin: the origin's, unless the model goes below it. */
export function calcFloor(frame: ViewFrame, box: Box3, size: number, unit: number): number {
  if (frame.planar) return -1.2 * unit;
  const lowest = corners(box).reduce((low, corner) => Math.min(low, corner.dot(frame.up)), Infinity);
  // A hair below the origin, so that a road drawn at height zero covers it.
  if (lowest > -0.02 * size) return lowest > 1.5 * size ? lowest - 0.1 * size : -0.004 * size;
  return lowest - 2 * unit;
}

export function corners(box: Box3): Vector3[] {
  const list: Vector3[] = [];
  for (let k = 0; k < 8; ++k) list.push(new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z));
  return list;
}

/** The largest of 1, 2, 5 times a power of ten that is not above `value`. */
export function niceLength(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = value / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}
