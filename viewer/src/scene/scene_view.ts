// The animation: everything drawn of a scene, kept at the time it is told. The work of a frame depends on the number of bodies, joints
// and forces, not on the number of rows.

import { Mesh, Object3D, Raycaster, SphereGeometry, Vector2, Vector3 } from "three";
import { PoseTable } from "../data/pose_table";
import type { Report } from "../data/report_data";
import type { Scene } from "../data/scene_data";
import { findRow, rowFraction } from "../data/time_rows";
import type { Display, DisplayKey } from "../page_options";
import type { ThemeColors } from "../theme";
import { BodyObjects } from "./bodies";
import { addGroundSigns } from "./ground_signs";
import { Grid, makeOriginAxes } from "./grid";
import { JointGlyphs } from "./joint_glyphs";
import { LineObject, makeActuator, makeCoil } from "./line_objects";
import { LoadArrows } from "./load_arrows";
import { Materials } from "./materials";
import { median, MotionExtent } from "./motion_extent";
import { Labels, Triad } from "./overlay";
import { Stage, type ViewMode } from "./stage";
import { Trails, type TrailPoint } from "./trails";
import { calcFloor, makeViewFrame, niceLength, type ViewFrame } from "./view_frame";

/** A model that travels farther than this many times its size is followed from the start. */
const FAR_TRAVEL = 2.5;
/** What is farther from a followed body than this many times the model's size does not take part in the fit. */
const FAR_POINT = 1.2;

export interface Picked {
  readonly text: string;
  readonly body: number | null;
}

export class SceneView {
  readonly stage: Stage;
  readonly labels: Labels;
  readonly triad = new Triad();
  readonly trails: Trails;
  readonly gridSpacing: number;
  readonly hasReactions: boolean;
  readonly scene: Scene;
  private readonly times: Float64Array;
  private readonly table: PoseTable;
  private readonly extent: MotionExtent;
  private readonly frame: ViewFrame;
  private readonly materials = new Materials();
  private readonly bodies: BodyObjects;
  private readonly joints: JointGlyphs;
  private readonly lines: LineObject[] = [];
  private readonly arrows: LoadArrows;
  private readonly pointMarks: Object3D[] = [];
  private readonly gridObjects: Object3D;
  private readonly grid: Grid;
  private readonly raycaster = new Raycaster();
  private row = 0;
  private time = Number.NaN;
  private width = 1;
  private height = 1;
  private follow_: number | null = null;
  /** Where the followed body was last seen, NaN before that. */
  private readonly followed = new Float64Array(3).fill(Number.NaN);

  constructor(report: Report, scene: Scene, mode: ViewMode | null, invalidate: () => void) {
    this.scene = scene;
    this.times = report.times;
    this.table = new PoseTable(scene.bodies);
    this.extent = new MotionExtent(scene, this.table, report.rows);
    this.frame = makeViewFrame(scene);
    const { box, size, unit } = this.extent;
    const span = box.getSize(new Vector3()).length();
    this.stage = new Stage(this.frame, size, span, mode ?? (scene.planar ? "2d" : "3d"), invalidate);
    const root = this.stage.scene;

    this.bodies = new BodyObjects(scene, this.extent, this.materials, root);
    this.joints = new JointGlyphs(scene, this.extent, this.bodies, this.materials, this.table, root);
    addGroundSigns(scene, this.extent, this.table, this.frame.up, this.materials, root);
    this.addLines(root);
    this.arrows = new LoadArrows(scene, this.extent, this.materials, this.bodies.top);
    this.hasReactions = this.arrows.hasReactions();
    root.add(this.arrows.reactionObject, this.arrows.forceObject);
    this.trails = new Trails(scene, this.table, report.rows, this.bodies.colors, scene.planar ? -0.3 * unit : 0);
    root.add(this.trails.object);
    this.addPointMarks();

    this.gridSpacing = niceLength(0.22 * size);
    this.gridObjects = new Object3D();
    const floor = calcFloor(this.frame, box, size, unit);
    this.grid = new Grid(this.frame, box, size, this.gridSpacing, floor, this.materials);
    this.gridObjects.add(this.grid.object, makeOriginAxes(0.14 * size, unit, scene.planar));
    root.add(this.gridObjects);
    this.labels = new Labels(scene.bodies.map((body) => body.name), this.bodies.colors);
    if (span > FAR_TRAVEL * size && scene.bodies.length > 0) this.follow_ = this.heaviestBody();
  }

  setColors(colors: ThemeColors): void {
    this.materials.setColors(colors);
    this.stage.setColors(colors);
  }

  setDisplay(display: Display): void {
    const set: Record<DisplayKey, (isOn: boolean) => void> = {
      joints: (isOn) => this.joints.setVisible(isOn),
      reactions: (isOn) => (this.arrows.reactionObject.visible = isOn),
      forces: (isOn) => (this.arrows.forceObject.visible = isOn),
      trails: (isOn) => (this.trails.object.visible = isOn),
      labels: (isOn) => this.labels.setVisible(isOn),
      points: (isOn) => this.pointMarks.forEach((mark) => (mark.visible = isOn)),
      grid: (isOn) => (this.gridObjects.visible = isOn),
    };
    for (const key of Object.keys(set) as DisplayKey[]) set[key](display[key]);
    this.refresh();
  }

  setArrowScale(factor: number): void {
    this.arrows.setMagnification(factor);
    this.refresh();
  }

  setTrail(point: TrailPoint, isOn: boolean): void {
    this.trails.set(point, isOn);
    this.refresh();
  }

  follow(): number | null {
    return this.follow_;
  }

  setFollow(body: number | null): void {
    this.follow_ = body;
    this.noteFollowed();
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.stage.resize(width, height);
    if (!this.stage.isFitted()) return;
    this.fit();
    // At once: a canvas of a new size is empty, and would flicker until the next frame.
    this.render();
  }

  fit(): void {
    this.stage.fit(this.fitPoints());
  }

  setMode(mode: ViewMode): void {
    this.stage.setMode(mode, this.fitPoints());
  }

  update(time: number): void {
    if (time === this.time) return;
    this.time = time;
    this.refresh();
  }

  render(): void {
    this.grid.moveTo(this.stage.target());
    this.stage.render();
    this.triad.update(this.stage.camera());
    this.labels.update(this.stage.camera(), this.width, this.height);
  }

  /** What lies under a point of the canvas, in pixels from its corner. */
  pick(x: number, y: number): Picked | null {
    this.raycaster.setFromCamera(new Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height), this.stage.camera());
    const targets = [...this.bodies.groups, this.bodies.groundGroup, ...this.lines.map((line) => line.object)];
    for (const { object } of this.raycaster.intersectObjects(targets, true)) {
      if (!(object instanceof Mesh) || !isShown(object)) continue;
      const body = bodyOf(object);
      if (typeof object.userData.label === "string") return { text: object.userData.label, body };
      if (body !== null) return { text: this.describeBody(body), body };
    }
    return null;
  }

  setHighlight(body: number | null): void {
    this.bodies.setHighlight(body);
  }

  describeBody(body: number): string {
    const { name, mass } = this.scene.bodies[body];
    return mass === null ? name : `${name} · ${Number(mass.toPrecision(4))} kg`;
  }

  /** Positions of body frames now, three numbers each: for tests. */
  bodyPositions(): number[] {
    return this.bodies.groups.flatMap((group) => group.position.toArray());
  }

  private refresh(): void {
    const time = Number.isNaN(this.time) ? this.times[0] : this.time;
    this.row = findRow(this.times, time, this.row);
    const fraction = rowFraction(this.times, this.row, time);
    this.table.eval(this.row, fraction);
    this.bodies.update(this.table);
    this.joints.update(this.table);
    for (const line of this.lines) line.update(this.table);
    this.arrows.update(this.table, this.row, fraction);
    this.trails.update(this.row);
    if (!this.labels.node.hidden) this.moveLabels();
    this.moveCamera();
  }

  private moveLabels(): void {
    for (let k = 0; k < this.scene.bodies.length; ++k) {
      this.table.calcPoint(k, this.scene.bodies[k].centre, this.followScratch);
      this.labels.anchor(k).set(this.followScratch[0], this.followScratch[1], this.followScratch[2] + (this.scene.planar ? this.bodies.top : 0));
    }
  }

  private readonly followScratch = new Float64Array(3);

  private moveCamera(): void {
    if (this.follow_ === null || this.table.isKnown[this.follow_] === 0) return;
    const s = this.followScratch;
    this.table.calcPoint(this.follow_, this.scene.bodies[this.follow_].centre, s);
    if (!Number.isNaN(this.followed[0])) this.stage.shift(s[0] - this.followed[0], s[1] - this.followed[1], s[2] - this.followed[2]);
    this.followed.set(s);
  }

  private noteFollowed(): void {
    this.followed.fill(Number.NaN);
    if (this.follow_ === null || this.table.isKnown[this.follow_] === 0) return;
    this.table.calcPoint(this.follow_, this.scene.bodies[this.follow_].centre, this.followed);
  }

  /** The model over the whole run, or now when it is followed; with room for what is drawn about its points. */
  private fitPoints(): Vector3[] {
    this.noteFollowed();
    const points: Vector3[] = [];
    const corners = this.extent.groundCorners.map((p) => new Vector3(...p));
    if (Number.isNaN(this.followed[0])) {
      this.extent.forEachSample(() => this.extent.addPoints(points));
      points.push(...corners);
    } else {
      const all = [...corners];
      this.extent.addPoints(all);
      const centre = new Vector3(...this.followed);
      // Some room about a small body shows how it moves.
      for (const axis of [this.frame.up, this.frame.first, this.frame.second]) {
        for (const side of [-1, 1]) points.push(centre.clone().addScaledVector(axis, 0.3 * side * this.extent.size));
      }
      points.push(...all.filter((p) => p.distanceTo(centre) <= FAR_POINT * this.extent.size));
    }
    const room = 2.5 * this.extent.unit;
    const { up, first, second } = this.frame;
    const count = points.length;
    for (let k = 0; k < count; ++k) {
      for (const axis of [up, first, second]) points.push(points[k].clone().addScaledVector(axis, room), points[k].clone().addScaledVector(axis, -room));
    }
    this.refresh();
    return points;
  }

  private heaviestBody(): number {
    let best = 0;
    this.scene.bodies.forEach((body, k) => {
      if ((body.mass ?? 0) > (this.scene.bodies[best].mass ?? 0)) best = k;
    });
    return best;
  }

  private addLines(root: Object3D): void {
    const ends = new Float64Array(6);
    for (const force of this.scene.forces) {
      const { i, j } = force;
      if (!force.line || i === null || j === null) continue;
      const lengths: number[] = [];
      this.extent.forEachSample(() => {
        this.table.calcAttachment(i, ends, 0);
        this.table.calcAttachment(j, ends, 3);
        const length = Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]);
        if (length > 0) lengths.push(length);
      });
      if (lengths.length === 0) continue;
      const lift = this.scene.planar ? this.bodies.top : 0;
      const line =
        force.type === "spring-damper"
          ? makeCoil(i, j, median(lengths), this.extent.unit, this.materials.spring, lift)
          : makeActuator(i, j, this.extent.unit, this.materials.spring, lift);
      line.object.traverse((part) => (part.userData.label = `${force.name} · ${force.type}`));
      this.lines.push(line);
      root.add(line.object);
    }
  }

  private addPointMarks(): void {
    const geometry = new SphereGeometry(0.42 * this.extent.unit, 14, 10);
    const add = (group: Object3D, position: readonly [number, number, number], name: string): void => {
      const mark = new Mesh(geometry, this.materials.point);
      mark.position.set(...position);
      if (this.scene.planar) mark.position.z += this.bodies.top + 0.3 * this.extent.unit;
      mark.userData.label = name;
      group.add(mark);
      this.pointMarks.push(mark);
    };
    for (const { name, body, position, kind } of this.trails.points) if (kind === "point") add(this.bodies.groups[body], position, name);
    for (const { name, position } of this.scene.ground.points) add(this.bodies.groundGroup, position, name);
  }
}

function bodyOf(object: Object3D): number | null {
  for (let node: Object3D | null = object; node !== null; node = node.parent) {
    if (typeof node.userData.body === "number") return node.userData.body;
  }
  return null;
}

function isShown(object: Object3D): boolean {
  for (let node: Object3D | null = object; node !== null; node = node.parent) if (!node.visible) return false;
  return true;
}
