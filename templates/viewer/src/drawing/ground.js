/** The ground grid below the scene, and the inertial axes. */

import { Vector3 } from "three";
import { AXES, part } from "./palette.js";
import { Segments } from "./segments.js";

const CELLS = 14;

/** 1, 2 or 5 times a power of ten, near `size`. */
export function round(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5, 10].find((step) => step * power >= 0.999 * size) * power;
}

/** Two unit vectors perpendicular to `up`, along the inertial axes if `up` is one of them. */
function plane(up) {
  const first = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  first.addScaledVector(up, -first.dot(up)).normalize();
  return [first, up.clone().cross(first)];
}

export class Ground {
  layer = "grid";

  constructor(up, center, height, size) {
    this.spacing = round(size / 8);
    this.segments = new Segments(2 * CELLS * (CELLS + 1), { width: 1, faded: 0 });
    this.objects = [this.segments.object];
    const [u, w] = plane(up);
    const snapped = (axis) => Math.round(center.dot(axis) / this.spacing) * this.spacing;
    const middle = up.clone().multiplyScalar(height).addScaledVector(u, snapped(u)).addScaledVector(w, snapped(w));
    this.lay(u, w, middle);
    this.segments.commit();
  }

  /** Draws lines by cell, so that they fade with the distance from the centre. */
  lay(u, w, middle) {
    const half = CELLS / 2;
    const place = (i, k) =>
      middle
        .clone()
        .addScaledVector(u, (i - half) * this.spacing)
        .addScaledVector(w, (k - half) * this.spacing);
    const age = (i, k) => -Math.hypot(i - half, k - half);
    let index = 0;
    const draw = (from, to) => {
      this.segments.set(index, place(...from).toArray(), place(...to).toArray());
      this.segments.setMoments(index, age(...from), age(...to));
      index += 1;
    };
    for (let i = 0; i <= CELLS; i++) {
      for (let k = 0; k < CELLS; k++) {
        draw([i, k], [i, k + 1]);
        draw([k, i], [k + 1, i]);
      }
    }
    this.segments.setTime(0, half);
  }

  paint(theme) {
    this.segments.paint(part(theme, "grid"));
  }

  update() {}
}

export class SpaceAxes {
  layer = "axes";

  constructor(length) {
    this.segments = new Segments(3, { width: 2 });
    for (let k = 0; k < 3; k++)
      this.segments.set(
        k,
        [0, 0, 0],
        [0, 1, 2].map((i) => (i === k ? length : 0)),
      );
    this.segments.commit();
    this.objects = [this.segments.object];
  }

  paint(theme) {
    this.segments.paint((i) => AXES[theme][i]);
  }

  update() {}
}
