// Signs of joints, fixed to the bodies they hold: pins, rails with blocks, balls, crosses, and massless rods between two points.

import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Matrix4,
  Mesh,
  Object3D,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
  type Material,
} from "three";
import type { PoseTable } from "../data/pose_table";
import { GROUND, type Attachment, type Joint, type Scene } from "../data/scene_data";
import type { BodyObjects } from "./bodies";
import { LineObject, makeRod } from "./line_objects";
import type { Materials } from "./materials";
import type { MotionExtent } from "./motion_extent";
import { Strokes } from "./strokes";

export function frameQuaternion(attachment: Attachment): Quaternion {
  const x = new Vector3(...attachment.x).normalize();
  const z = new Vector3(...attachment.z).normalize();
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, z.clone().cross(x), z));
}

export class JointGlyphs {
  readonly objects: Object3D[] = [];
  private readonly rods: LineObject[] = [];
  private readonly scene: Scene;
  private readonly extent: MotionExtent;
  private readonly bodies: BodyObjects;
  private readonly materials: Materials;
  private readonly table: PoseTable;
  private readonly parent: Object3D;
  private readonly shared: Map<string, BufferGeometry> = new Map();

  constructor(scene: Scene, extent: MotionExtent, bodies: BodyObjects, materials: Materials, table: PoseTable, parent: Object3D) {
    this.scene = scene;
    this.extent = extent;
    this.bodies = bodies;
    this.materials = materials;
    this.table = table;
    this.parent = parent;
    for (const joint of scene.joints) if (joint.i !== null && joint.j !== null) this.add(joint, joint.i, joint.j);
  }

  setVisible(isVisible: boolean): void {
    for (const object of this.objects) object.visible = isVisible;
  }

  update(table: PoseTable): void {
    for (const rod of this.rods) rod.update(table);
  }

  private add(joint: Joint, i: Attachment, j: Attachment): void {
    switch (joint.type) {
      case "revolute":
        return this.scene.planar ? this.addPin(joint, j) : this.addHinge(joint, i);
      case "translational":
      case "in-line":
      case "cylindrical":
      case "screw":
        return this.addRail(joint, i, j);
      case "spherical":
      case "constant-velocity":
        return this.addBall(joint, i, 1.35);
      case "universal":
        return this.addCross(joint, i, j);
      case "fixed":
        return this.scene.planar ? this.addPin(joint, j) : this.place(joint, i, new Mesh(this.box(1.9, 1.9, 1.9), this.materials.metal));
      case "distance":
      case "revolute-spherical":
        return this.addRod(joint, i, j);
      case "planar":
      case "in-plane":
        return this.place(joint, i, new Mesh(this.box(7, 7, 0.12), this.materials.ground));
      case "rolling":
        return this.addWheel(joint, i, j);
      case "point-on-curve":
        return this.scene.planar ? this.addPin(joint, j) : this.addBall(joint, j, 0.9);
      default:
        return; // Couplings and joints of directions alone have no place.
    }
  }

  private addPin(joint: Joint, at: Attachment): void {
    const u = this.extent.unit;
    const height = this.bodies.top + 0.6 * u;
    const pin = new Mesh(this.cylinder(0.72 * u, height), this.materials.metal);
    const cap = new Mesh(this.cylinder(0.44 * u, 0.1 * u), this.materials.pin);
    pin.position.z = height / 2 - 0.3 * u;
    cap.position.z = height - 0.27 * u;
    this.place(joint, at, pin, cap);
  }

  private addHinge(joint: Joint, at: Attachment): void {
    const u = this.extent.unit;
    this.place(joint, at, new Mesh(this.cylinder(1.3 * u, 2.8 * u), this.materials.metal), new Mesh(this.cylinder(0.6 * u, 4 * u), this.materials.pin));
  }

  private addBall(joint: Joint, at: Attachment, radius: number): void {
    const u = this.extent.unit;
    const geometry = this.once(`ball ${radius}`, () => new SphereGeometry(radius * u, 28, 18));
    this.place(joint, at, new Mesh(geometry, this.materials.metal));
  }

  private addCross(joint: Joint, i: Attachment, j: Attachment): void {
    const u = this.extent.unit;
    this.addBall(joint, i, 0.95);
    this.place(joint, i, new Mesh(this.cylinder(0.5 * u, 4 * u), this.materials.metal));
    this.place(joint, j, new Mesh(this.cylinder(0.5 * u, 4 * u), this.materials.pin));
  }

  private addRod(joint: Joint, i: Attachment, j: Attachment): void {
    const u = this.extent.unit;
    const lift = this.scene.planar ? this.bodies.top : 0;
    const rod = makeRod(i, j, 0.45 * u, this.materials.metal, lift);
    this.label(rod.object, joint);
    this.rods.push(rod);
    this.objects.push(rod.object);
    this.parent.add(rod.object);
    for (const end of [i, j]) {
      if (this.scene.planar) this.addPin(joint, end);
      else this.addBall(joint, end, 0.95);
    }
  }

  /** The rail goes on the ground if that takes part, and reaches as far as the block travels. */
  private addRail(joint: Joint, i: Attachment, j: Attachment): void {
    const u = this.extent.unit;
    const isSwapped = j.body === GROUND && i.body !== GROUND && joint.type !== "in-line";
    const [railEnd, blockEnd] = isSwapped ? [j, i] : [i, j];
    const axis = new Vector3(...(this.scene.planar ? railEnd.x : railEnd.z)).normalize();
    const [low, high] = this.calcTravel(railEnd, blockEnd, axis);
    // Where the author has drawn guides or sliders, ours would only cover them.
    const hasRail = railEnd.body !== GROUND || this.scene.ground.shapes.length === 0;
    const hasBlock = blockEnd.body === GROUND || this.scene.bodies[blockEnd.body].shapes.length === 0;
    if (this.scene.planar) {
      const strokes = new Strokes();
      const x0 = low - 3.4 * u;
      const x1 = high + 3.4 * u;
      const gap = 1.95 * u;
      strokes.line(x0, gap, x1, gap, 0.3 * u).line(x0, -gap, x1, -gap, 0.3 * u);
      strokes.line(x0, gap, x0, -gap, 0.3 * u).line(x1, gap, x1, -gap, 0.3 * u);
      if (railEnd.body === GROUND) strokes.hatch(x0, x1, -gap, 1.1 * u, 1.5 * u, 0.16 * u);
      const rail = new Mesh(strokes.geometry(), this.materials.hatch);
      rail.position.z = -0.6 * u;
      if (hasRail) this.place(joint, railEnd, rail);
      const block = new Mesh(this.box(4.6, 2.9, 0.7), this.blockMaterial(blockEnd.body));
      block.position.z = -0.38 * u;
      if (hasBlock) this.place(joint, blockEnd, block);
      return;
    }
    const length = high - low + 7 * u;
    const rail = new Mesh(new CylinderGeometry(0.5 * u, 0.5 * u, length, 20).rotateX(Math.PI / 2), this.materials.ground);
    rail.position.z = (low + high) / 2;
    if (hasRail) this.place(joint, railEnd, rail);
    const block = joint.type === "translational" ? this.box(2.8, 2.8, 3.8) : this.cylinder(1.5 * u, 3.6 * u);
    if (hasBlock) this.place(joint, blockEnd, new Mesh(block, this.blockMaterial(blockEnd.body)));
  }

  private addWheel(joint: Joint, i: Attachment, j: Attachment): void {
    const u = this.extent.unit;
    const centre = new Float64Array(3);
    let radius = 0;
    this.extent.forEachSample(() => {
      if (radius > 0 || !this.table.isAttachmentKnown(i) || !this.table.isAttachmentKnown(j)) return;
      radius = Math.abs(this.calcRelative(i, j, centre).dot(new Vector3(...i.z)));
    });
    if (!(radius > u) || this.scene.bodies[j.body]?.shapes.length > 0) return;
    const rim = new Mesh(new TorusGeometry(Math.max(radius - 0.5 * u, 0.5 * radius), 0.5 * u, 14, 64), this.blockMaterial(j.body));
    const spoke = new Mesh(new BoxGeometry(2 * radius - u, 0.5 * u, 0.4 * u), this.blockMaterial(j.body));
    const other = new Mesh(new BoxGeometry(0.5 * u, 2 * radius - u, 0.4 * u), this.blockMaterial(j.body));
    this.place(joint, j, rim, spoke, other);
  }

  private calcTravel(railEnd: Attachment, blockEnd: Attachment, axis: Vector3): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    const point = new Float64Array(3);
    this.extent.forEachSample(() => {
      if (!this.table.isAttachmentKnown(railEnd) || !this.table.isAttachmentKnown(blockEnd)) return;
      const travel = this.calcRelative(railEnd, blockEnd, point).dot(axis);
      low = Math.min(low, travel);
      high = Math.max(high, travel);
    });
    return low <= high ? [low, high] : [0, 0];
  }

  /** From the point of `from` to that of `to`, in the frame of the body of `from`. */
  private calcRelative(from: Attachment, to: Attachment, scratch: Float64Array): Vector3 {
    this.table.calcAttachment(to, scratch);
    const target = new Vector3(scratch[0], scratch[1], scratch[2]);
    this.table.calcAttachment(from, scratch);
    target.sub(new Vector3(scratch[0], scratch[1], scratch[2]));
    if (from.body === GROUND) return target;
    const q = new Quaternion().fromArray(this.table.poses, 7 * from.body + 3).conjugate();
    return target.applyQuaternion(q);
  }

  private blockMaterial(body: number): Material {
    return body === GROUND ? this.materials.ground : this.bodies.material(body);
  }

  private place(joint: Joint, at: Attachment, ...meshes: readonly Mesh[]): void {
    const holder = new Object3D();
    holder.position.set(...at.position);
    holder.quaternion.copy(frameQuaternion(at));
    for (const mesh of meshes) {
      this.label(mesh, joint);
      holder.add(mesh);
    }
    this.bodies.group(at.body).add(holder);
    this.objects.push(holder);
  }

  private label(object: Object3D, joint: Joint): void {
    object.traverse((part) => (part.userData.label = `${joint.name} · ${joint.type} joint`));
  }

  private cylinder(radius: number, length: number): BufferGeometry {
    return this.once(`cylinder ${radius} ${length}`, () => new CylinderGeometry(radius, radius, length, 28).rotateX(Math.PI / 2));
  }

  private box(x: number, y: number, z: number): BufferGeometry {
    const u = this.extent.unit;
    return this.once(`box ${x} ${y} ${z}`, () => new BoxGeometry(x * u, y * u, z * u));
  }

  private once(key: string, make: () => BufferGeometry): BufferGeometry {
    const known = this.shared.get(key);
    if (known !== undefined) return known;
    const geometry = make();
    this.shared.set(key, geometry);
    return geometry;
  }
}
