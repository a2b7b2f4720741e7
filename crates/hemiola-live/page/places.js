// The placements of spaces in each other, by which drawings in one space are visible in another.

import { list } from "./statistics.js";

/**
 * @typedef {{axes: number[][], origin: number[]}} Pose of a space in another: axes of length one
 * @typedef {{space: string, pose: Pose}} Placed
 */

const NOWHERE = [0, 0, 0];
/** The pose of a space in itself. @type {Pose} */
export const HERE = { axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], origin: NOWHERE };

/** The most spaces that are considered. */
const MOST = 100;

/**
 * Returns the placement that a shape `place` defines, if it is valid.
 *
 * @param {any} draw
 * @returns {Pose | null}
 */
export function poseOf({ at, angle, rotation }) {
  const [x, y, z = 0] = list(at);
  const [a, b, c, w] = rotation === undefined ? [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)] : list(rotation);
  // This holds for a quaternion of any length.
  const s = 2 / (a * a + b * b + c * c + w * w);
  const axes = [[1 - s * (b * b + c * c), s * (a * b + c * w), s * (a * c - b * w)], [s * (a * b - c * w), 1 - s * (a * a + c * c), s * (b * c + a * w)], [s * (a * c + b * w), s * (b * c - a * w), 1 - s * (a * a + b * b)]];
  return [...axes.flat(), x, y, z].every(Number.isFinite) ? { axes, origin: [x, y, z] } : null;
}

/**
 * Transforms a point of a space.
 *
 * @param {Pose} pose of the space
 * @param {number[]} point
 */
export function lying({ axes: [a, b, c], origin }, [x, y, z = 0]) {
  return origin.map((begin, at) => begin + a[at] * x + b[at] * y + c[at] * z);
}

/**
 * Returns the poses of all spaces that are visible in a space: of itself, of those that lie in it, and of
 * those that lie in these. Of several paths the shortest counts, and no space is visited twice, so that
 * circles end.
 *
 * @param {string} space
 * @param {(space: string) => Placed[]} placesIn
 */
export function posesIn(space, placesIn) {
  /** @type {Map<string, Pose>} */
  const poses = new Map([[space, HERE]]);
  // Spaces that are added meanwhile are visited, too.
  for (const [outer, pose] of poses) {
    for (const { space: inner, pose: { axes, origin } } of placesIn(outer)) {
      if (poses.has(inner) || poses.size >= MOST) continue;
      poses.set(inner, { axes: axes.map((axis) => lying({ ...pose, origin: NOWHERE }, axis)), origin: lying(pose, origin) });
    }
  }
  return poses;
}
