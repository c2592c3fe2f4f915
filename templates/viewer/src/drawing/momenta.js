/** States on duals of three-dimensional Lie algebras: the curve on the sphere of constant momentum. */

import { SphereGeometry, Vector3 } from "three";
import { linear } from "../motion/interpolation.js";
import { ArrowCopies, longest } from "./arrows.js";
import { Instances } from "./instances.js";
import { hue, part } from "./palette.js";
import { Trails } from "./trails.js";

/** Momenta scaled to a sphere of `radius` about `center`. */
function scaled({ shape, values }, radius, center) {
  const scale = radius / (longest({ values }) || 1);
  const places = values.map((value, i) => center[i % 3] + scale * value);
  return { shape: [shape[0], 1, 3], values: places };
}

export class Momentum {
  layer = "bodies";

  constructor(times, { values }, radius, center, index, ghost) {
    this.places = scaled(values, radius, center);
    this.center = new Vector3(...center);
    this.index = index;
    this.arrow = new ArrowCopies(1, ghost);
    const settings = { transparent: true, opacity: 0.25, depthWrite: false };
    this.ball = new Instances(new SphereGeometry(0.995, 64, 32), 1, { settings });
    this.ball.place.copy(this.center);
    this.ball.size.setScalar(radius);
    this.ball.put(0);
    this.curve =
      times.length > 1
        ? new Trails(times, { positions: this.places }, [0], (theme) => hue(theme, index), radius, ghost)
        : null;
    this.objects = [this.arrow.object, ...(ghost ? [] : [this.ball.object]), ...(this.curve?.objects ?? [])];
  }

  paint(theme) {
    this.arrow.paint(() => hue(theme, this.index));
    this.ball.paint(() => part(theme, "fixed"));
    this.curve?.paint(theme);
  }

  update(place, time) {
    this.arrow.place.copy(this.center);
    this.arrow.direction.fromArray(linear(this.places, place, 0, [])).sub(this.center);
    this.arrow.aim(0);
    this.arrow.commit();
    this.curve?.update(place, time);
  }
}
