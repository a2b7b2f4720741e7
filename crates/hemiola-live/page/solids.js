// Shapes in perspective: a camera that goes round a point, and painting from back to front.

import { pointsOf } from "./drawings.js";
import { lying, poseOf } from "./places.js";
import { list } from "./statistics.js";

/**
 * @typedef {[number, number, number]} Vector
 * @typedef {{x: number, y: number, z: number}} Seen a point on the canvas, and how far away it is
 * @typedef {import("./drawings.js").Drawing} Drawing
 * @typedef {{depth: number, layer: string, paint: (context: CanvasRenderingContext2D) => void, hits: (x: number, y: number) => boolean}} Part
 */

/** What is nearer, in the unit of the space, is not seen. */
const NEAR = 0.05;
/** The focal length, in heights or widths of the canvas: the smaller one. */
const FOCAL = 1.1;
/** The direction towards the light. */
const LIGHT = unit([-0.35, -0.5, 0.8]);
/** Long capsules are painted in pieces, so that each is before or behind its neighbours. */
const MOST_PIECES = 8;
const ROUND = Array.from({ length: 33 }, (_, number) => (number / 16) * Math.PI);

/** A camera that looks at a point from a distance. Angles are in radians. */
export class Orbit {
  /** @type {Vector} */
  target = [0, 0, 0];
  distance = 10;
  azimuth = -Math.PI / 2;
  elevation = 0.6;
  width = 1;
  height = 1;

  /** Turns by so many pixels. @param {number} dx @param {number} dy */
  turn(dx, dy) {
    this.azimuth -= dx * 0.007;
    this.elevation = Math.min(Math.PI / 2, Math.max(-0.1, this.elevation + dy * 0.007));
  }

  /** Moves by so many pixels along the ground. @param {number} dx @param {number} dy */
  slide(dx, dy) {
    const scale = this.distance / (FOCAL * Math.min(this.width, this.height)), [sin, cos] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const [x, y, z] = this.target, [right, ahead] = [-dx * scale, dy * scale / Math.max(0.3, Math.sin(this.elevation))];
    this.target = [x - sin * right - cos * ahead, y + cos * right - sin * ahead, z];
  }

  /** @param {number} factor above 1 magnifies */
  zoom(factor) { this.distance = Math.min(1e4, Math.max(0.2, this.distance / factor)); }

  /** Shows all of these points, from where it looks. @param {number[][]} points */
  frame(points) {
    if (!points.length) return;
    const reach = [0, 1, 2].map((axis) => { const all = points.map((point) => point[axis] ?? 0); return [Math.min(...all), Math.max(...all)]; });
    this.target = /** @type {Vector} */ (reach.map(([low, high]) => (low + high) / 2));
    let [near, far] = [0.2, 1e4];
    const isSeen = () => { const see = this.view(); return points.every((point) => { const seen = see(point); return seen && Math.abs(seen.x - this.width / 2) < this.width * 0.47 && Math.abs(seen.y - this.height / 2) < this.height * 0.47; }); };
    for (let step = 0; step < 30; step += 1) {
      this.distance = Math.sqrt(near * far);
      if (isSeen()) far = this.distance; else near = this.distance;
    }
    this.distance = far;
  }

  /** Where the camera is. @returns {Vector} */
  get place() {
    const flat = Math.cos(this.elevation) * this.distance, [x, y, z] = this.target;
    return [x + flat * Math.cos(this.azimuth), y + flat * Math.sin(this.azimuth), z + Math.sin(this.elevation) * this.distance];
  }

  get focal() { return FOCAL * Math.min(this.width, this.height); }

  /** Returns the projection of points to the canvas; `null` for those that are not in front of the camera. */
  view() {
    const { place, focal, width, height } = this, [sin, cos, up, flat] = [Math.sin(this.azimuth), Math.cos(this.azimuth), Math.sin(this.elevation), Math.cos(this.elevation)];
    return (/** @type {number[]} */ point) => {
      const [x, y, z] = place.map((part, axis) => (point[axis] ?? 0) - part);
      const ahead = -(x * cos + y * sin) * flat - z * up;
      if (!(ahead > NEAR)) return null;
      const scale = focal / ahead;
      return { x: width / 2 + (y * cos - x * sin) * scale, y: height / 2 - (z * flat - (x * cos + y * sin) * up) * scale, z: ahead };
    };
  }
}

/**
 * Paints drawings as the camera sees them: the ground and what lies on it, then everything else
 * from back to front, then texts.
 *
 * @param {CanvasRenderingContext2D} context @param {Drawing[]} drawings @param {Orbit} camera
 * @param {{font: string, ground: string, picked: string}} look @returns {Part[]} the solids, from back to front
 */
export function paintScene(context, drawings, camera, look) {
  const see = camera.view();
  /** @type {Part[]} */
  const parts = [];
  /** @type {(() => void)[]} */
  const texts = [];
  paintGround(context, drawings, see, look.ground);
  const shadows = new Path2D();
  /** @type {(() => void)[]} */
  const flat = [];
  for (const { shapes, pose, layer } of drawings) {
    for (const { draw, color } of shapes) {
      const to = (/** @type {number[]} */ point) => lying(pose, point);
      const solids = solidsOf(draw, to, color, camera, see, layer, look.picked === layer);
      if (solids) {
        parts.push(...solids);
        shade(shadows, draw, to, see);
      } else if (draw.text !== undefined) {
        const at = list(draw.at), seen = at.length === 3 ? see(to(at)) : null;
        if (seen) texts.push(() => paintText(context, seen, String(draw.text), color, look.font));
      } else {
        for (const line of linesOf(draw)) {
          const points = line.map(to), ends = seenLine(points, see), isFlat = points.every(([, , z]) => Math.abs(z) < 0.01);
          const paint = (/** @type {CanvasRenderingContext2D} */ on) => { on.strokeStyle = draw.frame ? AXES[line.axis ?? 0] : color; on.lineWidth = 1.5; for (const [from, to] of ends) { on.beginPath(); on.moveTo(from.x, from.y); on.lineTo(to.x, to.y); on.stroke(); } };
          if (isFlat) flat.push(() => paint(context));
          else if (ends.length) parts.push({ depth: ends.reduce((sum, [from]) => sum + from.z, 0) / ends.length, layer, paint, hits: () => false });
        }
      }
    }
  }
  for (const paint of flat) paint();
  context.fillStyle = "#0005";
  context.fill(shadows);
  parts.sort((a, b) => b.depth - a.depth);
  for (const part of parts) part.paint(context);
  for (const paint of texts) paint();
  return parts;
}

/** The layer of the solid that is seen at a place. @param {Part[]} parts from back to front @param {number} x @param {number} y */
export function layerAt(parts, x, y) {
  return parts.findLast((part) => part.hits(x, y))?.layer ?? "";
}

/** All points of a drawing's solids, or of everything that it draws if it has none. @param {Drawing} drawing */
export function middleOf({ shapes, pose }) {
  const points = shapes.filter(({ draw }) => isSolid(draw)).flatMap(({ draw }) => list(draw.capsule ?? [draw.sphere ?? draw.box])).map((point) => lying(pose, list(point)));
  return points.length ? /** @type {Vector} */ ([0, 1, 2].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length)) : null;
}

/** @param {any} draw */
export function isSolid(draw) { return !!(draw.sphere ?? draw.box ?? draw.capsule); }

const AXES = ["#f05a5a", "#4cb782", "#5a8df0"];

/** @typedef {(point: number[]) => Seen | null} See @typedef {(point: number[]) => number[]} To */

/**
 * @param {any} draw @param {To} to @param {string} color @param {Orbit} camera @param {See} see @param {string} layer @param {boolean} isPicked
 * @returns {Part[] | null} `null` if it is no solid
 */
function solidsOf(draw, to, color, camera, see, layer, isPicked) {
  const [good] = pointsOf({ ...draw, radius: undefined, size: undefined }), outline = isPicked ? "#ffd84a" : null;
  if (draw.capsule) {
    const [from, end] = list(draw.capsule).map((point) => to(list(point)));
    return good && end && draw.radius > 0 ? capsule(from, end, draw.radius, color, camera, see, layer, outline) : [];
  }
  if (draw.sphere) return good && draw.radius > 0 ? capsule(to(good), to(good), draw.radius, color, camera, see, layer, outline) : [];
  if (!draw.box) return null;
  const own = poseOf({ at: draw.box, angle: 0, rotation: draw.rotation ?? [0, 0, 0, 1] }), half = list(draw.size).map((part) => part / 2);
  if (!own || half.length !== 3) return [];
  const at = (/** @type {number[]} */ corner) => to(lying(own, corner.map((part, axis) => part * half[axis])));
  const middle = at([0, 0, 0]), seen = see(middle), from = camera.place;
  if (!seen) return [];
  /** @type {{path: Seen[], bright: number}[]} */
  const faces = [];
  for (let axis = 0; axis < 3; axis += 1) for (const side of [-1, 1]) {
    const normal = [0, 0, 0];
    normal[axis] = side;
    const face = at(normal), out = unit(face.map((part, index) => part - middle[index]));
    if (dot(out, face.map((part, index) => part - from[index])) >= 0) continue;
    const path = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => { const corner = [0, 0, 0]; corner[axis] = side; corner[(axis + 1) % 3] = a; corner[(axis + 2) % 3] = b; return see(at(corner)); });
    if (path.every((one) => one !== null)) faces.push({ path: /** @type {Seen[]} */ (path), bright: brightness(out) });
  }
  const shape = (/** @type {Seen[]} */ path) => { const whole = new Path2D(); path.forEach(({ x, y }) => whole.lineTo(x, y)); whole.closePath(); return whole; };
  return [{
    depth: seen.z, layer,
    paint: (on) => { for (const { path, bright } of faces) { const whole = shape(path); on.fillStyle = on.strokeStyle = tint(color, bright); on.lineWidth = 0.7; on.fill(whole); if (outline) { on.strokeStyle = outline; on.lineWidth = 1.5; } on.stroke(whole); } },
    hits: (x, y) => faces.some(({ path }) => isInside(path, x, y)),
  }];
}

/** @param {number[]} from @param {number[]} to @param {number} radius @param {string} color @param {Orbit} camera @param {See} see @param {string} layer @param {string | null} outline @returns {Part[]} */
function capsule(from, to, radius, color, camera, see, layer, outline) {
  const length = Math.hypot(...from.map((part, axis) => to[axis] - part));
  const pieces = Math.min(MOST_PIECES, Math.max(1, Math.ceil(length / (6 * radius))));
  const at = (/** @type {number} */ share) => see(from.map((part, axis) => part + (to[axis] - part) * share));
  /** @type {Part[]} */
  const parts = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const a = at(piece / pieces), b = at((piece + 1) / pieces);
    if (!a || !b) continue;
    const [ra, rb] = [a, b].map(({ z }) => (camera.focal * radius) / z), angle = Math.atan2(b.y - a.y, b.x - a.x);
    parts.push({
      depth: (a.z + b.z) / 2, layer,
      paint: (on) => {
        const path = new Path2D();
        path.arc(a.x, a.y, ra, angle + Math.PI / 2, angle + 1.5 * Math.PI);
        path.arc(b.x, b.y, rb, angle - Math.PI / 2, angle + Math.PI / 2);
        path.closePath();
        on.fillStyle = length > 0 ? across(on, a, Math.max(ra, rb), angle, color) : round(on, a, ra, color);
        on.fill(path);
        if (outline) { on.strokeStyle = outline; on.lineWidth = 1.5; on.stroke(path); }
      },
      hits: (x, y) => {
        const [dx, dy] = [b.x - a.x, b.y - a.y], share = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
        return Math.hypot(x - a.x - share * dx, y - a.y - share * dy) < Math.max(ra, rb) + 1;
      },
    });
  }
  return parts;
}

/** The light comes from the upper left of the canvas for what is round.
 * @param {CanvasRenderingContext2D} on @param {Seen} at @param {number} radius @param {string} color */
function round(on, { x, y }, radius, color) {
  const fill = on.createRadialGradient(x - radius * 0.35, y - radius * 0.45, radius * 0.1, x, y, radius);
  fill.addColorStop(0, tint(color, 1.08));
  fill.addColorStop(1, tint(color, 0.55));
  return fill;
}

/** @param {CanvasRenderingContext2D} on @param {Seen} at @param {number} radius @param {number} angle @param {string} color */
function across(on, { x, y }, radius, angle, color) {
  // The lit side of the axis is the one that points up and to the left.
  const turn = -Math.cos(angle) * 0.8 + Math.sin(angle) * 0.6 < 0 ? 1 : -1;
  const [dx, dy] = [turn * Math.sin(angle) * radius, -turn * Math.cos(angle) * radius];
  const fill = on.createLinearGradient(x + dx, y + dy, x - dx, y - dy);
  fill.addColorStop(0, tint(color, 0.92));
  fill.addColorStop(0.3, tint(color, 1.05));
  fill.addColorStop(1, tint(color, 0.52));
  return fill;
}

/** @param {CanvasRenderingContext2D} context @param {Drawing[]} drawings @param {See} see @param {string} color */
function paintGround(context, drawings, see, color) {
  const points = drawings.filter(({ background }) => background).flatMap(({ shapes, pose }) => shapes.flatMap(({ draw }) => pointsOf(draw).map((point) => lying(pose, point)))).filter(([, , z]) => Math.abs(z) < 0.01);
  if (!points.length) return;
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis])), [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  // In tiles, so that those behind the camera can be left out.
  const tiles = 16, path = new Path2D();
  const at = (/** @type {number} */ column, /** @type {number} */ row) => see([left + ((right - left) * column) / tiles, low + ((high - low) * row) / tiles, 0]);
  for (let column = 0; column < tiles; column += 1) for (let row = 0; row < tiles; row += 1) {
    const corners = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
    if (corners.every((one) => one !== null)) trace(path, /** @type {Seen[]} */ (corners));
  }
  context.fillStyle = context.strokeStyle = color;
  context.lineWidth = 1;
  context.fill(path);
  // Between two tiles there would be a gap.
  context.stroke(path);
}

/** Adds the shadow of a solid on the ground. @param {Path2D} path @param {any} draw @param {To} to @param {See} see */
function shade(path, draw, to, see) {
  const points = list(draw.capsule ?? [draw.sphere ?? draw.box]).map((point) => to(list(point)));
  const radius = draw.radius ?? Math.min(...list(draw.size)) / 2;
  for (const [x, y, z] of [...points, points.length > 1 ? points[0].map((part, axis) => (part + points[1][axis]) / 2) : []]) {
    if (!(z < 2)) continue;
    const rim = ROUND.filter((_, number) => number % 3 === 0).map((angle) => see([x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0]));
    if (rim.every((one) => one !== null)) trace(path, /** @type {Seen[]} */ (rim));
  }
}

/** @param {Path2D} path @param {Seen[]} corners */
function trace(path, corners) {
  corners.forEach(({ x, y }, number) => (number ? path.lineTo(x, y) : path.moveTo(x, y)));
  path.closePath();
}

/** The lines of a shape that is none. @param {any} draw @returns {(number[][] & {axis?: number})[]} */
function linesOf(draw) {
  const points = pointsOf({ ...draw, radius: undefined, axes: undefined }), [first] = points;
  if (!first) return [];
  if (draw.points) return points.map(([x, y, z = 0]) => [[x - 0.01, y, z], [x + 0.01, y, z]]);
  if (draw.line || draw.arrow) return [points];
  const [x, y, z = 0] = first, axes = draw.circle ? [draw.radius, draw.radius] : list(draw.axes);
  if (draw.circle || draw.ellipse) {
    const [cos, sin] = [Math.cos(draw.angle ?? 0), Math.sin(draw.angle ?? 0)];
    return [ROUND.map((angle) => [axes[0] * Math.cos(angle), axes[1] * Math.sin(angle)]).map(([a, b]) => [x + a * cos - b * sin, y + a * sin + b * cos, z])];
  }
  const own = draw.frame ? poseOf({ at: first, angle: 0, rotation: draw.rotation ?? [0, 0, 0, 1] }) : null;
  return own && draw.length > 0 ? own.axes.map((axis, number) => Object.assign([own.origin, axis.map((part, index) => own.origin[index] + part * draw.length)], { axis: number })) : [];
}

/** The parts of a line that are in front of the camera. @param {number[][]} points @param {See} see @returns {[Seen, Seen][]} */
function seenLine(points, see) {
  /** @type {[Seen, Seen][]} */
  const ends = [];
  for (let number = 1; number < points.length; number += 1) {
    let [from, to] = [points[number - 1], points[number]];
    const [a, b] = [see(from), see(to)];
    if (a && b) ends.push([a, b]);
    else if (a || b) {
      // The end that is not seen is moved until it is.
      const hidden = a ? to : from, kept = a ?? b;
      let [near, far] = [0, 1], last = kept;
      for (let step = 0; step < 12; step += 1) {
        const share = (near + far) / 2, seen = see((a ? from : to).map((part, axis) => part + (hidden[axis] - part) * share));
        if (seen) { near = share; last = seen; } else far = share;
      }
      if (kept && last) ends.push([kept, last]);
    }
  }
  return ends;
}

/** @param {CanvasRenderingContext2D} context @param {Seen} at @param {string} text @param {string} color @param {string} font */
function paintText(context, { x, y }, text, color, font) {
  context.font = `11px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = "#000a";
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** @param {number[]} normal */
function brightness(normal) { return 0.62 + 0.42 * Math.max(0, dot(normal, LIGHT)); }

/** A colour, brighter or darker. @param {string} color as `#rrggbb` or `#rrggbbaa` @param {number} factor */
export function tint(color, factor) {
  const [r, g, b] = [1, 3, 5].map((at) => Math.min(255, Math.round(parseInt(color.slice(at, at + 2), 16) * factor)));
  const opacity = color.length > 7 ? parseInt(color.slice(7, 9), 16) / 255 : 1;
  return `rgb(${r} ${g} ${b} / ${opacity})`;
}

/** @param {Seen[]} path convex @param {number} x @param {number} y */
function isInside(path, x, y) {
  const sides = path.map((one, number) => { const next = path[(number + 1) % path.length]; return (next.x - one.x) * (y - one.y) - (next.y - one.y) * (x - one.x); });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) { return a.reduce((sum, part, index) => sum + part * b[index], 0); }

/** @param {number[]} vector @returns {Vector} */
function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return /** @type {Vector} */ (vector.map((part) => part / length));
}
