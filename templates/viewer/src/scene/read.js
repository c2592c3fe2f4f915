/** The scene of this page, with defaults for missing entries. */

import { decoded } from "./arrays.js";

const FORMAT = 2;

/** Error message if the page cannot be displayed. */
export class SceneError extends Error {}

const NO_BODIES = { names: [], fixed: [] };

function completed(solution) {
  const { bodies, points } = solution;
  return {
    label: "",
    time_unit: "",
    notes: [],
    events: [],
    shapes: [],
    rods: [],
    spheres: [],
    momenta: [],
    joints: [],
    lines: [],
    arrows: [],
    outputs: [],
    ...solution,
    bodies: { ...NO_BODIES, ...bodies },
    points: { names: [], ...points },
    times: solution.times.values,
  };
}

export async function readScene(text) {
  let scene;
  try {
    scene = JSON.parse(text);
  } catch {
    throw new SceneError("The data of this page can not be read: the file is damaged.");
  }
  if (scene.format !== FORMAT) {
    throw new SceneError(
      `The data of this page have format ${scene.format}, and its script reads format ${FORMAT}: write the page anew.`,
    );
  }
  if (!("DecompressionStream" in window)) {
    throw new SceneError("This browser can not read compressed data; a newer one shows the motion.");
  }
  let solutions;
  try {
    solutions = (await decoded(scene.solutions)).map(completed);
  } catch {
    throw new SceneError("The data of this page can not be read: the file is damaged.");
  }
  return { model: "", made_by: "", up: [0, 0, 1], ground: true, length_unit: "", ...scene, solutions };
}
