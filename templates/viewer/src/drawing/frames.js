/** Frames: the axes of bodies, and of sections of rods. */

import { Vector3 } from "three";
import { column } from "./rods.js";
import { AXES } from "./palette.js";
import { Segments } from "./segments.js";

class Triads {
  layer = "frames";

  constructor(count, length, ghost) {
    this.length = length;
    this.count = count;
    this.segments = new Segments(3 * count, { width: 2, opacity: ghost ? 0.35 : 1, moving: true });
    this.objects = [this.segments.object];
  }

  paint(theme) {
    this.segments.paint((i) => AXES[theme][i % 3]);
  }

  /** Draws triad `index` at `origin` with unit vectors `axes(k)`. */
  draw(index, origin, axes) {
    for (let k = 0; k < 3; k++) {
      const axis = axes(k);
      this.segments.set(
        3 * index + k,
        origin,
        origin.map((value, i) => value + this.length * axis[i]),
      );
    }
  }
}

export class BodyFrames extends Triads {
  constructor(poses, length, ghost) {
    super(poses.places.length, length, ghost);
    this.poses = poses;
    this.unit = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  }

  update() {
    const { places, turns } = this.poses;
    const axis = new Vector3();
    places.forEach((at, body) => {
      this.draw(body, at.toArray(), (k) => axis.copy(this.unit[k]).applyQuaternion(turns[body]).toArray());
    });
    this.segments.commit();
  }
}

/** Largest number of sections of a rod with axes. */
const SECTIONS = 33;

export class SectionFrames extends Triads {
  constructor(shape, length, ghost) {
    const stride = Math.ceil((shape.nodes - 1) / (SECTIONS - 1)) || 1;
    const nodes = Array.from({ length: shape.nodes }, (_, i) => i).filter((i) => i % stride === 0);
    super(nodes.length, length, ghost);
    this.shape = shape;
    this.nodes = nodes;
  }

  update() {
    const { positions, rotations } = this.shape;
    const axis = [0, 0, 0];
    this.nodes.forEach((node, i) => {
      const turn = rotations.subarray(4 * node, 4 * node + 4);
      this.draw(i, [...positions.subarray(3 * node, 3 * node + 3)], (k) => column(turn, k, axis));
    });
    this.segments.commit();
  }
}
