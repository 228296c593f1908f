// Bodies as objects that move with their poses. What is fixed to a body (joint glyphs, points) hangs on the body's group and costs
// nothing while the animation runs.

import { Box3, Group, LineLoop, Mesh, MeshStandardMaterial, Object3D } from "three";
import { POSE_SIZE, type PoseTable } from "../data/pose_table";
import { GROUND, type Scene, type Shape } from "../data/scene_data";
import { BODY_COLORS } from "../theme";
import { makePlanarLink, makeShape, makeSpatialLink, skinMaterial } from "./body_shapes";
import type { Materials } from "./materials";
import { linkPoints, type MotionExtent } from "./motion_extent";
import { convexHull, growHull, outlineArea } from "./rounded_hull";

export class BodyObjects {
  /** One group a body, in its frame. */
  readonly groups: readonly Group[];
  readonly groundGroup = new Group();
  readonly colors: readonly string[];
  /** Highest z of the links of a planar model; what lies above all of them starts here. */
  readonly top: number;
  private readonly materials: readonly MeshStandardMaterial[];

  constructor(scene: Scene, extent: MotionExtent, materials: Materials, parent: Object3D) {
    this.colors = scene.bodies.map((_, k) => BODY_COLORS[k % BODY_COLORS.length]);
    this.materials = this.colors.map((color) => new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.02 }));
    this.groups = scene.bodies.map(() => new Group());
    const u = extent.unit;
    const step = scene.bodies.length > 0 ? Math.min(0.7 * u, (8 * u) / scene.bodies.length) : u;
    const layers = scene.planar ? layerOrder(extent) : [];
    this.top = scene.planar ? step * Math.max(0, scene.bodies.length - 1) + 0.8 * u : 0;

    scene.bodies.forEach((body, k) => {
      const group = this.groups[k];
      group.userData.body = k;
      const material = this.materials[k];
      if (body.shapes.length > 0) {
        const rise = (0.5 * step) / body.shapes.length;
        body.shapes.forEach((shape, n) => {
          const object = makeShape(shape, material, materials.edge, 0.4 * u);
          group.add(scene.planar ? flatten(object, isRound(shape), layers[k] * step, 0.8 * u, n, rise) : object);
        });
      } else if (scene.planar) {
        const points = linkPoints(scene, body, k);
        const { geometry, outline } = makePlanarLink(points, points.length === 1 ? 1.5 * u : 1.15 * u, 0.8 * u);
        const link = new Mesh(geometry, material);
        const edge = new LineLoop(outline, materials.outline);
        link.position.z = layers[k] * step;
        edge.position.z = layers[k] * step;
        group.add(link, edge);
      } else {
        const { rods, skin } = makeSpatialLink(linkPoints(scene, body, k), u);
        group.add(new Mesh(rods, material));
        if (skin !== null) group.add(new Mesh(skin, skinMaterial(material)));
      }
      parent.add(group);
    });
    scene.ground.shapes.forEach((shape, n) => {
      const object = makeShape(shape, materials.ground, materials.edge, 0.4 * u);
      this.groundGroup.add(scene.planar ? flatten(object, isRound(shape), -0.9 * u, 0.6 * u, n, (0.2 * u) / scene.ground.shapes.length) : object);
    });
    parent.add(this.groundGroup);
  }

  group(body: number): Group {
    return body === GROUND ? this.groundGroup : this.groups[body];
  }

  material(body: number): MeshStandardMaterial {
    return this.materials[body];
  }

  update(table: PoseTable): void {
    for (let k = 0; k < this.groups.length; ++k) {
      const group = this.groups[k];
      group.visible = table.isKnown[k] === 1;
      if (!group.visible) continue;
      group.position.fromArray(table.poses, POSE_SIZE * k);
      group.quaternion.fromArray(table.poses, POSE_SIZE * k + 3);
    }
  }

  setHighlight(body: number | null): void {
    this.materials.forEach((material, k) => {
      material.emissive.set(this.colors[k]);
      material.emissiveIntensity = k === body ? 0.45 : 0;
    });
  }
}

/** Large links lie below small ones, so that none is hidden. */
function layerOrder({ bodyPoints, unit }: MotionExtent): number[] {
  const areas = bodyPoints.map((points) => outlineArea(growHull(convexHull(points.map((p) => [p[0], p[1]] as const)), unit)));
  const order = areas.map((_, k) => k).sort((a, b) => areas[b] - areas[a]);
  const layers = new Array<number>(order.length);
  order.forEach((body, layer) => (layers[body] = layer));
  return layers;
}

/** Whether a shape is widest in the middle of its thickness. */
function isRound(shape: Shape): boolean {
  return shape.type === "sphere" || shape.type === "line";
}

/**
 * Puts a shape of a planar model, which lies about z = 0, on its layer and gives it the thickness of one. The n-th shape of a body rises
 * above those before it; a round one has its widest section there, or they would hide its rim.
 */
function flatten(object: Object3D, isRound: boolean, bottom: number, thickness: number, n: number, rise: number): Object3D {
  const box = new Box3().setFromObject(object);
  const depth = box.max.z - box.min.z;
  const top = bottom + thickness + n * rise;
  const low = isRound && n > 0 ? top - 1.8 * rise : bottom;
  const holder = new Group().add(object);
  const scale = depth > 0 ? (top - low) / depth : 1;
  holder.scale.z = scale;
  holder.position.z = depth > 0 ? low - scale * box.min.z : top;
  return holder;
}
