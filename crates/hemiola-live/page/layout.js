// The layout on the screen: splits with bars to drag, stacks of views with tabs, on a phone
// one view with the tabs below.

import { CROSS, PLUS, button, fill, h, icon } from "./dom.js";
import { beside, insert, isSplit, remove, stacks, tabs, tidy } from "./layout-model.js";
import { menu } from "./menu.js";
import { views } from "./view.js";

/** @typedef {import("./layout-model.js").Arrangement} Arrangement */
/** @typedef {import("./layout-model.js").Stack} Stack */
/** @typedef {import("./layout-model.js").Tab} Tab */
/** @typedef {import("./layout-model.js").Side} Side */
/** @typedef {{element: HTMLElement, view: import("./view.js").View | null, title: string, label: HTMLElement | null}} Opened */
/** @typedef {{element: HTMLElement, tabs: HTMLElement, stage: HTMLElement}} Shown */

const NARROW = matchMedia("(max-width: 760px)");

export class Layout {
  /** @type {Arrangement} */
  root = { tabs: [], active: 0 };
  /** @type {Map<Tab, Opened>} */
  #opened = new Map();
  /** @type {Map<Stack, Shown>} */
  #shown = new Map();
  /** The stack that a phone shows: all tabs. @type {Stack} */
  #flat = { tabs: [], active: 0 };
  /** The last tab that was in front. @type {Tab | null} */
  #recent = null;

  /**
   * @param {import("./robot.js").Robot} robot @param {HTMLElement} element
   * @param {{changed(): void} & Pick<import("./view.js").Host, "say" | "attempt">} page
   */
  constructor(robot, element, page) {
    this.robot = robot;
    this.element = element;
    this.page = page;
    NARROW.addEventListener("change", () => this.#render());
    document.addEventListener("visibilitychange", () => this.#updateVisibility());
  }

  /** Shows another arrangement. @param {Arrangement} root */
  set(root) {
    for (const tab of [...this.#opened.keys()]) this.#end(tab);
    this.root = tidy(root);
    const [first] = stacks(this.root);
    this.#recent = first?.tabs[first.active] ?? null;
    this.#render();
  }

  /** The layout with the current settings of the views. */
  current() {
    for (const [tab, { view }] of this.#opened) if (view) tab.settings = view.settings();
    return this.root;
  }

  /** The tabs in their order. */
  get tabs() { return tabs(this.root); }

  /** Shows a view: one that takes the settings, or else a new one.
   * @param {string} id @param {any} [settings] */
  open(id, settings) {
    const Class = views.get(id);
    if (!Class) return;
    const candidates = this.tabs.filter((tab) => tab.view === id);
    if (this.#recent && candidates.includes(this.#recent)) candidates.unshift(this.#recent);
    for (const tab of candidates) {
      const opened = this.#open(tab);
      if (settings === undefined ? true : opened.view?.accept(settings)) return this.front(tab);
    }
    this.add(id, settings);
  }

  /** Opens a new view in a stack: by default where a view like it is, or in the last one.
   * @param {string} id @param {any} [settings] @param {Stack} [stack] */
  add(id, settings = {}, stack) {
    const tab = { view: id, settings };
    const all = stacks(this.root);
    stack ??= all.find((each) => each.tabs.some((other) => other.view === id)) ?? all.at(-1);
    this.root = stack ? insert(this.root, stack, tab) : { tabs: [tab], active: 0 };
    this.#recent = tab;
    this.#flat.active = this.tabs.indexOf(tab);
    this.#render();
    this.page.changed();
  }

  /** Brings a tab to the front. @param {Tab} tab */
  front(tab) {
    const stack = this.#stackOf(tab);
    if (!stack) return;
    stack.active = stack.tabs.indexOf(tab);
    this.#recent = tab;
    this.#flat.active = this.tabs.indexOf(tab);
    this.#renderStack(NARROW.matches ? this.#flat : stack);
    this.#updateVisibility();
    this.page.changed();
  }

  /** @param {Tab} tab */
  #stackOf(tab) {
    return stacks(this.root).find((stack) => stack.tabs.includes(tab));
  }

  /** @param {Tab} tab @returns {Opened} */
  #open(tab) {
    const known = this.#opened.get(tab);
    if (known) return known;
    const element = h("section");
    const Class = views.get(tab.view);
    /** @type {Opened} */
    const opened = { element, view: null, title: Class?.title ?? tab.view, label: null };
    this.#opened.set(tab, opened);
    if (!Class) {
      fill(element, h("p.empty", {}, `This page has no view “${tab.view}”.`));
      return opened;
    }
    try {
      opened.view = new Class(this.robot, element, tab.settings, {
        open: (id, settings) => this.open(id, settings),
        changed: () => this.page.changed(),
        say: (text, kind) => this.page.say(text, kind),
        attempt: (answer) => this.page.attempt(answer),
        title: (title) => { opened.title = title; if (opened.label) opened.label.textContent = title; },
      });
    } catch (error) {
      console.error(error);
      fill(element, h("p.empty.bad", {}, `${Class.title} cannot be shown: ${/** @type {Error} */ (error).message}`));
    }
    return opened;
  }

  /** @param {Tab} tab */
  #end(tab) {
    const opened = this.#opened.get(tab);
    this.#opened.delete(tab);
    opened?.view?.close();
    opened?.element.remove();
  }

  /** @param {Tab} tab */
  #close(tab) {
    this.#end(tab);
    this.root = remove(this.root, tab);
    this.#render();
    this.page.changed();
  }

  #render() {
    this.#shown.clear();
    this.element.classList.toggle("narrow", NARROW.matches);
    if (NARROW.matches) {
      const all = this.tabs;
      const recent = this.#recent ? all.indexOf(this.#recent) : -1;
      this.#flat = { tabs: all, active: recent >= 0 ? recent : Math.min(this.#flat.active, Math.max(0, all.length - 1)) };
    }
    this.element.replaceChildren(this.#node(NARROW.matches ? this.#flat : this.root));
    this.#updateVisibility();
  }

  /** @param {Arrangement} node @returns {HTMLElement} */
  #node(node) {
    if (!isSplit(node)) return this.#stack(node);
    const element = h("div", { class: `split ${node.split}` });
    node.children.forEach((child, index) => {
      const pane = h("div.pane", {}, this.#node(child));
      pane.style.flexGrow = String(node.sizes[index]);
      if (index > 0) element.append(this.#splitter(node, index, element));
      element.append(pane);
    });
    return element;
  }

  /** @param {import("./layout-model.js").Split} split @param {number} index @param {HTMLElement} parent */
  #splitter(split, index, parent) {
    const isRow = split.split === "row";
    const bar = h("div.splitter", { role: "separator", tabindex: "0", "aria-orientation": isRow ? "vertical" : "horizontal", title: "Drag to resize; double-click to make both equal" });
    const resize = (/** @type {number} */ before, /** @type {number} */ after) => {
      const panes = /** @type {HTMLElement[]} */ ([...parent.children].filter((child) => child.classList.contains("pane")));
      split.sizes[index - 1] = before;
      split.sizes[index] = after;
      panes[index - 1].style.flexGrow = String(before);
      panes[index].style.flexGrow = String(after);
    };
    const move = (/** @type {number} */ share) => {
      const sum = split.sizes[index - 1] + split.sizes[index];
      const part = Math.min(0.95, Math.max(0.05, share)) * sum;
      resize(part, sum - part);
    };
    bar.onpointerdown = (event) => {
      bar.setPointerCapture(event.pointerId);
      const [before, after] = [/** @type {HTMLElement} */ (bar.previousElementSibling), /** @type {HTMLElement} */ (bar.nextElementSibling)].map((pane) => pane.getBoundingClientRect());
      const [from, to] = isRow ? [before.left, after.right] : [before.top, after.bottom];
      const drag = (/** @type {PointerEvent} */ moved) => move(((isRow ? moved.clientX : moved.clientY) - from) / (to - from));
      bar.onpointermove = drag;
      bar.onlostpointercapture = () => { bar.onpointermove = null; this.page.changed(); };
      event.preventDefault();
    };
    bar.ondblclick = () => { move(0.5); this.page.changed(); };
    bar.onkeydown = (event) => {
      const step = { ArrowLeft: -0.02, ArrowUp: -0.02, ArrowRight: 0.02, ArrowDown: 0.02 }[event.key];
      if (!step) return;
      move(split.sizes[index - 1] / (split.sizes[index - 1] + split.sizes[index]) + step);
      event.preventDefault();
      this.page.changed();
    };
    return bar;
  }

  /** @param {Stack} stack */
  #stack(stack) {
    const list = h("div.tabs", { role: "tablist" });
    const stage = h("div.stage");
    const element = h("div.stack", {}, list, stage);
    this.#shown.set(stack, { element, tabs: list, stage });
    list.onkeydown = (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step) {
        this.front(stack.tabs[(stack.active + step + stack.tabs.length) % stack.tabs.length]);
        /** @type {HTMLElement | null} */
        (list.querySelector(".tab.active"))?.focus();
      } else if (event.key === "Delete" && stack.tabs.length) this.#close(stack.tabs[stack.active]);
      else return;
      event.preventDefault();
    };
    this.#renderStack(stack);
    return element;
  }

  /** @param {Stack} stack */
  #renderStack(stack) {
    const shown = this.#shown.get(stack);
    if (!shown) return;
    const tab = stack.tabs[stack.active], element = tab && this.#open(tab).element;
    fill(shown.tabs, ...stack.tabs.map((tab, index) => this.#tab(stack, tab, index === stack.active)),
      button({ icon: PLUS, title: "Open a view here", class: "add" }, (event) => this.#offer(/** @type {Element} */ (event.currentTarget), stack)));
    shown.tabs.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!tab) return fill(shown.stage, this.#offers());
    if (shown.stage.firstChild !== element) shown.stage.replaceChildren(element);
  }

  /** @param {Stack} stack @param {Tab} tab @param {boolean} isActive */
  #tab(stack, tab, isActive) {
    const opened = this.#opened.get(tab);
    const title = opened?.title ?? views.get(tab.view)?.title ?? tab.view;
    const label = h("span", {}, title);
    if (opened) opened.label = label;
    const element = h("div", {
      class: `tab${isActive ? " active" : ""}`, role: "tab", tabindex: isActive ? "0" : "-1", "aria-selected": String(isActive), title,
      onauxclick: (/** @type {MouseEvent} */ event) => { if (event.button === 1) this.#close(tab); },
    }, icon(views.get(tab.view)?.icon ?? ""), label, button({ icon: CROSS, title: `Close ${title}`, class: "close" }, (event) => { event.stopPropagation(); this.#close(tab); }));
    element.onpointerdown = (event) => {
      if (event.button !== 0 || /** @type {Element} */ (event.target).closest(".close")) return;
      if (NARROW.matches) return;
      this.#drag(event, tab, element);
    };
    element.onclick = () => { if (stack.tabs[stack.active] !== tab || NARROW.matches) this.front(tab); };
    return element;
  }

  /** Moves a tab with the pointer: into another stack, or beside one.
   * @param {PointerEvent} begin @param {Tab} tab @param {HTMLElement} element */
  #drag(begin, tab, element) {
    const marker = h("div.drop");
    /** @type {{stack: Stack, side: Side | null, index: number} | null} */
    let target = null;
    let isDragging = false;
    const move = (/** @type {PointerEvent} */ event) => {
      if (!isDragging && Math.hypot(event.clientX - begin.clientX, event.clientY - begin.clientY) < 8) return;
      if (!isDragging) document.body.append(marker);
      isDragging = true;
      document.body.classList.add("dragging");
      target = this.#targetAt(event.clientX, event.clientY, marker);
    };
    const end = (/** @type {Event} */ event) => {
      removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel", "keydown"]) removeEventListener(name, end);
      marker.remove();
      document.body.classList.remove("dragging");
      if (!isDragging || !target || event.type !== "pointerup") return;
      const { stack, side, index } = target;
      this.root = side ? beside(this.root, stack, tab, side) : insert(this.root, stack, tab, index);
      this.#recent = tab;
      this.#render();
      this.page.changed();
    };
    addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel", "keydown"]) addEventListener(name, end);
    element.focus({ preventScroll: true });
  }

  /** The place that a tab dropped here would get; the marker shows it.
   * @param {number} x @param {number} y @param {HTMLElement} marker */
  #targetAt(x, y, marker) {
    for (const [stack, { element, tabs: list }] of this.#shown) {
      const box = element.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const head = list.getBoundingClientRect();
      const place = (/** @type {DOMRect | {left: number, top: number, width: number, height: number}} */ { left, top, width, height }) => Object.assign(marker.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      if (y < head.bottom) {
        const boxes = [...list.querySelectorAll(".tab")].map((each) => each.getBoundingClientRect());
        let index = boxes.findIndex((each) => x < each.left + each.width / 2);
        if (index < 0) index = boxes.length;
        const left = boxes[index]?.left ?? boxes.at(-1)?.right ?? head.left;
        place({ left: left - 1, top: head.top, width: 3, height: head.height });
        return { stack, side: null, index };
      }
      const [across, down] = [(x - box.left) / box.width, (y - head.bottom) / (box.bottom - head.bottom)];
      const nearest = Math.min(across, 1 - across, down, 1 - down);
      /** @type {Side | null} */
      const side = nearest > 0.25 ? null : nearest === across ? "left" : nearest === 1 - across ? "right" : nearest === down ? "top" : "bottom";
      const [width, height, top] = [box.width, box.bottom - head.bottom, head.bottom];
      if (side === "left" || side === "right") place({ left: box.left + (side === "right" ? width / 2 : 0), top, width: width / 2, height });
      else if (side) place({ left: box.left, top: top + (side === "bottom" ? height / 2 : 0), width, height: height / 2 });
      else place({ left: box.left, top, width, height });
      return { stack, side, index: stack.tabs.length };
    }
    return null;
  }

  /** @param {Element} anchor @param {Stack} stack */
  #offer(anchor, stack) {
    const target = NARROW.matches ? stacks(this.root).at(-1) : stack;
    menu(anchor, this.#usable().map((Class) => ({ text: Class.title, act: () => this.add(Class.id, {}, target) })));
  }

  #offers() {
    return h("div.offers", {}, h("p.muted", {}, "Open a view:"),
      ...this.#usable().map((Class) => button({ text: Class.title, icon: Class.icon }, () => this.add(Class.id))));
  }

  #usable() {
    return [...views.values()].filter((Class) => !(Class.steers && this.robot.isLog));
  }

  #updateVisibility() {
    const inFront = new Set([...this.#shown.keys()].map((stack) => stack.tabs[stack.active]));
    for (const [tab, { view }] of this.#opened) if (view) view.visible = inFront.has(tab) && document.visibilityState === "visible";
  }
}
