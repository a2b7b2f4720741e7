// The drawings of modules, from the events `debug` of the door.

import { fill, h } from "./dom.js";
import { HERE, lying, poseOf, posesIn } from "./places.js";
import { list } from "./statistics.js";

/**
 * @typedef {{space: string, layer: string, update: string, run: number, time: number, background: boolean, shapes: {draw: any, color: string}[], places: import("./places.js").Placed[], pose: import("./places.js").Pose}} Drawing
 *   `places` are those of other spaces in its own; `pose` is its own one where it is looked at
 * @typedef {(point: number[]) => [number, number]} Place from a space to pixels
 */

const MOST = 500;
const MOST_RUNS = 8;
const MOST_SHAPES = 20_000;
const MOST_PLACES = 100;
const AXES = ["#f05a5a", "#4cb782", "#5a8df0"];

/** The latest drawings of each update under each name: a new run replaces those of the run before. */
export class Drawings {
  /** Its last runs, the newest last. @type {Map<string, Drawing[]>} */
  all = new Map();
  /** The time of the image below: drawings of its run belong to it, and not newer ones. */
  at = Infinity;
  #time = 0;

  /**
   * Handles an event `debug`.
   *
   * @param {any} event
   */
  absorb(event) {
    for (const record of list(event?.records)) {
      if (typeof record?.name !== "string" || record.draw === undefined) continue;
      const key = `${record.update} ${record.name} ${!!record.background}`, runs = this.all.get(key) ?? [], before = runs.at(-1);
      // There is nothing to remove where nothing was drawn.
      if (!before && record.draw === null) continue;
      const cut = record.name.indexOf("/");
      /** @type {Drawing} */
      const drawing = before && before.run === record.run ? before : {
        space: cut < 0 ? record.name : record.name.slice(0, cut), layer: cut < 0 ? String(record.update) : record.name.slice(cut + 1),
        update: String(record.update), run: record.run, time: Number(record.time), background: !!record.background, shapes: [], places: [], pose: HERE,
      };
      this.#time = drawing.time;
      if (drawing !== before && (before || this.all.size < MOST)) {
        // A replay may have gone back.
        if (before && drawing.time < before.time) runs.length = 0;
        runs.push(drawing);
        // The image may remain for more runs than this.
        if (runs.length > (this.at === Infinity ? 1 : MOST_RUNS)) runs.splice(runs[0].time < this.at || this.at === Infinity ? 0 : 1, 1);
        this.all.set(key, runs);
      }
      if (record.draw === null || typeof record.draw !== "object") continue;
      if (typeof record.draw.place === "string") {
        const pose = poseOf(record.draw);
        if (pose && drawing.places.length < MOST_PLACES) drawing.places.unshift({ space: record.draw.place, pose });
      } else if (drawing.shapes.length < MOST_SHAPES) {
        drawing.shapes.push({ draw: record.draw, color: /^#[0-9a-f]{6,8}$/i.test(record.color) ? record.color : "#888888" });
      }
    }
  }

  /**
   * Returns the drawings in a space, backgrounds first. Drawings that no run has repeated for a second are gone.
   *
   * @param {string} space
   */
  of(space) {
    const now = Math.min(this.at, this.#time);
    const shown = [...this.all.values()].map((runs) => runs.find(({ time }) => time >= this.at) ?? runs[runs.length - 1]);
    return shown.filter((one) => one.space === space && (one.background || !(Math.abs(one.time - now) > 1e9))).sort((a, b) => Number(b.background) - Number(a.background) || (a.layer < b.layer ? -1 : 1));
  }

  /**
   * What is to be seen in a space, backgrounds first: also what is drawn in spaces that lie in it,
   * whose names stand before those of their layers; and which spaces these are, its own among them.
   *
   * @param {string} space
   */
  seenIn(space) {
    const poses = posesIn(space, (one) => this.of(one).sort((a, b) => b.time - a.time).flatMap(({ places }) => places));
    const drawings = [...poses].flatMap(([one, pose]) => this.of(one).map((drawing) => ({ ...drawing, pose, layer: one === space ? drawing.layer : `${one}/${drawing.layer}` })));
    // A placement alone is not a visible layer.
    const seen = drawings.filter(({ shapes, places }) => shapes.length > 0 || places.length === 0);
    return { drawings: seen.sort((a, b) => Number(b.background) - Number(a.background)), spaces: [...poses.keys()] };
  }

  /**
   * Returns whether the drawings in a space up to a time have arrived, if there are any.
   *
   * @param {string} space
   * @param {number} time
   */
  reaches(space, time) {
    const drawn = [...this.all.values()].map((runs) => runs[runs.length - 1]).filter((one) => one.space === space && !one.background);
    const late = time - Math.max(...drawn.map((one) => one.time));
    return !(late > 0 && late < 1e9);
  }
}

/**
 * The spaces in which modules draw, by the names that the robot sends.
 *
 * @param {Iterable<{name: string, kind: string}>} names
 */
export function spacesOf(names) {
  const drawn = [...names].filter(({ kind }) => kind.startsWith("drawing") || kind === "background");
  return [...new Set(drawn.map(({ name }) => name.split("/")[0]))].sort();
}

/** Checkboxes for the layers of a space. */
export class Layers {
  element = h("div.layers");
  #known = "";

  /**
   * @param {unknown} hidden names of layers that are not shown
   * @param {() => void} changed
   */
  constructor(hidden, changed) {
    this.hidden = new Set(list(hidden).map(String));
    this.changed = changed;
  }

  /**
   * Returns the drawings to show.
   *
   * @param {Drawing[]} drawings
   */
  pick(drawings) {
    const names = [...new Set(drawings.map(({ layer }) => layer))];
    if (names.join("\n") !== this.#known) {
      this.#known = names.join("\n");
      this.element.hidden = names.length === 0;
      fill(this.element, ...names.map((name) => {
        const box = h("input", { type: "checkbox", checked: !this.hidden.has(name), onchange: () => { this.hidden[box.checked ? "delete" : "add"](name); this.changed(); } });
        return h("label", { title: `drawn by ${drawings.filter(({ layer }) => layer === name).map(({ update }) => update).join(", ")}` }, box, name);
      }));
    }
    return drawings.filter(({ layer }) => !this.hidden.has(layer));
  }
}

/**
 * Paints drawings.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Drawing[]} drawings
 * @param {Place} place
 * @param {number} scale pixels per unit
 * @param {string} font
 */
export function paintDrawings(context, drawings, place, scale, font) {
  context.lineWidth = 1.5;
  context.font = `11px ${font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { shapes, pose } of drawings) {
    for (const { draw, color } of shapes) {
      context.strokeStyle = context.fillStyle = color;
      paintShape(context, draw, (point) => place(lying(pose, point)), scale);
    }
  }
}

/**
 * All points of a shape.
 *
 * @param {any} draw
 * @returns {number[][]}
 */
export function pointsOf(draw) {
  const all = draw.points ?? draw.line ?? draw.arrow ?? draw.capsule ?? [draw.circle ?? draw.ellipse ?? draw.at ?? draw.frame ?? draw.sphere ?? draw.box];
  const good = list(all).filter((point) => Array.isArray(point) && point.length >= 2 && point.every((value) => Number.isFinite(value)));
  const reach = Number(draw.radius ?? draw.axes?.[0] ?? (draw.size ? Math.max(...list(draw.size)) / 2 : undefined));
  if (!(reach > 0) || good.length !== 1) return good;
  const [x, y, ...rest] = good[0];
  return [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]].map(([dx, dy]) => [x + dx, y + dy, ...rest]);
}

/**
 * All points of a drawing, in the space in which it is viewed.
 *
 * @param {Drawing} drawing
 */
export function reachOf({ shapes, pose }) {
  return shapes.flatMap(({ draw }) => pointsOf(draw).map((point) => lying(pose, point)));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {any} draw
 * @param {Place} place
 * @param {number} scale
 */
function paintShape(context, draw, place, scale) {
  const { radius, axes, angle = 0, length } = draw;
  const [first, ...rest] = pointsOf({ ...draw, radius: undefined, axes: undefined, size: undefined });
  if (!first) return;
  const [x, y] = place(first);
  context.beginPath();
  if (draw.points) {
    for (const point of [first, ...rest]) {
      const [px, py] = place(point);
      context.fillRect(px - 1.5, py - 1.5, 3, 3);
    }
  } else if (draw.line || draw.arrow) {
    context.moveTo(x, y);
    for (const point of rest) context.lineTo(...place(point));
    if (draw.arrow && rest[0]) {
      const [tx, ty] = place(rest[0]), turn = Math.atan2(ty - y, tx - x), size = Math.min(8, Math.hypot(tx - x, ty - y) / 2);
      for (const side of [2.6, -2.6]) {
        context.moveTo(tx, ty);
        context.lineTo(tx + size * Math.cos(turn + side), ty + size * Math.sin(turn + side));
      }
    }
  } else if (draw.capsule) {
    // Solids are outlines here; the view of scenes shows them as bodies.
    context.moveTo(x, y);
    for (const point of rest) context.lineTo(...place(point));
  } else if (draw.box) {
    const own = poseOf({ at: first, angle: 0, rotation: draw.rotation ?? [0, 0, 0, 1] }), half = list(draw.size).map((part) => part / 2);
    if (!own || half.length !== 3) return;
    for (const high of [-1, 1]) [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].forEach(([a, b], corner) => context[corner ? "lineTo" : "moveTo"](...place(lying(own, [a * half[0], b * half[1], high * half[2]]))));
  } else if ((draw.circle ?? draw.sphere) && radius >= 0) {
    context.arc(x, y, Math.max(1, radius * scale), 0, 7);
  } else if (draw.ellipse && axes?.[0] >= 0 && axes[1] >= 0) {
    const [ax, ay] = place([first[0] + Math.cos(angle), first[1] + Math.sin(angle), first[2] ?? 0]);
    context.ellipse(x, y, axes[0] * scale, axes[1] * scale, Math.atan2(ay - y, ax - x), 0, 7);
  } else if (draw.at) {
    context.fillText(String(draw.text), x, y);
  } else if (draw.frame && length > 0) {
    const pose = poseOf({ at: first, rotation: draw.rotation ?? [0, 0, 0, 1] });
    pose?.axes.forEach((axis, number) => {
      context.beginPath();
      context.strokeStyle = AXES[number];
      context.moveTo(x, y);
      context.lineTo(...place(axis.map((part, at) => pose.origin[at] + part * length)));
      context.stroke();
    });
    return;
  }
  context.stroke();
}
