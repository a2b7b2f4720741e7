// Parameters: all of them, by module; changed while the robot runs, compared with its files, saved.

import { button, fill, h, setText, space } from "./dom.js";
import { number } from "./format.js";
import { changeOf } from "./journal.js";
import { menu, prompt } from "./menu.js";
import { list } from "./statistics.js";
import { register, View } from "./view.js";

/** @typedef {{module: string, process?: string, name: string, type: string, unit: string, minimum: any, maximum: any, documentation: string, default: any, configured: any, value: any, origin: string | null, live?: boolean}} Parameter */

const REVERT = "M4 6h6a3 3 0 0 1 0 6h-5M4 6l3-3M4 6l3 3";
const SLIDE_EVERY = 60;

class ParametersView extends View {
  static id = "parameters";
  static steers = true;
  static title = "Parameters";
  static icon = "M3 4h6M12 4h1M9 2v4M3 12h1M7 12h6M7 10v4";

  #search = h("input", { type: "search", placeholder: "Filter by module, name or documentation", "aria-label": "Filter parameters", oninput: () => { this.#show(); this.host.changed(); } });
  #changedOnly = button({ text: "Changed", title: "Only what differs from the files" }, () => { this.#changedOnly.classList.toggle("active"); this.#show(); this.host.changed(); });
  #save = button({ text: "Save …" }, () => this.#offer());
  #list = h("div.parameter-list");
  /** @type {Parameter[]} */
  #all = [];
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #problem = "";

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    fill(this.bar, this.#search, this.#changedOnly, space(), this.#save);
    fill(this.body, this.#list);
    this.accept(this.initial);
    this.#changedOnly.classList.toggle("active", this.initial.changed === true);
    this.keep(robot.on("journal", (entry) => { const change = changeOf(entry); if (change?.parameter) this.#changedOutside(change.parameter); }));
    this.keep(robot.on("welcome", () => this.#load()));
    this.keep(robot.on("processes", () => this.#load()));
    if (robot.state === "connected") this.#load();
  }

  /** @override */
  settings() {
    return { filter: this.#search.value || undefined, changed: this.#changedOnly.classList.contains("active") || undefined };
  }

  /** @override @param {any} settings */
  accept(settings) {
    if (typeof settings?.filter === "string") { this.#search.value = settings.filter; this.#changedOnly.classList.remove("active"); this.#show(); }
    return true;
  }

  async #load() {
    try {
      this.#all = list(await this.robot.request("parameters", {}, Infinity)).filter((one) => typeof one?.name === "string");
      this.#problem = "";
    } catch (error) {
      this.#problem = /** @type {Error} */ (error).message;
    }
    this.#rows.clear();
    this.#show();
  }

  /** @param {any} change */
  #changedOutside({ module, name, value }) {
    const found = this.#all.find((one) => one.module === module && one.name === name);
    if (!found) return;
    found.value = value;
    this.#rows.get(keyOf(found))?.update();
    this.#count();
  }

  #show() {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const changedOnly = this.#changedOnly.classList.contains("active");
    const fitting = this.#all.filter((one) => {
      const text = `${keyOf(one)} ${one.documentation ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!changedOnly || isChanged(one));
    });
    /** @type {Map<string, Parameter[]>} */
    const modules = new Map();
    for (const one of fitting) modules.set(one.module, [...(modules.get(one.module) ?? []), one]);
    const isShort = words.length > 0 || changedOnly || modules.size <= 3;
    fill(this.#list, ...[...modules].map(([module, parameters]) => this.#section(module, parameters, isShort)));
    const nothing = this.#problem || (this.#all.length === 0 ? "This robot has no parameters." : changedOnly ? "No parameter differs from the files." : "No parameter matches.");
    if (fitting.length === 0) fill(this.#list, h("div", { class: `empty ${this.#problem ? "bad" : ""}` }, nothing));
    this.#count();
  }

  /** @param {string} module @param {Parameter[]} parameters @param {boolean} isOpen */
  #section(module, parameters, isOpen) {
    const rows = h("div");
    const changed = parameters.filter(isChanged).length;
    const section = h("details", { open: isOpen, class: "module" }, h("summary", {}, h("b", {}, module), h("span.muted", {}, ` ${parameters[0].process ?? ""} ${parameters.length}`), changed ? h("span.warning", {}, ` ${changed} changed`) : null), rows);
    // Rows are created when they become visible, as robots have thousands of parameters.
    const make = () => { if (section.open && !rows.firstChild) fill(rows, ...parameters.map((one) => this.#row(one).element)); };
    section.ontoggle = make;
    make();
    return section;
  }

  /** @param {Parameter} parameter */
  #row(parameter) {
    const key = keyOf(parameter);
    const row = this.#rows.get(key) ?? new Row(this.robot, parameter, () => this.#count());
    this.#rows.set(key, row);
    row.update();
    return row;
  }

  #count() {
    const changed = this.#all.filter(isChanged).length;
    setText(this.#save, changed ? `Save ${changed} …` : "Save …");
    this.#save.disabled = !changed || !this.robot.mayChange;
    setText(this.#changedOnly, changed ? `Changed ${changed}` : "Changed");
  }

  #offer() {
    const changed = this.#all.filter(isChanged);
    menu(this.#save, [
      { text: "Differs from the files:", section: true },
      ...changed.slice(0, 25).map((one) => ({ text: `${keyOf(one)}: ${text(one.configured)} → ${text(one.value)}`, hint: one.origin ?? undefined, act: () => this.accept({ filter: keyOf(one) }) })),
      ...(changed.length > 25 ? [{ text: `and ${changed.length - 25} more`, section: true }] : []),
      { text: "Save all of them", section: true },
      { text: "into the robot's file", act: () => this.#write({}) },
      { text: "into an overlay …", act: async () => {
        const overlay = await prompt("Save into which overlay? It may be a new one.", "Save", "", "tuned");
        if (overlay) this.#write({ overlay });
      } },
      { text: "Undo all of them", act: async () => { for (const one of changed) await this.#rows.get(keyOf(one))?.set(one.configured) ?? await this.#row(one).set(one.configured); this.#show(); } },
    ]);
  }

  /** @param {any} values */
  async #write(values) {
    const answer = await this.host.attempt(this.robot.request("save", values));
    if (!answer) return;
    const saved = list(answer.saved);
    this.host.say(`${saved.length} parameters are saved in ${answer.file}.`, "good");
    if (!values.overlay) for (const one of this.#all) if (saved.includes(keyOf(one))) one.configured = one.value;
    this.#show();
  }
}

/** One parameter: its name, a control that fits its type, and its facts. */
class Row {
  #error = h("div.bad.error", { hidden: true });
  #revert;
  #origin = h("span.muted.origin");
  /** @type {{element: HTMLElement, show(value: any): void}} */
  #control;
  #sent = Promise.resolve();

  /** @param {import("./robot.js").Robot} robot @param {Parameter} parameter @param {() => void} changed */
  constructor(robot, parameter, changed) {
    this.robot = robot;
    this.parameter = parameter;
    this.changed = changed;
    this.#control = controlOf(parameter, !robot.mayChange || parameter.live === false, (value) => this.set(value));
    this.#revert = button({ icon: REVERT, class: "quiet revert" }, () => this.set(this.parameter.configured));
    const [first, ...rest] = String(parameter.documentation ?? "").split(/\n\s*\n/);
    this.element = h("div.parameter", {},
      h("div.what", {}, h("span.name", { title: `${keyOf(parameter)}: ${parameter.type}` }, parameter.name), h("span.muted.doc", { title: [first, ...rest].join("\n\n") }, first)),
      h("div.control", {}, this.#control.element, h("span.muted.unit", {}, parameter.unit ?? "")), h("div.facts-of", {}, this.#origin, this.#revert), this.#error);
    this.update();
  }

  /** Changes it; what the robot says against it stands below. @param {any} value */
  set(value) {
    // One after the other, so that the last one stays.
    this.#sent = this.#sent.then(async () => {
      try {
        await this.robot.change({ parameter: { module: this.parameter.module, name: this.parameter.name, value } });
        this.parameter.value = value;
        this.#say("");
      } catch (error) {
        this.#say(/** @type {Error} */ (error).message);
      }
      this.update();
      this.changed();
    });
    return this.#sent;
  }

  /** @param {string} problem */
  #say(problem) {
    this.#error.hidden = !problem;
    setText(this.#error, problem);
  }

  /** Shows its current value. */
  update() {
    const { parameter } = this;
    this.#control.show(parameter.value);
    const isOther = isChanged(parameter);
    this.element.classList.toggle("changed", isOther);
    this.#revert.hidden = !isOther || !this.robot.mayChange;
    this.#revert.title = `Back to ${text(parameter.configured)}`;
    const isDefault = JSON.stringify(parameter.configured) === JSON.stringify(parameter.default);
    const where = parameter.origin ?? "default";
    setText(this.#origin, parameter.live === false ? `${where}; needs a restart` : isOther ? `${text(parameter.configured)} in ${where}` : where);
    this.#origin.title = `default ${text(parameter.default)}${isDefault ? "" : `; ${text(parameter.configured)} in ${where}`}`;
  }
}

/**
 * A control that fits the type of a parameter.
 * @param {Parameter} parameter @param {boolean} disabled @param {(value: any) => void} set
 * @returns {{element: HTMLElement, show(value: any): void}}
 */
function controlOf(parameter, disabled, set) {
  const label = keyOf(parameter);
  if (parameter.type === "bool" || typeof parameter.value === "boolean") {
    const box = h("input", { type: "checkbox", disabled, "aria-label": label, onchange: () => set(box.checked) });
    return { element: box, show: (value) => { box.checked = value === true; } };
  }
  if (typeof parameter.value === "number") return numberControl(parameter, disabled, set);
  const isText = typeof parameter.value === "string";
  const field = h("input", { type: "text", disabled, "aria-label": label, spellcheck: "false", class: "wide" });
  const apply = () => {
    if (isText) return set(field.value);
    try { set(JSON.parse(field.value)); field.setCustomValidity(""); } catch (error) { field.setCustomValidity(/** @type {Error} */ (error).message); field.reportValidity(); }
  };
  field.onchange = apply;
  return { element: field, show: (value) => { if (document.activeElement !== field) field.value = isText ? String(value) : JSON.stringify(value ?? null); } };
}

/** @param {Parameter} parameter @param {boolean} disabled @param {(value: any) => void} set */
function numberControl(parameter, disabled, set) {
  const [minimum, maximum] = [number(parameter.minimum), number(parameter.maximum)];
  const isInteger = /^u?int/.test(parameter.type ?? "");
  const field = h("input", { type: "number", step: "any", disabled, "aria-label": keyOf(parameter) });
  field.onchange = () => { if (field.value !== "" && Number.isFinite(field.valueAsNumber)) set(field.valueAsNumber); };
  field.onkeydown = (event) => {
    const step = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (!step || !Number.isFinite(field.valueAsNumber)) return;
    event.preventDefault();
    const size = isInteger ? 1 : 10 ** Math.floor(Math.log10(Math.abs(field.valueAsNumber) || 1) - 1);
    const next = Number((field.valueAsNumber + step * size * (event.shiftKey ? 10 : 1)).toPrecision(12));
    field.value = String(next);
    set(next);
  };
  const show = (/** @type {any} */ value) => { if (document.activeElement !== field || Number(field.value) !== value) field.value = String(value ?? ""); };
  if (minimum === null || maximum === null || !(maximum > minimum)) return { element: field, show };
  const slider = h("input", { type: "range", min: String(minimum), max: String(maximum), step: isInteger ? "1" : "any", disabled, "aria-label": keyOf(parameter), title: `${minimum} to ${maximum}` });
  let due = 0, timer = 0;
  const slide = () => {
    const value = isInteger ? Math.round(slider.valueAsNumber) : Number(slider.valueAsNumber.toPrecision(4));
    field.value = String(value);
    clearTimeout(timer);
    const wait = due - performance.now();
    const send = () => { due = performance.now() + SLIDE_EVERY; set(value); };
    if (wait <= 0) send(); else timer = setTimeout(send, wait);
  };
  slider.oninput = slide;
  return { element: h("span.slide", {}, slider, field), show: (/** @type {any} */ value) => { if (!slider.matches(":active")) slider.value = String(value); show(value); } };
}

/** @param {Parameter} parameter */
const keyOf = ({ module, name }) => `${module}.${name}`;
/** @param {Parameter} parameter */
const isChanged = ({ value, configured }) => JSON.stringify(value) !== JSON.stringify(configured);
/** @param {any} value */
const text = (value) => { const all = JSON.stringify(value) ?? "–"; return all.length > 40 ? `${all.slice(0, 40)} …` : all; };

register(ParametersView);
