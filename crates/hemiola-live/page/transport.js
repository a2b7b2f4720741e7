// The transport of a log, or of a replay, which is a log that the robot's program computes anew:
// plays it and sets its time, with its events along it. A replay can also step, and only goes
// forward.

import { PAUSE, button, fill, h, icon, setText } from "./dom.js";
import { clock } from "./format.js";
import { entryText } from "./journal.js";
import { list } from "./statistics.js";
import { timeLink } from "./time-link.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const PLAY = "M5 3l8 5l-8 5z";
/** The number of parts of the log of which each shows at most one event. */
const PLACES = 400;
/** How long the robot's own time may take to follow a wish, in milliseconds. */
const SETTLES = 300;

/** A bar that is there while a log or replay is shown. */
export class TransportBar {
  #play = button({ class: "quiet" }, () => this.toggle());
  #steps = h("span", {}, button({ icon: "M3 3v10l6-5zM12 3v10", title: "Next run (n)", class: "quiet" }, () => this.#request("step")),
    button({ icon: "M2 3v10l5-5zM7 3v10l5-5zM14 3v10", title: "Next event of the recording (e)", class: "quiet" }, () => this.#request("step", { event: true })));
  #speed = h("select", { title: "Speed", onchange: () => { this.#speed.blur(); this.#request("play", { speed: Number(this.#speed.value) }); } });
  #slider = h("input", { type: "range", min: "0", step: "1", "aria-label": "Time of the log",
    // A replay does not go back.
    oninput: () => { this.#isHeld = true; if (this.robot.isLog) this.#seek(this.#chosen()); },
    onchange: () => { this.#isHeld = false; this.#seek(this.#chosen()); },
  });
  #marks = h("div.marks");
  #time = h("span.clock");
  element = h("div.transport", { hidden: true }, this.#play, this.#steps, this.#speed, this.#time, h("div.along", {}, this.#marks, this.#slider));

  #begin = 0;
  #end = 0;
  #isHeld = false;
  /** The time to request once the robot has answered the last request. @type {number | null} */
  #wanted = null;
  /** The last wish: keys step from there until the robot's own time has followed. */
  #aim = { time: 0, until: 0 };
  #isAsking = false;
  /** @type {Set<string>} */
  #taken = new Set();

  /** @param {import("./robot.js").Robot} robot @param {(text: string, kind: "bad") => void} say tells a person what was refused */
  constructor(robot, say) {
    this.robot = robot;
    this.say = say;
    robot.on("welcome", () => this.#welcome());
    robot.on("journal", (entry) => { if (robot.isLog) this.#mark(entry); });
    robot.on("transport", () => this.#show());
    setInterval(() => { if (robot.transport?.is_playing) this.#showTime(); }, 100);
    // Buttons act on keys when they are released: `key` was faster.
    this.element.onkeyup = (event) => { if (event.key === " ") event.preventDefault(); };
  }

  async #welcome() {
    const { robot } = this, { begin = 0, end = 0 } = robot.welcome;
    this.element.hidden = !robot.isPlayed;
    this.#steps.hidden = robot.isLog;
    for (const one of /** @type {NodeListOf<HTMLButtonElement>} */ (this.element.querySelectorAll("button, select, input"))) one.disabled = !robot.isLog && !robot.mayChange;
    [this.#begin, this.#end] = [begin, end];
    this.#slider.max = String(Math.ceil((end - begin) / 1e6));
    this.#taken.clear();
    fill(this.#marks);
    if (robot.isPlayed) (robot.isLog ? robot.journal : list((await this.#request("recorded"))?.entries)).forEach((entry) => this.#mark(entry));
  }

  /** Plays or pauses. */
  toggle() { this.#request(this.robot.transport?.is_playing ? "pause" : "play"); }

  /** Whether keys are meant for the transport although one of its controls has the focus. @param {HTMLElement} target */
  has(target) { return this.element.contains(target) && target !== this.#speed; }

  /** Returns whether it is a key of the transport. @param {KeyboardEvent} event */
  key(event) {
    const way = { ArrowLeft: -1e9, ArrowRight: 1e9 }[event.key], { isLog } = this.robot;
    const from = performance.now() < this.#aim.until ? this.#aim.time : this.robot.time();
    if (way) this.#seek(from + way * (event.shiftKey ? 10 : 1));
    else if (event.key === " ") this.toggle();
    else if (event.key === "n" && !isLog) this.#request("step");
    else if (event.key === "e" && !isLog) this.#request("step", { event: true });
    else return false;
    event.preventDefault();
    return true;
  }

  #chosen() { return this.#begin + Number(this.#slider.value) * 1e6; }

  /** One after the other: the newest wish replaces those that wait. @param {number} time */
  async #seek(time) {
    this.#wanted = Math.round(Math.min(this.#end, Math.max(this.#begin, time)));
    this.#aim = { time: this.#wanted, until: Infinity };
    timeLink.set({ end: null });
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#wanted !== null) {
      const next = this.#wanted;
      this.#wanted = null;
      await this.#request("seek", { time: next });
    }
    this.#isAsking = false;
    this.#aim.until = performance.now() + SETTLES;
  }

  /** @param {string} verb @param {any} [values] */
  #request(verb, values) {
    return this.robot.request(verb, values).catch((error) => { this.say(error.message, "bad"); this.#show(); });
  }

  #show() {
    const { transport } = this.robot;
    if (!transport) return;
    fill(this.#play, icon(transport.is_playing ? PAUSE : PLAY));
    this.#play.title = transport.is_playing ? "Pause (Space)" : "Play (Space)";
    const speeds = [...new Set([...SPEEDS, transport.speed])].sort((a, b) => a - b).map(String);
    if (this.#speed.length !== speeds.length) fill(this.#speed, ...speeds.map((value) => h("option", { value }, `${value} ×`)));
    this.#speed.value = String(transport.speed);
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
    this.#marks.append(h("i", { class: kind, style: { left: `${share * 100}%` }, title: `${clock(entry.time)} ${about ? `${about}: ` : ""}${text}`, onclick: () => this.#seek(entry.time) }));
  }
}
