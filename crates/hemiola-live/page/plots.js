// Plots: any numbers over time, in several charts with a common time axis.

import { drawChart, legendText, timeOf } from "./chart.js";
import { CROSS, PLUS, button, download, fill, h, setText, space } from "./dom.js";
import { duration } from "./format.js";
import { gestures } from "./gestures.js";
import { menu, palette } from "./menu.js";
import { plottable } from "./plottable.js";
import { Series } from "./series.js";
import { list } from "./statistics.js";
import { colours, onColours } from "./theme.js";
import { timeLink } from "./time-link.js";
import { register, View } from "./view.js";

/** @typedef {import("./chart.js").Axis} Axis */
/** @typedef {{field: string, axis: Axis, colour: number}} Line */

const RATE = 60;
/** The time for which values in legends stay, in milliseconds. */
const READING = 100;
const SPANS = [1, 5, 10, 30, 60, 300];

class Plots extends View {
  static id = "plots";
  static title = "Plots";
  static icon = "M2 13h12M2 3v10M4 10l3-4 3 2 4-5";
  static single = false;

  /** @type {Chart[]} */
  #charts = [];
  /** @type {Map<string, {series: Series, unit: string, error: string}>} */
  fields = new Map();
  /** @type {{close(): void} | null} */
  #plot = null;
  #subscribed = "";
  /** The time at which the values in legends are updated next. */
  #read = 0;
  #span = h("select", { title: "How much time is shown", "aria-label": "Time shown", onchange: () => timeLink.set({ span: Number(this.#span.value) }) });
  #pause = button({ text: "Pause", title: "Space" }, () => this.#togglePause());
  #empty = h("div.empty", {}, h("p", {}, "Choose a field with “Add”, or follow one from Values."));

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    fill(this.bar, button({ text: "Add", icon: PLUS, title: "Add a field in a chart of its own" }, () => this.choose(null)), this.#span, this.#pause, space(),
      button({ text: "Export …" }, (event) => menu(/** @type {Element} */ (event.currentTarget), [{ text: "Numbers as CSV", act: () => this.#csv() }, { text: "Picture as PNG", act: () => this.#png() }])));
    this.body.classList.add("charts");
    for (const chart of list(this.initial.charts)) this.#add(list(chart?.lines), chart?.limits);
    this.accept(this.initial);
    this.keep(timeLink.on(() => { this.#showTime(); this.invalidate(); }));
    this.keep(onColours(() => this.invalidate()));
    this.keep(robot.on("journal", () => this.invalidate()));
    this.keep({ close: () => this.#plot?.close() });
    this.#showTime();
    this.#follow();
    if (!this.#charts.length) this.body.append(this.#empty);
    this.keep(robot.on("description", () => this.#begin()));
    this.#begin();
  }

  /** Adds the fields of a new view: the response times of all cycles. */
  #begin() {
    const cycles = list(this.robot.description.cycles);
    if (this.initial.charts || this.#charts.length || !cycles.length || this.robot.isLog) return;
    this.initial.charts = [];
    this.#add(cycles.map(({ name }) => ({ field: `timing:${name}.response` })));
    this.changed();
  }

  /** @override */
  settings() {
    return { charts: this.#charts.map(({ lines, limits }) => ({ lines, ...(limits.left || limits.right ? { limits } : {}) })) };
  }

  /** Takes fields of other views: each gets a chart of its own. @override @param {any} settings */
  accept(settings) {
    const fields = list(settings?.add).filter((field) => typeof field === "string");
    for (const field of fields) if (!this.#charts.some((chart) => chart.lines.some((line) => line.field === field))) this.#add([{ field }]);
    if (fields.length) this.changed();
    return settings?.charts === undefined;
  }

  /** @override @param {boolean} visible */
  shown(visible) {
    if (visible) this.invalidate();
  }

  /** Lets a person choose a field for a chart, or a new one. @param {Chart | null} chart */
  choose(chart) {
    const fields = plottable(this.robot).then((all) => all.map((choice) => ({ ...choice, act: () => {
      if (chart) chart.add({ field: choice.text });
      else this.#add([{ field: choice.text }]);
      this.changed();
    } })));
    palette([], fields, "Field to plot: type parts of its name");
  }

  /** @param {any[]} lines @param {any} [limits] */
  #add(lines, limits) {
    const chart = new Chart(this, limits);
    for (const line of lines) if (typeof line?.field === "string") chart.add(line);
    this.#charts.push(chart);
    this.#empty.remove();
    this.body.append(chart.element);
  }

  /** @param {Chart} chart */
  remove(chart) {
    this.#charts = this.#charts.filter((each) => each !== chart);
    chart.element.remove();
    if (!this.#charts.length) this.body.append(this.#empty);
    this.changed();
  }

  /** Handles a change of the fields or their places. */
  changed() {
    this.#follow();
    this.host.changed();
    this.invalidate();
  }

  /** One subscription for all charts. */
  #follow() {
    const names = [...new Set(this.#charts.flatMap(({ lines }) => lines.map(({ field }) => field)))];
    const key = names.join("\n");
    if (key === this.#subscribed) return;
    this.#subscribed = key;
    this.#plot?.close();
    this.#plot = null;
    for (const name of this.fields.keys()) if (!names.includes(name)) this.fields.delete(name);
    for (const name of names) if (!this.fields.has(name)) this.fields.set(name, { series: new Series(), unit: "", error: "" });
    if (!names.length) return;
    const plot = this.robot.plot(names, RATE, (points) => {
      for (const { field, time, minimum, maximum } of points) {
        const series = this.fields.get(names[field])?.series;
        if (series) for (let index = 0; index < time.length; index++) series.add(time[index], minimum[index], maximum[index]);
      }
    });
    plot.fields.then((fields) => fields.forEach(({ unit, error }, index) => {
      const field = this.fields.get(names[index]);
      if (field) Object.assign(field, { unit: unit || (names[index].startsWith("timing:") ? "s" : ""), error: error ?? "" });
      this.invalidate();
    }));
    this.#plot = plot;
  }

  /** @override @param {number} time */
  draw(time) {
    const [from, to] = timeLink.window(this.robot.time() / 1e9);
    const marks = this.robot.journal.filter((entry) => entry.mark !== undefined && entry.time / 1e9 >= from && entry.time / 1e9 <= to).map((entry) => ({ time: entry.time / 1e9, text: String(entry.mark?.text ?? entry.mark) }));
    const hasRight = this.#charts.some(({ lines }) => lines.some(({ axis }) => axis === "right"));
    const view = this.body.getBoundingClientRect();
    const visible = this.#charts.filter(({ element }) => {
      const place = element.getBoundingClientRect();
      return place.bottom >= view.top && place.top <= view.bottom;
    });
    for (const chart of visible) chart.draw({ from, to, marks, hasRight });
    // Texts are updated last, so that no layout happens between charts, and no faster than they can be
    // read.
    if (timeLink.isPaused || timeLink.cursor !== null || time >= this.#read) {
      this.#read = time + READING;
      for (const chart of visible) chart.showValues(to);
    }
    if (!timeLink.isPaused && this.#charts.length) this.invalidate();
  }

  #showTime() {
    const spans = SPANS.includes(timeLink.span) ? SPANS : [...SPANS, timeLink.span].sort((a, b) => a - b);
    const key = spans.join();
    if (this.#span.dataset.key !== key) {
      this.#span.dataset.key = key;
      fill(this.#span, ...spans.map((span) => h("option", { value: String(span) }, span < 60 ? `${Number(span.toPrecision(3))} s` : `${Number((span / 60).toPrecision(3))} min`)));
    }
    this.#span.value = String(timeLink.span);
    setText(this.#pause, timeLink.isPaused ? "Live" : "Pause");
    this.#pause.classList.toggle("active", timeLink.isPaused);
  }

  #togglePause() {
    timeLink.set({ end: timeLink.isPaused ? null : this.robot.time() / 1e9 });
  }

  /** Returns the shown points: a line for each time, with an empty cell where a field has no point. */
  #csv() {
    const [from, to] = timeLink.window(this.robot.time() / 1e9);
    const names = [...this.fields.keys()];
    /** @type {Map<number, string[]>} */
    const rows = new Map();
    const wide = names.map((name) => {
      const { series } = /** @type {{series: Series}} */ (this.fields.get(name));
      for (let index = series.indexAt(from); index < series.length && series.timeAt(index) <= to; index++) if (series.minimumAt(index) !== series.maximumAt(index)) return true;
      return false;
    });
    const heads = names.flatMap((name, place) => (wide[place] ? [`${name} minimum`, `${name} maximum`] : [name]));
    let column = 0;
    names.forEach((name, place) => {
      const { series } = /** @type {{series: Series}} */ (this.fields.get(name));
      for (let index = series.indexAt(from); index < series.length && series.timeAt(index) <= to; index++) {
        const row = rows.get(series.timeAt(index)) ?? Array(heads.length).fill("");
        rows.set(series.timeAt(index), row);
        row[column] = String(series.minimumAt(index));
        if (wide[place]) row[column + 1] = String(series.maximumAt(index));
      }
      column += wide[place] ? 2 : 1;
    });
    const quoted = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [["time", ...heads.map(quoted)].join(","), ...[...rows].sort(([a], [b]) => a - b).map(([time, cells]) => [time, ...cells].join(","))];
    download(`${this.robot.welcome?.name ?? "robot"}-plots.csv`, new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  }

  #png() {
    const ratio = devicePixelRatio || 1, colour = colours();
    const parts = this.#charts.map((chart) => ({ chart, width: chart.canvas.clientWidth, height: chart.canvas.clientHeight }));
    const picture = h("canvas");
    picture.width = Math.max(1, ...parts.map(({ width }) => width)) * ratio;
    picture.height = Math.max(1, parts.reduce((sum, { height }) => sum + height + 18, 0)) * ratio;
    const context = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
    context.scale(ratio, ratio);
    context.fillStyle = colour.surface;
    context.fillRect(0, 0, picture.width, picture.height);
    context.font = `11px ${colour.font}`;
    let top = 0;
    for (const { chart, width, height } of parts) {
      let left = 8;
      for (const line of chart.lines) {
        context.fillStyle = colour.series[line.colour % colour.series.length];
        context.fillText(line.field, left, top + 13);
        left += context.measureText(line.field).width + 16;
      }
      context.drawImage(chart.canvas, 0, top + 18, width, height);
      top += height + 18;
    }
    picture.toBlob((blob) => { if (blob) download(`${this.robot.welcome?.name ?? "robot"}-plots.png`, blob); });
  }
}

/** One chart with its legend. */
class Chart {
  /** @type {Line[]} */
  lines = [];
  /** @type {import("./chart.js").Limits} */
  limits = { left: null, right: null };
  canvas = h("canvas", { tabindex: "0", "aria-label": "Chart: drag and wheel for time, Ctrl and wheel for values, double-click to follow" });
  #legend = h("div.legend-row");
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();
  /** @type {import("./chart.js").Plane | null} */
  #plane = null;

  /** @param {Plots} plots @param {any} [limits] */
  constructor(plots, limits) {
    this.plots = plots;
    for (const axis of /** @type {Axis[]} */ (["left", "right"])) {
      const given = limits?.[axis];
      if (Array.isArray(given) && given.length === 2 && given.every(Number.isFinite) && given[0] < given[1]) this.limits[axis] = /** @type {[number, number]} */ (given);
    }
    this.element = h("div.chart", {}, h("div.chart-head", {}, this.#legend,
      button({ icon: PLUS, title: "Add a field to this chart", class: "quiet" }, () => plots.choose(this)), button({ icon: CROSS, title: "Close this chart", class: "quiet" }, () => plots.remove(this))),
      h("div.chart-body", {}, this.canvas));
    this.#listen();
  }

  /** @param {{field: string, axis?: any, colour?: any}} line */
  add({ field, axis, colour }) {
    if (this.lines.some((line) => line.field === field)) return;
    const used = new Set(this.lines.map((line) => line.colour));
    const free = [...Array(100).keys()].find((number) => !used.has(number)) ?? 0;
    this.lines.push({ field, axis: axis === "right" ? "right" : "left", colour: Number.isInteger(colour) && colour >= 0 ? colour : free });
    this.#showLegend();
  }

  #showLegend() {
    this.#values.clear();
    fill(this.#legend, ...this.lines.map((line) => {
      const swatch = h("i.swatch");
      swatch.style.background = `var(--series-${(line.colour % 10) + 1})`;
      const value = h("span.mono");
      this.#values.set(line.field, value);
      const other = line.axis === "left" ? "right" : "left";
      return h("button", { type: "button", class: "quiet legend-item", title: line.field, onclick: (/** @type {MouseEvent} */ event) => menu(/** @type {Element} */ (event.currentTarget), [
        { text: `Use the ${other} axis`, act: () => { line.axis = other; this.#showLegend(); this.plots.changed(); } },
        { text: "Another colour", act: () => { line.colour = (line.colour + 1) % 10; this.#showLegend(); this.plots.changed(); } },
        { text: "Show its value", act: () => this.#open(line.field) },
        { text: "Remove", act: () => { this.lines = this.lines.filter((each) => each !== line); this.#showLegend(); if (this.lines.length) this.plots.changed(); else this.plots.remove(this); } },
      ]) }, swatch, h("span", {}, line.field), line.axis === "right" ? h("span.muted", {}, "→") : null, value);
    }));
  }

  /** @param {string} field */
  #open(field) {
    const topic = /^topic:([^.[]+)/.exec(field)?.[1];
    if (field.startsWith("timing:")) this.plots.host.open("overview");
    else this.plots.host.open("values", topic ? { open: topic, topic: true } : { open: /^[^.[]+/.exec(field)?.[0] ?? field });
  }

  /** @param {{from: number, to: number, marks: {time: number, text: string}[], hasRight: boolean}} shown */
  draw(shown) {
    const colour = colours();
    const curves = this.lines.flatMap((line) => {
      const field = this.plots.fields.get(line.field);
      return field ? [{ series: field.series, axis: line.axis, unit: field.unit, colour: colour.series[line.colour % colour.series.length] }] : [];
    });
    this.#plane = drawChart(this.canvas, { ...shown, curves, limits: this.limits, cursor: timeLink.cursor });
  }

  /** Writes the values at the cursor, or the newest ones, into the legend. @param {number} to */
  showValues(to) {
    for (const { field } of this.lines) this.#showValue(field, to);
  }

  /** @param {string} name @param {number} to */
  #showValue(name, to) {
    const element = this.#values.get(name), field = this.plots.fields.get(name);
    if (!element || !field) return;
    const point = field.series.at(timeLink.cursor ?? to);
    const value = point ? (point.minimum + point.maximum) / 2 : null;
    const text = field.error || (value === null ? "no data" : field.unit === "s" ? duration(value * 1e9) : `${legendText(value)} ${field.unit}`);
    element.classList.toggle("bad", field.error !== "");
    setText(element, text);
  }

  #listen() {
    const { plots } = this;
    gestures(this.canvas, {
      pan: (dx) => {
        if (!this.#plane) return;
        const shift = (dx / (this.#plane.right - this.#plane.left)) * timeLink.span;
        timeLink.set({ end: (timeLink.end ?? plots.robot.time() / 1e9) - shift });
      },
      zoom: (factor, x) => {
        if (!this.#plane) return;
        const span = Math.min(3600, Math.max(1e-4, timeLink.span / factor));
        if (!timeLink.isPaused) return timeLink.set({ span });
        const time = timeOf(this.#plane, x), share = (timeLink.window(0)[1] - time) / timeLink.span;
        timeLink.set({ span, end: time + share * span });
      },
      double: () => {
        this.limits = { left: null, right: null };
        timeLink.set({ end: null });
        plots.changed();
      },
      hover: (place) => timeLink.set({ cursor: place && this.#plane && place.x >= this.#plane.left && place.x <= this.#plane.right ? timeOf(this.#plane, place.x) : null }),
    });
    // Upwards and downwards, fingers scroll through the charts.
    this.canvas.style.touchAction = "pan-y";
    this.canvas.addEventListener("wheel", (event) => { if (event.ctrlKey && this.#plane) { event.preventDefault(); event.stopImmediatePropagation(); this.#zoomValues(event); } }, { capture: true, passive: false });
    this.canvas.onkeydown = (event) => {
      const step = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
      if (step) timeLink.set({ end: (timeLink.end ?? plots.robot.time() / 1e9) + step * timeLink.span });
      else if (event.key === "+" || event.key === "-") timeLink.set({ span: timeLink.span * (event.key === "+" ? 0.8 : 1.25) });
      else return;
      event.preventDefault();
    };
  }

  /** @param {WheelEvent} event */
  #zoomValues(event) {
    const plane = /** @type {import("./chart.js").Plane} */ (this.#plane);
    const box = this.canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (plane.bottom - (event.clientY - box.top)) / (plane.bottom - plane.top)));
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400)));
    for (const axis of /** @type {Axis[]} */ (["left", "right"])) {
      if (!this.lines.some((line) => line.axis === axis)) continue;
      const [low, high] = plane.y[axis], middle = low + share * (high - low);
      const next = /** @type {[number, number]} */ ([middle - (middle - low) * factor, middle + (high - middle) * factor]);
      if (next[1] - next[0] > 1e-12) this.limits[axis] = next;
    }
    this.plots.changed();
  }
}

register(Plots);
