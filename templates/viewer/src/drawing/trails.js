/** Trails: the curves along which points went, up to now, fading with age. */

import { position } from "../motion/interpolation.js";
import { hue } from "./palette.js";
import { Segments } from "./segments.js";

/** Segments of all curves of one kind; longer runs have longer segments. */
const BUDGET = 200_000;
/** Segments of a curve with few frames. */
const SMOOTH = 800;

export class Trails {
  layer = "trails";

  /** Curves of `items` of `{positions, velocities}`; `hues[i]` colours the i-th. */
  constructor(times, { positions, velocities }, items, hues, ghost) {
    this.hues = hues;
    const intervals = times.length - 1;
    const room = Math.max(1, Math.floor(BUDGET / items.length));
    const stride = Math.max(1, Math.ceil(intervals / room));
    const fine = stride > 1 ? 1 : Math.max(1, Math.min(8, Math.floor(SMOOTH / intervals)));
    const stops = [];
    for (let index = 0; index < intervals; index += stride) {
      for (let i = 0; i < fine; i++) stops.push([index, i / fine]);
    }
    stops.push([intervals - 1, 1]);
    this.curves = stops.length - 1;
    this.segments = new Segments(items.length * this.curves, { opacity: ghost ? 0.35 : 0.95, faded: 0.2 });
    items.forEach((item, i) => this.lay(times, positions, velocities, item, i * this.curves, stops));
    this.segments.commit();
    this.span = (times[intervals] - times[0]) / 4;
    this.objects = [this.segments.object];
  }

  lay(times, positions, velocities, item, first, stops) {
    let [before, here] = [[0, 0, 0], [0, 0, 0]];
    let reached = 0;
    stops.forEach(([index, fraction], i) => {
      const duration = times[index + 1] - times[index];
      position(positions, velocities, { index, fraction, duration }, item, here);
      const moment = times[index] + fraction * duration;
      if (i) {
        this.segments.set(first + i - 1, before, here);
        this.segments.setMoments(first + i - 1, reached, moment);
      }
      [before, here] = [here, before];
      reached = moment;
    });
  }

  paint(theme) {
    this.segments.paint((i) => hue(theme, this.hues[Math.floor(i / this.curves)]));
  }

  update(place, time) {
    this.segments.setTime(time, this.span);
  }
}
