// Geometry of bodies: shapes that the model gives, or links through the points where joints, forces and markers are.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  ExtrudeGeometry,
  Float32BufferAttribute,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  Shape as Outline,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Vector } from "../data/json_fields";
import type { Shape } from "../data/scene_data";
import { convexHull, growHull, type Point2 } from "./rounded_hull";

export const Z_AXIS = new Vector3(0, 0, 1);

/** Edges of finer meshes are not drawn: there are too many of them, and finding them takes long. */
const LARGEST_EDGED = 20000;
/** Faces that meet at more than this have an edge between them [degrees]. */
const EDGE_ANGLE = 30;

/** A shape of the contract in the body's frame, with its edges; lines become rods of the given radius. */
export function makeShape(shape: Shape, material: MeshStandardMaterial, edges: LineBasicMaterial, rodRadius: number): Mesh {
  const own = shape.color === null ? material : ownColor(material, shape.color);
  const object = makeUnplaced(shape, own, rodRadius);
  const [w, x, y, z] = shape.orientation;
  object.position.set(...shape.position);
  object.quaternion.set(x, y, z, w).normalize();
  const isEdged = shape.type === "box" || shape.type === "cylinder" || (shape.type === "mesh" && shape.triangles.length < 3 * LARGEST_EDGED);
  if (isEdged) object.add(new LineSegments(new EdgesGeometry(object.geometry, EDGE_ANGLE), edges));
  return object;
}

function ownColor(material: MeshStandardMaterial, color: string): MeshStandardMaterial {
  const own = material.clone();
  own.color.set(color);
  return own;
}

function makeUnplaced(shape: Shape, material: MeshStandardMaterial, rodRadius: number): Mesh {
  switch (shape.type) {
    case "box":
      return new Mesh(new BoxGeometry(...shape.size), material);
    case "cylinder":
      return new Mesh(new CylinderGeometry(shape.radius, shape.radius, shape.length, 48).rotateX(Math.PI / 2), material);
    case "sphere":
      return new Mesh(new SphereGeometry(shape.radius, 40, 24), material);
    case "mesh": {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(shape.vertices, 3));
      geometry.setIndex(new BufferAttribute(shape.triangles, 1));
      // Corners of technical parts are sharp: every triangle has its own normal.
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      const own = material.clone();
      own.side = DoubleSide;
      return new Mesh(flat, own);
    }
    case "line": {
      const corners = shape.points.map((p) => new Vector3(...p));
      if (shape.closed) corners.push(corners[0]);
      const rods = corners.slice(1).map((end, k) => rodBetween(corners[k], end, rodRadius));
      return new Mesh(mergeGeometries(rods), material);
    }
  }
}

/** A flat link with round corners, from z = 0 to its thickness, and the outline of its top. */
export function makePlanarLink(points: readonly Vector[], radius: number, thickness: number): { geometry: BufferGeometry; outline: BufferGeometry } {
  const corners = growHull(convexHull(points.map((p): Point2 => [p[0], p[1]])), radius);
  const bevel = Math.min(0.18 * radius, 0.3 * thickness);
  const shape = new Outline(corners.map(([x, y]) => new Vector2(x, y)));
  const geometry = new ExtrudeGeometry(shape, {
    depth: thickness - 2 * bevel,
    bevelEnabled: true,
    bevelThickness: bevel,
    bevelSize: bevel,
    bevelOffset: -bevel,
    bevelSegments: 2,
    steps: 1,
  });
  geometry.translate(0, 0, bevel);
  const outline = new BufferGeometry();
  outline.setAttribute("position", new Float32BufferAttribute(corners.flatMap(([x, y]) => [x, y, thickness]), 3));
  return { geometry, outline };
}

/** Rods and a skin through points in space; `skin` is null when the points lie on a line. */
export function makeSpatialLink(points: readonly Vector[], radius: number): { rods: BufferGeometry; skin: BufferGeometry | null } {
  const places = points.map((p) => new Vector3(...p));
  if (places.length === 0) places.push(new Vector3());
  if (places.length === 1) return { rods: new SphereGeometry(2.2 * radius, 32, 20).translate(...places[0].toArray()), skin: null };
  const [a, b] = farthestPair(places);
  const along = b.clone().sub(a);
  const offLine = places.filter((p) => p.clone().sub(a).cross(along).length() > 0.02 * along.lengthSq());
  if (offLine.length === 0) return { rods: rodBetween(a, b, radius), skin: null };

  const centroid = places.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(places.length);
  const parts = places.filter((p) => p.distanceTo(centroid) > 0.1 * radius).map((p) => rodBetween(centroid, p, 0.62 * radius));
  const rods = mergeGeometries(parts);
  return { rods, skin: makeSkin(places, a, along, offLine) };
}

function makeSkin(places: readonly Vector3[], a: Vector3, along: Vector3, offLine: readonly Vector3[]): BufferGeometry | null {
  const size = along.length();
  const normal = offLine.reduce((best, p) => {
    const candidate = p.clone().sub(a).cross(along);
    return candidate.lengthSq() > best.lengthSq() ? candidate : best;
  }, new Vector3());
  normal.normalize();
  const isFlat = places.every((p) => Math.abs(p.clone().sub(a).dot(normal)) < 1e-3 * size);
  if (!isFlat) return new ConvexGeometry([...places]);
  const ex = along.clone().normalize();
  const ey = normal.clone().cross(ex);
  const hull = convexHull(places.map((p): Point2 => [p.clone().sub(a).dot(ex), p.clone().sub(a).dot(ey)]));
  const corners = hull.map(([x, y]) => a.clone().addScaledVector(ex, x).addScaledVector(ey, y));
  const vertices: number[] = [];
  for (let k = 1; k + 1 < corners.length; ++k) vertices.push(...corners[0].toArray(), ...corners[k].toArray(), ...corners[k + 1].toArray());
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function farthestPair(places: readonly Vector3[]): [Vector3, Vector3] {
  let best: [Vector3, Vector3] = [places[0], places[1]];
  for (const p of places) for (const q of places) if (p.distanceTo(q) > best[0].distanceTo(best[1])) best = [p, q];
  return best;
}

export function rodBetween(a: Vector3, b: Vector3, radius: number): BufferGeometry {
  const along = b.clone().sub(a);
  const geometry = new CapsuleGeometry(radius, along.length(), 8, 20).rotateX(Math.PI / 2);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Z_AXIS, along.normalize()));
  const middle = a.clone().add(b).multiplyScalar(0.5);
  return geometry.translate(middle.x, middle.y, middle.z);
}

export function skinMaterial(material: MeshStandardMaterial): MeshStandardMaterial {
  const skin = material.clone();
  skin.transparent = true;
  skin.opacity = 0.28;
  skin.side = DoubleSide;
  skin.depthWrite = false;
  skin.flatShading = true;
  return skin;
}

