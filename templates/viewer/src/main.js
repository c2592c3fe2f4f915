/** The view: reads the scene of the page, draws it, and handles the controls. */

import { contextOf, Stage } from "./drawing/stage.js";
import { World } from "./drawing/world.js";
import { Handles } from "./handles.js";
import { Clock } from "./motion/clock.js";
import { Compass } from "./panel/compass.js";
import { Display } from "./panel/display.js";
import { disclose, element } from "./panel/elements.js";
import { writeHeading } from "./panel/heading.js";
import { keyTable, listen } from "./panel/keys.js";
import { shown } from "./panel/numbers.js";
import { Plots } from "./panel/plots.js";
import { Theme } from "./panel/theme.js";
import { Transport } from "./panel/transport.js";
import { readScene, SceneError } from "./scene/read.js";

function say(sentence) {
  element("sentence").textContent = sentence;
  element("sentence").hidden = false;
}

function clockOf(solutions) {
  const times = solutions.map((solution) => solution.times);
  return new Clock(Math.min(...times.map((own) => own[0])), Math.max(...times.map((own) => own.at(-1))));
}

function savePicture(stage, name) {
  stage.picture().then((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name || "view"}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

/** The 3-D image with its controls; absent without WebGL. */
function makeSpace(scene, context, redraw) {
  const world = new World(scene);
  const stage = new Stage(element("canvas"), context, world, redraw);
  const display = new Display(world, stage, scene, redraw);
  const compass = new Compass(element("compass"));
  return { world, stage, display, compass };
}

function start(scene) {
  const { solutions } = scene;
  writeHeading(scene);
  const clock = clockOf(solutions);
  const transport = new Transport(clock, solutions);
  const plots = new Plots(solutions, clock);

  let stale = true;
  const redraw = () => {
    stale = true;
  };
  const context = contextOf(element("canvas"));
  const space = context && makeSpace(scene, context, redraw);
  if (!space) {
    say("This browser has no WebGL, so the motion can not be drawn in space; the outputs are plotted below.");
    document.body.classList.add("flat");
    for (const id of ["display-button", "picture-button"]) element(id).hidden = true;
  }

  const draw = () => {
    stale = false;
    if (!space) return;
    space.world.update(clock.time);
    space.stage.render();
    space.compass.update(space.stage.camera);
  };
  const handles = new Handles(clock, space?.stage, draw);

  const theme = new Theme((name) => {
    plots.setTheme(name);
    space?.stage.setTheme(name);
    space?.compass.setTheme(name);
    redraw();
  });
  theme.apply();
  clock.onChange(redraw);

  if (space) {
    const spacing = space.world.surroundings[0].spacing;
    element("scale").textContent = `grid ${shown(spacing)} ${scene.length_unit}`.trim();
    new ResizeObserver(() => {
      space.stage.resize();
      draw();
    }).observe(element("stage"));
    space.stage.resize();
    space.stage.reset();
  }

  const openNotes = disclose(element("notes-button"), element("notes"), [(open) => openDisplay(open)]);
  const openDisplay = disclose(element("display-button"), element("display"), [openNotes]);
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    openNotes(false);
    openDisplay(false);
  });
  const picture = () => savePicture(space.stage, scene.model);
  const help = () => element("help").showModal();
  element("picture-button").addEventListener("click", picture);
  element("theme-button").addEventListener("click", () => theme.toggle());
  element("help-button").addEventListener("click", help);
  element("close-button").addEventListener("click", () => element("help").close());
  const sheet = () => openDisplay(element("display").hidden);
  const events = transport.events.map(({ t }) => t);
  const times = solutions[0].times;
  listen(
    keyTable({ clock, transport, plots, picture, theme: () => theme.toggle(), help, sheet, times, events, ...space }),
  );
  document.addEventListener("visibilitychange", () => clock.resume());
  handles.publish();

  const tick = (now) => {
    clock.advance(now);
    if (stale) {
      draw();
      handles.drawn(now);
    }
    document.documentElement.dataset.ready = "true";
    requestAnimationFrame(tick);
  };
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
  requestAnimationFrame(tick);
}

readScene(element("scene").textContent)
  .then(start)
  .catch((error) => {
    if (!(error instanceof SceneError)) throw error;
    say(error.message);
    document.body.classList.add("empty");
    document.documentElement.dataset.ready = "true";
  });
