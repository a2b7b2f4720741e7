// One chart: curves over time on a canvas, with an axis on the left and one on the right.

import { Bars, isDense, paintBars } from "./bars.js";
import { digits } from "./format.js";
import { thin, Thinned, ticks } from "./series.js";
import { colours, fit } from "./theme.js";

/**
 * @typedef {"left" | "right"} Axis
 * @typedef {{series: import("./series.js").Series, axis: Axis, colour: string, unit: string}} Curve
 * @typedef {{left: [number, number] | null, right: [number, number] | null}} Limits
 *   What a person has set; `null` follows the curves.
 * @typedef {{left: number, right: number, top: number, bottom: number, from: number, to: number, y: Record<Axis, [number, number]>}} Plane
 *   Where the curves are, in CSS pixels, and what is shown there.
 */

/** One chart is drawn after the other: all use the same memory. @type {Thinned[]} */
const memory = [];
/** What a chart keeps: bars, and what they are painted into. @typedef {{bars: WeakMap<import("./series.js").Series, Bars>, picture: ImageData | null}} Kept */
/** @type {WeakMap<HTMLCanvasElement, Kept>} */
const kept = new WeakMap();

const TOP = 4;
const BOTTOM = 16;
const AXIS = 46;
const THICKNESS = 1.25;

/**
 * Draws a chart and returns where it drew what.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{curves: Curve[], from: number, to: number, limits: Limits, cursor: number | null, hasRight: boolean, marks?: {time: number, text: string}[]}} content
 *   `hasRight` leaves room for an axis there, so that charts below each other are in line.
 * @returns {Plane}
 */
export function drawChart(canvas, { curves, from, to, limits, cursor, hasRight, marks = [] }) {
  const [context, width, height, ratio] = fit(canvas);
  const colour = colours();
  const right = Math.max(AXIS + 10, width - (hasRight ? AXIS : 8)), bottom = Math.max(TOP + 10, height - BOTTOM);
  const columns = Math.max(1, Math.round((right - AXIS) * ratio));
  const own = kept.get(canvas) ?? { bars: new WeakMap(), picture: null };
  kept.set(canvas, own);
  const lines = curves.map(({ series }, index) => {
    if (isDense(series, from, to, columns)) {
      const bars = own.bars.get(series) ?? new Bars();
      own.bars.set(series, bars);
      bars.take(series, from, to, columns);
      return bars;
    }
    const thinned = (memory[index] ??= new Thinned());
    thin(series, from, to, columns, thinned);
    return thinned;
  });
  /** @type {Plane} */
  const plane = {
    left: AXIS, right, top: TOP, bottom, from, to,
    y: { left: rangeOf(curves, lines, "left", limits), right: rangeOf(curves, lines, "right", limits) },
  };
  if (lines.some((line) => line instanceof Bars)) drawBars(context, plane, curves, lines, columns, ratio, own);
  // Pixels replace what was there: what belongs below them comes later.
  context.globalCompositeOperation = "destination-over";
  context.font = "10px " + colour.font;
  drawGrid(context, plane, colour, curves);
  context.globalCompositeOperation = "source-over";
  context.save();
  context.beginPath();
  context.rect(plane.left, plane.top, plane.right - plane.left, plane.bottom - plane.top);
  context.clip();
  context.strokeStyle = colour.accent;
  context.fillStyle = colour.accent;
  for (const { time, text } of marks) {
    const x = xOf(plane, time);
    if (x < plane.left || x > plane.right) continue;
    context.globalAlpha = 0.7;
    context.fillRect(x, plane.top, 1, plane.bottom - plane.top);
    context.fillText(text, x + 3, plane.top + 9);
    context.globalAlpha = 1;
  }
  lines.forEach((line, index) => { if (line instanceof Thinned) drawCurve(context, plane, curves[index], line); });
  if (cursor !== null && cursor >= from && cursor <= to) drawCursor(context, plane, curves, cursor, colour);
  context.restore();
  return plane;
}

/** @param {Plane} plane @param {number} time */
function xOf(plane, time) {
  return plane.left + ((time - plane.from) / (plane.to - plane.from)) * (plane.right - plane.left);
}

/** @param {Plane} plane @param {number} x */
export function timeOf(plane, x) {
  return plane.from + ((x - plane.left) / (plane.right - plane.left)) * (plane.to - plane.from);
}

/** @param {Plane} plane @param {Axis} axis @param {number} value */
function yOf(plane, axis, value) {
  const [low, high] = plane.y[axis];
  return plane.bottom - ((value - low) / (high - low)) * (plane.bottom - plane.top);
}

/** @param {Curve[]} curves @param {(Thinned | Bars)[]} lines @param {Axis} axis @param {Limits} limits @returns {[number, number]} */
function rangeOf(curves, lines, axis, limits) {
  const fixed = limits[axis];
  if (fixed) return fixed;
  let low = Infinity, high = -Infinity;
  lines.forEach((line, index) => {
    const range = curves[index].axis === axis ? line.range() : null;
    if (range) { low = Math.min(low, range[0]); high = Math.max(high, range[1]); }
  });
  if (!(low <= high) || !Number.isFinite(high - low)) return [0, 1];
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

/** @param {CanvasRenderingContext2D} context @param {Plane} plane @param {import("./theme.js").Colours} colour @param {Curve[]} curves */
function drawGrid(context, plane, colour, curves) {
  const { left, right, top, bottom } = plane;
  context.fillStyle = colour.muted;
  context.strokeStyle = colour.line;
  context.lineWidth = 1;
  context.beginPath();
  const times = ticks(plane.from, plane.to, Math.max(2, (right - left) / 90));
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  for (const time of times.values) {
    const x = Math.round(xOf(plane, time)) + 0.5;
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    if (x > left + 16 && x < right - 8) context.fillText(timeText(time, times.decimals), x, bottom + 12);
  }
  for (const axis of /** @type {Axis[]} */ (["left", "right"])) {
    const own = curves.filter((curve) => curve.axis === axis);
    if (axis === "right" && own.length === 0) continue;
    const [low, high] = plane.y[axis];
    const { factor, unit } = scale(own, low, high);
    const { values, decimals } = ticks(low * factor, high * factor, Math.max(2, (bottom - top) / 34));
    context.textAlign = axis === "left" ? "right" : "left";
    context.textBaseline = "middle";
    for (const value of values) {
      const y = Math.round(yOf(plane, axis, value / factor)) + 0.5;
      if (axis === "left") { context.moveTo(left, y); context.lineTo(right, y); }
      context.fillText(short(value, decimals) + unit, axis === "left" ? left - 5 : right + 5, Math.max(top + 4, y));
    }
  }
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {Plane} plane @param {Curve[]} curves @param {(Thinned | Bars)[]} lines
 * @param {number} columns @param {number} ratio @param {Kept} own */
function drawBars(context, plane, curves, lines, columns, ratio, own) {
  const height = Math.max(1, Math.round((plane.bottom - plane.top) * ratio));
  if (own.picture?.width !== columns || own.picture.height !== height) own.picture = new ImageData(columns, height);
  const { picture } = own;
  picture.data.fill(0);
  lines.forEach((line, index) => {
    const { axis, colour } = curves[index];
    if (line instanceof Bars) paintBars(picture, line, plane.y[axis], THICKNESS * ratio, colour);
  });
  context.putImageData(picture, Math.round(plane.left * ratio), Math.round(plane.top * ratio));
}

/** @param {CanvasRenderingContext2D} context @param {Plane} plane @param {Curve} curve @param {Thinned} line */
function drawCurve(context, plane, { axis, colour }, { points, length }) {
  const across = plane.right - plane.left;
  const [low, high] = plane.y[axis];
  const scale = (plane.bottom - plane.top) / (high - low);
  context.strokeStyle = colour;
  context.lineWidth = THICKNESS;
  context.lineJoin = "bevel";
  context.beginPath();
  let isOpen = false;
  for (let index = 0; index < length; index += 2) {
    const value = points[index + 1];
    if (value !== value) { isOpen = false; continue; }
    const x = plane.left + points[index] * across, y = plane.bottom - (value - low) * scale;
    if (isOpen) context.lineTo(x, y);
    else context.moveTo(x, y);
    isOpen = true;
  }
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {Plane} plane @param {Curve[]} curves @param {number} cursor @param {import("./theme.js").Colours} colour */
function drawCursor(context, plane, curves, cursor, colour) {
  const x = Math.round(xOf(plane, cursor)) + 0.5;
  context.strokeStyle = colour.muted;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, plane.top);
  context.lineTo(x, plane.bottom);
  context.stroke();
  context.setLineDash([]);
  for (const { series, axis, colour: own } of curves) {
    const point = series.at(cursor);
    if (!point || point.time < plane.from) continue;
    context.fillStyle = own;
    context.beginPath();
    context.arc(x, yOf(plane, axis, (point.minimum + point.maximum) / 2), 3, 0, 7);
    context.fill();
  }
}

/** The unit of an axis: durations are in that of the longest one. Others have theirs in the legend.
 * @param {Curve[]} curves @param {number} low @param {number} high @returns {{factor: number, unit: string}} */
function scale(curves, low, high) {
  const longest = Math.max(Math.abs(low), Math.abs(high));
  if (curves.length === 0 || longest >= 1 || curves.some(({ unit }) => unit !== "s")) return { factor: 1, unit: "" };
  return longest < 1e-3 ? { factor: 1e6, unit: " µs" } : { factor: 1e3, unit: " ms" };
}

/** @param {number} seconds @param {number} decimals */
function timeText(seconds, decimals) {
  const rest = (((seconds % 60) + 60) % 60).toFixed(decimals);
  if (seconds > 1e9) {
    const date = new Date(seconds * 1000);
    return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}:${rest.padStart(decimals ? decimals + 3 : 2, "0")}`;
  }
  return Math.abs(seconds) < 60 ? `${seconds.toFixed(decimals)} s` : `${Math.floor(seconds / 60)}:${rest.padStart(decimals ? decimals + 3 : 2, "0")}`;
}

/** @param {number} value @param {number} decimals */
function short(value, decimals) {
  const size = Math.abs(value);
  if (size >= 1e5) return value.toExponential(1).replace("e+", "e");
  if (decimals > 5) return size === 0 ? "0" : value.toExponential(1);
  return value.toFixed(decimals).replace(/^-0(\.0+)?$/, "0$1");
}

/** A value as a legend has it. @param {number} value */
export function legendText(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.01 || size >= 1e6)) return value.toExponential(3);
  return Number.isInteger(value) ? String(value) : size >= 100 ? digits(value) : value.toPrecision(4);
}
