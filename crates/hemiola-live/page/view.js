// The base class of views, and the list of all views.

import { h } from "./dom.js";

/**
 * The interface of the page for its views.
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
 * A view of a robot. It fills its own `element` with a bar of controls
 * (`this.bar`) and its content (`this.body`). `settings` is plain JSON, empty at first.
 *
 * Its subscriptions go through `keep`, so that they end with the view. Drawing on a
 * canvas belongs into `draw`, requested by `invalidate`: all views draw in the same frame, at most
 * once, and not while they are hidden.
 */
export class View {
  /** The name in layouts and addresses. */
  static id = "";
  /** The title for people. */
  static title = "";
  /** An SVG path of 16 by 16. */
  static icon = "M2 2h12v12h-12z";
  /** Set if one instance is enough. */
  static single = true;
  /** Set if the view needs a running robot and cannot show logs. */
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

  /** The settings that restore this view as it is: plain JSON.
   * @returns {any} */
  settings() { return {}; }

  /** Takes settings from another view, such as a field to plot. Returns whether it accepts them.
   * @param {any} settings @returns {boolean} */
  accept(settings) { return Object.keys(settings ?? {}).length === 0; }

  /** Set if it is visible: its tab is in front, and so is the page. */
  get visible() { return this.#isVisible; }

  /** The page calls it when the view becomes visible or hidden. @param {boolean} visible */
  set visible(visible) {
    if (this.#isVisible === visible) return;
    this.#isVisible = visible;
    this.shown(visible);
    if (visible) { this.resized(); this.invalidate(); }
  }

  /** Registers something that ends with the view.
   * @template {{close(): void}} T @param {T} kept @returns {T} */
  keep(kept) {
    this.#kept.push(kept);
    return kept;
  }

  /** Requests a call of `draw` in the next frame in which the view is visible. */
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

  /** Handles a change of the view's size. */
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
