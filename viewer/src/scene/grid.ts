// The grid on the ground plane and the axes at the origin.

import { BufferGeometry, CylinderGeometry, Float32BufferAttribute, Group, LineSegments, Mesh, MeshBasicMaterial, Quaternion, Vector3, type Box3 } from "three";
import type { Materials } from "./materials";
import { corners, type ViewFrame } from "./view_frame";

export const AXIS_COLORS: readonly string[] = ["#d1495b", "#3a9b57", "#3f7fbf"];

const LARGEST_COUNT = 240;

/** Squares on the ground plane. Where the model travels farther than there are squares, they go with the camera. */
export class Grid {
  readonly object = new Group();
  private readonly frame: ViewFrame;
  private readonly floor: number;
  /** Five squares, after which the pattern repeats. */
  private readonly pattern: number;
  private readonly isMoving: readonly [boolean, boolean];
  private readonly middle: readonly [number, number];

  constructor(frame: ViewFrame, box: Box3, size: number, spacing: number, floor: number, materials: Materials) {
    this.frame = frame;
    this.floor = floor;
    this.pattern = 5 * spacing;
    const [a, b] = [frame.first, frame.second].map((axis) => {
      const values = corners(box).map((corner) => corner.dot(axis));
      const low = Math.min(...values);
      const high = Math.max(...values);
      // Planar models are looked at from above, where the window may be much wider than the model.
      const half = Math.ceil(((high - low) / 2 + (frame.planar ? 6 : 1.2) * size) / spacing) + 5;
      return { middle: (low + high) / 2, half: Math.min(half, LARGEST_COUNT / 2), isMoving: half > LARGEST_COUNT / 2 };
    });
    this.middle = [a.middle, b.middle];
    this.isMoving = [a.isMoving, b.isMoving];
    const major: number[] = [];
    const minor: number[] = [];
    const point = (m: number, n: number): number[] => new Vector3().addScaledVector(frame.first, m * spacing).addScaledVector(frame.second, n * spacing).toArray();
    for (let k = -a.half; k <= a.half; ++k) (k % 5 === 0 ? major : minor).push(...point(k, -b.half), ...point(k, b.half));
    for (let k = -b.half; k <= b.half; ++k) (k % 5 === 0 ? major : minor).push(...point(-a.half, k), ...point(a.half, k));
    this.object.add(lines(minor, materials.gridMinor), lines(major, materials.gridMajor));
    this.moveTo(box.getCenter(new Vector3()));
  }

  moveTo(target: Vector3): void {
    const { first, second, normal } = this.frame;
    const snap = (value: number): number => this.pattern * Math.round(value / this.pattern);
    this.object.position
      .copy(normal)
      .multiplyScalar(this.floor)
      .addScaledVector(first, snap(this.isMoving[0] ? target.dot(first) : this.middle[0]))
      .addScaledVector(second, snap(this.isMoving[1] ? target.dot(second) : this.middle[1]));
  }
}

function lines(vertices: readonly number[], material: Materials["gridMajor"]): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  const segments = new LineSegments(geometry, material);
  segments.renderOrder = -1;
  return segments;
}

/** Axes of the ground frame, thin, at its origin. */
export function makeOriginAxes(length: number, unit: number, planar: boolean): Group {
  const group = new Group();
  const directions = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  directions.slice(0, planar ? 2 : 3).forEach((direction, k) => {
    const geometry = new CylinderGeometry(0.09 * unit, 0.09 * unit, length, 8).translate(0, length / 2, 0);
    geometry.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), direction));
    const axis = new Mesh(geometry, new MeshBasicMaterial({ color: AXIS_COLORS[k], transparent: true, opacity: 0.65 }));
    if (planar) axis.position.z = -0.9 * unit;
    group.add(axis);
  });
  return group;
}
