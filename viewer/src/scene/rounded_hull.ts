// Outlines of planar links: the convex hull of a body's points, grown by a radius. One point gives a disc, two a bar with round ends.

export type Point2 = readonly [number, number];

/** Corners counterclockwise, without points inside edges (monotone chain). */
export function convexHull(points: readonly Point2[]): Point2[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const unique = sorted.filter((p, k) => k === 0 || p[0] !== sorted[k - 1][0] || p[1] !== sorted[k - 1][1]);
  if (unique.length < 3) return unique;
  const chain = (list: readonly Point2[]): Point2[] => {
    const hull: Point2[] = [];
    for (const p of list) {
      while (hull.length >= 2 && turn(hull[hull.length - 2], hull[hull.length - 1], p) <= 0) hull.pop();
      hull.push(p);
    }
    hull.pop();
    return hull;
  };
  return [...chain(unique), ...chain(unique.reverse())];
}

function turn(a: Point2, b: Point2, c: Point2): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** The hull grown by `radius`: edges moved outwards, arcs about the corners. Counterclockwise. */
export function growHull(hull: readonly Point2[], radius: number, arcStep = Math.PI / 12): Point2[] {
  const outline: Point2[] = [];
  const n = hull.length;
  for (let k = 0; k < n; ++k) {
    const corner = hull[k];
    let from = 0;
    let sweep = 2 * Math.PI;
    if (n > 1) {
      from = normalAngle(hull[(k + n - 1) % n], corner);
      sweep = normalAngle(corner, hull[(k + 1) % n]) - from;
      while (sweep < 0) sweep += 2 * Math.PI;
    }
    const count = Math.max(1, Math.ceil(sweep / arcStep));
    const last = n > 1 ? count : count - 1;
    for (let s = 0; s <= last; ++s) {
      const angle = from + (sweep * s) / count;
      outline.push([corner[0] + radius * Math.cos(angle), corner[1] + radius * Math.sin(angle)]);
    }
  }
  return outline;
}

/** Direction of the outward normal of the edge from a to b of a counterclockwise outline. */
function normalAngle(a: Point2, b: Point2): number {
  return Math.atan2(-(b[0] - a[0]), b[1] - a[1]);
}

export function outlineArea(outline: readonly Point2[]): number {
  let twice = 0;
  for (let k = 0; k < outline.length; ++k) {
    const a = outline[k];
    const b = outline[(k + 1) % outline.length];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return Math.abs(twice) / 2;
}
