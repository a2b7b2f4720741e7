// A duration against its limits, on one line: the distribution of the last
// minute, marks of p50, p99 and the maximum, and the limits.

import { colours, fit } from "./theme.js";

const BINS = 160;
const KEPT = 4000;

/** The last durations, in nanoseconds. */
export class Recent {
  #values = new Float64Array(KEPT);
  #count = 0;

  /** @param {number} value */
  add(value) {
    if (Number.isFinite(value)) this.#values[this.#count++ % KEPT] = value;
  }

  get values() { return this.#values.subarray(0, Math.min(this.#count, KEPT)); }

  /** @param {number} share of 1 @returns {number | null} */
  quantile(share) {
    const sorted = this.values.slice().sort();
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : null;
  }
}

/**
 * Draws a bar. Everything is in nanoseconds, and may be missing.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{recent?: Float64Array, p01?: number | null, p50?: number | null, p99?: number | null, maximum?: number | null, limit?: number | null, bound?: number | null}} times
 */
export function drawBar(canvas, { recent, p01, p50, p99, maximum, limit, bound }) {
  const [context, width, height] = fit(canvas);
  const colour = colours();
  const longest = Math.max(limit ?? 0, bound ?? 0, maximum ?? 0, p99 ?? 0) * 1.06;
  if (!longest || width < 4) return;
  const x = (/** @type {number} */ value) => (value / longest) * (width - 2) + 1;
  const base = height - 5;
  const isOver = limit !== null && limit !== undefined && (maximum ?? 0) > limit;
  context.fillStyle = colour.faint;
  context.fillRect(0, base, width, 2);
  if (limit) {
    context.fillStyle = colour.raised;
    context.fillRect(x(limit), 1, width - x(limit), base - 1);
  }
  const tone = isOver ? colour.bad : colour.accent;
  if (recent && recent.length > 1) distribution(context, recent, x, width, base, tone);
  else if (p99) {
    context.globalAlpha = 0.35;
    context.fillStyle = tone;
    context.fillRect(x(p01 ?? 0), 5, Math.max(2, x(p99) - x(p01 ?? 0)), base - 5);
    context.globalAlpha = 1;
  }
  const mark = (/** @type {number | null | undefined} */ value, /** @type {string} */ style, /** @type {number} */ wide, /** @type {number} */ top) => {
    if (value === null || value === undefined) return;
    context.fillStyle = style;
    context.fillRect(Math.min(width - wide, x(value) - wide / 2), top, wide, height - top);
  };
  mark(p50, colour.text, 1, base - 6);
  mark(p99, colour.text, 2, base - 9);
  if (maximum) {
    context.fillStyle = isOver ? colour.bad : colour.text;
    context.beginPath();
    context.arc(Math.min(width - 3, x(maximum)), base + 1, 2.6, 0, 7);
    context.fill();
  }
  if (bound) {
    context.strokeStyle = colour.warning;
    context.lineWidth = 1.5;
    context.setLineDash([3, 2]);
    context.beginPath();
    context.moveTo(x(bound), 0);
    context.lineTo(x(bound), height);
    context.stroke();
    context.setLineDash([]);
  }
  mark(limit, isOver ? colour.bad : colour.muted, 2, 0);
}

/** @param {CanvasRenderingContext2D} context @param {Float64Array} values @param {(value: number) => number} x @param {number} width @param {number} base @param {string} tone */
function distribution(context, values, x, width, base, tone) {
  const bins = Math.min(BINS, Math.floor(width / 2));
  const counts = new Uint32Array(bins + 1);
  let most = 0;
  for (const value of values) {
    const bin = Math.min(bins, Math.max(0, Math.floor((x(value) / width) * bins)));
    most = Math.max(most, ++counts[bin]);
  }
  context.fillStyle = tone;
  const step = width / bins;
  for (let bin = 0; bin <= bins; bin++) {
    if (!counts[bin]) continue;
    const tall = Math.max(1.5, Math.sqrt(counts[bin] / most) * (base - 2));
    context.fillRect(bin * step, base - tall, Math.max(1, step - 0.5), tall);
  }
}
