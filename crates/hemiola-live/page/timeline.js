// Timeline: the events of the robot's threads in the last seconds, and the causes of a run's response time.

import { blockingChain } from "./blocking.js";
import { CROSS, button, fill, h, setText, space } from "./dom.js";
import { CALLBACK, EventStore, FAILURE, OVERRUN, SAMPLE, SKIPPED, TASK } from "./event-store.js";
import { clock, duration } from "./format.js";
import { Tip, gestures } from "./gestures.js";
import { prompt } from "./menu.js";
import { timeLink } from "./time-link.js";
import { colours, fit, onColours } from "./theme.js";
import { Names } from "./timeline-names.js";
import { paint, paintArrows, paintChain, paintRuns } from "./timeline-paint.js";
import { View, register } from "./view.js";

/**
 * @typedef {import("./event-store.js").Event} Event
 * @typedef {import("./event-store.js").Run} Run
 * @typedef {{label: string, group: string, y: number}} Row
 * @typedef {{from: number, to: number, left: number, width: number, top: number, scroll: number}} Window
 *   Times are in nanoseconds since the store's base, the rest in pixels.
 */

export const ROW = 24;
const AXIS = 20;
const SPANS = /** @type {const} */ ([[0.05, "50 ms"], [0.2, "200 ms"], [0.5, "500 ms"], [2, "2 s"], [10, "10 s"]]);
const KINDS = ["worker", "source", "executor"];

export class Timeline extends View {
  /** @override */
  static id = "timeline";
  /** @override */
  static steers = true;
  static title = "Timeline";
  /** @override */
  static icon = "M2 4h5v2h-5zM6 8h6v2h-6zM10 12h4M9 4h3";

  #live = new EventStore({ deadline: (cycle) => this.#names.cycles[cycle]?.deadline ?? Infinity });
  /** @type {EventStore | null} */
  #frozen = null;
  /** @type {{close(): void} | null} */
  #stream = null;
  #names = new Names();
  /** By thread or core. @type {Map<number, Row>} */
  rows = new Map();
  /** The names as they came. */
  #named = /** @type {any} */ (null);
  #span = 0.5;
  #scroll = 0;
  /** The delay of a live picture in nanoseconds: events arrive in batches, and the picture must be complete. */
  #delay = 80e6;
  #on = { cores: false, modules: false, arrows: false };
  /** @type {Window} */
  #window = { from: 0, to: 1, left: 0, width: 1, top: AXIS, scroll: 0 };
  /** @type {{cycle: number, run: number} | null} */
  #selected = null;
  /** @type {import("./blocking.js").Stretch[]} */
  #chain = [];
  #tracing = "";
  #seen = 0;

  #canvas = h("canvas", { role: "img", "aria-label": "Timeline" });
  #tip = new Tip(this.#canvas);
  #detail = h("aside.detail", { hidden: true });
  #empty = h("div.empty.over");
  #pause = button({ text: "Pause", title: "Pause, as zooming and moving do" }, () => this.#toggle());
  #spans = h("select", { title: "How much time is shown", onchange: () => this.#choose(Number(this.#spans.value)) },
    ...SPANS.map(([seconds, text]) => h("option", { value: seconds }, text)), h("option", { value: "", hidden: true }, "zoomed"));
  #worst = h("select", { title: "Show the longest run in memory, and its causes", onchange: () => this.#showWorst() });
  #save = button({ text: "Trace …", class: "steers", title: "Save all events as a trace for Perfetto" }, () => this.#trace());

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    const { span } = this.initial;
    if (span > 1e-6 && span <= 60) this.#span = span;
    for (const name of /** @type {const} */ (["cores", "modules", "arrows"])) this.#on[name] = this.initial[name] === true;
    fill(this.bar, this.#pause, this.#spans,
      this.#switch("cores", "Cores", "Rows for cores instead of threads"), this.#switch("modules", "Modules", "Colours for modules instead of cycles"),
      this.#switch("arrows", "Exchanges", "Arrows from each publication to the runs that read it"), this.#worst, space(), this.#save);
    this.#spans.value = String(this.#span);
    if (this.#spans.selectedIndex < 0) this.#spans.value = "";
    fill(this.body, this.#canvas, this.#empty, this.#tip.element, this.#detail);
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
    this.keep(robot.on("description", () => this.#name(this.#named)));
    this.keep(robot.on("state", () => this.#live.clear()));
    this.keep({ close: () => this.#stream?.close() });
    this.#linked();
  }

  /** @override */
  settings() {
    return { span: this.#span, ...this.#on };
  }

  /** Shows a run: `{run: {cycle: "motion", number: 17}}`. @override @param {any} settings @returns {boolean} */
  accept(settings) {
    const { cycle: name, number } = settings?.run ?? {};
    const cycle = this.#names.cycles.findIndex((one) => one.name === name);
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

  /** The shown events: all in memory, or those at the time of the pause. */
  get store() { return this.#frozen ?? this.#live; }

  /** @param {DataView} records */
  #absorb(records) {
    const { base, newest } = this.#live, gap = base === null ? 0 : this.robot.time() - Number(base) - newest;
    if (gap < 2e9) this.#delay = Math.max(gap, this.#delay * 0.97);
    this.#live.absorb(records);
    if (this.#live.lanes.size + this.#live.cores.size !== this.#seen) this.#arrange();
    this.invalidate();
  }

  /** Takes the names of the numbers in events. @param {any} names */
  #name(names) {
    if (!names) return;
    this.#named = names;
    this.#names.learn(names, this.robot.description);
    if (this.initial.run && this.#names.cycles.length > 0) {
      const { run } = this.initial;
      this.initial = {};
      this.accept({ run });
    }
    fill(this.#worst, h("option", { value: "" }, "Longest run …"), ...this.#names.cycles.map(({ name }, number) => h("option", { value: number }, name)));
    this.#arrange();
    this.invalidate();
  }

  /** Puts the rows in their places. */
  #arrange() {
    const { lanes, cores } = this.store;
    this.#seen = this.#live.lanes.size + this.#live.cores.size;
    this.rows = new Map();
    let y = 0;
    if (this.#on.cores) {
      for (const core of [...cores].sort((a, b) => a - b)) { this.rows.set(core, { label: core === 255 ? "?" : `core ${core}`, group: "", y }); y += ROW; }
      return;
    }
    const rank = (/** @type {number} */ worker) => { const kind = KINDS.indexOf(this.#names.workers[worker]?.kind); return kind < 0 ? KINDS.length : kind; };
    const shown = [...new Set([...this.#names.workers.keys(), ...lanes.keys()])].filter((worker) => lanes.has(worker) || rank(worker) === 0);
    let before = "";
    const order = (/** @type {number} */ worker) => (this.#names.workers[worker]?.cycle ?? 999) * 1000 + (this.#names.workers[worker]?.index ?? worker);
    const process = (/** @type {number} */ worker) => this.#names.workers[worker]?.process ?? "";
    let of = "";
    for (const worker of shown.sort((a, b) => process(a).localeCompare(process(b)) || rank(a) - rank(b) || order(a) - order(b))) {
      if (process(worker) !== of) {
        of = process(worker);
        this.rows.set(-worker - 1, { label: `process ${of}`, group: of, y });
        before = "";
        y += ROW;
      }
      const label = this.#names.thread(worker).replace(/^(source|executor) /, ""), group = this.#names.workers[worker]?.kind === "worker" ? label.replace(/\W*\d+$/, "") : this.#names.workers[worker]?.kind ?? "";
      if (before && group !== before) y += 6;
      before = group;
      this.rows.set(worker, { label, group, y });
      y += ROW;
    }
  }

  /** @override */
  draw() {
    const [context, width, height] = fit(this.#canvas);
    const look = colours(), { store } = this;
    const left = width < 500 ? 64 : 146;
    const total = Math.max(0, ...[...this.rows.values()].map(({ y }) => y + ROW));
    this.#scroll = Math.max(0, Math.min(this.#scroll, total - (height - AXIS)));
    this.#empty.hidden = store.lanes.size > 0;
    setText(this.#empty, this.#frozen ? "There are no events of the time of the pause" : "Waiting for events …");
    const to = this.#end(), from = to - this.#span * 1e9;
    const window = this.#window = { from, to, left, width: Math.max(1, width - left), top: AXIS, scroll: this.#scroll };

    context.save();
    context.beginPath();
    context.rect(left, AXIS, window.width, height - AXIS);
    context.clip();
    context.fillStyle = look.faint;
    for (const [x] of this.#ticks()) context.fillRect(x, AXIS, 1, height);
    const hue = this.#hues(look);
    context.globalAlpha = this.#selected ? 0.3 : 1;
    paint(context, store, window, this.rows, {
      byCore: this.#on.cores, look, colour: hue, name: (event) => this.#names.label(event),
      isMarked: (chunk, place) => this.#selected !== null && chunk.run[place] === this.#selected.run && this.#names.tasks[chunk.subject[place]]?.cycle === this.#selected.cycle,
    });
    context.globalAlpha = 1;
    if (!this.#on.cores) paintRuns(context, store, window, this.rows, look, this.#selected);
    if (this.#chain.length > 0 && !this.#on.cores) paintChain(context, this.#chain, window, this.rows, look);
    if (this.#on.arrows) paintArrows(context, store, window, this.rows, this.#on.cores, look, this.#selected);
    if (timeLink.cursor !== null && store.base !== null) {
      const x = left + ((timeLink.cursor * 1e9 - Number(store.base) - from) / (to - from)) * window.width;
      context.fillStyle = look.muted;
      context.fillRect(Math.round(x), AXIS, 1, height);
    }
    context.restore();
    this.#labels(context, look, left, height);
    if (!timeLink.isPaused && this.#stream) this.invalidate();
  }

  /** The time at which the picture ends, in nanoseconds since the store's base. */
  #end() {
    const { store } = this, base = Number(store.base ?? 0n);
    if (timeLink.end !== null && this.#frozen) return timeLink.end * 1e9 - base;
    if (this.robot.transport?.is_playing === false) return store.newest;
    const now = this.robot.time() - base - this.#delay;
    return Math.abs(now - store.newest) < 2e9 ? now : store.newest;
  }

  /**
   * The times of the axis, with their positions.
   *
   * @returns {[number, string][]}
   */
  #ticks() {
    const { from, to, left, width } = this.#window, base = Number(this.store.base ?? 0n);
    const least = ((to - from) / width) * 90, power = 10 ** Math.floor(Math.log10(least));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
    /** @type {[number, string][]} */
    const ticks = [];
    for (let at = Math.ceil((from + base) / step) * step; at < to + base && ticks.length < 100; at += step) {
      const micro = step < 1e6 ? String(Math.floor((((at % 1e6) + 1e6) % 1e6) / 1e3)).padStart(3, "0") : "";
      ticks.push([Math.round(left + ((at - base - from) / (to - from)) * width), clock(at) + micro]);
    }
    return ticks;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import("./theme.js").Colours} look
   * @param {number} left
   * @param {number} height
   */
  #labels(context, look, left, height) {
    context.textBaseline = "middle";
    context.font = `10px ${look.font}`;
    context.fillStyle = look.muted;
    for (const [x, text] of this.#ticks()) context.fillText(text, x + 3, AXIS / 2);
    context.beginPath();
    context.rect(0, AXIS, left - 6, height);
    context.save();
    context.clip();
    context.font = `11px ${look.font}`;
    context.fillStyle = look.text;
    for (const { label, y } of this.rows.values()) context.fillText(label, 8, AXIS + y - this.#scroll + ROW / 2);
    context.restore();
    context.fillStyle = look.line;
    context.fillRect(0, AXIS, this.#canvas.clientWidth, 1);
    context.fillRect(left, AXIS, 1, height);
  }

  /** What colour an event has. @param {import("./theme.js").Colours} look */
  #hues(look) {
    const { series, muted } = look;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const modules = [...new Set(this.#names.tasks.map(({ name }) => name.split(".")[0]))];
    const ofModule = new Map(modules.map((name, number) => [name, `hsl(${Math.round((number * 137.5) % 360)} 55% ${isDark ? 58 : 45}%)`]));
    const ofTask = this.#names.tasks.map(({ name, cycle }) => (this.#on.modules ? ofModule.get(name.split(".")[0]) ?? muted : cycle < 0 ? muted : series[cycle % series.length]));
    return (/** @type {number} */ type, /** @type {number} */ subject) => (type === TASK ? ofTask[subject] ?? muted : type === SAMPLE ? series[9] : series[5]);
  }

  #toggle() {
    const end = this.store.base === null ? this.robot.time() : this.#end() + Number(this.store.base);
    timeLink.set({ end: timeLink.isPaused ? null : end / 1e9 });
  }

  /** Handles a change of the page's time. */
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

  /** @param {{trigger: number, end: number} | null} run */
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
    return this.store.find(from + (x - left) * perPixel, 3 * perPixel, ({ type, worker, core }) => (this.#on.cores ? core : worker) === row
      && (type === TASK || type === CALLBACK || type === SAMPLE || (type >= FAILURE && type <= SKIPPED) || type === OVERRUN));
  }

  /** @param {number} x @param {number} y @returns {Run | null} */
  #runAt(x, y) {
    const event = this.#eventAt(x, y);
    if (event?.type === TASK) return this.store.runs.get(this.#names.tasks[event.subject]?.cycle)?.get(event.run) ?? null;
    if (event?.type === OVERRUN) return this.store.runs.get(event.subject)?.get(event.run) ?? null;
    const row = this.#rowAt(y), { from, to, left, width } = this.#window;
    const time = from + ((x - left) / width) * (to - from);
    for (const runs of this.store.runs.values()) {
      for (const run of runs.values()) if (!this.#on.cores && run.worker === row && run.trigger <= time && run.end >= time) return run;
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
    if (ended.length === 0) return this.host.say(`No run of ${this.#names.cycles[cycle]?.name} has ended yet.`);
    this.#select(ended.reduce((a, b) => (b.end - b.trigger > a.end - a.trigger ? b : a)), true);
  }

  /** @param {{cycle: number, run: number}} which @param {boolean} zoom */
  async #select({ cycle, run }, zoom) {
    this.#selected = { cycle, run };
    const found = this.store.runs.get(cycle)?.get(run);
    this.#chain = found ? blockingChain(this.store, found, this.#names.sources.findIndex(({ name }) => name === this.robot.description.cycles.find((one) => one.name === this.#names.cycles[cycle]?.name)?.trigger?.source), (task) => this.#names.tasks[task]?.cycle === cycle, (task) => this.#names.tasks[task]?.after ?? new Set()) : [];
    if (zoom) this.#zoomTo(found ?? null);
    const words = h("pre.why.muted", {}, "asking the robot why …");
    this.#showRun(cycle, run, found, words);
    this.invalidate();
    const subject = this.#names.cycles[cycle]?.name;
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
    const { name = "?", deadline = Infinity } = this.#names.cycles[cycle] ?? {};
    const limit = Number.isFinite(deadline) ? ` of ${duration(deadline)}` : "";
    const length = (/** @type {import("./blocking.js").Stretch} */ stretch) => stretch.end - stretch.begin;
    const least = run ? (run.end - run.trigger) * 0.004 : 0;
    const stretches = this.#chain.filter((stretch) => length(stretch) >= least);
    const short = this.#chain.filter((stretch) => length(stretch) < least);
    fill(this.#detail,
      h("header", {}, h("b", {}, `${name}, run ${number}`), space(),
        button({ text: "Whole run", title: "Zoom to the run" }, () => this.#zoomTo(run ?? null)),
        button({ icon: CROSS, title: "Close" }, () => this.#unselect())),
      run ? h("p", { class: run.missed ? "bad" : "" }, `Took ${duration(run.end - run.trigger)}${limit} from its trigger${run.missed ? ": missed" : ""}, began after ${duration(run.begin - run.trigger)}.`)
        : h("p.muted", {}, "Its events are no longer in memory."),
      h("h3", {}, "The robot's explanation"), words,
      stretches.length ? h("h3", {}, "Its waits, in order") : null,
      h("ol.chain", {}, ...stretches.map((stretch) => h("li", { class: stretch.cause, onclick: () => this.#zoomTo({ ...stretch, trigger: stretch.begin }) }, h("span.number", {}, duration(stretch.end - stretch.begin)), h("span", {}, this.#names.cause(stretch)))),
        short.length ? h("li", {}, h("span.number", {}, duration(short.reduce((sum, stretch) => sum + length(stretch), 0))), h("span.muted", {}, `${short.length} short stretches between them`)) : null));
    this.#detail.hidden = false;
  }

  /** @param {{x: number, y: number} | null} place */
  #hover(place) {
    const event = place && this.#eventAt(place.x, place.y);
    const { from, to, left, width } = this.#window;
    if (this.#frozen && place && this.store.base !== null && place.x >= left) timeLink.set({ cursor: (from + ((place.x - left) / width) * (to - from) + Number(this.store.base)) / 1e9 });
    else if (timeLink.cursor !== null) timeLink.set({ cursor: null });
    this.#tip.show(place, event ? this.#names.describe(event) : []);
  }

  /** Makes the robot write a trace until the button is pressed again. */
  async #trace() {
    const file = this.#tracing ? "" : await prompt("Records all events until you end it, for ui.perfetto.dev:", "Begin", `${this.robot.welcome?.name ?? "robot"}.pftrace`);
    if (file === null || (!file && !this.#tracing)) return;
    if (!(await this.host.attempt(this.robot.change({ trace: file ? { file } : {} })))) return;
    this.host.say(file ? `The robot writes ${file}.` : `${this.#tracing} is written.`, "good");
    this.#tracing = file;
    setText(this.#save, this.#tracing ? "End trace" : "Trace …");
    this.#save.classList.toggle("active", this.#tracing !== "");
  }

  /**
   * @param {"cores" | "modules" | "arrows"} name
   * @param {string} text
   * @param {string} title
   */
  #switch(name, text, title) {
    const one = button({ text, title, class: this.#on[name] ? "active" : "" }, () => {
      this.#on[name] = one.classList.toggle("active");
      this.#arrange();
      this.host.changed();
      this.invalidate();
    });
    return one;
  }
}

register(Timeline);
