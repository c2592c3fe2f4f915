/** Interface for programs, such as tests, to control the page and query positions. */

import { Vector3 } from "three";

const RECENT = 240;

export class Handles {
  constructor(clock, stage, draw) {
    this.clock = clock;
    this.stage = stage;
    this.draw = draw;
    this.moments = [];
  }

  /** Records that a frame was drawn at `now`, in milliseconds. */
  drawn(now) {
    this.moments.push(now);
    if (this.moments.length > RECENT + 1) this.moments.shift();
  }

  publish() {
    const { clock, stage, draw } = this;
    window.symlieView = {
      setTime(time) {
        clock.pause();
        clock.set(time);
        draw();
      },
      time: () => clock.time,
      duration: () => clock.duration,
      playing: () => clock.playing,
      frames: () => stage?.frames ?? 0,
      /** Milliseconds between the latest consecutive frames. */
      frameTimes: () => this.moments.slice(1).map((moment, i) => moment - this.moments[i]),
      drawCalls: () => stage?.renderer.info.render.calls ?? 0,
      camera() {
        const { camera, canvas } = stage;
        const { left, top, width, height } = canvas.getBoundingClientRect();
        const [projection, view] = [camera.projectionMatrix.toArray(), camera.matrixWorldInverse.toArray()];
        return { projection, view, left, top, width, height };
      },
      setCamera({ position, target, up }) {
        stage.follow(null);
        stage.setCamera({
          position: new Vector3(...position),
          target: new Vector3(...target),
          up: up ? new Vector3(...up) : stage.camera.up.clone(),
        });
        draw();
      },
      markColors(on) {
        stage.markColors(on);
        draw();
      },
    };
  }
}
