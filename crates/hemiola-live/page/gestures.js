// The gestures that pointers, wheels and fingers make on a canvas.

import { fill, h } from "./dom.js";

/**
 * @typedef {object} Meaning
 * @property {(dx: number, dy: number) => void} pan moved by so many pixels since the last call
 * @property {(factor: number, x: number, y: number) => void} zoom towards a place: factors above 1 magnify
 * @property {(x: number, y: number) => void} [click]
 * @property {(x: number, y: number) => void} [double]
 * @property {(place: {x: number, y: number} | null, event: PointerEvent) => void} [hover] `null` when the pointer has left
 * @property {(dx: number, dy: number) => void} [scroll] the wheel with the shift key, or sidewards
 */

/** Pixels that a pointer may move before a click becomes a drag. */
const SLOP = 4;

/** @param {HTMLElement} element @param {Meaning} meaning */
export function gestures(element, meaning) {
  /** @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  let isDrag = false;
  let start = { x: 0, y: 0 };
  const place = (/** @type {MouseEvent} */ event) => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };

  element.style.touchAction = "none";
  element.onpointerdown = (event) => {
    if (event.button > 1) return;
    try { element.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
    down.set(event.pointerId, place(event));
    if (down.size === 1) { isDrag = false; start = place(event); } else isDrag = true;
  };
  element.onpointermove = (event) => {
    const before = down.get(event.pointerId), now = place(event);
    if (!before) {
      if (event.pointerType !== "touch") meaning.hover?.(now, event);
      return;
    }
    if (!isDrag && Math.hypot(now.x - start.x, now.y - start.y) < SLOP) return;
    isDrag = true;
    if (down.size === 1) {
      meaning.pan(now.x - before.x, now.y - before.y);
    } else {
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const was = Math.hypot(before.x - other.x, before.y - other.y), is = Math.hypot(now.x - other.x, now.y - other.y);
        meaning.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
        if (was > 0 && is > 0) meaning.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
      }
    }
    down.set(event.pointerId, now);
  };
  const up = (/** @type {PointerEvent} */ event) => {
    if (!down.delete(event.pointerId) || down.size > 0) return;
    if (!isDrag && event.type === "pointerup") meaning.click?.(start.x, start.y);
  };
  element.onpointerup = up;
  element.onpointercancel = up;
  element.onpointerleave = (event) => { if (!down.has(event.pointerId)) meaning.hover?.(null, event); };
  element.ondblclick = (event) => { const { x, y } = place(event); meaning.double?.(x, y); };
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 400 : 1;
    const { x, y } = place(event);
    if (meaning.scroll && event.shiftKey) meaning.scroll(0, (event.deltaY || event.deltaX) * unit);
    else if (meaning.scroll && Math.abs(event.deltaX) > Math.abs(event.deltaY)) meaning.scroll(event.deltaX * unit, 0);
    else meaning.zoom(Math.exp(Math.max(-1, Math.min(1, (-event.deltaY * unit) / 400))), x, y);
  }, { passive: false });
}

/** A few lines beside the pointer. */
export class Tip {
  element = h("div.tip", { hidden: true });

  /** @param {HTMLElement} over what the places are in */
  constructor(over) { this.over = over; }

  /**
   * Shows some lines, or hides if there are none.
   *
   * @param {{x: number, y: number} | null} place
   * @param {string[]} lines
   */
  show(place, lines) {
    const { element, over } = this;
    element.hidden = !place || lines.length === 0;
    if (!place || element.hidden) return;
    fill(element, ...lines.map((line, number) => h("div", { class: number ? "muted" : "" }, line)));
    const below = place.y + 18;
    element.style.left = `${Math.max(0, Math.min(place.x + 14, over.clientWidth - element.offsetWidth - 4))}px`;
    element.style.top = `${below + element.offsetHeight > over.clientHeight ? Math.max(0, place.y - element.offsetHeight - 8) : below}px`;
  }
}

/**
 * Makes a camera follow the pointer.
 *
 * @param {import("./view.js").View} view
 * @param {HTMLCanvasElement} canvas
 * @param {Camera} camera
 * @param {Partial<Meaning>} more
 */
export function movable(view, canvas, camera, more) {
  gestures(canvas, {
    pan: (dx, dy) => { camera.pan(dx, dy); view.invalidate(); },
    zoom: (factor, x, y) => { camera.zoom(factor, x, y); view.invalidate(); },
    ...more,
  });
}

/**
 * Writes a text into the middle of an empty canvas.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {string} colour
 */
export function notice(context, text, colour) {
  const { clientWidth, clientHeight } = context.canvas;
  context.fillStyle = colour;
  context.font = "13px sans-serif";
  context.textAlign = "center";
  context.fillText(text, clientWidth / 2, clientHeight / 2);
}

/** The part of a plane that a canvas shows: a scale, and where its origin lies. */
export class Camera {
  scale = 1;
  x = 0;
  y = 0;
  /** Set until a person moves it. */
  isFree = true;

  /** @param {{smallest?: number, largest?: number}} [limits] of the scale, in pixels per unit */
  constructor({ smallest = 1e-3, largest = 1e4 } = {}) {
    this.smallest = smallest;
    this.largest = largest;
  }

  /** @param {number} dx @param {number} dy in pixels */
  pan(dx, dy) {
    this.isFree = false;
    this.x += dx;
    this.y += dy;
  }

  /** The place under (x, y) stays there. @param {number} factor @param {number} x @param {number} y */
  zoom(factor, x, y) {
    const scale = Math.min(this.largest, Math.max(this.smallest, this.scale * factor));
    this.isFree = false;
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
  }

  /** Shows all of a rectangle. @param {{left: number, top: number, right: number, bottom: number}} of
   * @param {number} width @param {number} height @param {number} [margin] in pixels @param {number} [most] */
  frame(of, width, height, margin = 12, most = this.largest) {
    const across = Math.max(1e-9, of.right - of.left), down = Math.max(1e-9, of.bottom - of.top);
    const fitting = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down);
    this.scale = Math.min(most, Math.max(this.smallest, fitting));
    this.x = width / 2 - ((of.left + of.right) / 2) * this.scale;
    this.y = height / 2 - ((of.top + of.bottom) / 2) * this.scale;
  }

  /** From pixels to the plane. @param {number} x @param {number} y @returns {[number, number]} */
  place(x, y) { return [(x - this.x) / this.scale, (y - this.y) / this.scale]; }
}
