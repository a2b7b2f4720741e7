// Menus, questions and the palette, which are shown over the page.

import { button, fill, h } from "./dom.js";

/** @typedef {{text: string, hint?: string, act?: () => void, disabled?: boolean, section?: boolean}} Item */

/** Shows a menu under an element. @param {Element} anchor @param {Item[]} items */
export function menu(anchor, items) {
  document.querySelector(".menu")?.remove();
  const list = h("div.menu", { role: "menu" });
  const close = () => {
    list.remove();
    removeEventListener("pointerdown", outside, true);
    if (anchor instanceof HTMLElement) anchor.focus();
  };
  const outside = (/** @type {PointerEvent} */ event) => { if (!list.contains(/** @type {Node} */ (event.target))) close(); };
  fill(list, ...items.map((item) => item.section
    ? h("div.section", {}, item.text)
    : h("button", { type: "button", role: "menuitem", disabled: item.disabled, onclick: () => { close(); item.act?.(); } },
      h("span", {}, item.text), item.hint ? h("kbd", {}, item.hint) : null)));
  list.onkeydown = (event) => {
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button:not(:disabled)")]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.body.append(list);
  const place = anchor.getBoundingClientRect();
  const left = Math.max(4, Math.min(place.left, innerWidth - list.offsetWidth - 4));
  const below = place.bottom + 2;
  const top = below + list.offsetHeight > innerHeight ? Math.max(4, place.top - list.offsetHeight - 2) : below;
  Object.assign(list.style, { left: `${left}px`, top: `${top}px` });
  addEventListener("pointerdown", outside, true);
  /** @type {HTMLElement | null} */
  (list.querySelector("button:not(:disabled)"))?.focus({ preventScroll: true });
}

/** Asks for confirmation. Resolves to whether it was given.
 * @param {string} question @param {string} agree what the button says @param {"bad" | ""} [kind] */
export function confirm(question, agree, kind = "") {
  return new Promise((/** @type {(is: boolean) => void} */ resolve) => {
    const dialog = h("dialog.question", {},
      h("p", {}, question),
      h("div.actions", {},
        button({ text: "Cancel" }, () => dialog.close()),
        button({ text: agree, class: kind || "primary" }, () => dialog.close("yes"))));
    dialog.onclose = () => { dialog.remove(); resolve(dialog.returnValue === "yes"); };
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks for a text. Resolves to `null` if none was given.
 * @param {string} question @param {string} agree @param {string} [value] @param {string} [placeholder]
 * @returns {Promise<string | null>} */
export function prompt(question, agree, value = "", placeholder = "") {
  return new Promise((resolve) => {
    const field = h("input", { type: "text", value, placeholder, "aria-label": question });
    const form = h("form", { method: "dialog" },
      h("p", {}, question), field,
      h("div.actions", {}, button({ text: "Cancel" }, () => dialog.close()), h("button.primary", { value: "yes" }, agree)));
    const dialog = h("dialog.question", {}, form);
    form.onsubmit = (event) => { event.preventDefault(); dialog.close("yes"); };
    dialog.onclose = () => { dialog.remove(); resolve(dialog.returnValue === "yes" ? field.value : null); };
    document.body.append(dialog);
    dialog.showModal();
    field.select();
  });
}

/** @typedef {{text: string, kind: string, act(): void}} Choice */

/**
 * Lets a person choose one of many items by typing: all words must occur.
 * @param {Choice[]} first what is there at once @param {Promise<Choice[]>} later what takes longer
 * @param {string} placeholder
 */
export function palette(first, later, placeholder) {
  if (document.querySelector("dialog.palette")) return;
  const field = h("input", { type: "text", placeholder, "aria-label": placeholder, spellcheck: "false" });
  const list = h("div.list", { role: "listbox" });
  const dialog = h("dialog.palette", {}, field, list);
  dialog.onclose = () => dialog.remove();
  dialog.onpointerdown = (event) => { if (event.target === dialog) dialog.close(); };
  document.body.append(dialog);
  dialog.showModal();
  let all = first, isWhole = false, at = 0;
  /** @type {Choice[]} */
  let found = [];
  const act = (/** @type {number} */ index) => { dialog.close(); found[index]?.act(); };
  const mark = () => [...list.children].forEach((child, index) => {
    child.classList.toggle("active", index === at);
    if (index === at) child.scrollIntoView({ block: "nearest" });
  });
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = rank(all, words).slice(0, 60);
    at = Math.max(0, Math.min(at, found.length - 1));
    fill(list, ...found.map((choice, index) => h("div.choice", { role: "option", onclick: () => act(index) },
      h("span", {}, choice.text), h("span.muted", {}, choice.kind))),
      found.length && isWhole ? null : h("div.empty", {}, isWhole ? "No name matches." : "Loading more …"));
    mark();
  };
  later.catch(() => []).then((more) => {
    all = [...first, ...more];
    isWhole = true;
    show();
  });
  field.oninput = () => { at = 0; show(); };
  field.onkeydown = (event) => {
    if (event.key === "ArrowDown") at = Math.min(at + 1, found.length - 1);
    else if (event.key === "ArrowUp") at = Math.max(at - 1, 0);
    else if (event.key === "Enter") { event.preventDefault(); return act(at); }
    else return;
    event.preventDefault();
    mark();
  };
  show();
}

/** The items that contain all words; those that begin with the first word come first.
 * @template {{text: string}} T @param {T[]} all @param {string[]} words @returns {T[]} */
export function rank(all, words) {
  if (!words.length) return all;
  const scored = all.flatMap((choice) => {
    const text = choice.text.toLowerCase();
    if (!words.every((word) => text.includes(word))) return [];
    return [{ choice, score: text.startsWith(words[0]) ? 0 : 1 + text.indexOf(words[0]) / 100 + text.length / 1000 }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ choice }) => choice);
}
