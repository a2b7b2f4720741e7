// The colours of style.css for canvases, where CSS does not apply.

/** Variables of style.css, in the order of [`Colours`]. */
const NAMES = /** @type {const} */ (["background", "surface", "raised", "line", "strong-line", "text", "muted", "faint", "accent", "good", "warning", "bad"]);
const SERIES = 10;

/** @typedef {Record<typeof NAMES[number], string> & {series: string[], font: string}} Colours */

/** @type {Colours | null} */
let known = null;

/** The colours that are in force; `series` are those of curves, in their order.
 * @returns {Colours} */
export function colours() {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  const named = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
  known = /** @type {Colours} */ ({ ...named, series: Array.from({ length: SERIES }, (_, number) => read(`series-${number + 1}`)), font: read("mono") });
  return known;
}

/** Calls when the colours have changed: the system switched between dark and light.
 * @param {() => void} callback @returns {{close(): void}} */
export function onColours(callback) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", callback);
  return { close: () => query.removeEventListener("change", callback) };
}

if (typeof matchMedia === "function") {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { known = null; });
}

/** Fits a canvas to its place on the screen, in device pixels, and returns a context that draws in
 * CSS pixels, cleared; its size in them; and how many device pixels one of them has.
 * @param {HTMLCanvasElement} canvas
 * @returns {[context: CanvasRenderingContext2D, width: number, height: number, ratio: number]} */
export function fit(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) { canvas.width = across; canvas.height = down; }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width, height, ratio];
}
