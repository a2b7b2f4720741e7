// A value as a tree of rows: changes are highlighted, large parts are truncated.

import { button, fill, h } from "./dom.js";
import { isOption } from "./cdr.js";
import { plain } from "./format.js";

/**
 * @typedef {import("./cdr.js").Field} Field
 * @typedef {{key: string, path: string, name: string, depth: number, text: string, kind: string, hasMore: boolean, isNumeric: boolean, typeName: string}} Row
 *   `path` is that of a plot; `key` names the row among all.
 */

const ITEMS = 50;
const PREVIEW = 60;
const PLOT = "M2 13h12M3 10l3-4 3 2 4-5";

/** The visible rows of a value.
 * @param {import("./cdr.js").Struct} type @param {any} value @param {(key: string) => boolean} isOpen
 * @param {(key: string) => number} shown how many items of a list
 * @returns {Row[]} */
function rowsOf(type, value, isOpen, shown = () => ITEMS) {
  /** @type {Row[]} */
  const rows = [];
  const structure = (/** @type {import("./cdr.js").Struct} */ of, /** @type {any} */ from, /** @type {string} */ path, /** @type {string} */ key, /** @type {number} */ depth) => {
    for (const field of of.fields) {
      // An enumeration with data is named by its own path; `kind` is its form on the wire.
      const isKind = field.name === "kind" && field.constants !== null && of.fields.length > 1;
      one(field, from?.[field.name], isKind ? path : path ? `${path}.${field.name}` : field.name, `${key}.${field.name}`, field.name, depth);
    }
  };
  const one = (/** @type {Field} */ field, /** @type {any} */ from, /** @type {string} */ path, /** @type {string} */ key, /** @type {string} */ name, /** @type {number} */ depth, isItem = false) => {
    const isList = field.array !== null && !isOption(field) && !isItem;
    const isStruct = field.type.kind === "struct";
    const isAbsent = from === null || from === undefined;
    const hasMore = !isAbsent && (isList ? from.length > 0 : isStruct && !timeText(field, from));
    const isNumeric = !isList && !isStruct && field.type.name !== "string";
    rows.push({ key, path, name, depth, text: isAbsent ? "none" : preview(field, from, isList), kind: kindOf(field, isList, isAbsent), hasMore, isNumeric, typeName: typeText(field, isItem) });
    if (!hasMore || !isOpen(key)) return;
    if (isList) {
      const most = shown(key);
      for (let index = 0; index < Math.min(from.length, most); index++) one(field, from[index], `${path}[${index}]`, `${key}[${index}]`, `[${index}]`, depth + 1, true);
      if (from.length > most) rows.push({ key: `${key}+`, path: "", name: "", depth: depth + 1, text: `… ${from.length - most} more`, kind: "more", hasMore: false, isNumeric: false, typeName: "" });
    } else structure(/** @type {import("./cdr.js").Struct} */ (field.type), from, path, key, depth + 1);
  };
  structure(type, value, "", "", 0);
  return rows;
}

/** @param {Field} field @param {any} value @param {boolean} isList @returns {string} */
function preview(field, value, isList) {
  if (isList) {
    let text = "";
    for (let index = 0; index < value.length && text.length < PREVIEW; index++) text += (index ? ", " : "") + preview(field, value[index], false);
    const length = /** @type {any} */ (field.array).fixed === undefined ? `${value.length}: ` : "";
    return `[${length}${text.length >= PREVIEW ? `${text.slice(0, PREVIEW)} …` : text}]`;
  }
  if (value === null || value === undefined) return "none";
  if (field.constants?.has(value)) return /** @type {string} */ (field.constants.get(value));
  if (field.type.kind === "struct") {
    const time = timeText(field, value);
    if (time) return time;
    let text = "";
    for (const part of field.type.fields) {
      if (text.length > PREVIEW) break;
      text += `${text ? ", " : ""}${part.name}: ${preview(part, value[part.name], part.array !== null && !isOption(part))}`;
    }
    return `{${text.length > PREVIEW ? `${text.slice(0, PREVIEW)} …` : text}}`;
  }
  if (field.type.name === "bool") return value ? "true" : "false";
  return typeof value === "string" ? JSON.stringify(value) : plain(value);
}

/** A time or duration of ROS in seconds, or nothing. @param {Field} field @param {any} value */
function timeText(field, value) {
  if (field.type.kind !== "struct" || !/(^|\/)(Time|Duration)$/.test(field.type.name)) return "";
  return typeof value?.sec === "number" && typeof value?.nanosec === "number" ? `${value.sec}.${String(value.nanosec).padStart(9, "0")} s` : "";
}

/** @param {Field} field @param {boolean} isList @param {boolean} isAbsent */
function kindOf(field, isList, isAbsent) {
  if (isAbsent) return "absent";
  if (isList || field.type.kind === "struct") return "nested";
  if (field.constants) return "constant";
  return { bool: "bool", string: "text" }[field.type.name] ?? "numeric";
}

/** @param {Field} field @param {boolean} isItem */
function typeText(field, isItem) {
  const name = field.type.name.split("/").at(-1) ?? "";
  if (!field.array || isItem) return name;
  if (isOption(field)) return `${name}?`;
  return `${name}[${"fixed" in field.array ? field.array.fixed : Number.isFinite(field.array.most) ? `<=${field.array.most}` : ""}]`;
}

/** The tree on the screen. */
export class ValueTree {
  element = h("div.tree", { role: "tree" });
  /** @type {Map<string, {line: HTMLElement, text: HTMLElement}>} */
  #lines = new Map();
  /** @type {Map<string, number>} */
  #shown = new Map();
  /** @type {[import("./cdr.js").Struct, any] | null} */
  #last = null;
  #layout = "";

  /** @param {Set<string>} open keys of rows @param {{plot?: (path: string) => void, changed?: () => void}} acts */
  constructor(open, acts) {
    this.open = open;
    this.acts = acts;
    this.element.onkeydown = (event) => this.#key(event);
  }

  /** Shows a value. @param {import("./cdr.js").Struct} type @param {any} value */
  show(type, value) {
    this.#last = [type, value];
    const rows = rowsOf(type, value, (key) => this.open.has(key), (key) => this.#shown.get(key) ?? ITEMS);
    const layout = rows.map((row) => `${row.key}${row.hasMore ? "+" : ""}`).join("\n");
    if (layout !== this.#layout) this.#build(rows, layout);
    for (const row of rows) {
      const line = this.#lines.get(row.key);
      if (!line || line.text.textContent === row.text) continue;
      line.text.textContent = row.text;
      line.text.className = `value ${row.kind}`;
      line.text.title = row.text.length > 40 ? row.text : "";
      light(line.text);
    }
  }

  /** @param {Row[]} rows @param {string} layout */
  #build(rows, layout) {
    this.#layout = layout;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.key;
    const before = this.#lines;
    this.#lines = new Map();
    fill(this.element, ...rows.map((row) => {
      const text = before.get(row.key)?.text ?? h("span", { class: `value ${row.kind}` }, row.text);
      const isOpen = this.open.has(row.key);
      const line = h("div", {
        class: `row ${row.hasMore || row.kind === "more" ? "click" : ""}`, role: "treeitem", tabindex: "-1", data: { key: row.key },
        "aria-expanded": row.hasMore ? String(isOpen) : null, "aria-level": row.depth + 1,
        onclick: () => (row.kind === "more" ? this.#more(row.key.slice(0, -1)) : row.hasMore && this.#toggle(row.key)),
      }, h("span.caret", {}, row.hasMore ? (isOpen ? "▾" : "▸") : ""), h("span.name", {}, row.name), text, h("span.type", {}, row.typeName),
      row.isNumeric && this.acts.plot ? button({ icon: PLOT, title: "Plot it", class: "quiet plot" }, (event) => { event.stopPropagation(); this.acts.plot?.(row.path); }) : null);
      line.style.paddingLeft = `${row.depth * 14 + 2}px`;
      this.#lines.set(row.key, { line, text });
      return line;
    }));
    const again = (focused !== undefined && this.#lines.get(focused)?.line) || this.element.firstElementChild;
    again?.setAttribute("tabindex", "0");
    if (focused !== undefined && again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  /** @param {string} key */
  #toggle(key) {
    if (!this.open.delete(key)) this.open.add(key);
    if (this.#last) this.show(...this.#last);
    this.acts.changed?.();
  }

  /** @param {string} key */
  #more(key) {
    this.#shown.set(key, (this.#shown.get(key) ?? ITEMS) + 200);
    if (this.#last) this.show(...this.#last);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const line = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest(".row"));
    if (!line) return;
    const step = event.key === "ArrowDown" ? line.nextElementSibling : event.key === "ArrowUp" ? line.previousElementSibling : null;
    const isOpen = line.getAttribute("aria-expanded");
    if (step instanceof HTMLElement) step.focus();
    else if ((event.key === "ArrowRight" && isOpen === "false") || (event.key === "ArrowLeft" && isOpen === "true") || event.key === "Enter") line.click();
    else if (event.key === "p") /** @type {HTMLElement | null} */ (line.querySelector(".plot"))?.click();
    else return;
    event.preventDefault();
  }
}

/** Lights what has changed, for a moment. @param {HTMLElement} element */
function light(element) {
  element.getAnimations().forEach((animation) => animation.cancel());
  element.animate([{ backgroundColor: "var(--accent-soft)" }, { backgroundColor: "transparent" }], { duration: 900 });
}

