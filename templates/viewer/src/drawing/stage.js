/** Renderer, lights, camera and its controls. */

import {
  Color,
  DirectionalLight,
  HemisphereLight,
  MeshBasicMaterial,
  PerspectiveCamera,
  Quaternion,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { part } from "./palette.js";
import { resolution } from "./segments.js";

const FIELD_OF_VIEW = 35;
const SHARPEST = 2;
/** Margin around the scene. */
const MARGIN = 1.15;
/** Relative thickness below which a scene is planar, with a frontal view. */
const FLAT = 1e-3;

/** A WebGL context, or null without WebGL; created here, because three would write to the console. */
export function contextOf(canvas) {
  return canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
}

export class Stage {
  constructor(canvas, context, world, onChange) {
    this.canvas = canvas;
    this.world = world;
    this.onChange = onChange;
    this.renderer = new WebGLRenderer({ canvas, context });
    this.scene = new Scene();
    this.scene.add(world.root);
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 100);
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(-1, 2, 3);
    this.camera.add(sun, sun.target);
    sun.target.position.set(0, 0, -1);
    this.scene.add(this.camera);
    this.sky = new HemisphereLight(0xffffff, 0x8d949c, 1.7);
    this.sky.position.copy(world.up);
    this.scene.add(this.sky);
    this.followed = null;
    this.frames = 0;
    this.reset();
  }

  /** Creates the controls, which fix the vertical direction. */
  setCamera({ position, target, up }) {
    this.controls?.dispose();
    this.camera.up.copy(up);
    this.camera.position.copy(position);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(target);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", this.onChange);
    this.controls.update();
  }

  /** Shows the whole scene from the side with the largest extent. */
  reset() {
    this.followed = null;
    const { seen, up } = this.world;
    const target = seen.getCenter(new Vector3());
    const direction = this.direction();
    const upward = Math.abs(direction.dot(up)) > 0.999 ? new Vector3(0, 1, 0) : up;
    const position = target.clone().addScaledVector(direction, this.distance(target, direction, upward));
    this.setCamera({ position, target, up: upward });
  }

  direction() {
    const { seen, up } = this.world;
    const extent = seen.getSize(new Vector3());
    const flat = ["x", "y", "z"].filter((axis) => extent[axis] < FLAT * this.world.size);
    if (flat.length === 1) return new Vector3().setComponent("xyz".indexOf(flat[0]), flat[0] === "y" ? -1 : 1);
    const toUp = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    return new Vector3(0.62, -1, 0.42).normalize().applyQuaternion(toUp);
  }

  /** Distance from `target` at which the camera sees the whole scene. */
  distance(target, direction, up) {
    const right = up.clone().cross(direction).normalize();
    const top = direction.clone().cross(right);
    const tangent = Math.tan((FIELD_OF_VIEW / 2) * (Math.PI / 180)) / MARGIN;
    const aspect = this.canvas.clientWidth / this.canvas.clientHeight || 1;
    const from = new Vector3();
    const needed = this.world.cloud.map(({ center, radius }) => {
      from.copy(center).sub(target);
      const across = Math.max((Math.abs(from.dot(right)) + radius) / aspect, Math.abs(from.dot(top)) + radius);
      return across / tangent + from.dot(direction);
    });
    return Math.max(...needed) || 3;
  }

  setTheme(theme) {
    this.theme = theme;
    this.background = new Color(part(theme, "stage"));
    this.renderer.setClearColor(this.marked ? 0x000000 : this.background, 1);
    this.world.paint(theme);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(SHARPEST, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    resolution.set(width, height);
    this.camera.aspect = width / height;
  }

  /** Follows the position `at()`, or nothing. */
  follow(at) {
    this.followed = at && { at, last: at().clone() };
  }

  render() {
    if (this.followed) {
      const now = this.followed.at();
      const step = now.clone().sub(this.followed.last);
      this.followed.last.copy(now);
      this.camera.position.add(step);
      this.controls.target.add(step);
    }
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(1e-3 * this.world.size, 0.02 * distance);
    this.camera.far = distance + 40 * this.world.size;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.frames += 1;
  }

  /** The image as a PNG blob, read in the event-loop turn in which it is drawn. */
  picture() {
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  /** Draws bodies only, in flat colours on black, so that programs find points by colour. */
  markColors(on) {
    this.marked = on;
    this.scene.overrideMaterial = on ? new MeshBasicMaterial() : null;
    this.world.isolate(on);
    this.setTheme(this.theme);
  }
}
