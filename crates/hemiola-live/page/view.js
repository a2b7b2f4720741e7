// What a view is, and which there are.

import { h } from "./dom.js";

/**
 * What a view may ask of the page around it.
 *
 * @typedef {object} Host
 * @property {(id: string, settings?: any) => void} open shows a view: the one that is open, if its class says `single`
 *   or `accept` takes the settings, or else a new one beside
 * @property {() => void} changed the view's `settings()` are others now: they go into the layout and the address
 * @property {(title: string) => void} title what stands on the view's tab
 * @property {(text: string, kind?: "good" | "bad") => void} say shows a message for some seconds
 * @property {(answer: Promise<any>) => Promise<any>} attempt resolves to what the robot answers; if it refuses, says
 *   its words and resolves to nothing
 */

/**
 * A view of a robot. It fills `element`, which it has for itself, with a bar of controls
 * (`this.bar`) and what it shows (`this.body`). `settings` is plain JSON, empty at first.
 *
 * What it subscribes to goes through `keep`, so that it ends with the view. What it draws on a
 * canvas belongs into `draw`, asked for by `invalidate`: all views draw in the same frame, at most
 * once, and not while they are hidden.
 */
export class View {
  /** In layouts and addresses. */
  static id = "";
  /** For people. */
  static title = "";
  /** An SVG path of 16 by 16. */
  static icon = "M2 2h12v12h-12z";
  /** One of it is enough. */
  static single = true;
  /** Shows or steers what only runs: it is no view of logs. */
  static steers = false;

  /** @type {{close(): void}[]} */
  #kept = [];
  #isVisible = false;
  #isDue = false;

  /**
   * @param {import("./robot.js").Robot} robot @param {HTMLElement} element
   * @param {any} settings @param {Host} host
   */
  constructor(robot, element, settings, host) {
    this.robot = robot;
    this.element = element;
    this.host = host;
    this.initial = settings ?? {};
    this.bar = h("div.bar");
    this.body = h("div.body");
    element.replaceChildren(this.bar, this.body);
    element.classList.add("view", /** @type {typeof View} */ (this.constructor).id);
    const size = new ResizeObserver(() => { if (this.#isVisible) { this.resized(); this.invalidate(); } });
    size.observe(this.body);
    this.keep({ close: () => size.disconnect() });
  }

  /** What brings this view back as it is: plain JSON.
   * @returns {any} */
  settings() { return {}; }

  /** Takes settings from another view, such as a field to plot. Returns whether it did.
   * @param {any} settings @returns {boolean} */
  accept(settings) { return Object.keys(settings ?? {}).length === 0; }

  /** Whether it can be seen: its tab is in front, and so is the page. */
  get visible() { return this.#isVisible; }

  /** The page calls it when the view becomes visible or hidden. @param {boolean} visible */
  set visible(visible) {
    if (this.#isVisible === visible) return;
    this.#isVisible = visible;
    this.shown(visible);
    if (visible) { this.resized(); this.invalidate(); }
  }

  /** What is to end with the view.
   * @template {{close(): void}} T @param {T} kept @returns {T} */
  keep(kept) {
    this.#kept.push(kept);
    return kept;
  }

  /** Has `draw` called in the next frame in which the view is visible. */
  invalidate() {
    if (this.#isDue || !this.#isVisible) return;
    this.#isDue = true;
    nextFrame((time) => {
      this.#isDue = false;
      if (this.#isVisible) this.draw(time);
    });
  }

  /** Draws; `time` is that of the frame, in milliseconds. @param {number} time */
  draw(time) { void time; }

  /** The view has another size. */
  resized() {}

  /** The view became visible, or hidden. @param {boolean} visible */
  shown(visible) { void visible; }

  /** Ends the view. */
  close() {
    this.visible = false;
    for (const kept of this.#kept.splice(0)) kept.close();
    this.element.replaceChildren();
  }
}

/** @type {((time: number) => void)[]} */
let frame = [];

/** All that is to be drawn goes into one frame. @param {(time: number) => void} draw */
function nextFrame(draw) {
  if (frame.length === 0) {
    requestAnimationFrame((time) => {
      const due = frame;
      frame = [];
      for (const each of due) {
        try { each(time); } catch (error) { console.error(error); }
      }
    });
  }
  frame.push(draw);
}

/** The views by their ids, in the order of menus. @type {Map<string, typeof View>} */
export const views = new Map();

/** @param {typeof View} view */
export function register(view) {
  views.set(view.id, view);
}
