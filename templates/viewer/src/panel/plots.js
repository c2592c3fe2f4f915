/** Panels of outputs versus time, with a cursor and values at the displayed time. */

import { placeOf, linear } from "../motion/interpolation.js";
import { hue } from "../drawing/palette.js";
import { element, make } from "./elements.js";
import { inSteps, shown, ticks } from "./numbers.js";

const HEIGHT = 112;
const INSET = { left: 58, right: 10, top: 8, bottom: 20 };
/** Relative variation below which the panel shows differences from the first value. */
const ALIKE = 1e-3;
/** Largest number of named curves of one output. */
const NAMED = 6;

/** Minimum and maximum of `values`. */
function boundsOf(values, bounds = [Infinity, -Infinity]) {
  for (const value of values) {
    if (value < bounds[0]) bounds[0] = value;
    if (value > bounds[1]) bounds[1] = value;
  }
  return bounds;
}

/** Relative rounding error of the stored values. */
const roundingOf = ({ values }) => (values.values instanceof Float64Array ? 1e-15 : 1e-7);

/** A range with margins, also if all values are equal up to `rounding`. */
function roomy([lower, upper], rounding) {
  const air = Math.max(0.06 * (upper - lower), rounding) || 1;
  return [lower - air, upper + air];
}

/** Values of an output plus their offset, which float32 would not resolve. */
function withBase({ values, base }) {
  if (!base) return values;
  const width = base.length;
  return { shape: values.shape, values: Float64Array.from(values.values, (value, i) => value + base[i % width]) };
}

class Plot {
  constructor(panel, clock) {
    this.panel = panel;
    this.clock = clock;
    const bounds = [Infinity, -Infinity];
    for (const { values } of panel.curves) boundsOf(values.values, bounds);
    const first = panel.curves[0].values.values[0];
    const single = panel.curves[0].components.length === 1;
    /** Offset of all values, so that small changes of large numbers are visible. */
    this.offset = single && bounds[1] - bounds[0] < ALIKE * Math.abs(first) ? first : 0;
    this.range = roomy(
      bounds.map((bound) => bound - this.offset),
      Math.max(...bounds.map(Math.abs)) * roundingOf(panel.curves[0]),
    );
    this.canvas = make("canvas", { className: "plot", attributes: { "aria-hidden": "true" } });
    this.cursor = make("div", { className: "cursor" });
    this.face = make("div", { className: "face" }, this.canvas, this.cursor);
    this.values = make("ul", { className: "values" });
    const unit = panel.unit ? make("span", { className: "unit", textContent: ` ${panel.unit}` }) : "";
    const less = this.offset ? make("span", { className: "offset", textContent: ` − ${shown(this.offset, 7)}` }) : "";
    const label = make("span", { className: "label", textContent: panel.label });
    const caption = make("figcaption", {}, label, less, unit, this.values);
    this.figure = make("figure", {}, caption, this.face);
    this.readings = this.makeReadings();
    this.listen();
  }

  makeReadings() {
    const [{ components }] = this.panel.curves;
    return components.slice(0, NAMED).map((component, i) => {
      const swatch = make("i", { className: "swatch", attributes: { "data-hue": i } });
      const reading = make("span", { className: "reading" });
      const short = component.startsWith(this.panel.label) ? component.slice(this.panel.label.length) : component;
      const name = components.length > 1 ? make("span", { className: "name", textContent: short }) : "";
      this.values.append(make("li", {}, ...(components.length > 1 ? [swatch] : []), name, reading));
      return { reading, index: i };
    });
  }

  listen() {
    const scrub = (event) => {
      const { left, width } = this.face.getBoundingClientRect();
      const fraction = (event.clientX - left - INSET.left) / (width - INSET.left - INSET.right);
      this.clock.pause();
      this.clock.set(this.clock.start + Math.min(1, Math.max(0, fraction)) * this.clock.duration);
    };
    this.face.addEventListener("pointerdown", (event) => {
      this.face.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.face.addEventListener("pointermove", (event) => {
      if (this.face.hasPointerCapture(event.pointerId)) scrub(event);
    });
  }

  /** Draws the curves; the cursor is a separate element. */
  draw(theme, sharpness) {
    const width = this.face.clientWidth;
    if (!width || !this.visible) return;
    this.width = width;
    this.canvas.width = Math.round(width * sharpness);
    this.canvas.height = Math.round(HEIGHT * sharpness);
    const pen = this.canvas.getContext("2d", { willReadFrequently: true }); // drawn once: no GPU is needed
    pen.setTransform(sharpness, 0, 0, sharpness, 0, 0);
    const style = getComputedStyle(this.figure);
    pen.font = `11px ${style.fontFamily}`;
    this.drawAxes(pen, width, style.color, getComputedStyle(this.cursor).borderLeftColor);
    pen.save();
    pen.beginPath();
    pen.rect(INSET.left, INSET.top, width - INSET.left - INSET.right, HEIGHT - INSET.top - INSET.bottom);
    pen.clip();
    for (const curve of this.panel.curves.toReversed()) this.drawCurve(pen, curve, theme);
    pen.restore();
    for (const swatch of this.values.querySelectorAll(".swatch")) {
      swatch.style.background = hue(theme, Number(swatch.dataset.hue));
    }
    this.update();
  }

  x(time) {
    const { start, duration } = this.clock;
    return INSET.left + ((time - start) / (duration || 1)) * (this.width - INSET.left - INSET.right);
  }

  y(value) {
    const [lower, upper] = this.range;
    return HEIGHT - INSET.bottom - ((value - lower) / (upper - lower)) * (HEIGHT - INSET.top - INSET.bottom);
  }

  drawAxes(pen, width, ink, rule) {
    pen.strokeStyle = rule;
    pen.fillStyle = ink;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rows = ticks(...this.range, 4);
    for (const value of rows.values) {
      const y = Math.round(this.y(value)) + 0.5;
      line(pen, INSET.left, y, width - INSET.right, y);
      pen.fillText(inSteps(value, rows.step), INSET.left - 6, y);
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const { start, end } = this.clock;
    const columns = ticks(start, end, Math.max(2, width / 90));
    for (const value of columns.values) {
      const x = Math.round(this.x(value)) + 0.5;
      line(pen, x, HEIGHT - INSET.bottom, x, HEIGHT - INSET.bottom + 4);
      pen.fillText(inSteps(value, columns.step), Math.min(x, width - 14), HEIGHT - 4);
    }
  }

  drawCurve(pen, { times, values, ghost }, theme) {
    const components = values.shape[1] ?? 1;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(ghost ? [4, 3] : []);
    pen.globalAlpha = ghost ? 0.7 : 1;
    for (let c = components - 1; c >= 0; c--) {
      pen.strokeStyle = hue(theme, c);
      pen.beginPath();
      for (let i = 0; i < times.length; i++)
        pen.lineTo(this.x(times[i]), this.y(values.values[i * components + c] - this.offset));
      pen.stroke();
    }
  }

  update() {
    if (!this.width || !this.visible) return;
    this.cursor.style.transform = `translateX(${this.x(this.clock.time)}px)`;
    const [{ times, values }] = this.panel.curves;
    const place = placeOf(times, this.clock.time);
    const array = { shape: [values.shape[0], values.shape[1] ?? 1, 1], values: values.values };
    for (const { reading, index } of this.readings) {
      const text = shown(linear(array, place, index, [0], 1)[0] - this.offset);
      if (reading.textContent !== text) reading.textContent = text;
    }
  }
}

function line(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** One panel for each output of the first solution, with dashed curves of other solutions. */
function panelsOf(solutions) {
  return solutions[0].outputs.map((output) => ({
    label: output.label,
    unit: output.unit ?? "",
    curves: solutions.flatMap(({ times, outputs }, i) => {
      const same = outputs.find(({ label }) => label === output.label);
      return same ? [{ times, values: withBase(same), components: same.components, ghost: i > 0 }] : [];
    }),
  }));
}

export class Plots {
  constructor(solutions, clock) {
    this.plots = panelsOf(solutions).map((panel) => new Plot(panel, clock));
    this.section = element("outputs");
    this.section.append(...this.plots.map(({ figure }) => figure));
    this.section.hidden = this.plots.length === 0;
    this.seen = new IntersectionObserver((entries) => this.see(entries), { root: this.section, rootMargin: "60px" });
    for (const { figure } of this.plots) this.seen.observe(figure);
    new ResizeObserver(() => this.draw()).observe(this.section);
    clock.onChange(() => this.update());
  }

  /** Draws panels when they become visible, because a model may have hundreds. */
  see(entries) {
    for (const { target, isIntersecting } of entries) {
      const plot = this.plots.find(({ figure }) => figure === target);
      plot.visible = isIntersecting;
      if (isIntersecting) plot.draw(this.theme, this.sharpness);
    }
  }

  get sharpness() {
    return Math.min(3, window.devicePixelRatio || 1);
  }

  setTheme(theme) {
    this.theme = theme;
    this.draw();
  }

  draw() {
    for (const plot of this.plots) plot.draw(this.theme, this.sharpness);
  }

  update() {
    for (const plot of this.plots) plot.update();
  }

  toggle() {
    if (this.plots.length) this.section.hidden = !this.section.hidden;
  }
}
