// Recording a log, and marking moments in it.

import { button, fill, icon, setText } from "./dom.js";
import { menu, prompt } from "./menu.js";

const RECORD = "M8 4a4 4 0 1 0 0 8a4 4 0 0 0 0-8";
const STOP = "M4 4h8v8h-8z";

/** A button that starts and stops recording, and shows whether it is on. */
export class RecorderButton {
  #label = document.createElement("span");
  element = button({ class: "record" }, (event) => this.#pressed(event));
  #watch;
  #welcome;
  #isOn = false;

  /** @param {import("./robot.js").Robot} robot @param {import("./view.js").Host} host */
  constructor(robot, host) {
    this.robot = robot;
    this.host = host;
    this.element.oncontextmenu = (event) => { event.preventDefault(); this.#offer(); };
    this.#watch = robot.watch("statistics", 1e9, (event) => this.#show(event.recording));
    this.#welcome = robot.on("welcome", () => this.#show(robot.statistics?.recording));
    this.#show(robot.statistics?.recording);
  }

  close() {
    this.#watch.close();
    this.#welcome.close();
  }

  /** @param {any} recording */
  #show(recording) {
    const isOn = Boolean(recording);
    if (isOn !== this.#isOn || !this.element.firstChild) fill(this.element, icon(isOn ? STOP : RECORD), this.#label);
    this.#isOn = isOn;
    this.element.classList.toggle("bad", isOn);
    this.element.disabled = !this.robot.mayChange;
    setText(this.#label, isOn ? "Stop recording" : "Record");
    this.element.title = isOn ? String(recording.file ?? recording) : "Record a log (right-click: into a file of your choice)";
  }

  /** @param {MouseEvent} event */
  #pressed(event) {
    if (event.shiftKey && !this.#isOn) return this.#offer();
    this.#request(this.#isOn ? { stop: true } : {});
  }

  #offer() {
    if (!this.robot.mayChange) return;
    menu(this.element, this.#isOn ? [{ text: "Stop recording", act: () => this.#request({ stop: true }) }]
      : [{ text: "Record into the next file", act: () => this.#request({}) }, { text: "Record into a file …", act: async () => {
        const file = await prompt("Record into which file, on the robot?", "Record", "", "logs/walking.mcap");
        if (file) this.#request({ file });
      } }]);
  }

  /** @param {any} values */
  async #request(values) {
    const result = await this.host.attempt(this.robot.request("record", values));
    if (!result) return;
    this.host.say(values.stop ? `The log is in ${result.file}.` : `Recording into ${result.file}.`, "good");
    this.#show(values.stop ? null : result);
  }
}

/** A button that asks for a text and marks this moment by it. @param {import("./robot.js").Robot} robot @param {import("./view.js").Host} host */
export function markButton(robot, host) {
  const title = "Mark this moment in the journal and the log";
  return button({ text: "Mark", icon: "M4 14v-12l8 3-8 4", title, class: "steers" }, async () => {
    const text = await prompt(`${title}:`, "Mark", "", "the ball was lost");
    if (text) host.attempt(robot.request("mark", { text }));
  });
}
