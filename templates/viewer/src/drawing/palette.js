/** Colours of bodies, curves, fields along rods, and the scene in light and dark themes. */

import { Color } from "three";

/** Muted hues for all kinds of colour vision, after Okabe and Ito; one list for both themes. */
const HUES = {
  light: ["#3a76b0", "#d9822b", "#2f8f73", "#b2567f", "#8a6d3b", "#5b5fa8", "#4a9bb8", "#7a7f87"],
  dark: ["#6aa9e0", "#eba058", "#55b99a", "#d883aa", "#c2a36b", "#9499e0", "#74c2dc", "#a4abb5"],
};

const PARTS = {
  light: { stage: "#eef1f4", grid: "#c6ced6", joint: "#55606b", drive: "#c0392b", line: "#6b7681", fixed: "#a9b2bb" },
  dark: { stage: "#11161b", grid: "#2f3943", joint: "#a7b2bd", drive: "#ff7b6b", line: "#8d99a5", fixed: "#57626d" },
};

/** Colours of axes x, y, z. */
export const AXES = { light: ["#c43c35", "#2b8a3e", "#2867b8"], dark: ["#ff7b72", "#5fcf7c", "#79b4ff"] };

export const hue = (theme, index) => HUES[theme][index % HUES[theme].length];

/** The colour of item `index` of `count`: hues for few items, two similar colours for many. */
export function itemHue(theme, index, count) {
  if (count <= HUES[theme].length) return hue(theme, index);
  return hue(theme, index % 2 ? 6 : 0);
}

export const part = (theme, name) => PARTS[theme][name];

/** Colours of groups of arrows, different from the colours of bodies. */
const GROUPS = {
  light: { loads: "#7a3db8", "constraint forces": "#c0392b", "constraint moments": "#0b7f80" },
  dark: { loads: "#bb90f2", "constraint forces": "#ff7b6b", "constraint moments": "#4fd1c5" },
};

export const groupHue = (theme, group) => GROUPS[theme][group] ?? PARTS[theme].line;

/** From dark blue through green to yellow with uniform lightness steps, for values of one sign. */
const SEQUENTIAL = ["#3b2f7d", "#34618d", "#25858e", "#2fb07f", "#8fd644", "#f5e626"];
/** From blue through light grey (zero) to red, for values of both signs. */
const DIVERGING = ["#2456a6", "#6f9fd8", "#d9dbde", "#e28a6f", "#b3262b"];

const STEPS = 256;

function table(stops) {
  const colors = stops.map((stop) => new Color(stop));
  const values = new Float32Array(3 * STEPS);
  const color = new Color();
  for (let i = 0; i < STEPS; i++) {
    const at = (i / (STEPS - 1)) * (stops.length - 1);
    const first = Math.min(stops.length - 2, Math.floor(at));
    color.lerpColors(colors[first], colors[first + 1], at - first).toArray(values, 3 * i);
  }
  return values;
}

/** Colours of the values of a field in `range`: stops of a colour bar, and a table of linear RGB. */
export class ColorScale {
  constructor([lower, upper]) {
    const signed = lower < 0 && upper > 0;
    const bound = Math.max(-lower, upper);
    [this.lower, this.upper] = signed ? [-bound, bound] : [lower, upper];
    this.stops = signed ? DIVERGING : SEQUENTIAL;
    this.table = table(this.stops);
  }

  /** Writes the colour of `value` into `out` at `offset`. */
  write(value, out, offset) {
    const width = this.upper - this.lower || 1;
    const step = Math.round(((value - this.lower) / width) * (STEPS - 1));
    const at = 3 * Math.min(STEPS - 1, Math.max(0, step));
    out[offset] = this.table[at];
    out[offset + 1] = this.table[at + 1];
    out[offset + 2] = this.table[at + 2];
  }
}
