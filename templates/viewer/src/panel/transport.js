/** Play, time bar with events, speed and loop. */

import { SPEEDS } from "../motion/clock.js";
import { element, make } from "./elements.js";
import { inSteps } from "./numbers.js";

/** Resolution of the displayed time, relative to the total time. */
const RESOLUTION = 1e-3;

export class Transport {
  constructor(clock, solutions) {
    this.clock = clock;
    this.unit = solutions[0].time_unit;
    this.step = 10 ** Math.floor(Math.log10(clock.duration * RESOLUTION || 1));
    this.play = element("play-button");
    this.time = element("time");
    this.speed = element("speed");
    this.loop = element("loop-button");
    this.play.addEventListener("click", () => clock.toggle());
    this.loop.addEventListener("click", () => clock.toggleLoop());
    this.time.addEventListener("input", () => {
      this.goTo(clock.start + Number(this.time.value) * clock.duration);
    });
    this.speed.append(
      ...SPEEDS.map((speed) => make("option", { value: String(speed), textContent: this.nameOf(speed) })),
    );
    this.speed.addEventListener("change", () => clock.setSpeed(Number(this.speed.value)));
    this.events = solutions[0].events.toSorted((a, b) => a.t - b.t);
    element("ticks").append(...this.makeTicks(solutions));
    clock.onChange(() => this.update());
    this.update();
  }

  nameOf(speed) {
    const name = speed < 1 ? `1/${Math.round(1 / speed)}` : String(speed);
    return this.clock.unit === 1
      ? `${name} ×`
      : `${name} × ${this.clock.unit.toExponential(0).replace("e+", "e")} ${this.unit}/s`;
  }

  makeTicks(solutions) {
    const left = (t) => `left: ${(100 * (t - this.clock.start)) / (this.clock.duration || 1)}%`;
    const ticks = this.events.map(({ t, name }) => {
      const text = `${name}, ${this.textOf(t)}`;
      const tick = make("button", { type: "button", tabIndex: -1, className: "event", title: text });
      tick.setAttribute("aria-label", `Go to ${text}`);
      tick.style.cssText = left(t);
      tick.addEventListener("click", () => this.goTo(t));
      return tick;
    });
    for (const { ends_early_at: end } of solutions) {
      if (typeof end !== "number") continue;
      const mark = make("span", { className: "end", title: `No numbers from ${this.textOf(end)} on` });
      mark.style.cssText = left(Math.min(end, this.clock.end));
      ticks.push(mark);
    }
    return ticks;
  }

  textOf(t) {
    return `${inSteps(t, this.step)} ${this.unit}`.trim();
  }

  update() {
    const { clock } = this;
    this.play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    this.play.title = clock.playing ? "Pause (space)" : "Play (space)";
    this.play.classList.toggle("playing", clock.playing);
    this.time.value = String(clock.fraction);
    this.time.style.setProperty("--played", `${100 * clock.fraction}%`);
    const reading = this.textOf(clock.time);
    if (reading !== this.reading) {
      this.reading = reading;
      this.time.setAttribute("aria-valuetext", reading);
      element("reading").textContent = `${inSteps(clock.time, this.step)} / ${this.textOf(clock.end)}`;
    }
    this.speed.value = String(clock.speed);
    this.loop.setAttribute("aria-pressed", String(clock.loop));
  }

  /** Moves by a fraction of the total time. */
  shift(part) {
    this.goTo(this.clock.time + part * this.clock.duration);
  }

  goTo(time) {
    this.clock.pause();
    this.clock.set(time);
  }

  /** Moves to the next (+1) or the previous (−1) of sorted `times`. */
  jump(times, direction) {
    const near = 1e-9 * this.clock.duration;
    const found =
      direction > 0 ? times.find((t) => t > this.clock.time + near) : times.findLast((t) => t < this.clock.time - near);
    if (found !== undefined) this.goTo(found);
  }
}
