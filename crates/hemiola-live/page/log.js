// Log: the robot's journal of messages, changes, exceeded bounds and marks.

import { button, fill, h, setText } from "./dom.js";
import { clock, count } from "./format.js";
import { entryText } from "./journal.js";
import { markButton, RecorderButton } from "./recorder.js";
import { register, View } from "./view.js";

/** @typedef {import("./journal.js").Category} Category */

const CATEGORIES = /** @type {const} */ ({ message: "Messages", change: "Changes", exceedance: "Exceedances", mark: "Marks" });
const SEVERITIES = /** @type {const} */ ({ all: "All", warning: "Warnings", error: "Errors" });
const MOST = 1500;

class Log extends View {
  static id = "log";
  static title = "Log";
  static icon = "M3 4h10M3 8h10M3 12h6";

  #search = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the log", oninput: () => this.#again() });
  #severity = h("select", { "aria-label": "Severity", onchange: () => this.#again() }, ...Object.entries(SEVERITIES).map(([value, text]) => h("option", { value }, text)));
  /** @type {Set<Category>} */
  #hidden;
  #lines = h("div.lines", { role: "log" });
  #more = h("div.muted.message-line");
  #follow = true;
  #shown = 0;
  /** @type {any[]} */
  #fresh = [];

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot, host } = this;
    this.#hidden = new Set(Array.isArray(this.initial.hidden) ? this.initial.hidden : []);
    this.#search.value = String(this.initial.filter ?? "");
    this.#severity.value = this.initial.severity in SEVERITIES ? this.initial.severity : "all";
    const toggles = Object.entries(CATEGORIES).map(([category, text]) => {
      const toggle = button({ text, class: `small ${this.#hidden.has(/** @type {Category} */ (category)) ? "" : "active"}` }, () => {
        if (!this.#hidden.delete(/** @type {Category} */ (category))) this.#hidden.add(/** @type {Category} */ (category));
        toggle.classList.toggle("active", !this.#hidden.has(/** @type {Category} */ (category)));
        this.#again();
      });
      return toggle;
    });
    const recorder = this.keep(new RecorderButton(robot, host));
    fill(this.bar, ...(robot.isLog ? [] : [recorder.element, markButton(robot, host)]), this.#search, this.#severity, ...toggles);
    fill(this.body, this.#more, this.#lines);
    this.body.onscroll = () => { this.#follow = this.body.scrollTop + this.body.clientHeight > this.body.scrollHeight - 24; };
    this.keep(robot.on("journal", (entry) => { this.#fresh.push(entry); this.invalidate(); }));
    this.keep(robot.on("welcome", () => this.#again()));
    this.#again();
  }

  /** @override */
  settings() {
    return { filter: this.#search.value || undefined, severity: this.#severity.value, hidden: [...this.#hidden] };
  }

  /** @override */
  resized() { if (this.#follow) this.body.scrollTop = this.body.scrollHeight; }

  /** Lists all entries again, with the current filter. */
  #again() {
    const fitting = this.robot.journal.filter((entry) => this.#fits(entry));
    this.#fresh = [];
    this.#shown = Math.min(fitting.length, MOST);
    fill(this.#lines, ...fitting.slice(-MOST).map((entry) => this.#line(entry)));
    setText(this.#more, fitting.length > MOST ? `The last ${count(MOST)} of ${count(fitting.length)}.` : fitting.length === 0 ? (this.robot.journal.length ? "Nothing fits this filter." : "Nothing has happened yet.") : "");
    this.#more.hidden = !this.#more.textContent;
    this.resized();
    this.host.changed();
  }

  /** @override */
  draw() {
    if (this.#follow) this.body.scrollTop = this.body.scrollHeight;
    const fresh = this.#fresh.splice(0).filter((entry) => this.#fits(entry)).sort((a, b) => a.time - b.time);
    if (!fresh.length) return;
    this.#more.hidden = true;
    this.#lines.append(...fresh.map((entry) => this.#line(entry)));
    this.#shown += fresh.length;
    while (this.#shown > MOST && this.#lines.firstChild) { this.#lines.firstChild.remove(); this.#shown--; }
    this.resized();
  }

  /** @param {any} entry */
  #fits(entry) {
    const { category, kind, about, text } = entryText(entry);
    if (this.#hidden.has(category)) return false;
    if (category === "message" && this.#severity.value === "error" && kind !== "bad") return false;
    if (category === "message" && this.#severity.value === "warning" && kind !== "bad" && kind !== "warning") return false;
    const all = `${about} ${text}`.toLowerCase();
    return this.#search.value.toLowerCase().split(/\s+/).every((word) => all.includes(word));
  }

  /** @param {any} entry */
  #line(entry) {
    const { category, kind, about, text } = entryText(entry);
    const names = { message: "", change: "changed", exceedance: "bound", mark: "mark" };
    return h("div", { class: `line ${category}` }, h("span.number.muted", {}, clock(entry.time)), h("i", { class: `dot ${kind}`, title: category }),
      names[category] ? h("span", { class: `${kind} tag` }, names[category]) : null, h("span", {}, about ? h("b", {}, `${about}: `) : null, text));
  }
}

register(Log);
