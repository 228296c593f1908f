// Materials shared by all that is drawn, and their colours in either theme.

import { DoubleSide, LineBasicMaterial, MeshBasicMaterial, MeshStandardMaterial } from "three";
import type { ThemeColors } from "../theme";

export class Materials {
  readonly metal = solid();
  readonly pin = solid();
  readonly ground = solid();
  readonly spring = solid();
  readonly reaction = onTop();
  readonly force = onTop();
  readonly hatch = new MeshBasicMaterial({ side: DoubleSide });
  readonly outline = new LineBasicMaterial({ transparent: true, opacity: 0.75 });
  readonly edge = new LineBasicMaterial({ transparent: true, opacity: 0.4 });
  readonly point = new MeshBasicMaterial();
  readonly gridMajor = new LineBasicMaterial();
  readonly gridMinor = new LineBasicMaterial();

  setColors(colors: ThemeColors): void {
    this.metal.color.set(colors.metal);
    this.pin.color.set(colors.pin);
    this.ground.color.set(colors.ground);
    this.spring.color.set(colors.spring);
    this.reaction.color.set(colors.reaction);
    this.reaction.emissive.set(colors.reaction);
    this.reaction.emissiveIntensity = 0.2;
    this.force.color.set(colors.force);
    this.force.emissive.set(colors.force);
    this.force.emissiveIntensity = 0.2;
    this.hatch.color.set(colors.ground);
    this.outline.color.set(colors.outline);
    this.edge.color.set(colors.outline);
    this.point.color.set(colors.text);
    this.gridMajor.color.set(colors.gridMajor);
    this.gridMinor.color.set(colors.gridMinor);
  }
}

/** Arrows are seen through what they act on. */
function onTop(): MeshStandardMaterial {
  const material = solid();
  material.depthTest = false;
  material.transparent = true;
  material.opacity = 0.92;
  return material;
}

export function solid(color = "#808080"): MeshStandardMaterial {
  return new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.02 });
}
