/** Arrows: vectors at points, such as loads and forces of constraints. */

import { Vector3 } from "three";
import { linear } from "../motion/interpolation.js";
import { arrowGeometry } from "./geometry.js";
import { Instances } from "./instances.js";
import { groupHue } from "./palette.js";

const SLENDER = 0.03;
const ALONG = new Vector3(0, 0, 1);
/** Longest arrow of a group, relative to the size of the scene. */
const LONGEST = 0.25;

/** Instances of one arrow, each along a vector. */
export class ArrowCopies extends Instances {
  constructor(count, ghost) {
    super(arrowGeometry(SLENDER), count, { ghost });
    this.direction = new Vector3();
  }

  /** Sets position, direction and length of arrow `index` from `this.place` and `this.direction`. */
  aim(index) {
    const length = this.direction.length();
    this.size.setScalar(length);
    if (length) this.turn.setFromUnitVectors(ALONG, this.direction.divideScalar(length));
    this.put(index);
  }
}

export function longest({ values }) {
  let square = 0;
  for (let i = 0; i < values.length; i += 3) {
    square = Math.max(square, values[i] ** 2 + values[i + 1] ** 2 + values[i + 2] ** 2);
  }
  return Math.sqrt(square);
}

/** Arrows of one group of one solution; `greatest` is the common scale of all solutions. */
export class Arrows {
  constructor(group, arrows, greatest, size, ghost) {
    this.layer = group;
    this.arrows = arrows;
    this.scale = greatest ? (LONGEST * size) / greatest : 0;
    this.copies = new ArrowCopies(arrows.length, ghost);
    this.objects = [this.copies.object];
  }

  paint(theme) {
    this.copies.paint(() => groupHue(theme, this.layer));
  }

  update(place) {
    const numbers = [0, 0, 0];
    this.arrows.forEach(({ at, vectors }, i) => {
      this.copies.place.fromArray(linear(at, place, 0, numbers));
      this.copies.direction.fromArray(linear(vectors, place, 0, numbers)).multiplyScalar(this.scale);
      this.copies.aim(i);
    });
    this.copies.commit();
  }
}
