// The grid on the ground plane and the axes at the origin.

import { BufferGeometry, CylinderGeometry, Float32BufferAttribute, Group, LineSegments, Mesh, MeshBasicMaterial, Quaternion, Vector3, type Box3 } from "three";
import type { Materials } from "./materials";
import { corners, type ViewFrame } from "./view_frame";

export const AXIS_COLORS: readonly string[] = ["#d1495b", "#3a9b57", "#3f7fbf"];

const LARGEST_COUNT = 240;

export function makeGrid(frame: ViewFrame, box: Box3, size: number, spacing: number, floor: number, materials: Materials): Group {
  const span = (axis: Vector3): [number, number] => {
    const values = corners(box).map((corner) => corner.dot(axis));
    // Planar models are looked at from above, where the window may be much wider than the model.
    const margin = (frame.planar ? 6 : 1.2) * size;
    let low = Math.floor((Math.min(...values) - margin) / spacing);
    let high = Math.ceil((Math.max(...values) + margin) / spacing);
    if (high - low > LARGEST_COUNT) {
      const middle = Math.round((low + high) / 2);
      low = middle - LARGEST_COUNT / 2;
      high = middle + LARGEST_COUNT / 2;
    }
    return [low, high];
  };
  const [a0, a1] = span(frame.first);
  const [b0, b1] = span(frame.second);
  const major: number[] = [];
  const minor: number[] = [];
  const origin = frame.normal.clone().multiplyScalar(floor);
  const point = (a: number, b: number): number[] =>
    origin.clone().addScaledVector(frame.first, a * spacing).addScaledVector(frame.second, b * spacing).toArray();
  for (let a = a0; a <= a1; ++a) (a % 5 === 0 ? major : minor).push(...point(a, b0), ...point(a, b1));
  for (let b = b0; b <= b1; ++b) (b % 5 === 0 ? major : minor).push(...point(a0, b), ...point(a1, b));
  const group = new Group();
  group.add(lines(minor, materials.gridMinor), lines(major, materials.gridMajor));
  return group;
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
