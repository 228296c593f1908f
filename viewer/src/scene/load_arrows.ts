// Reactions of joints and applied forces as arrows at their points. Reactions and forces share one scale: a newton has one length.

import { Object3D, Vector3 } from "three";
import type { PoseTable } from "../data/pose_table";
import type { Column } from "../data/report_data";
import { GROUND, type Attachment, type Force, type Joint, type Scene, type VectorColumns } from "../data/scene_data";
import { valueBetween } from "../data/time_rows";
import { ArrowField, TurnField } from "./arrow_field";
import type { Materials } from "./materials";
import type { MotionExtent } from "./motion_extent";

interface VectorLoad {
  readonly at: Attachment;
  readonly columns: VectorColumns;
  /** -1: the columns tell what acts on the other side. */
  readonly sign: 1 | -1;
}

interface LineLoad {
  readonly i: Attachment;
  readonly j: Attachment;
  readonly value: Column;
}

export class LoadArrows {
  readonly reactionObject: Object3D;
  readonly forceObject = new Object3D();
  private readonly reactionLoads: VectorLoad[] = [];
  private readonly pointLoads: VectorLoad[] = [];
  private readonly lineLoads: LineLoad[] = [];
  private readonly torqueLoads: VectorLoad[] = [];
  private readonly reactions: ArrowField;
  private readonly forces: ArrowField;
  private readonly torques: TurnField;
  private readonly longest: number;
  private readonly largestForce: number;
  private readonly largestTorque: number;
  private readonly unit: number;
  private readonly lift: number;
  private magnification = 1;
  private readonly scratch = new Float64Array(6);
  /** Instances are in single precision: their places are told from here, near to them. */
  private readonly base = new Vector3();

  constructor(scene: Scene, extent: MotionExtent, materials: Materials, lift: number) {
    this.unit = extent.unit;
    this.lift = scene.planar ? lift + 1.2 * extent.unit : 0;
    this.longest = 0.26 * extent.size;
    for (const joint of scene.joints) {
      const load = reactionOf(joint);
      if (load !== null) this.reactionLoads.push(load);
    }
    for (const force of scene.forces) this.sort(force);
    this.largestForce = Math.max(
      ...[...this.reactionLoads, ...this.pointLoads].map((load) => largest(load.columns)),
      ...this.lineLoads.map((load) => largest([load.value])),
      0,
    );
    const torque = Math.max(...this.torqueLoads.map((load) => largest(load.columns)), 0);
    // Rounding of forces leaves torques that nobody put there.
    this.largestTorque = torque > 1e-9 * this.largestForce * extent.size ? torque : Infinity;
    this.reactions = new ArrowField(this.reactionLoads.length, extent.unit, materials.reaction);
    this.forces = new ArrowField(this.pointLoads.length + 2 * this.lineLoads.length, extent.unit, materials.force);
    this.torques = new TurnField(this.torqueLoads.length, materials.force);
    this.reactionObject = this.reactions.object;
    this.forceObject.add(this.forces.object, this.torques.object);
  }

  hasReactions(): boolean {
    return this.reactionLoads.length > 0;
  }

  setMagnification(factor: number): void {
    this.magnification = factor;
  }

  update(table: PoseTable, row: number, fraction: number): void {
    this.moveBase(table);
    if (this.reactionObject.visible) {
      this.reactionLoads.forEach((load, k) => this.setVector(this.reactions, k, load, table, row, fraction));
      this.reactions.commit();
    }
    if (!this.forceObject.visible) return;
    this.pointLoads.forEach((load, k) => this.setVector(this.forces, k, load, table, row, fraction));
    for (let k = 0; k < this.lineLoads.length; ++k) this.setLine(this.pointLoads.length + 2 * k, this.lineLoads[k], table, row, fraction);
    for (let k = 0; k < this.torqueLoads.length; ++k) this.setTorque(k, table, row, fraction);
    this.forces.commit();
    this.torques.commit();
  }

  private sort(force: Force): void {
    if (force.line) {
      if (force.i !== null && force.j !== null && force.value !== null) this.lineLoads.push({ i: force.i, j: force.j, value: force.value });
      return;
    }
    const at = force.type === "bushing" ? force.j : force.i;
    if (at === null) return;
    if (force.force !== null && largest(force.force) > 0) this.pointLoads.push({ at, columns: force.force, sign: 1 });
    if (force.torque !== null && largest(force.torque) > 0) this.torqueLoads.push({ at, columns: force.torque, sign: 1 });
  }

  private moveBase(table: PoseTable): void {
    const first = this.reactionLoads[0]?.at ?? this.pointLoads[0]?.at ?? this.lineLoads[0]?.j ?? this.torqueLoads[0]?.at;
    if (first === undefined || !table.isAttachmentKnown(first)) return;
    table.calcAttachment(first, this.scratch);
    this.base.fromArray(this.scratch);
    this.reactionObject.position.copy(this.base);
    this.forceObject.position.copy(this.base);
  }

  /** Into `scratch`, from `offset` on. */
  private place(table: PoseTable, at: Attachment, offset = 0): void {
    table.calcAttachment(at, this.scratch, offset);
    this.scratch[offset] -= this.base.x;
    this.scratch[offset + 1] -= this.base.y;
    this.scratch[offset + 2] -= this.base.z;
  }

  private setVector(field: ArrowField, k: number, load: VectorLoad, table: PoseTable, row: number, fraction: number): void {
    if (!table.isAttachmentKnown(load.at)) return field.hide(k);
    const s = this.scratch;
    this.place(table, load.at);
    const x = component(load.columns[0], row, fraction);
    const y = component(load.columns[1], row, fraction);
    const z = component(load.columns[2], row, fraction);
    field.set(k, s[0], s[1], s[2] + this.lift, load.sign * x, load.sign * y, load.sign * z, this.calcLength(Math.hypot(x, y, z)));
  }

  private setLine(k: number, load: LineLoad, table: PoseTable, row: number, fraction: number): void {
    const s = this.scratch;
    if (!table.isAttachmentKnown(load.i) || !table.isAttachmentKnown(load.j)) {
      this.forces.hide(k);
      this.forces.hide(k + 1);
      return;
    }
    this.place(table, load.i, 0);
    this.place(table, load.j, 3);
    const value = component(load.value, row, fraction);
    const length = this.calcLength(Math.abs(value));
    const dx = Math.sign(value) * (s[3] - s[0]);
    const dy = Math.sign(value) * (s[4] - s[1]);
    const dz = Math.sign(value) * (s[5] - s[2]);
    this.forces.set(k, s[0], s[1], s[2] + this.lift, -dx, -dy, -dz, length);
    this.forces.set(k + 1, s[3], s[4], s[5] + this.lift, dx, dy, dz, length);
  }

  private setTorque(k: number, table: PoseTable, row: number, fraction: number): void {
    const load = this.torqueLoads[k];
    if (!table.isAttachmentKnown(load.at)) return this.torques.hide(k);
    const s = this.scratch;
    this.place(table, load.at);
    const x = component(load.columns[0], row, fraction);
    const y = component(load.columns[1], row, fraction);
    const z = component(load.columns[2], row, fraction);
    const ratio = Math.hypot(x, y, z) / this.largestTorque;
    const radius = ratio > 1e-6 ? this.unit * (1.6 + 3 * Math.min(ratio * this.magnification, 3)) : 0;
    this.torques.set(k, s[0], s[1], s[2] + this.lift, x, y, z, radius);
  }

  private calcLength(size: number): number {
    const length = (this.magnification * this.longest * size) / this.largestForce;
    return Number.isFinite(length) ? Math.min(length, 4 * this.longest) : 0;
  }
}

function component(column: Column | null, row: number, fraction: number): number {
  const value = column === null ? 0 : valueBetween(column.values, row, fraction);
  return Number.isFinite(value) ? value : 0;
}

/**
 * The reaction on the body of j, as the results have it; where that is the ground, the one on the body of i, so that arrows show what holds
 * the bodies.
 */
export function reactionOf({ i, j, force }: Joint): VectorLoad | null {
  if (force === null || j === null) return null;
  return j.body === GROUND && i !== null && i.body !== GROUND ? { at: i, columns: force, sign: -1 } : { at: j, columns: force, sign: 1 };
}

/** Bound on the size of a vector over the run, from its components' extremes. */
export function largest(columns: readonly (Column | null)[]): number {
  return Math.hypot(...columns.map((column) => Math.max(Math.abs(column?.min ?? 0), Math.abs(column?.max ?? 0))));
}
