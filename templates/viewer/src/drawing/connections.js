/** Constraints as lines between two points. */

import { linear } from "../motion/interpolation.js";
import { part } from "./palette.js";
import { Segments } from "./segments.js";

export class Connections {
  layer = "joints";

  /** Lines of `[from, to]`, arrays of points. */
  constructor(lines, ghost) {
    this.lines = lines;
    this.segments = new Segments(lines.length, { width: 1.75, opacity: ghost ? 0.35 : 1, moving: true });
    this.objects = [this.segments.object];
  }

  paint(theme) {
    this.segments.paint(part(theme, "line"));
  }

  update(place) {
    const [start, end] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    this.lines.forEach(([from, to], i) =>
      this.segments.set(i, linear(from, place, 0, start), linear(to, place, 0, end)),
    );
    this.segments.commit();
  }
}
