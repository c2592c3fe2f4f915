/** The displayed time and its progress. */

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Largest time step of one frame, in seconds of playing. */
const LONGEST_GAP = 0.25;

/** Longest motion in seconds that is played at speed 1; beyond it, speeds refer to a power of ten. */
const SHOWN = [0.1, 600];

export class Clock {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
    this.playing = false;
    this.loop = true;
    this.speed = 1;
    const duration = end - start;
    const usual = duration >= SHOWN[0] && duration <= SHOWN[1];
    /** Units of time per second of playing at speed 1. */
    this.unit = usual || duration === 0 ? 1 : 10 ** Math.round(Math.log10(duration / 10));
    this.listeners = [];
    this.shown = null;
  }

  get duration() {
    return this.end - this.start;
  }

  get fraction() {
    return this.duration ? (this.time - this.start) / this.duration : 0;
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  set(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  play() {
    if (!this.duration) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.shown = null;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  /** One notch faster (+1) or slower (−1). */
  shiftSpeed(notches) {
    const index = SPEEDS.indexOf(this.speed) + notches;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))]);
  }

  toggleLoop() {
    this.loop = !this.loop;
    this.changed();
  }

  /** Continues from the same time after an interruption, such as a hidden tab. */
  resume() {
    this.shown = null;
  }

  /** Advances to `now`, the time of the frame in milliseconds. */
  advance(now) {
    if (!this.playing) return;
    const gap = this.shown === null ? 0 : Math.min(LONGEST_GAP, (now - this.shown) / 1000);
    this.shown = now;
    if (gap <= 0) return;
    let time = this.time + gap * this.speed * this.unit;
    if (time >= this.end) {
      if (this.loop) time = this.start + ((time - this.start) % this.duration);
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.set(time);
  }
}
