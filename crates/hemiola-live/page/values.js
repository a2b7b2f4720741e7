// Values: any representation or topic, live, as a tree; the value of a representation can be
// overridden.

import { CROSS, button, fill, h, setText, space } from "./dom.js";
import { digits, duration } from "./format.js";
import { changeOf } from "./journal.js";
import { confirm, rank } from "./menu.js";
import { list } from "./statistics.js";
import { ValueTree } from "./value-tree.js";
import { register, View } from "./view.js";

/** @typedef {{name: string, topic: boolean}} Subject */

const RATE = 12;

class Values extends View {
  static id = "values";
  static title = "Values";
  static icon = "M3 3h4M3 8h4M3 13h4M7 3v10M10 3h3M10 8h3M10 13h3";

  #search = h("input", { type: "search", placeholder: "Filter values and topics", "aria-label": "Filter values and topics", oninput: () => this.#showList() });
  #list = h("div.names", { role: "listbox" });
  #cards = h("div.cards");
  /** @type {Map<string, Card>} */
  #open = new Map();

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    this.body.classList.add("sides");
    fill(this.body, h("div.side", {}, h("div.bar", {}, this.#search), this.#list), this.#cards);
    for (const one of list(this.initial.shown)) if (typeof one?.name === "string") this.#add(one, new Set(list(one.open)));
    this.accept(this.initial);
    this.keep(robot.on("description", () => { this.#showList(); for (const card of this.#open.values()) card.described(); }));
    this.keep(robot.on("state", () => { for (const card of this.#open.values()) card.described(); }));
    this.keep({ close: () => { for (const card of this.#open.values()) card.close(); } });
    this.#showList();
    this.#showEmpty();
  }

  /** @override */
  settings() {
    return { shown: [...this.#open.values()].map(({ subject, tree }) => ({ ...subject, open: [...tree.open] })) };
  }

  /** @override @param {any} settings */
  accept(settings) {
    if (typeof settings?.open === "string") this.#add({ name: settings.open, topic: settings.topic === true }, new Set(), true);
    return true;
  }

  /** @override @param {boolean} visible */
  shown(visible) {
    for (const card of this.#open.values()) card.follow(visible);
  }

  /** @param {Subject} subject @param {Set<string>} open @param {boolean} [scroll] */
  #add(subject, open, scroll = false) {
    const key = `${subject.topic}${subject.name}`;
    let card = this.#open.get(key);
    if (!card) {
      card = new Card(this.robot, this.host, { name: subject.name, topic: subject.topic === true }, open, () => this.#remove(key));
      this.#open.set(key, card);
      this.#cards.append(card.element);
      card.follow(this.visible);
      this.#showEmpty();
    }
    if (scroll) this.#cards.scrollTop = card.element.offsetTop;
    this.#showList();
    this.host.changed();
  }

  /** @param {string} key */
  #remove(key) {
    this.#open.get(key)?.close();
    this.#open.delete(key);
    this.#showList();
    this.#showEmpty();
    this.host.changed();
  }

  #showEmpty() {
    if (this.#open.size === 0) fill(this.#cards, h("div.empty", {}, "Choose values from the list."));
    else this.#cards.querySelector(":scope > .empty")?.remove();
  }

  #showList() {
    const { representations, topics } = this.robot.description;
    const all = [
      ...list(representations).map((one) => ({ text: String(one.name), by: [one.provider, one.process].filter(Boolean).join(" · "), topic: false, isOpaque: !one.schema_name })),
      ...list(topics).map((one) => ({ text: String(one.name), by: ["topic", one.process].filter(Boolean).join(" · "), topic: true, isOpaque: !one.schema_name })),
    ];
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    fill(this.#list, ...rank(all, words).map(({ text, by, topic, isOpaque }) => {
      const key = `${topic}${text}`;
      return h("button", {
        type: "button", role: "option", class: `quiet${this.#open.has(key) ? " active" : ""}`, disabled: isOpaque, "aria-selected": String(this.#open.has(key)),
        title: isOpaque ? `${text} is opaque: its values cannot leave the process` : `${text}${by ? `, by ${by}` : ""}`,
        onclick: () => (this.#open.has(key) ? this.#remove(key) : this.#add({ name: text, topic }, new Set(), true)),
      }, h("span", {}, text), h("span.muted", {}, by));
    }));
    if (all.length === 0) fill(this.#list, h("div.empty", {}, "No values are known yet."));
  }
}

/** One value. */
class Card {
  #facts = h("span.muted.facts");
  #error = h("div.bad.message-line", { hidden: true });
  #editor = h("div.editor", { hidden: true });
  #provider = h("select.provider", { title: "Provider: choose another to switch", onchange: () => this.#switch() });
  #override = button({ text: "Override", title: "Replace the value of its provider" }, () => this.#edit());
  #release = button({ text: "Release", title: "Restore the value of its provider", class: "bad" }, () => this.#change({ release: { representation: this.subject.name } }, () => this.#overridden(false)));
  /** @type {{close(): void} | null} */
  #subscription = null;
  /** @type {import("./robot.js").Message | null} */
  #message = null;
  #isDue = false;
  #interval = 0;

  /** @param {import("./robot.js").Robot} robot @param {import("./view.js").Host} host @param {Subject} subject @param {Set<string>} open @param {() => void} remove */
  constructor(robot, host, subject, open, remove) {
    this.robot = robot;
    this.host = host;
    this.subject = subject;
    this.tree = new ValueTree(open, { plot: (path) => host.open("plots", { add: [this.#field(path)] }), changed: () => host.changed() });
    this.element = h("article.card", {},
      h("header", {}, h("b", {}, subject.name), this.#facts, this.#provider, this.#override, this.#release, button({ icon: CROSS, title: `Close ${subject.name}`, class: "quiet" }, remove)),
      this.#error, this.#editor, this.tree.element);
    this.#overridden(this.#wasOverridden());
    this.described();
  }

  /** Returns whether the journal reports that the value is overridden. */
  #wasOverridden() {
    const name = this.subject.name;
    const last = this.robot.journal.findLast((entry) => { const change = changeOf(entry); return change && (change.override?.representation === name || change.release?.representation === name); });
    return Boolean(last && changeOf(last)?.override);
  }

  close() {
    this.#subscription?.close();
    this.element.remove();
  }

  /** @param {string} path */
  #field(path) {
    const root = this.subject.topic ? `topic:${this.subject.name}` : this.subject.name;
    return !path ? root : path.startsWith("[") ? root + path : `${root}.${path}`;
  }

  /** Subscribes, or no longer. @param {boolean} visible */
  follow(visible) {
    if (!visible) {
      this.#subscription?.close();
      this.#subscription = null;
      return;
    }
    const { name, topic } = this.subject;
    this.#subscription ??= this.robot.subscribe(topic ? { topic: name, rate: RATE } : { value: name, rate: RATE }, (message) => this.#came(message), (error) => this.#failed(error.message));
    if (topic && !this.#message) setText(this.#facts, "no message yet");
  }

  /** @param {import("./robot.js").Message} message */
  #came(message) {
    const before = this.#message;
    this.#message = message;
    if (before && message.sequence > before.sequence && message.time > before.time) {
      const interval = (message.time - before.time) / (message.sequence - before.sequence);
      this.#interval = this.#interval ? this.#interval * 0.9 + interval * 0.1 : interval;
    }
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => { this.#isDue = false; this.#show(); });
  }

  #show() {
    const message = this.#message;
    if (!message?.type) return;
    try {
      this.tree.show(message.type, message.value());
      this.#failed("");
    } catch (error) {
      this.#failed(`The value cannot be read: ${/** @type {Error} */ (error).message}`);
    }
    const age = message.time - message.stamp;
    setText(this.#facts, [this.#interval ? `${digits(1e9 / this.#interval)} Hz` : "", message.stamp > 0 && age > 0 && age < 3600e9 ? `${duration(age)} old when provided` : ""].filter(Boolean).join(" · "));
  }

  /** @param {string} text */
  #failed(text) {
    this.#error.hidden = !text;
    setText(this.#error, text);
  }

  described() {
    const representation = list(this.robot.description.representations).find((one) => one.name === this.subject.name);
    const candidates = [...new Set([representation?.provider, ...list(representation?.candidates)].filter(Boolean))];
    const may = this.robot.mayChange && !this.subject.topic;
    this.#provider.hidden = this.subject.topic || candidates.length === 0;
    this.#provider.disabled = !may || candidates.length < 2;
    fill(this.#provider, ...candidates.map((name) => h("option", { value: name }, String(name))));
    this.#provider.value = representation?.provider ?? "";
    this.#override.hidden = this.subject.topic || this.robot.isLog;
    this.#override.disabled = !may;
    this.#release.disabled = !may;
  }

  async #switch() {
    const module = this.#provider.value, representation = this.subject.name;
    const isSure = await confirm(`Let ${module} provide ${representation} from now on?`, "Switch");
    if (isSure) await this.#change({ provider: { representation, module } }, () => this.host.say(`${module} provides ${representation}.`, "good"));
    this.robot.refresh().catch(() => this.described());
  }

  /** @param {any} change @param {() => void} done */
  async #change(change, done) {
    if (await this.host.attempt(this.robot.change(change))) done();
  }

  /** @param {boolean} is */
  #overridden(is) {
    this.#release.hidden = !is;
    this.element.classList.toggle("overridden", is);
    setText(this.#override, is ? "Override again" : "Override");
  }

  async #edit() {
    if (!this.#editor.hidden) { this.#editor.hidden = true; return; }
    const { name } = this.subject;
    const now = await this.host.attempt(this.robot.request("read", { value: name }));
    if (!now) return;
    const text = pretty(now.value);
    const field = h("textarea", { value: text, rows: String(Math.min(18, text.split("\n").length + 1)), spellcheck: "false", "aria-label": `Value of ${name}` });
    const wrong = h("span.bad");
    const apply = async () => {
      let value;
      try { value = JSON.parse(field.value); } catch (error) { return setText(wrong, /** @type {Error} */ (error).message); }
      try {
        await this.robot.change({ override: { representation: name, value } });
        this.#overridden(true);
        this.#editor.hidden = true;
      } catch (error) {
        setText(wrong, /** @type {Error} */ (error).message);
      }
    };
    field.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) apply();
      if (event.key === "Escape") this.#editor.hidden = true;
    };
    fill(this.#editor, field, h("div.actions", {}, wrong, space(), h("kbd", {}, "Ctrl Enter"), button({ text: "Cancel" }, () => { this.#editor.hidden = true; }), button({ text: "Apply", class: "primary" }, apply)));
    this.#editor.hidden = false;
    field.focus();
  }
}

/** JSON with short lists on one line. @param {any} value @param {string} [indent] @returns {string} */
function pretty(value, indent = "") {
  const flat = JSON.stringify(value);
  if (flat === undefined) return "null";
  if (flat.length + indent.length < 72 || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + pretty(item, inner)).join(",\n")}\n${indent}]`;
  return `{\n${Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`).join(",\n")}\n${indent}}`;
}

register(Values);
