/** Extent of the scene over all times. */

import { Box3, Vector3 } from "three";
import { Poses } from "./bodies.js";

/** Arrays of points of a solution. */
function places({ bodies, points, rods, spheres, joints, lines }) {
  return [
    bodies.positions,
    points.positions,
    ...rods.map(({ positions }) => positions),
    ...spheres.map(({ centers }) => centers),
    ...joints.flatMap(({ at, other }) => [at, other]),
    ...lines.flatMap(({ from, to }) => [from, to]),
  ].filter(Boolean);
}

/** Total number of frames at which the extents of shapes are evaluated. */
const LOOKS = 5_000;

/** Half the size of a shape about its centre. */
function radiusOf({ kind, size, radius = 0, length = 0, vertices }) {
  if (kind === "sphere") return radius;
  if (kind === "capsule") return radius + length / 2;
  if (vertices) return farthest(vertices);
  return size ? Math.hypot(...size) / 2 : Math.hypot(radius, length / (kind === "arrow" ? 1 : 2));
}

/** Calls `include(point, radius)` for each shape of a solution at selected frames. */
function lookAtShapes({ times, bodies, shapes }, include) {
  const poses = new Poses(bodies);
  const stride = Math.ceil((times.length * shapes.length) / LOOKS);
  const point = new Vector3();
  for (let index = 0; index < times.length; index += stride || 1) {
    poses.update({ index, fraction: 0, duration: 0 });
    for (const shape of shapes) {
      point
        .fromArray(shape.at ?? [0, 0, 0])
        .applyQuaternion(poses.turns[shape.body])
        .add(poses.places[shape.body]);
      include(point, radiusOf(shape));
    }
  }
}

function farthest({ values }) {
  let square = 0;
  for (let i = 0; i < values.length; i += 3)
    square = Math.max(square, values[i] ** 2 + values[i + 1] ** 2 + values[i + 2] ** 2);
  return Math.sqrt(square);
}

/** Largest number of evaluated points of one array. */
const SAMPLES = 1000;

/** Bounding box of the scene, and spheres within it for the choice of the camera. */
export function extentOf({ solutions }) {
  const box = new Box3();
  const cloud = [];
  const corner = new Vector3();
  const include = (center, radius, isSample = true) => {
    box.expandByPoint(corner.copy(center).addScalar(radius)).expandByPoint(corner.addScalar(-2 * radius));
    if (isSample) cloud.push({ center: center.clone(), radius });
  };
  const includeAll = ({ values }, radius) => {
    const stride = Math.ceil(values.length / 3 / SAMPLES);
    const center = new Vector3();
    for (let i = 0; 3 * i < values.length; i++) include(center.fromArray(values, 3 * i), radius, i % stride === 0);
  };
  for (const array of solutions.flatMap(places)) includeAll(array, 0);
  for (const solution of solutions) {
    if (solution.bodies.positions) lookAtShapes(solution, include);
    for (const { centers, radius = 1 } of solution.spheres) includeAll(centers, radius);
  }
  if (box.isEmpty()) include(new Vector3(), 0);
  return { box, cloud };
}

/** Size of small objects such as joints, from the size of the scene and the usual distance of neighbours. */
export function detailOf({ solutions: [{ bodies, points, joints }] }, size) {
  const origins = [bodies.positions, points.positions, ...joints.map(({ at }) => at)]
    .filter(Boolean)
    .flatMap((array) => {
      const count = array.shape.length === 3 ? array.shape[1] : 1;
      return Array.from({ length: count }, (_, i) => [...array.values.subarray(3 * i, 3 * i + 3)]);
    });
  const gaps = origins.slice(1).map((point, i) => Math.hypot(...point.map((value, k) => value - origins[i][k])));
  const usual = gaps.filter((gap) => gap > 1e-3 * size).sort((a, b) => a - b);
  const gap = usual.length ? usual[usual.length >> 1] : size;
  return Math.min(0.03 * size, 0.15 * gap);
}
