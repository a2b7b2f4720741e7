// What every thread of the robot did in the last seconds, and why a run took as long as it did.

import { blockingChain } from "./blocking.js";
import { button, download, fill, h, setText } from "./dom.js";
import { BEGIN, CALLBACK, DROPPED, END, EventStore, FAILURE, OVERRUN, PUBLISH, SAMPLE, SKIPPED, STALE, TAKE, TASK, WOKEN, eventAt } from "./event-store.js";
import { clock, duration } from "./format.js";
import { gestures } from "./gestures.js";
import { list } from "./statistics.js";
import { timeLink } from "./time-link.js";
import { colours, fit, onColours } from "./theme.js";
import { paint, paintArrows, paintChain, paintRuns } from "./timeline-paint.js";
import { View, register } from "./view.js";

/**
 * @typedef {import("./event-store.js").Event} Event
 * @typedef {import("./event-store.js").Run} Run
 * @typedef {{label: string, group: string, y: number}} Row
 * @typedef {{name: string, cycle: number, after: Set<number>}} Task
 * @typedef {{from: number, to: number, left: number, width: number, top: number, scroll: number}} Window
 *   Times are in nanoseconds since the store's base, the rest in pixels.
 */

export const ROW = 24;
const AXIS = 20;
/** Events come in parcels: a live picture ends so many nanoseconds ago, so that it is complete. */
const DELAY = 80e6;
const SPANS = /** @type {const} */ ([[0.05, "50 ms"], [0.2, "200 ms"], [0.5, "500 ms"], [2, "2 s"], [10, "10 s"]]);
const KINDS = ["worker", "source", "executor"];

export class Timeline extends View {
  /** @override */ static id = "timeline";
  /** @override */ static title = "Timeline";
  /** @override */ static icon = "M2 4h5v2h-5zM6 8h6v2h-6zM10 12h4M9 4h3";

  #live = new EventStore({ deadline: (cycle) => this.cycles[cycle]?.deadline ?? Infinity });
  /** @type {EventStore | null} */ #frozen = null;
  /** @type {{close(): void} | null} */ #stream = null;
  /** @type {{name: string, deadline: number}[]} */ cycles = [];
  /** @type {Task[]} */ tasks = [];
  /** @type {{name: string, kind: string}[]} */ workers = [];
  /** @type {string[]} */ sources = [];
  /** @type {string[]} */ exchanges = [];
  /** @type {{name: string, executor: string}[]} */ callbacks = [];
  /** By thread or core. @type {Map<number, Row>} */ rows = new Map();
  #names = /** @type {any} */ (null);
  #span = 0.5;
  #scroll = 0;
  #byCore = false;
  #byModule = false;
  #arrows = false;
  /** @type {Window} */ #window = { from: 0, to: 1, left: 0, width: 1, top: AXIS, scroll: 0 };
  /** @type {{cycle: number, run: number} | null} */ #selected = null;
  /** @type {import("./blocking.js").Stretch[]} */ #chain = [];
  #isTracing = false;
  #seen = 0;

  #canvas = h("canvas", { role: "img", "aria-label": "What ran when" });
  #tip = h("div", { class: "tip", hidden: true });
  #detail = h("aside", { class: "detail", hidden: true });
  #empty = h("div", { class: "empty over" }, "Waiting for events …");
  #pause = button({ text: "Pause", title: "Hold the picture still; zooming and moving do it as well" }, () => this.#toggle());
  #spans = h("select", { title: "How much time is shown", on: { change: () => this.#choose(Number(this.#spans.value)) } },
    ...SPANS.map(([seconds, text]) => h("option", { value: seconds }, text)), h("option", { value: "", hidden: true }, "zoomed"));
  #worst = h("select", { title: "Show the longest run that is kept, and why it took so long", on: { change: () => this.#showWorst() } });
  #save = button({ text: "Trace …", title: "Save what happens as a trace for Perfetto" }, () => this.#trace());

  /** @param {import("./robot.js").Robot} robot @param {HTMLElement} element @param {any} settings @param {import("./view.js").Host} host */
  constructor(robot, element, settings, host) {
    super(robot, element, settings, host);
    const { span, cores, modules, arrows } = this.initial;
    if (typeof span === "number" && span > 1e-6 && span <= 60) this.#span = span;
    [this.#byCore, this.#byModule, this.#arrows] = [cores === true, modules === true, arrows === true];
    fill(this.bar, this.#pause, this.#spans,
      this.#choice("Threads", "Cores", () => this.#byCore, (value) => { this.#byCore = value; this.#arrange(); }, "What the rows are"),
      this.#choice("by cycle", "by module", () => this.#byModule, (value) => { this.#byModule = value; }, "What the colours mean"),
      this.#toggleButton(), this.#worst, h("span", { class: "space" }), this.#save,
      button({ text: "Export", title: "Save what is kept here as a file that ui.perfetto.dev opens" }, () => this.#export()));
    this.#spans.value = String(this.#span);
    if (this.#spans.selectedIndex < 0) this.#spans.value = "";
    fill(this.body, this.#canvas, this.#empty, this.#tip, this.#detail);
    this.body.classList.add("beside");
    gestures(this.#canvas, {
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, x) => this.#zoom(factor, x),
      scroll: (dx, dy) => this.#pan(-dx, -dy),
      click: (x, y) => this.#click(x, y),
      double: (x, y) => this.#zoomTo(this.#runAt(x, y)),
      hover: (place) => this.#hover(place),
    });
    this.keep(onColours(() => this.invalidate()));
    this.keep(timeLink.on(() => this.#linked()));
    this.keep(robot.on("description", () => this.#name(this.#names)));
    this.keep(robot.on("state", () => { if (!this.#frozen) this.#live.clear(); }));
    this.keep({ close: () => this.#stream?.close() });
    this.#linked();
  }

  /** @override */
  settings() {
    return { span: this.#span, cores: this.#byCore, modules: this.#byModule, arrows: this.#arrows };
  }

  /** Shows a run: `{run: {cycle: "motion", number: 17}}`. @override @param {any} settings @returns {boolean} */
  accept(settings) {
    const { cycle: name, number } = settings?.run ?? {};
    const cycle = this.cycles.findIndex((one) => one.name === name);
    if (cycle >= 0 && typeof number === "number") {
      if (!this.#frozen) this.#toggle();
      this.#select({ cycle, run: number }, true);
    }
    return true;
  }

  /** @override @param {boolean} visible */
  shown(visible) {
    if (visible) {
      this.#stream ??= this.robot.events((records) => this.#absorb(records), (names) => this.#name(names));
    } else {
      this.#stream?.close();
      this.#stream = null;
      if (!this.#frozen) this.#live.clear();
    }
  }

  /** What is shown: all that is kept, or what was when the picture was paused. */
  get store() { return this.#frozen ?? this.#live; }

  /** @param {DataView} records */
  #absorb(records) {
    this.#live.absorb(records);
    if (this.#live.lanes.size + this.#live.cores.size !== this.#seen) this.#arrange();
    this.invalidate();
  }

  /** Takes the names of the numbers in events. @param {any} names */
  #name(names) {
    if (!names) return;
    this.#names = names;
    this.cycles = list(names.cycles).map(({ name, deadline }) => ({ name: String(name), deadline: typeof deadline === "number" ? deadline : Infinity }));
    const place = (/** @type {any} */ cycle) => (typeof cycle === "number" ? cycle : this.cycles.findIndex(({ name }) => name === cycle));
    this.workers = list(names.workers).map((worker) => ({ name: String(worker?.name ?? worker), kind: String(worker?.kind ?? "worker") }));
    this.sources = list(names.sources).map((source) => String(source?.name ?? source));
    this.exchanges = list(names.exchanges).map((exchange) => String(exchange?.name ?? exchange));
    this.callbacks = list(names.callbacks).map((callback) => ({ name: String(callback?.name ?? callback), executor: String(callback?.executor ?? "") }));
    this.tasks = list(names.tasks).map((task) => ({ name: String(task?.name ?? task), cycle: place(task?.cycle), after: new Set() }));
    const numbers = new Map(this.tasks.map((task, number) => [`${task.cycle} ${task.name}`, number]));
    for (const cycle of list(this.robot.description.cycles)) {
      const at = place(cycle.name), all = list(cycle.tasks);
      for (const task of all) {
        const number = numbers.get(`${at} ${task.name}`);
        if (number === undefined) continue;
        this.tasks[number].after = new Set(list(task.after).map((before) => numbers.get(`${at} ${all[before]?.name}`) ?? -1));
      }
    }
    if (this.initial.run && this.cycles.length > 0) {
      const { run } = this.initial;
      this.initial = {};
      this.accept({ run });
    }
    fill(this.#worst, h("option", { value: "" }, "Longest run …"), ...this.cycles.map(({ name }, number) => h("option", { value: number }, name)));
    this.#arrange();
    this.invalidate();
  }

  /** Puts the rows in their places. */
  #arrange() {
    const { lanes, cores } = this.store;
    this.#seen = this.#live.lanes.size + this.#live.cores.size;
    this.rows = new Map();
    let y = 0;
    if (this.#byCore) {
      for (const core of [...cores].sort((a, b) => a - b)) { this.rows.set(core, { label: core === 255 ? "?" : `core ${core}`, group: "", y }); y += ROW; }
      return;
    }
    const rank = (/** @type {number} */ worker) => { const kind = KINDS.indexOf(this.workers[worker]?.kind); return kind < 0 ? KINDS.length : kind; };
    const shown = [...new Set([...this.workers.keys(), ...lanes.keys()])].filter((worker) => lanes.has(worker) || rank(worker) === 0);
    let before = "";
    for (const worker of shown.sort((a, b) => rank(a) - rank(b) || a - b)) {
      const label = this.workers[worker]?.name ?? `thread ${worker}`, group = this.workers[worker]?.kind === "worker" ? label.replace(/\W*\d+$/, "") : this.workers[worker]?.kind ?? "";
      if (before && group !== before) y += 6;
      before = group;
      this.rows.set(worker, { label, group, y });
      y += ROW;
    }
  }

  /** @override */
  draw() {
    const { context, width, height } = fit(this.#canvas);
    const look = colours(), { store } = this;
    const left = width < 500 ? 64 : 112;
    const total = Math.max(0, ...[...this.rows.values()].map(({ y }) => y + ROW));
    this.#scroll = Math.max(0, Math.min(this.#scroll, total - (height - AXIS)));
    this.#empty.hidden = store.lanes.size > 0;
    const to = this.#end(), from = to - this.#span * 1e9;
    const window = this.#window = { from, to, left, width: Math.max(1, width - left), top: AXIS, scroll: this.#scroll };

    context.save();
    context.beginPath();
    context.rect(left, AXIS, window.width, height - AXIS);
    context.clip();
    this.#grid(context, look, height);
    const hue = this.#hues(look);
    context.globalAlpha = this.#selected ? 0.3 : 1;
    paint(context, store, window, this.rows, {
      byCore: this.#byCore, look, colour: hue, name: (event) => this.#label(event),
      isMarked: (chunk, place) => this.#selected !== null && chunk.run[place] === this.#selected.run && this.tasks[chunk.subject[place]]?.cycle === this.#selected.cycle,
    });
    context.globalAlpha = 1;
    if (!this.#byCore) paintRuns(context, store, window, this.rows, look, this.#selected);
    if (this.#chain.length > 0 && !this.#byCore) paintChain(context, this.#chain, window, this.rows, look);
    if (this.#arrows) paintArrows(context, store, window, this.rows, this.#byCore, look, this.#selected);
    if (timeLink.cursor !== null && store.base !== null) {
      const x = left + ((timeLink.cursor * 1e9 - Number(store.base) - from) / (to - from)) * window.width;
      context.fillStyle = look.muted;
      context.fillRect(Math.round(x), AXIS, 1, height);
    }
    context.restore();
    this.#labels(context, look, left, height);
    if (!timeLink.isPaused && this.#stream) this.invalidate();
  }

  /** When the picture ends, in nanoseconds since the store's base. */
  #end() {
    const { store } = this, base = Number(store.base ?? 0n);
    if (timeLink.end !== null && this.#frozen) return timeLink.end * 1e9 - base;
    const now = this.robot.time() - base - DELAY;
    return Math.abs(now - store.newest) < 2e9 ? now : store.newest;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {number} height */
  #grid(context, look, height) {
    const { from, to, left, width } = this.#window, base = Number(this.store.base ?? 0n);
    const step = niceStep(((to - from) / width) * 90);
    context.save();
    context.font = `10px ${look.font}`;
    context.textBaseline = "middle";
    for (let at = Math.ceil((from + base) / step) * step; at < to + base; at += step) {
      const x = Math.round(left + ((at - base - from) / (to - from)) * width);
      context.fillStyle = look.faint;
      context.fillRect(x, AXIS, 1, height);
    }
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {number} left @param {number} height */
  #labels(context, look, left, height) {
    const { from, to, width } = this.#window, base = Number(this.store.base ?? 0n);
    context.textBaseline = "middle";
    context.font = `10px ${look.font}`;
    context.fillStyle = look.muted;
    const step = niceStep(((to - from) / width) * 90);
    if (Number.isFinite(from)) {
      for (let at = Math.ceil((from + base) / step) * step; at < to + base; at += step) {
        const x = left + ((at - base - from) / (to - from)) * width;
        context.fillText(step < 1e6 ? `${clock(at)}${String(Math.floor((((at % 1e6) + 1e6) % 1e6) / 1e3)).padStart(3, "0")}` : clock(at), x + 3, AXIS / 2);
      }
    }
    context.save();
    context.beginPath();
    context.rect(0, AXIS, left - 6, height);
    context.clip();
    context.font = `11px ${look.font}`;
    for (const { label, y } of this.rows.values()) {
      context.fillStyle = look.text;
      context.fillText(label, 8, AXIS + y - this.#scroll + ROW / 2);
    }
    context.restore();
    context.fillStyle = look.line;
    context.fillRect(0, AXIS, left + width, 1);
    context.fillRect(left, AXIS, 1, height);
  }

  /** What colour an event has. @param {import("./theme.js").Colours} look */
  #hues(look) {
    const { series, muted } = look;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const modules = [...new Set(this.tasks.map(({ name }) => name.split(".")[0]))];
    const ofModule = new Map(modules.map((name, number) => [name, `hsl(${Math.round((number * 137.5) % 360)} 55% ${isDark ? 58 : 45}%)`]));
    const ofTask = this.tasks.map(({ name, cycle }) => (this.#byModule ? ofModule.get(name.split(".")[0]) ?? muted : cycle < 0 ? muted : series[cycle % series.length]));
    return (/** @type {number} */ type, /** @type {number} */ subject) => (type === TASK ? ofTask[subject] ?? muted : type === SAMPLE ? series[9] : series[5]);
  }

  /** @param {{type: number, subject: number}} event */
  #label({ type, subject }) {
    if (type === TASK) return this.tasks[subject]?.name ?? `task ${subject}`;
    if (type === CALLBACK) return this.callbacks[subject]?.name ?? `callback ${subject}`;
    if (type === SAMPLE) return this.sources[subject] ?? `source ${subject}`;
    return "";
  }

  #toggle() {
    const end = this.store.base === null ? this.robot.time() : this.#end() + Number(this.store.base);
    timeLink.set({ end: timeLink.isPaused ? null : end / 1e9 });
  }

  /** The time of the page has changed. */
  #linked() {
    if (timeLink.isPaused && !this.#frozen) this.#frozen = this.#live.freeze();
    else if (!timeLink.isPaused && this.#frozen) {
      this.#frozen = null;
      this.#unselect();
      this.#arrange();
    }
    setText(this.#pause, timeLink.isPaused ? "Resume" : "Pause");
    this.#pause.classList.toggle("active", timeLink.isPaused);
    this.invalidate();
  }

  /** Pauses with another window. @param {number} end in nanoseconds since the base @param {number} span in seconds */
  #still(end, span) {
    if (this.store.base === null || !Number.isFinite(end)) return;
    this.#span = Math.min(60, Math.max(2e-6, span));
    this.#spans.value = SPANS.some(([seconds]) => seconds === this.#span) ? String(this.#span) : "";
    timeLink.set({ end: (end + Number(this.store.base)) / 1e9 });
  }

  /** @param {number} span in seconds */
  #choose(span) {
    if (!(span > 0)) return;
    if (this.#frozen) this.#still(this.#end() + (span - this.#span) * 5e8, span);
    this.#span = span;
    this.host.changed();
    this.invalidate();
  }

  /** @param {number} dx @param {number} dy */
  #pan(dx, dy) {
    this.#scroll -= dy;
    if (Math.abs(dx) > 0) this.#still(this.#end() - (dx / this.#window.width) * this.#span * 1e9, this.#span);
    this.invalidate();
  }

  /** @param {number} factor @param {number} x */
  #zoom(factor, x) {
    const { left, width } = this.#window;
    const share = Math.min(1, Math.max(0, (x - left) / width));
    const span = Math.min(60, Math.max(2e-6, this.#span / factor));
    this.#still(this.#end() - (1 - share) * (this.#span - span) * 1e9, span);
    this.host.changed();
  }

  /** @param {Run | null} run */
  #zoomTo(run) {
    if (!run) return;
    const end = Number.isFinite(run.end) ? run.end : this.store.newest, length = Math.max(1000, end - run.trigger);
    this.#still(end + length * 0.15, (length * 1.3) / 1e9);
  }

  /** The key of the row at a height. @param {number} y */
  #rowAt(y) {
    const at = y - AXIS + this.#scroll;
    return [...this.rows].find(([, row]) => at >= row.y && at < row.y + ROW)?.[0];
  }

  /** @param {number} x @param {number} y @returns {Event | null} */
  #eventAt(x, y) {
    const row = this.#rowAt(y), { from, to, left, width } = this.#window;
    if (row === undefined || x < left) return null;
    const perPixel = (to - from) / width;
    return this.store.find(from + (x - left) * perPixel, 3 * perPixel, ({ type, worker, core }) => (this.#byCore ? core : worker) === row
      && (type === TASK || type === CALLBACK || type === SAMPLE || (type >= FAILURE && type <= SKIPPED) || type === OVERRUN));
  }

  /** @param {number} x @param {number} y @returns {Run | null} */
  #runAt(x, y) {
    const event = this.#eventAt(x, y);
    if (event?.type === TASK) return this.store.runs.get(this.tasks[event.subject]?.cycle)?.get(event.run) ?? null;
    if (event?.type === OVERRUN) return this.store.runs.get(event.subject)?.get(event.run) ?? null;
    const row = this.#rowAt(y), { from, to, left, width } = this.#window;
    const time = from + ((x - left) / width) * (to - from);
    for (const runs of this.store.runs.values()) {
      for (const run of runs.values()) if (!this.#byCore && run.worker === row && run.trigger <= time && run.end >= time) return run;
    }
    return null;
  }

  /** @param {number} x @param {number} y */
  #click(x, y) {
    const run = this.#runAt(x, y);
    if (!run) return this.#unselect();
    if (!this.#frozen) this.#toggle();
    this.#select(run, false);
  }

  #showWorst() {
    const cycle = Number(this.#worst.value);
    if (this.#worst.value === "") return;
    this.#worst.value = "";
    if (!this.#frozen) this.#toggle();
    const ended = [...(this.store.runs.get(cycle)?.values() ?? [])].filter((run) => run.end > run.trigger);
    if (ended.length === 0) return this.host.say(`No run of ${this.cycles[cycle]?.name} is kept yet.`);
    this.#select(ended.reduce((a, b) => (b.end - b.trigger > a.end - a.trigger ? b : a)), true);
  }

  /** @param {{cycle: number, run: number}} which @param {boolean} zoom */
  async #select({ cycle, run }, zoom) {
    this.#selected = { cycle, run };
    const found = this.store.runs.get(cycle)?.get(run);
    this.#chain = found ? blockingChain(this.store, found, (task) => this.tasks[task]?.cycle === cycle, (task) => this.tasks[task]?.after ?? new Set()) : [];
    if (zoom) this.#zoomTo(found ?? null);
    const words = h("pre", { class: "why muted" }, "asking the robot why …");
    this.#showRun(cycle, run, found, words);
    this.invalidate();
    const subject = this.cycles[cycle]?.name;
    const answer = await this.robot.request("why", { subject, run }).catch((error) => ({ text: String(error.message) }));
    words.classList.remove("muted");
    words.textContent = String(answer?.text ?? "");
  }

  #unselect() {
    this.#selected = null;
    this.#chain = [];
    this.#detail.hidden = true;
    this.invalidate();
  }

  /** @param {number} cycle @param {number} number @param {Run | undefined} run @param {HTMLElement} words */
  #showRun(cycle, number, run, words) {
    const { name = "?", deadline = Infinity } = this.cycles[cycle] ?? {};
    const limit = Number.isFinite(deadline) ? ` of ${duration(deadline)}` : "";
    const length = (/** @type {import("./blocking.js").Stretch} */ stretch) => stretch.end - stretch.begin;
    const least = run ? (run.end - run.trigger) * 0.004 : 0;
    const stretches = this.#chain.filter((stretch) => length(stretch) >= least);
    const short = this.#chain.filter((stretch) => length(stretch) < least);
    fill(this.#detail,
      h("header", {}, h("b", {}, `${name}, run ${number}`), h("span", { class: "space" }),
        button({ text: "Whole run", title: "Zoom to the run" }, () => this.#zoomTo(run ?? null)),
        button({ icon: "M4 4l8 8M12 4l-8 8", title: "Close" }, () => this.#unselect())),
      run ? h("p", { class: run.missed ? "bad" : "" }, `Took ${duration(run.end - run.trigger)}${limit} from its trigger${run.missed ? ": missed" : ""}, began after ${duration(run.begin - run.trigger)}.`)
        : h("p", { class: "muted" }, "Its events are no longer kept here."),
      h("h3", {}, "Why, in the robot's words"), words,
      stretches.length ? h("h3", {}, "What it waited for, one after the other") : null,
      h("ol", { class: "chain" }, ...stretches.map((stretch) => h("li", {
        class: stretch.cause.replace(" ", "-"), on: { click: () => this.#zoomTo({ cycle, run: number, worker: stretch.worker, trigger: stretch.begin, begin: stretch.begin, end: stretch.end, missed: false }) },
      }, h("span", { class: "number" }, duration(stretch.end - stretch.begin)), h("span", {}, this.#say(stretch)))),
        short.length ? h("li", {}, h("span", { class: "number" }, duration(short.reduce((sum, stretch) => sum + length(stretch), 0))), h("span", { class: "muted" }, `${short.length} short stretches between them`)) : null));
    this.#detail.hidden = false;
  }

  /** @param {import("./blocking.js").Stretch} stretch */
  #say({ cause, task, worker, by }) {
    const thread = this.workers[worker]?.name ?? `thread ${worker}`, name = this.tasks[task]?.name ?? "";
    switch (cause) {
      case "needed": return name;
      case "occupied": return `${name}, which kept ${thread}`;
      case "backlog": return `the run before${name ? ` (${name})` : ""}`;
      case "late": return "began late";
      case "preempted": return `preempted by ${this.workers[by]?.name ?? `thread ${by}`}`;
      case "woken": return `waking ${thread}`;
      case "handed over": return `handed over to ${thread}`;
      case "stalled": return `${thread} did not run`;
      default: return "dispatching";
    }
  }

  /** @param {{x: number, y: number} | null} place */
  #hover(place) {
    const event = place && this.#eventAt(place.x, place.y);
    const { from, to, left, width } = this.#window;
    if (this.#frozen && place && this.store.base !== null && place.x >= left) timeLink.set({ cursor: (from + ((place.x - left) / width) * (to - from) + Number(this.store.base)) / 1e9 });
    else if (timeLink.cursor !== null) timeLink.set({ cursor: null });
    this.#tip.hidden = !event;
    if (!event || !place) return;
    fill(this.#tip, ...this.#describe(event).map((line, number) => h("div", { class: number ? "muted" : "" }, line)));
    const { clientWidth, clientHeight } = this.#canvas;
    this.#tip.style.left = `${Math.max(0, Math.min(place.x + 14, clientWidth - this.#tip.offsetWidth - 4))}px`;
    this.#tip.style.top = `${place.y + 18 + this.#tip.offsetHeight > clientHeight ? Math.max(0, place.y - this.#tip.offsetHeight - 8) : place.y + 18}px`;
  }

  /** @param {Event} event @returns {string[]} */
  #describe(event) {
    const where = event.core === 255 ? "" : ` on core ${event.core}`, thread = this.workers[event.worker]?.name ?? `thread ${event.worker}`;
    const length = duration(event.end - event.begin), cycle = this.cycles[event.subject]?.name ?? "";
    switch (event.type) {
      case TASK: return [`${this.#label(event)}  ${length}`, `run ${event.run} of ${this.cycles[this.tasks[event.subject]?.cycle]?.name ?? "?"}`, `was ready for ${duration(event.number)}`, `${thread}${where}`];
      case CALLBACK: return [`callback ${this.#label(event)}  ${length}`, `${duration(event.number)} after publication`, `${thread}${where}`];
      case SAMPLE: return [`sample of ${this.#label(event)}  ${length}`, `${thread}${where}`];
      case OVERRUN: return [`${cycle} missed its deadline`, `run ${event.run}`];
      case FAILURE: return [`${this.tasks[event.subject]?.name} failed`, `run ${event.run}`];
      case STALE: return [`${this.tasks[event.subject]?.name}: its values are stale`, `run ${event.run}`];
      case DROPPED: return [`${event.number} of ${this.sources[event.other] ?? "a source"}'s samples dropped`, cycle];
      case SKIPPED: return [`${event.number} triggers skipped`, cycle];
      default: return [thread];
    }
  }

  /** Has the robot write a trace for some seconds. */
  #trace() {
    if (this.#isTracing) return this.#endTrace();
    const seconds = h("select", {}, ...[2, 5, 10, 30].map((value) => h("option", { value, selected: value === 5 }, `${value} s`)));
    const file = h("input", { type: "text", value: `${this.robot.welcome?.name ?? "robot"}-${new Date().toISOString().slice(11, 19).replaceAll(":", "")}.pftrace` });
    const dialog = h("dialog", {}, h("p", {}, "The robot writes all events of the next seconds into a trace, which ui.perfetto.dev opens."), h("p", {}, "For ", seconds), file,
      h("div", { class: "actions" }, button({ text: "Cancel" }, () => dialog.close()), button({ text: "Begin", class: "primary", disabled: !this.robot.mayChange, title: this.robot.mayChange ? undefined : "This address may look at the robot, not change it" }, async () => {
        dialog.close();
        try {
          await this.robot.change({ trace: { file: file.value } });
          this.#isTracing = true;
          setText(this.#save, "End trace");
          setTimeout(() => this.#endTrace(file.value), Number(seconds.value) * 1000);
        } catch (error) { this.host.say(/** @type {Error} */ (error).message, "bad"); }
      })));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  /** @param {string} [file] */
  async #endTrace(file = "the trace") {
    if (!this.#isTracing) return;
    this.#isTracing = false;
    setText(this.#save, "Trace …");
    await this.robot.change({ trace: {} }).then(() => this.host.say(`${file} is written.`, "good"), (error) => this.host.say(error.message, "bad"));
  }

  /** Saves what is kept in the format of Chrome's traces, which Perfetto reads. */
  #export() {
    const { store } = this;
    /** @type {any[]} */ const events = this.workers.map(({ name }, tid) => ({ ph: "M", pid: 1, tid, name: "thread_name", args: { name } }));
    const base = Number(store.base ?? 0n);
    store.each(-Infinity, Infinity, (chunk, place, worker) => {
      const event = eventAt(chunk, place, worker);
      if (event.type === BEGIN || event.type === END || event.type === WOKEN || event.type === PUBLISH || event.type === TAKE) return;
      const [name] = this.#describe(event);
      const isSpan = event.type === TASK || event.type === CALLBACK || event.type === SAMPLE;
      events.push({ ph: isSpan ? "X" : "i", pid: 1, tid: worker, name: isSpan ? this.#label(event) : name, ts: (event.begin + base) / 1e3, dur: isSpan ? (event.end - event.begin) / 1e3 : undefined, args: { run: event.run, core: event.core } });
    });
    download(`${this.robot.welcome?.name ?? "robot"}-events.json`, new Blob([JSON.stringify({ traceEvents: events })], { type: "application/json" }));
  }

  /** Two words of which one holds. @param {string} no @param {string} yes @param {() => boolean} get @param {(value: boolean) => void} set @param {string} title */
  #choice(no, yes, get, set, title) {
    const select = h("select", { title, on: { change: () => { set(select.value === yes); this.host.changed(); this.invalidate(); } } }, h("option", {}, no), h("option", {}, yes));
    select.value = get() ? yes : no;
    return select;
  }

  #toggleButton() {
    const arrows = button({ text: "Exchanges", title: "Arrows from each publication to the runs that took it", class: this.#arrows ? "active" : "" }, () => {
      this.#arrows = !this.#arrows;
      arrows.classList.toggle("active", this.#arrows);
      this.host.changed();
      this.invalidate();
    });
    return arrows;
  }
}

/** The smallest of 1, 2, 5, 10, … nanoseconds that is at least so large. @param {number} least */
function niceStep(least) {
  if (!(least > 0) || !Number.isFinite(least)) return 1e9;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
}

register(Timeline);
