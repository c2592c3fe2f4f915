/** Nodes on spheres and their tangent bundles: an arrow from the centre, the sphere, and the rate at the tip. */

import { SphereGeometry } from "three";
import { linear } from "../motion/interpolation.js";
import { ArrowCopies, longest } from "./arrows.js";
import { Instances } from "./instances.js";
import { hue, part } from "./palette.js";

/** Largest number of drawn spheres; beyond it, only arrows are drawn. */
const SEEN = 12;

export class Spheres {
  layer = "bodies";

  constructor({ centers, directions, rates, radius = 1 }, ghost) {
    this.source = { centers, directions, rates };
    this.radius = radius;
    this.count = directions.shape[1];
    this.arrows = new ArrowCopies(this.count, ghost);
    this.rates = rates ? new ArrowCopies(this.count, ghost) : null;
    const greatest = rates ? longest(rates) : 0;
    this.rateScale = greatest ? radius / greatest : 0;
    this.balls = this.count <= SEEN && !ghost ? this.makeBalls() : null;
    this.objects = [this.arrows, this.rates, this.balls].filter(Boolean).map(({ object }) => object);
  }

  makeBalls() {
    const settings = { transparent: true, opacity: 0.22, depthWrite: false };
    const balls = new Instances(new SphereGeometry(1, 48, 24), this.count, { settings });
    balls.size.setScalar(this.radius);
    return balls;
  }

  paint(theme) {
    this.arrows.paint((i) => hue(theme, i));
    this.rates?.paint(() => part(theme, "line"));
    this.balls?.paint(() => part(theme, "fixed"));
  }

  update(place) {
    const { centers, directions, rates } = this.source;
    const [center, tip] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    for (let i = 0; i < this.count; i++) {
      linear(centers, place, i, center);
      this.arrows.place.fromArray(center);
      this.arrows.direction.fromArray(linear(directions, place, i, tip)).setLength(this.radius);
      const { direction } = this.arrows;
      this.rates?.place.copy(this.arrows.place).add(direction);
      this.arrows.aim(i);
      if (this.rates) {
        this.rates.direction.fromArray(linear(rates, place, i, tip)).multiplyScalar(this.rateScale);
        this.rates.aim(i);
      }
      this.balls?.place.fromArray(center);
      this.balls?.put(i);
    }
    for (const copies of [this.arrows, this.rates, this.balls]) copies?.commit();
  }
}
