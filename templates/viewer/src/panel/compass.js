/** Inertial axes from the direction of the camera, in the corner of the image. */

import { Vector3 } from "three";
import { AXES } from "../drawing/palette.js";

const SVG = "http://www.w3.org/2000/svg";
const LENGTH = 22;
const LETTERS = ["x", "y", "z"];

export class Compass {
  constructor(svg) {
    this.axes = LETTERS.map((letter) => {
      const line = document.createElementNS(SVG, "line");
      const text = document.createElementNS(SVG, "text");
      text.textContent = letter;
      svg.append(line, text);
      return { line, text };
    });
    this.direction = new Vector3();
  }

  setTheme(theme) {
    this.axes.forEach(({ line, text }, k) => {
      line.setAttribute("stroke", AXES[theme][k]);
      text.setAttribute("fill", AXES[theme][k]);
    });
  }

  update(camera) {
    const turn = camera.matrixWorldInverse;
    const turned = turn.elements.join();
    if (turned === this.turned) return;
    this.turned = turned;
    this.axes.forEach(({ line, text }, k) => {
      const { x, y } = this.direction.set(0, 0, 0).setComponent(k, 1).transformDirection(turn);
      line.setAttribute("x2", String(x * LENGTH));
      line.setAttribute("y2", String(-y * LENGTH));
      text.setAttribute("x", String(x * (LENGTH + 8)));
      text.setAttribute("y", String(-y * (LENGTH + 8)));
    });
  }
}
