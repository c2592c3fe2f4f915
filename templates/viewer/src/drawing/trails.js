/** Trails: paths of points up to the current time, fading with age. */

import { position } from "../motion/interpolation.js";
import { Segments } from "./segments.js";

/** Smallest number of points of a curve. */
const SMOOTH = 1000;
/** Largest distance of chords from the curve relative to the size of the scene; below one pixel. */
const CLOSE = 4e-4;
/** Largest number of points between the ends of a chord. */
const PASSED = 48;

/** Points of a curve with their times: `{point, moment}`. */
function* pointsOf(times, { positions, velocities }, item) {
  const intervals = times.length - 1;
  const fine = Math.max(1, Math.min(16, Math.ceil(SMOOTH / intervals)));
  for (let i = 0; i <= intervals * fine; i++) {
    const index = Math.min(intervals - 1, Math.floor(i / fine));
    const fraction = i / fine - index;
    const duration = times[index + 1] - times[index];
    const point = position(positions, velocities, { index, fraction, duration }, item, [0, 0, 0]);
    yield { point, moment: times[index] + fraction * duration };
  }
}

/** Distance of `point` from the chord between two others. */
function distance(point, start, end) {
  const along = end.map((value, k) => value - start[k]);
  const from = point.map((value, k) => value - start[k]);
  const square = along.reduce((sum, value) => sum + value * value, 0);
  const part = square ? along.reduce((sum, value, k) => sum + value * from[k], 0) / square : 0;
  const clamped = Math.min(1, Math.max(0, part));
  return Math.hypot(...from.map((value, k) => value - clamped * along[k]));
}

/** A minimal selection of points with chords close to the curve. */
function chords(points, close) {
  const kept = [];
  let passed = [];
  for (const next of points) {
    const start = kept.at(-1);
    const straight = () => passed.every(({ point }) => distance(point, start.point, next.point) < close);
    if (!start) kept.push(next);
    else {
      if (passed.length && (passed.length > PASSED || !straight())) {
        kept.push(passed.at(-1));
        passed = [];
      }
      passed.push(next);
    }
  }
  return passed.length ? [...kept, passed.at(-1)] : kept;
}

export class Trails {
  layer = "trails";

  /** Curves of `items` of `{positions, velocities}`, each in the colour `colorOf(theme, item)`. */
  constructor(times, source, items, colorOf, size, ghost) {
    const curves = items.map((item) => chords(pointsOf(times, source, item), CLOSE * size));
    this.owners = curves.flatMap((curve, i) => Array(curve.length - 1).fill(items[i]));
    this.colorOf = colorOf;
    this.segments = new Segments(this.owners.length, { opacity: ghost ? 0.35 : 0.95, faded: 0.2 });
    let index = 0;
    for (const curve of curves) {
      for (let i = 1; i < curve.length; i++, index++) {
        this.segments.set(index, curve[i - 1].point, curve[i].point);
        this.segments.setMoments(index, curve[i - 1].moment, curve[i].moment);
      }
    }
    this.span = (times.at(-1) - times[0]) / 4;
    this.objects = [this.segments.object];
  }

  paint(theme) {
    this.segments.paint((i) => this.colorOf(theme, this.owners[i]));
  }

  update(place, time) {
    this.segments.setTime(time, this.span);
  }
}
