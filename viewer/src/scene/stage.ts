// Canvas, cameras, lights and the mouse. Pictures are made on demand only: whoever changes something calls invalidate() of the frame loop.

import { AmbientLight, Box3, Color, DirectionalLight, HemisphereLight, MOUSE, OrthographicCamera, PerspectiveCamera, Scene, TOUCH, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { ThemeColors } from "../theme";
import type { ViewFrame } from "./view_frame";

export type ViewMode = "2d" | "3d";

const FIELD_OF_VIEW = 32;
/** Room about the model when the view is fitted. */
const MARGIN = 1.12;

export class Stage {
  readonly scene = new Scene();
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly frame: ViewFrame;
  private readonly size: number;
  private readonly span: number;
  private readonly invalidate: () => void;
  private camera_: OrthographicCamera | PerspectiveCamera;
  private controls: OrbitControls;
  private mode_: ViewMode;
  private width = 1;
  private height = 1;
  private readonly sun = new DirectionalLight("#ffffff", 1.9);
  private renderedFrames_ = 0;
  private isFitted_ = false;

  /** Throws when there is no WebGL. `size` is that of the model, `span` that of its motion. */
  constructor(frame: ViewFrame, size: number, span: number, mode: ViewMode, invalidate: () => void) {
    this.frame = frame;
    this.size = size;
    this.span = span;
    this.invalidate = invalidate;
    this.mode_ = mode;
    this.canvas = document.createElement("canvas");
    const context = this.canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (context === null) throw new Error("WebGL 2 is not available");
    this.renderer = new WebGLRenderer({ canvas: this.canvas, context, antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    const sky = new HemisphereLight("#ffffff", "#8a94a3", 1.5);
    sky.position.copy(frame.planar ? frame.normal : frame.up);
    this.scene.add(sky, new AmbientLight("#ffffff", 0.35), this.sun);
    [this.camera_, this.controls] = this.makeCamera();
  }

  camera(): OrthographicCamera | PerspectiveCamera {
    return this.camera_;
  }

  mode(): ViewMode {
    return this.mode_;
  }

  renderedFrames(): number {
    return this.renderedFrames_;
  }

  /** Whether the view is still that of fit(), untouched by the mouse. */
  isFitted(): boolean {
    return this.isFitted_;
  }

  /** What the camera looks at. */
  target(): Vector3 {
    return this.controls.target;
  }

  drawCalls(): number {
    return this.renderer.info.render.calls;
  }

  setColors(colors: ThemeColors): void {
    this.scene.background = new Color(colors.background);
  }

  setMode(mode: ViewMode, points: readonly Vector3[]): void {
    this.mode_ = mode;
    this.controls.dispose();
    [this.camera_, this.controls] = this.makeCamera();
    this.resize(this.width, this.height);
    this.fit(points);
  }

  resize(width: number, height: number): void {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    this.renderer.setSize(this.width, this.height, false);
    if (this.camera_ instanceof OrthographicCamera) {
      this.camera_.left = -this.width / 2;
      this.camera_.right = this.width / 2;
      this.camera_.top = this.height / 2;
      this.camera_.bottom = -this.height / 2;
    } else {
      this.camera_.aspect = this.width / this.height;
    }
    this.camera_.updateProjectionMatrix();
    this.invalidate();
  }

  /** Shows all points, from the direction of the first picture. */
  fit(points: readonly Vector3[]): void {
    const back = this.calcBack();
    const right = this.frame.up.clone().cross(back).normalize();
    const top = back.clone().cross(right);
    const target = new Box3().setFromPoints([...points]).getCenter(new Vector3());
    let distance = 4 * this.depth();
    if (this.camera_ instanceof OrthographicCamera) {
      if (this.frame.planar) target.z = 0;
      const [halfWidth, halfHeight] = centre(points, target, right, top, () => 1);
      this.camera_.zoom = Math.min(this.width / (2 * halfWidth), this.height / (2 * halfHeight)) / MARGIN;
    } else {
      // Near points look larger: centre what is seen from the distance found, a few times.
      const tan = Math.tan((FIELD_OF_VIEW / 2) * (Math.PI / 180));
      for (let k = 0; k < 6; ++k) {
        const [halfWidth, halfHeight] = centre(points, target, right, top, (p) => distance / Math.max(distance - p.dot(back), 0.1 * distance));
        distance = MARGIN * Math.max((halfWidth * this.height) / this.width, halfHeight) / tan;
      }
    }
    this.camera_.position.copy(target).addScaledVector(back, distance);
    this.camera_.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.isFitted_ = true;
    this.invalidate();
  }

  /** Moves camera and target together: the camera follows a body. */
  shift(dx: number, dy: number, dz: number): void {
    this.camera_.position.x += dx;
    this.camera_.position.y += dy;
    this.camera_.position.z += dz;
    this.controls.target.x += dx;
    this.controls.target.y += dy;
    this.controls.target.z += dz;
    this.camera_.lookAt(this.controls.target);
  }

  render(): void {
    this.sun.position.copy(this.camera_.position);
    // From over the shoulder, so that edges show.
    this.sun.position.addScaledVector(this.frame.up, 0.5 * this.camera_.position.distanceTo(this.controls.target));
    this.sun.target.position.copy(this.controls.target);
    this.sun.target.updateMatrixWorld();
    this.renderer.render(this.scene, this.camera_);
    ++this.renderedFrames_;
  }

  /** How far things may lie before and behind each other, seen from above: layers of planar models are thin. */
  private depth(): number {
    return this.frame.planar ? this.size : this.size + this.span;
  }

  private calcBack(): Vector3 {
    if (this.mode_ === "2d") return this.frame.normal.clone();
    const { up, first, second, normal, planar } = this.frame;
    if (planar) return normal.clone().addScaledVector(up, 0.35).addScaledVector(up.clone().cross(normal), 0.5).normalize();
    return first.clone().multiplyScalar(0.75).addScaledVector(second, -1).addScaledVector(up, 0.55).normalize();
  }

  private makeCamera(): [OrthographicCamera | PerspectiveCamera, OrbitControls] {
    const far = 60 * (this.size + this.span);
    const camera =
      this.mode_ === "2d"
        ? new OrthographicCamera(-1, 1, 1, -1, 0, 10 * this.depth())
        : new PerspectiveCamera(FIELD_OF_VIEW, this.width / this.height, 0.004 * this.size, far);
    camera.up.copy(this.frame.up);
    const controls = new OrbitControls(camera, this.canvas);
    controls.zoomToCursor = true;
    controls.screenSpacePanning = true;
    if (this.mode_ === "2d") {
      controls.enableRotate = false;
      controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    } else {
      controls.maxDistance = 20 * (this.size + this.span);
    }
    controls.addEventListener("change", this.invalidate);
    controls.addEventListener("start", () => (this.isFitted_ = false));
    return [camera, controls];
  }
}

/**
 * Moves the target to the middle of the points as seen along the axes, and gives half of their width and height there. `enlarge` tells how
 * much larger a point appears that lies at p from the target.
 */
function centre(points: readonly Vector3[], target: Vector3, right: Vector3, top: Vector3, enlarge: (p: Vector3) => number): [number, number] {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  const p = new Vector3();
  for (const point of points) {
    p.copy(point).sub(target);
    const factor = enlarge(p);
    [right, top].forEach((axis, k) => {
      const value = factor * p.dot(axis);
      low[k] = Math.min(low[k], value);
      high[k] = Math.max(high[k], value);
    });
  }
  target.addScaledVector(right, (low[0] + high[0]) / 2).addScaledVector(top, (low[1] + high[1]) / 2);
  return [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2];
}
