// Flat drawings of strokes in the x-y plane as one geometry: hatches, rails and the signs of planar kinematics.

import { BufferGeometry, Float32BufferAttribute } from "three";

export class Strokes {
  private readonly vertices: number[] = [];

  line(ax: number, ay: number, bx: number, by: number, width: number): this {
    const length = Math.hypot(bx - ax, by - ay);
    if (!(length > 0)) return this;
    const nx = (-(by - ay) / length) * (width / 2);
    const ny = ((bx - ax) / length) * (width / 2);
    this.triangle(ax + nx, ay + ny, ax - nx, ay - ny, bx - nx, by - ny);
    return this.triangle(ax + nx, ay + ny, bx - nx, by - ny, bx + nx, by + ny);
  }

  triangle(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): this {
    this.vertices.push(ax, ay, 0, bx, by, 0, cx, cy, 0);
    return this;
  }

  /** Slanted strokes hanging down from the line from (x0, y) to (x1, y). */
  hatch(x0: number, x1: number, y: number, depth: number, spacing: number, width: number): this {
    const count = Math.max(2, Math.round((x1 - x0) / spacing));
    for (let k = 0; k < count; ++k) {
      const x = x0 + ((k + 0.75) * (x1 - x0)) / count;
      this.line(x, y, x - 0.8 * depth, y - depth, width);
    }
    return this;
  }

  geometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(this.vertices, 3));
    return geometry;
  }
}
