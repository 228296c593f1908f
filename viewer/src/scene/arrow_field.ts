// Many arrows in few draw calls: instances of a shaft and a head, or of a turning arrow. The largest arrow is chosen once for the run, so
// that lengths can be compared over time.

import { BufferGeometry, ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, Object3D, Quaternion, TorusGeometry, Vector3, type Material } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { Z_AXIS } from "./body_shapes";

const HIDDEN = new Matrix4().makeScale(0, 0, 0);

export class ArrowField {
  readonly object = new Object3D();
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly headLength: number;
  private readonly matrix = new Matrix4();
  private readonly position = new Vector3();
  private readonly direction = new Vector3();
  private readonly rotation = new Quaternion();
  private readonly scale = new Vector3();

  constructor(count: number, unit: number, material: Material) {
    this.headLength = 1.9 * unit;
    this.shafts = instances(new CylinderGeometry(0.24 * unit, 0.24 * unit, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5), material, count);
    this.heads = instances(new ConeGeometry(0.72 * unit, 1.9 * unit, 20).rotateX(Math.PI / 2).translate(0, 0, 0.95 * unit), material, count);
    this.object.add(this.shafts, this.heads);
  }

  /** From (x, y, z) along (vx, vy, vz), of this length; nothing when it is too short to be seen. */
  set(k: number, x: number, y: number, z: number, vx: number, vy: number, vz: number, length: number): void {
    const norm = Math.hypot(vx, vy, vz);
    if (!(norm > 0) || !(length > 0.02 * this.headLength)) {
      this.hide(k);
      return;
    }
    this.direction.set(vx / norm, vy / norm, vz / norm);
    this.rotation.setFromUnitVectors(Z_AXIS, this.direction);
    const thickness = Math.min(1, length / (1.6 * this.headLength));
    const head = this.headLength * thickness;
    this.position.set(x, y, z);
    this.shafts.setMatrixAt(k, this.matrix.compose(this.position, this.rotation, this.scale.set(thickness, thickness, Math.max(length - head, 1e-6 * length))));
    this.position.addScaledVector(this.direction, length - head);
    this.heads.setMatrixAt(k, this.matrix.compose(this.position, this.rotation, this.scale.set(thickness, thickness, thickness)));
  }

  hide(k: number): void {
    this.shafts.setMatrixAt(k, HIDDEN);
    this.heads.setMatrixAt(k, HIDDEN);
  }

  commit(): void {
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}

/** Torques: three quarters of a circle with a head, about the torque's axis. */
export class TurnField {
  readonly object: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly position = new Vector3();
  private readonly direction = new Vector3();
  private readonly rotation = new Quaternion();
  private readonly scale = new Vector3();

  constructor(count: number, material: Material) {
    this.object = instances(turnGeometry(), material, count);
  }

  set(k: number, x: number, y: number, z: number, tx: number, ty: number, tz: number, radius: number): void {
    const norm = Math.hypot(tx, ty, tz);
    if (!(norm > 0) || !(radius > 0)) {
      this.hide(k);
      return;
    }
    this.rotation.setFromUnitVectors(Z_AXIS, this.direction.set(tx / norm, ty / norm, tz / norm));
    this.object.setMatrixAt(k, this.matrix.compose(this.position.set(x, y, z), this.rotation, this.scale.setScalar(radius)));
  }

  hide(k: number): void {
    this.object.setMatrixAt(k, HIDDEN);
  }

  commit(): void {
    this.object.instanceMatrix.needsUpdate = true;
  }
}

function turnGeometry(): BufferGeometry {
  const sweep = 1.5 * Math.PI;
  const arc = new TorusGeometry(1, 0.07, 10, 48, sweep);
  const head = new ConeGeometry(0.2, 0.5, 18).translate(0, 0.15, 0).rotateZ(sweep).translate(Math.cos(sweep), Math.sin(sweep), 0);
  return mergeGeometries([arc, head]);
}

function instances(geometry: BufferGeometry, material: Material, count: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
  mesh.frustumCulled = false;
  mesh.renderOrder = 10;
  for (let k = 0; k < mesh.count; ++k) mesh.setMatrixAt(k, HIDDEN);
  return mesh;
}
