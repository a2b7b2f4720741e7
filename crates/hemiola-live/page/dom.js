// Elements without innerHTML: data of a robot only ever becomes text.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element: `div`, or `div.bar.wide` with classes. `properties` may have `class`, `style` (an
 * object, set through CSSOM, as the content security policy wants), `data` (data attributes) and
 * listeners (`onclick`); the rest are attributes, left out if `null`, `undefined` or `false`.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T | `${T}.${string}`} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = /** @type {HTMLElementTagNameMap[T]} */ (document.createElement(name));
  element.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value" || typeof value === "function") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Replaces everything in an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Sets the text of an element if it differs, because setting it causes a new layout.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A picture of 16 by 16 from an SVG path, stroked in the colour of the text.
 * @param {string} path */
export function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS(space, "path");
  stroke.setAttribute("d", path);
  svg.append(stroke);
  return svg;
}

/** Pictures that several views use. */
export const CROSS = "M4 4l8 8M12 4l-8 8";
export const PLUS = "M8 3v10M3 8h10";
export const PAUSE = "M5 3v10M11 3v10";

/** A spacer that takes the remaining room in a bar. */
export const space = () => h("span.space");

/** A button with a text, an icon or both; `title` explains it.
 * @param {{text?: string, icon?: string, title?: string, class?: string, disabled?: boolean}} look
 * @param {(event: MouseEvent) => void} pressed */
export function button(look, pressed) {
  return h("button", {
    type: "button", class: look.class, title: look.title, disabled: look.disabled,
    "aria-label": look.text ? null : look.title, onclick: pressed,
  }, look.icon ? icon(look.icon) : null, look.text);
}

/** Saves something as a file on the viewer's computer.
 * @param {string} name @param {Blob} content */
export function download(name, content) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
