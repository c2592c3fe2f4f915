/** Nodes with a position and no rotation, drawn as small balls. */

import { SphereGeometry, Vector3 } from "three";
import { position } from "../motion/interpolation.js";
import { Instances } from "./instances.js";
import { itemHue } from "./palette.js";

export class Points {
  layer = "bodies";

  constructor({ names, positions, velocities, radius }, ghost, firstHue) {
    this.source = { positions, velocities };
    this.firstHue = firstHue;
    this.places = names.map(() => new Vector3());
    this.balls = new Instances(new SphereGeometry(1, 24, 16), names.length, { ghost });
    this.balls.size.setScalar(radius);
    this.objects = [this.balls.object];
  }

  paint(theme) {
    this.balls.paint((i) => itemHue(theme, this.firstHue + i, this.firstHue + this.balls.count));
  }

  update(place) {
    const at = [0, 0, 0];
    this.places.forEach((vector, i) => {
      this.balls.place.copy(vector.fromArray(position(this.source.positions, this.source.velocities, place, i, at)));
      this.balls.put(i);
    });
    this.balls.commit();
  }
}
