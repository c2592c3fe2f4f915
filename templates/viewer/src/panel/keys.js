/** Keyboard shortcuts: one table for handling and for help. */

import { element, make } from "./elements.js";

/** Effect of one key press: fraction of the total time, radians, pixels, and a factor of distance. */
const STEP = { time: 0.01, far: 0.1, angle: Math.PI / 24, pan: 40, zoom: 0.85 };

export function keyTable({ clock, transport, plots, picture, theme, help, sheet, display, stage, times, events }) {
  const camera = (move) => () => {
    move(stage.controls);
    stage.controls.update();
  };
  const motion = [
    { keys: [" "], shown: "space", says: "play or pause", run: () => clock.toggle() },
    { keys: ["ArrowLeft"], shown: "←", says: "back", run: (e) => transport.shift(e.shiftKey ? -STEP.far : -STEP.time) },
    { keys: ["ArrowRight"], shown: "→", says: "forward, with shift further", run: (e) => transport.shift(e.shiftKey ? STEP.far : STEP.time) },
    { keys: [",", "."], shown: ", .", says: "frame before, next frame", run: (e) => transport.jump(times, e.key === "." ? 1 : -1) },
    { keys: ["Home", "End"], shown: "home end", says: "start, end", run: (e) => transport.goTo(e.key === "Home" ? clock.start : clock.end) },
    { keys: ["n", "b"], shown: "n b", says: "next event, event before", run: (e) => transport.jump(events, e.key === "n" ? 1 : -1) },
    { keys: ["[", "]"], shown: "[ ]", says: "slower, faster", run: (e) => clock.shiftSpeed(e.key === "]" ? 1 : -1) },
    { keys: ["l"], shown: "l", says: "loop or stop at the end", run: () => clock.toggleLoop() },
  ];
  const space = stage && [
    { keys: ["a", "d"], shown: "a d", says: "turn left, right", run: (e) => camera((c) => c.rotateLeft(e.key === "a" ? STEP.angle : -STEP.angle))() },
    { keys: ["w", "s"], shown: "w s", says: "turn up, down", run: (e) => camera((c) => c.rotateUp(e.key === "w" ? STEP.angle : -STEP.angle))() },
    { keys: ["A"], shown: "shift a d w s", says: "move", run: camera((c) => c.pan(STEP.pan, 0)) },
    { keys: ["D"], run: camera((c) => c.pan(-STEP.pan, 0)) },
    { keys: ["W"], run: camera((c) => c.pan(0, STEP.pan)) },
    { keys: ["S"], run: camera((c) => c.pan(0, -STEP.pan)) },
    { keys: ["+", "="], shown: "+ −", says: "closer, further away", run: camera((c) => c.dollyIn(STEP.zoom)) },
    { keys: ["-"], run: camera((c) => c.dollyOut(STEP.zoom)) },
    { keys: ["f", "F"], shown: "f", says: "follow the next node, with shift the one before", run: (e) => display.followNext(e.key === "f" ? 1 : -1) },
    { keys: ["r"], shown: "r", says: "reset the view", run: () => display.reset() },
    { keys: ["v"], shown: "v", says: "display: what is shown", run: sheet },
    { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], shown: "1 … 9", says: "layers, as numbered in display", run: (e) => display.toggleLayer(Number(e.key) - 1) },
    { keys: ["c"], shown: "c", says: "next colour of rods", run: () => display.nextColor() },
    { keys: ["p"], shown: "p", says: "save a picture", run: picture },
  ];
  const page = [
    { keys: ["o"], shown: "o", says: "outputs on or off", run: () => plots.toggle() },
    { keys: ["m"], shown: "m", says: "light or dark", run: theme },
    { keys: ["?", "h"], shown: "?", says: "this list", run: help },
  ];
  return [...motion, ...(space ?? []), ...page];
}

/** Elements that handle some keys. */
const OWN = {
  SELECT: /^(Arrow|Home|End| |Enter|\w$)/,
  BUTTON: /^( |Enter)$/,
  INPUT: /^ $/,
};

export function listen(table) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || element("help").open) return;
    const { tagName, type } = event.target;
    const ownsKey = tagName === "INPUT" && type === "range" ? false : OWN[tagName]?.test(event.key);
    const row = table.find(({ keys }) => keys.includes(event.key));
    if (!row || ownsKey) return;
    event.preventDefault();
    row.run(event);
  });
  const list = element("keys");
  for (const { shown, says } of table.filter((row) => row.says)) {
    const keys = shown.split(" ").map((key) => make("kbd", { textContent: key }));
    list.append(make("dt", {}, ...keys), make("dd", { textContent: says }));
  }
}
