// The transport of a log: plays it and sets its time, with what happened along it.

import { button, fill, h, icon, setText } from "./dom.js";
import { clock } from "./format.js";
import { entryText } from "./journal.js";
import { timeLink } from "./time-link.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const PLAY = "M5 3l8 5l-8 5z";
const PAUSE = "M5 3v10M11 3v10";
/** What lies closer together along the log than one of so many parts is shown once. */
const PLACES = 400;

/** A bar that is there while a log is shown. */
export class TransportBar {
  #play = button({ class: "quiet" }, () => this.toggle());
  #speed = h("select", { title: "How fast it plays", "aria-label": "Speed", on: { change: () => this.#request("play", { speed: Number(this.#speed.value) }) } },
    ...SPEEDS.map((speed) => h("option", { value: String(speed) }, `${speed} ×`)));
  #slider = h("input", { type: "range", min: "0", step: "1", "aria-label": "Time of the log", on: {
    input: () => this.#seek(this.#begin + Number(this.#slider.value) * 1e6),
    pointerdown: () => { this.#isHeld = true; }, pointerup: () => { this.#isHeld = false; }, pointercancel: () => { this.#isHeld = false; },
  } });
  #marks = h("div", { class: "marks" });
  #time = h("span", { class: "clock" });
  element = h("div", { class: "transport", hidden: true }, this.#play, this.#speed, this.#time, h("div", { class: "along" }, this.#marks, this.#slider));

  #begin = 0;
  #end = 0;
  #isHeld = false;
  /** A time that is asked for while the robot has not answered for another. @type {number | null} */
  #wanted = null;
  #isAsking = false;
  /** @type {Set<string>} */
  #taken = new Set();

  /** @param {import("./robot.js").Robot} robot */
  constructor(robot) {
    this.robot = robot;
    robot.on("welcome", ({ begin, end }) => {
      this.element.hidden = !robot.isLog;
      this.#begin = begin ?? 0;
      this.#end = end ?? 0;
      this.#slider.max = String(Math.ceil((this.#end - this.#begin) / 1e6));
      this.#taken.clear();
      fill(this.#marks);
      robot.journal.forEach((entry) => this.#mark(entry));
    });
    robot.on("journal", (entry) => { if (robot.isLog) this.#mark(entry); });
    robot.on("transport", () => this.#show());
    setInterval(() => { if (robot.transport?.is_playing) this.#showTime(); }, 100);
  }

  /** Lets it play, or stand still. */
  toggle() { this.#request(this.robot.transport?.is_playing ? "pause" : "play"); }

  /** Returns whether it is a key of the transport. @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: -1e9, ArrowRight: 1e9 }[event.key];
    if (step) this.#seek(this.robot.time() + step * (event.shiftKey ? 10 : 1));
    else if (event.key === " ") this.toggle();
    else return false;
    event.preventDefault();
    return true;
  }

  /** One after the other: the newest wish replaces those that wait. @param {number} time */
  async #seek(time) {
    this.#wanted = Math.round(Math.min(this.#end, Math.max(this.#begin, time)));
    timeLink.set({ end: null });
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#wanted !== null) {
      const next = this.#wanted;
      this.#wanted = null;
      await this.#request("seek", { time: next });
    }
    this.#isAsking = false;
  }

  /** @param {string} verb @param {any} [values] */
  #request(verb, values) { return this.robot.request(verb, values).catch((error) => console.warn(error.message)); }

  #show() {
    const { transport } = this.robot;
    if (!transport) return;
    fill(this.#play, icon(transport.is_playing ? PAUSE : PLAY));
    this.#play.title = transport.is_playing ? "Stand still (Space)" : "Play (Space)";
    if (SPEEDS.includes(transport.speed)) this.#speed.value = String(transport.speed);
    this.#showTime();
  }

  #showTime() {
    const time = Math.min(this.#end, this.robot.time());
    setText(this.#time, `${clock(time)} / ${clock(this.#end)}`);
    if (!this.#isHeld) this.#slider.value = String((time - this.#begin) / 1e6);
  }

  /** @param {any} entry of the journal */
  #mark(entry) {
    const { category, kind, about, text } = entryText(entry);
    const share = (entry.time - this.#begin) / (this.#end - this.#begin);
    const place = `${kind} ${Math.round(share * PLACES)}`;
    if ((category === "message" && kind === "muted") || !(share >= 0 && share <= 1) || this.#taken.has(place)) return;
    this.#taken.add(place);
    this.#marks.append(h("i", { class: kind, style: { left: `${share * 100}%` }, title: `${clock(entry.time)} ${about ? `${about}: ` : ""}${text}`, on: { click: () => this.#seek(entry.time) } }));
  }
}
