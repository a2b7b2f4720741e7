// The page: its head, its layout of views, and the keys that work everywhere.

import { PAUSE, button, fill, h, setText, space } from "./dom.js";
import { clock, count, digits, duration } from "./format.js";
import { Layout } from "./layout.js";
import { fromAddress, read, toAddress } from "./layout-model.js";
import { confirm, menu, palette, prompt } from "./menu.js";
import { Robot } from "./robot.js";
import { cyclesOf, list, processKind, processText } from "./statistics.js";
import { timeLink } from "./time-link.js";
import { TransportBar } from "./transport.js";
import { views } from "./view.js";

const VIEWS = ["overview", "timeline", "graph", "values", "plots", "images", "field", "scene", "parameters", "log"];
const SAVED = "hemiola.layout";
const KEYS = [
  ["Ctrl K", "find a view, value, parameter or module"], ["Alt 1 … 9", "bring a view to the front"], ["Space", "pause and resume time in all plots and the timeline; play a log or replay"], ["← →", "in a log: a second back or forward, ten with Shift; no way back in a replay"],
  ["n e", "in a replay: to the next run, the next event"],
  ["← → Delete", "on a tab: previous, next, close"], ["← → ↑ ↓", "on a bar between views: resize"], ["?", "these keys"],
];

class Page {
  robot = new Robot();
  layout = new Layout(this.robot, /** @type {HTMLElement} */ (document.querySelector("#layout")), {
    changed: () => this.#changed(), say: (text, kind) => this.say(text, kind), attempt: (answer) => this.attempt(answer),
  });
  #state = h("span.state");
  #name = h("b", {}, "…");
  #processes = h("div.cycles");
  #cycles = h("div.cycles");
  #notices = h("div.notices");
  #clock = h("span.clock", { title: "The robot's clock" });
  #pause = button({ icon: PAUSE, title: "Pause time in all plots and the timeline (Space)" }, () => this.togglePause());
  #transport = new TransportBar(this.robot, (text, kind) => this.say(text, kind));
  #timer = 0;
  /** The fragment of the address when it was last read or written. */
  #hash = "";

  constructor() {
    const top = /** @type {HTMLElement} */ (document.querySelector("#top"));
    fill(top, this.#state, this.#name, this.#processes, this.#cycles, space(), this.#notices, this.#clock, this.#pause,
      button({ icon: "M7 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8M10 10l4 4", title: "Find anything (Ctrl K)", class: "find" }, () => this.find()),
      button({ icon: "M2 3h12v10h-12zM7 3v10M7 8h7", title: "Layouts", class: "layouts" }, (event) => this.#layouts(/** @type {Element} */ (event.currentTarget))));
    document.querySelector("#layout")?.after(this.#transport.element);
    this.robot.on("state", () => this.#connection());
    this.robot.on("welcome", () => this.#connection());
    this.robot.on("processes", () => fill(this.#processes, ...this.robot.processes.map((one) => h("button", { type: "button", title: `Process ${processText(one)}`, onclick: () => this.layout.open("overview") }, h("i", { class: `dot ${processKind(one)}` }), one.name))));
    this.robot.watch("statistics", 1e9, () => this.#figures());
    timeLink.on(() => this.#pause.classList.toggle("active", timeLink.isPaused));
    setInterval(() => { if (this.robot.state === "connected" && document.visibilityState === "visible") setText(this.#clock, clock(this.robot.time()).replace(/\d\d$/, "")); }, 100);
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("hashchange", () => this.#fromAddress());
    this.#connection();
  }

  /** Loads the views, waits until it is known whether a robot or a log is shown, then applies the layout in the address, the last one, the one that is saved as `default`, or the usual one for this screen. */
  async start() {
    await Promise.all(VIEWS.map((name) => import(`./${name}.js`).catch((error) => console.warn(`${name}: ${error.message}`))));
    const address = new URL(location.href);
    if (address.searchParams.has("token")) {
      address.searchParams.delete("token");
      history.replaceState(null, "", address);
    }
    if (!this.robot.welcome) await new Promise((resolve) => { this.robot.on("welcome", resolve); setTimeout(resolve, 500); });
    if (!this.#fromAddress()) this.layout.set(this.#read(this.#stored()) ?? await this.#team() ?? this.#usual());
  }

  /** Shows a message for some seconds. @param {string} text @param {"good" | "bad"} [kind] */
  say(text, kind) {
    const message = h("div", { class: `toast ${kind ?? ""}` }, text);
    message.onclick = () => message.remove();
    document.querySelector("#messages")?.append(message);
    setTimeout(() => message.remove(), kind === "bad" ? 12_000 : 4000);
  }

  /** Resolves to what the robot answers; if it refuses, says its words and resolves to nothing. @param {Promise<any>} answer */
  attempt(answer) { return answer.catch((error) => this.say(error.message, "bad")); }

  togglePause() {
    timeLink.set({ end: timeLink.isPaused ? null : this.robot.time() / 1e9 });
  }

  /** Opens the palette, in which everything that has a name can be found. */
  find() {
    const { description } = this.robot;
    const view = (/** @type {string} */ id, /** @type {any} */ settings) => () => this.layout.open(id, settings);
    const parameters = this.robot.request("parameters").then((all) => list(all).map(({ module, name }) => ({ text: `${module}.${name}`, kind: "parameter", act: view("parameters", { filter: `${module}.${name}` }) })), () => []);
    palette([
      ...[...views.values()].filter(({ id }) => this.#has(id)).map((Class) => ({ text: Class.title, kind: "view", act: view(Class.id, undefined) })),
      ...list(description.representations).map(({ name, provider }) => ({ text: String(name), kind: provider ? `value, by ${provider}` : "value", act: view("values", { open: name }) })),
      ...list(description.topics).map(({ name }) => ({ text: String(name), kind: "topic", act: view("values", { open: name, topic: true }) })),
      ...list(description.modules).map(({ name, cycle }) => ({ text: String(name), kind: cycle ? `module in ${cycle}` : "module", act: view("graph", { select: name }) })),
    ], parameters, "Find a view, value, topic, parameter or module");
  }

  #connection() {
    const { state, welcome, reason } = this.robot;
    const texts = { connecting: "connecting …", connected: "", lost: "connection lost; reconnecting …", ended: `ended${reason ? `: ${reason}` : ""}; waiting for it to start again …` };
    this.#state.className = `state ${state}`;
    this.#state.title = texts[state] || "connected";
    document.title = welcome ? `${welcome.name} – Hemiola` : "Hemiola";
    setText(this.#name, welcome?.name ?? "Hemiola");
    this.#name.title = welcome ? `process ${welcome.process}, program ${welcome.program}, ${welcome.pace}` : "";
    document.body.classList.toggle("offline", state !== "connected");
    this.#pause.hidden = this.robot.isLog;
    document.body.classList.toggle("read-only", state === "connected" && !this.robot.mayChange);
    this.#notice("connection", texts[state], "bad");
    const readOnly = state === "connected" && !this.robot.mayChange && !this.robot.isLog;
    this.#notice("read-only", readOnly ? "read-only" : "", "", "This address is read-only. Open the one with the token that the robot printed at its start.");
    const pace = this.robot.isPlayed && !this.robot.isLog ? "replay" : welcome?.pace;
    this.#notice("pace", state === "connected" && pace && pace !== "real time" ? String(pace) : "", "", "Pace of the robot's clock");
  }

  #figures() {
    const event = this.robot.statistics;
    const cycles = cyclesOf(event, this.robot.description);
    fill(this.#cycles, ...cycles.map((cycle) => {
      const kind = cycle.missed ? "bad" : cycle.dropped || cycle.skipped ? "warning" : "good";
      const title = `${cycle.name}: ${digits(cycle.rate)} Hz, response p99 ${duration(cycle.response.p99)} of ${duration(cycle.deadline)}, ${count(cycle.missed)} deadlines missed`;
      return h("button", { type: "button", class: "cycle", title, onclick: () => this.layout.open("overview") },
        h("i", { class: `dot ${kind}` }), h("span", {}, cycle.name, h("span.muted", {}, ` ${digits(cycle.rate)} Hz`)));
    }));
    const safe = event?.safe_state;
    this.#notice("safe", safe ? "safe state" : "", "bad", safe ? `since ${clock(safe.since)}: ${safe.cause}` : "");
    this.#notice("recording", event?.recording ? "● recording" : "", "bad", event?.recording?.file ?? "");
  }

  /** Shows or removes a notice in the head.
   * @param {string} name @param {string} text @param {string} kind @param {string} [title] */
  #notice(name, text, kind, title = "") {
    const before = /** @type {HTMLElement | null} */ (this.#notices.querySelector(`[data-name="${name}"]`));
    if (!text) return before?.remove();
    const notice = before ?? this.#notices.appendChild(h("span", { data: { name } }));
    notice.className = `chip ${kind}`;
    notice.title = title || text;
    setText(notice, text);
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // The address has been edited; the event for this is still to come.
      if (location.hash !== this.#hash) return;
      const text = toAddress(this.layout.current());
      history.replaceState(null, "", `#l=${text}`);
      this.#hash = location.hash;
      try { localStorage.setItem(this.#saved, text); } catch { /* A browser that keeps nothing. */ }
    }, 300);
  }

  #fromAddress() {
    this.#hash = location.hash;
    const text = new URLSearchParams(this.#hash.slice(1)).get("l");
    const layout = text ? this.#read(text) : null;
    if (layout) this.layout.set(layout);
    return layout !== null;
  }

  /** Whether there is such a view of what is shown. @param {string} view */
  #has(view) { return views.has(view) && !(views.get(view)?.steers && this.robot.isLog); }

  /** Each robot has a layout of its own; logs have another one. */
  get #saved() { return `${SAVED}.${this.robot.isLog ? "log" : `robot.${this.robot.welcome?.robot ?? ""}`}`; }

  /** The layout with which everybody begins who has none, if the team has saved one. */
  async #team() {
    if (!this.robot.welcome || this.robot.isLog) return null;
    const saved = saves(await this.robot.request("layouts").catch(() => [])).find(({ name }) => name === "default");
    return saved ? read(saved.layout, (view) => this.#has(view)) : null;
  }

  #stored() {
    try { return localStorage.getItem(this.#saved); } catch { return null; }
  }

  /** @param {string | null} text */
  #read(text) {
    return text ? read(fromAddress(text), (view) => this.#has(view)) : null;
  }

  /** The default layout for a screen of this size. @returns {import("./layout-model.js").Arrangement} */
  #usual() {
    const stack = (/** @type {string[]} */ ...names) => ({ tabs: names.filter((name) => this.#has(name)).map((view) => ({ view, settings: {} })), active: 0 });
    if (innerWidth < 760) return stack(...VIEWS);
    if (this.robot.isLog) return { split: "row", sizes: [7, 5], children: [{ split: "column", sizes: [1, 1], children: [stack("plots"), stack("images", "field", "scene", "log")] }, stack("values")] };
    if (innerWidth < 1200) return { split: "row", sizes: [1, 1], children: [stack("overview", "log", "parameters"), stack("values", "plots", "timeline", "graph", "images", "field", "scene")] };
    return {
      split: "row", sizes: [5, 7],
      children: [
        { split: "column", sizes: [7, 3], children: [stack("overview", "parameters"), stack("log")] },
        { split: "column", sizes: [1, 1], children: [stack("timeline", "graph"), stack("plots", "values", "field", "scene", "images")] },
      ],
    };
  }

  /** @param {Element} anchor */
  async #layouts(anchor) {
    const saved = saves(await this.robot.request("layouts").catch(() => []));
    const may = this.robot.mayChange;
    menu(anchor, [
      ...saved.map(({ name, layout }) => ({ text: name, act: () => { const good = read(layout, (view) => this.#has(view)); if (good) { this.layout.set(good); this.#changed(); } } })),
      { text: "Default layout", act: () => { this.layout.set(this.#usual()); this.#changed(); } },
      { text: "This layout", section: true },
      { text: "Save as …", disabled: !may, act: () => this.#save() },
      { text: "Copy link", act: () => this.#copy() },
      ...saved.map(({ name }) => ({ text: `Delete “${name}”`, disabled: !may, act: async () => {
        if (await confirm(`Delete the layout “${name}” for everybody?`, "Delete", "bad")) this.#do("layouts", { remove: name }, `Deleted ${name}.`);
      } })),
      { text: "Help", section: true },
      { text: "Keys", hint: "?", act: () => this.#help() },
    ]);
  }

  async #save() {
    const name = await prompt("Name of the layout, which is saved with the robot:", "Save", "", "walking");
    if (name) this.#do("layouts", { save: { name, layout: this.layout.current() } }, `Saved ${name}.`);
  }

  async #copy() {
    const address = `${location.origin}${location.pathname}#l=${toAddress(this.layout.current())}`;
    await navigator.clipboard?.writeText(address).then(() => this.say("The link is copied."), () => this.say("The browser refuses to copy; copy the address above.", "bad"));
  }

  /** @param {string} verb @param {any} values @param {string} done */
  async #do(verb, values, done) {
    if (await this.attempt(this.robot.request(verb, values))) this.say(done, "good");
  }

  #help() {
    const dialog = h("dialog.question", {}, h("p", {}, h("b", {}, "Keys")),
      h("table.grid.keys", {}, ...KEYS.map(([keys, what]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, what)))),
      h("div.actions", {}, button({ text: "Close", class: "primary" }, () => dialog.close())));
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); return this.find(); }
    if (event.altKey && /^Digit[1-9]$/.test(event.code)) {
      const tab = this.layout.tabs[Number(event.code.slice(5)) - 1];
      if (tab) { event.preventDefault(); this.layout.front(tab); }
      return;
    }
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || (target.closest("input, textarea, select, button, dialog, [contenteditable]") && !this.#transport.has(target))) return;
    if (event.defaultPrevented || (this.robot.isPlayed && this.#transport.key(event))) return;
    if (event.key === " ") { event.preventDefault(); this.togglePause(); }
    if (event.key === "?") this.#help();
  }
}

/** The answer to `layouts` as a list. @param {any} result @returns {{name: string, layout: any}[]} */
function saves(result) {
  return list(result).filter((one) => typeof one?.name === "string");
}

new Page().start();
