// Where the ground holds the model: the triangle with hatching of planar kinematics, a small base in space.

import { CylinderGeometry, Mesh, Object3D, SphereGeometry, Vector3, type BufferGeometry } from "three";
import type { PoseTable } from "../data/pose_table";
import { GROUND, type Attachment, type Scene } from "../data/scene_data";
import type { Materials } from "./materials";
import type { MotionExtent } from "./motion_extent";
import { Strokes } from "./strokes";

const RAILS: readonly string[] = ["translational", "cylindrical", "screw", "in-line", "planar", "in-plane", "rolling", "point-on-curve"];

interface Place {
  readonly position: Vector3;
  /** Where the model is, as seen from the sign: it stands on the other side. */
  readonly towards: Vector3;
  readonly isJoint: boolean;
}

export function addGroundSigns(scene: Scene, extent: MotionExtent, table: PoseTable, up: Vector3, materials: Materials, parent: Object3D): void {
  const base = scene.planar ? planarSign(extent.unit) : spatialBase(extent.unit);
  const ball = new SphereGeometry(1.1 * extent.unit, 24, 16);
  for (const { position, towards, isJoint } of listPlaces(scene, extent, table, up)) {
    const sign = new Mesh(scene.planar || isJoint ? base : ball, scene.planar ? materials.hatch : materials.ground);
    sign.position.copy(position);
    if (scene.planar) {
      sign.position.z -= 0.5 * extent.unit;
      sign.rotation.z = Math.atan2(towards.y, towards.x) - Math.PI / 2;
    } else {
      sign.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), up);
    }
    parent.add(sign);
  }
}

/** Joints first: where a spring ends at the same point the joint's sign is enough. */
function listPlaces(scene: Scene, extent: MotionExtent, table: PoseTable, up: Vector3): Place[] {
  const places: Place[] = [];
  const note = (end: Attachment | null, other: Attachment | null, isJoint: boolean): void => {
    if (end?.body !== GROUND) return;
    const position = new Vector3(...end.position);
    if (places.some((place) => place.position.distanceTo(position) < 0.5 * extent.unit)) return;
    const towards = up.clone();
    if (!isJoint && other !== null) {
      const sum = new Vector3();
      const point = new Float64Array(3);
      extent.forEachSample(() => {
        table.calcAttachment(other, point);
        if (table.isAttachmentKnown(other)) sum.add(new Vector3(point[0], point[1], point[2]).sub(position));
      });
      if (sum.length() > 0) towards.copy(sum.normalize());
    }
    places.push({ position, towards, isJoint });
  };
  for (const { type, i, j } of scene.joints) {
    if (RAILS.includes(type)) continue;
    note(i, j, true);
    note(j, i, true);
  }
  for (const { line, type, i, j } of scene.forces) {
    if (!line && type !== "bushing") continue;
    note(i, j, !line);
    note(j, i, !line);
  }
  return places;
}

function planarSign(u: number): BufferGeometry {
  const strokes = new Strokes();
  const width = 0.28 * u;
  const half = 1.9 * u;
  const depth = 3.1 * u;
  strokes.line(0, 0, -half, -depth, width).line(0, 0, half, -depth, width);
  strokes.line(-1.6 * half, -depth, 1.6 * half, -depth, 1.2 * width);
  strokes.hatch(-1.6 * half, 1.6 * half, -depth, 1.1 * u, 1.0 * u, 0.6 * width);
  return strokes.geometry();
}

function spatialBase(u: number): BufferGeometry {
  return new CylinderGeometry(0.8 * u, 1.9 * u, 2.4 * u, 28).translate(0, -1.3 * u, 0);
}
