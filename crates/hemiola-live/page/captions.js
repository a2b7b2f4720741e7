// The words of modules over the drawings in a space: texts, which hold until the next one, and
// annotations, of which the last ones are listed.

import { fill, h } from "./dom.js";
import { list } from "./statistics.js";

/** A text that nobody has repeated for so long, in nanoseconds, no longer holds. */
const HOLDS = 3e9;
/** An annotation is listed for so long. */
const LISTED = 20e9;
const MOST_LISTED = 6;
const MOST_KEPT = 200;
const MOST_NAMES = 100;

/** @typedef {{name: string, text: string, time: number}} Word */

/** The words that modules have shown. */
export class Words {
  /** @type {Map<string, Word>} */
  #held = new Map();
  /** @type {Word[]} */
  #said = [];
  #time = 0;

  /** Handles an event `debug`. @param {any} event */
  absorb(event) {
    for (const { name, text, annotation, time } of list(event?.records)) {
      if (typeof name !== "string") continue;
      // A replay, or a log, has gone back.
      if (time < this.#time - HOLDS) { this.#said = []; this.#held.clear(); }
      this.#time = time;
      if (typeof text === "string" && (this.#held.has(name) || this.#held.size < MOST_NAMES)) this.#held.set(name, { name, text, time });
      if (typeof annotation === "string") this.#said.push({ name, text: annotation, time });
    }
    if (this.#said.length > MOST_KEPT) this.#said.splice(0, this.#said.length - MOST_KEPT);
  }

  /** The words whose names are in these spaces, as of now. @param {string[]} spaces */
  of(spaces) {
    const is = (/** @type {number} */ most) => (/** @type {Word} */ { name, time }) => spaces.includes(name.split("/")[0]) && this.#time - time <= most;
    return { texts: [...this.#held.values()].filter(is(HOLDS)), notes: this.#said.filter(is(LISTED)).slice(-MOST_LISTED) };
  }
}

/** Shows words over a canvas. */
export class Captions {
  element = h("div.captions");
  #words = new Words();
  #texts = h("div.texts");
  #notes = h("div.notes");
  #shown = "";

  constructor() { fill(this.element, this.#texts, this.#notes); }

  /** Handles an event `debug`. @param {any} event */
  absorb(event) { this.#words.absorb(event); }

  /** Shows the words in these spaces. @param {string[]} spaces */
  show(spaces) {
    const { texts, notes } = this.#words.of(spaces), shown = [texts, notes].map((words) => words.map(({ text }) => text).join("\n")).join("\n\n");
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#texts, ...texts.map(({ text }) => h("div", {}, text)));
    fill(this.#notes, ...notes.map(({ text }) => h("div", {}, text)));
  }
}
