// Objects that span two moving points: coil springs, actuators and rods. Their geometry has unit length along z and is stretched.

import { BufferGeometry, Curve, CylinderGeometry, Group, Mesh, Object3D, TubeGeometry, Vector3, type Material } from "three";
import type { PoseTable } from "../data/pose_table";
import type { Attachment } from "../data/scene_data";
import { Z_AXIS } from "./body_shapes";

export class LineObject {
  readonly object: Object3D;
  private readonly i: Attachment;
  private readonly j: Attachment;
  private readonly lift: number;
  private readonly ends = new Float64Array(6);
  private readonly direction = new Vector3();
  private readonly inner: Object3D;

  /** `lift` raises it along z: planar models draw it above their links. */
  constructor(i: Attachment, j: Attachment, inner: Object3D, lift: number) {
    this.i = i;
    this.j = j;
    this.lift = lift;
    this.inner = inner;
    // Visibility of the outer object is the reader's choice, that of the inner one follows the poses.
    this.object = new Group().add(inner);
  }

  update(table: PoseTable): void {
    table.calcAttachment(this.i, this.ends, 0);
    table.calcAttachment(this.j, this.ends, 3);
    const [ax, ay, az, bx, by, bz] = this.ends;
    this.direction.set(bx - ax, by - ay, bz - az);
    const length = this.direction.length();
    this.inner.visible = length > 0 && table.isAttachmentKnown(this.i) && table.isAttachmentKnown(this.j);
    if (!this.inner.visible) return;
    this.inner.position.set(ax, ay, az + this.lift);
    this.inner.quaternion.setFromUnitVectors(Z_AXIS, this.direction.divideScalar(length));
    this.inner.scale.set(1, 1, length);
  }
}

export function makeRod(i: Attachment, j: Attachment, radius: number, material: Material, lift: number): LineObject {
  return new LineObject(i, j, new Mesh(unitCylinder(radius, 0, 1), material), lift);
}

/** A thin rod that slides in a thicker tube. */
export function makeActuator(i: Attachment, j: Attachment, unit: number, material: Material, lift: number): LineObject {
  const group = new Group().add(new Mesh(unitCylinder(0.28 * unit, 0, 1), material), new Mesh(unitCylinder(0.62 * unit, 0.08, 0.55), material));
  return new LineObject(i, j, group, lift);
}

/** `length` is the usual one: there the wire is round. */
export function makeCoil(i: Attachment, j: Attachment, length: number, unit: number, material: Material, lift: number): LineObject {
  const turns = Math.min(Math.max(Math.round(length / (1.5 * unit)), 4), 14);
  const radius = Math.min(1.15 * unit, 0.25 * length);
  const geometry = new TubeGeometry(new CoilCurve(turns, radius, length), 26 * turns, 0.2 * unit, 8);
  return new LineObject(i, j, new Mesh(geometry.scale(1, 1, 1 / length), material), lift);
}

function unitCylinder(radius: number, from: number, to: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, to - from, 16).rotateX(Math.PI / 2).translate(0, 0, (from + to) / 2);
}

/** Straight ends of a tenth of the length, the coil between. */
class CoilCurve extends Curve<Vector3> {
  private readonly turns: number;
  private readonly radius: number;
  private readonly span: number;

  constructor(turns: number, radius: number, span: number) {
    super();
    this.turns = turns;
    this.radius = radius;
    this.span = span;
  }

  override getPoint(s: number, target = new Vector3()): Vector3 {
    const inside = Math.min(Math.max((s - 0.1) / 0.8, 0), 1);
    // The radius grows and shrinks over half a turn, so that the wire meets the axis smoothly.
    const rise = Math.min(1, 2 * this.turns * inside, 2 * this.turns * (1 - inside));
    const angle = 2 * Math.PI * this.turns * inside;
    return target.set(this.radius * rise * Math.cos(angle), this.radius * rise * Math.sin(angle), this.span * s);
  }
}
