// The whole robot as a graph: who provides what to whom, how long it takes, and who else could.

import { CROSS, button, fill, h, space } from "./dom.js";
import { duration } from "./format.js";
import { Camera, Tip, movable, notice } from "./gestures.js";
import { layOut } from "./graph-layout.js";
import { around, criticality, graphOf, ofCycle } from "./graph-model.js";
import { list } from "./statistics.js";
import { colours, fit, onColours } from "./theme.js";
import { View, register } from "./view.js";

/** @typedef {import("./graph-model.js").GraphNode} GraphNode */

const HEIGHTS = { task: 32, module: 26, source: 26, topic: 22, service: 22 };
const CHARACTER = 6.7;
/** The size in pixels below which text is not drawn. */
const LEGIBLE = 4;

export class GraphView extends View {
  /** @override */
  static id = "graph";
  /** @override */
  static steers = true;
  static title = "Graph";
  /** @override */
  static icon = "M2 3h4v3h-4zM10 3h4v3h-4zM6 11h4v3h-4zM6 4.5h4M4 6l3 5M12 6l-3 5";

  /** @type {import("./graph-model.js").Graph} */
  #graph = { nodes: [], edges: [] };
  /** @type {import("./graph-layout.js").Layout} */
  #layout = { nodes: new Map(), groups: new Map(), paths: [] };
  #camera = new Camera({ smallest: 0.02, largest: 4 });
  /** @type {string | null} */
  #selected = null;
  /** @type {string | null} */
  #hovered = null;
  #wanted = "";
  /** By cycle and task. @type {Map<string, any>} */
  #reports = new Map();
  /** @type {Map<any, number>} */
  #critical = new Map();

  #canvas = h("canvas", { role: "img", "aria-label": "Modules and what they provide" });
  #tip = new Tip(this.#canvas);
  #panel = h("aside.detail", { hidden: true });
  #search = h("input", { type: "search", placeholder: "Find a module or value", oninput: () => this.invalidate(), onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") this.#find(this.#search.value); } });
  #cycle = this.#select("Cycle", { "": "all cycles" });
  #detail = this.#select("Boxes are", { module: "modules", task: "updates" });
  #around = this.#select("Part shown", { "": "everything", neighbours: "neighbours" });
  #colour = this.#select("Colours", { cycle: "by cycle", duration: "by duration", critical: "by criticality" });

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    const { select, ...controls } = this.initial;
    this.#wanted = String(select ?? "");
    if (controls.cycle) this.#cycle.append(h("option", { value: controls.cycle }, String(controls.cycle)));
    for (const [name, control] of this.#controls()) if ([...control.options].some(({ value }) => value === controls[name])) control.value = controls[name];
    fill(this.bar, this.#search, this.#cycle, this.#detail, this.#around, this.#colour, space(), button({ text: "Fit", title: "Show everything" }, () => this.#fit()));
    fill(this.body, this.#canvas, this.#tip.element, this.#panel);
    this.body.classList.add("beside");
    movable(this, this.#canvas, this.#camera, { click: (x, y) => this.#choose(this.#at(x, y)), hover: (place) => this.#hover(place) });
    this.keep(onColours(() => this.invalidate()));
    this.keep(robot.on("description", () => this.#build()));
    this.keep(robot.watch("statistics", 1e9, (event) => this.#measured(event)));
    this.#build();
  }

  /** @override */
  settings() {
    return { select: this.#node?.title, ...Object.fromEntries(this.#controls().map(([name, control]) => [name, control.value])) };
  }

  /** @returns {[string, HTMLSelectElement][]} */
  #controls() { return [["cycle", this.#cycle], ["detail", this.#detail], ["around", this.#around], ["colour", this.#colour]]; }

  /**
   * @param {string} title
   * @param {Record<string, string>} texts by value
   */
  #select(title, texts) {
    const select = h("select", { title, onchange: () => { if (select === this.#colour) this.#show(); else this.#changed(); this.host.changed(); this.invalidate(); } },
      ...Object.entries(texts).map(([value, text]) => h("option", { value }, text)));
    return select;
  }

  /** The selected node. */
  get #node() { return this.#graph.nodes.find(({ id }) => id === this.#selected); }

  /** Selects a module, a source, a topic, or the provider of a representation. @override @param {any} settings @returns {boolean} */
  accept(settings) {
    if (typeof settings?.select === "string") this.#find(settings.select);
    return true;
  }

  /** @override */
  resized() { if (this.#camera.isFree) this.#fit(); }

  #changed() {
    this.#camera.isFree = true;
    this.#build();
    this.host.changed();
  }

  /** Builds the graph again. */
  #build() {
    const { description } = this.robot;
    const names = list(description.cycles).map(({ name }) => String(name));
    const chosen = this.#cycle.value;
    if (names.length > 0 && names.join("\n") !== [...this.#cycle.options].slice(1).map(({ value }) => value).join("\n")) {
      fill(this.#cycle, h("option", { value: "" }, "all cycles"), ...names.map((name) => h("option", { value: name }, name)));
      this.#cycle.value = names.includes(chosen) ? chosen : "";
    }
    const whole = graphOf(description, this.#detail.value === "module");
    const before = this.#node;
    if (before && !whole.nodes.some(({ id }) => id === before.id)) {
      // Updates have become modules, or the other way round.
      this.#selected = whole.nodes.find(({ module, title, cycle }) => cycle === before.cycle && (module ?? title) === (before.module ?? before.title))?.id ?? null;
    }
    let graph = whole;
    if (this.#selected && this.#around.value) graph = around(whole, this.#selected);
    else if (this.#cycle.value) graph = ofCycle(whole, this.#cycle.value);
    this.#graph = graph;
    const width = (/** @type {GraphNode} */ { title, subtitle }) => Math.max(40, Math.max(title.length, subtitle.length) * CHARACTER + 18);
    this.#layout = layOut(graph.nodes.map((node) => ({ id: node.id, width: width(node), height: HEIGHTS[node.kind], group: [node.process, node.cycle].filter((name) => name !== null) })), graph.edges);
    this.#weigh();
    if (this.#camera.isFree) this.#fit();
    if (this.#wanted && graph.nodes.length > 0) { const wanted = this.#wanted; this.#wanted = ""; this.#find(wanted); }
    this.#show();
    this.invalidate();
  }

  /** @param {any} event */
  #measured(event) {
    this.#reports = new Map(list(event?.report?.cycles).flatMap((cycle) => list(cycle.tasks).map((task) => [`${cycle.name} ${task.name}`, task])));
    this.#weigh();
    this.#figures();
    if (this.#colour.value !== "cycle") this.invalidate();
  }

  #weigh() {
    this.#critical = criticality(this.robot.description, (cycle, task) => this.#mean(cycle, task));
  }

  /** @param {string | null} cycle @param {string} task */
  #mean(cycle, task) {
    const mean = this.#reports.get(`${cycle} ${task}`)?.execution?.mean;
    return typeof mean === "number" ? mean : 0;
  }

  #fit() {
    const { nodes, groups } = this.#layout;
    const boxes = [...nodes.values(), ...groups.values()];
    const { clientWidth, clientHeight } = this.#canvas;
    if (boxes.length === 0 || clientWidth === 0) return;
    this.#camera.frame({
      left: Math.min(...boxes.map(({ x, width }) => x - width / 2)), right: Math.max(...boxes.map(({ x, width }) => x + width / 2)),
      top: Math.min(...boxes.map(({ y, height }) => y - height / 2)), bottom: Math.max(...boxes.map(({ y, height }) => y + height / 2)),
    }, clientWidth, clientHeight, 16, 1.4);
    this.#camera.isFree = true;
    this.invalidate();
  }

  /** @override */
  draw() {
    const [context, , height] = fit(this.#canvas);
    const look = colours(), { scale, x, y } = this.#camera;
    if (this.#graph.nodes.length === 0) return notice(context, "Waiting for the robot's description …", look.muted);
    context.save();
    context.textAlign = "left";
    context.translate(x, y);
    context.scale(scale, scale);
    context.textBaseline = "middle";
    const order = this.robot.description.cycles.map(({ name }) => name);
    const ofCycle = (/** @type {string | null} */ name) => look.series[Math.max(0, order.indexOf(name)) % look.series.length];
    for (const [path, box] of this.#layout.groups) {
      const name = path.split("\n").pop() ?? "", colour = order.includes(name) ? ofCycle(name) : look.muted;
      context.fillStyle = look.background;
      context.strokeStyle = colour;
      context.lineWidth = 1.2;
      context.beginPath();
      context.roundRect(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, 8);
      context.fill();
      context.stroke();
      context.fillStyle = colour;
      const size = Math.min(40, Math.max(12, 11 / scale));
      context.font = `600 ${size}px ${look.font}`;
      context.fillText(name, box.x - box.width / 2 + 6, box.y - box.height / 2 - size * 0.6 + (size <= 14 ? 20 : 0));
    }
    const focus = this.#hovered ?? this.#selected, found = this.#found();
    const isNear = new Set(focus ? [focus] : []);
    for (const { from, to } of this.#graph.edges) { if (from === focus) isNear.add(to); if (to === focus) isNear.add(from); }
    this.#edges(context, look, focus);
    for (const node of this.#graph.nodes) {
      const box = this.#layout.nodes.get(node.id);
      if (!box) continue;
      const isFaint = (found !== null && !found.has(node.id)) || (found === null && focus !== null && !isNear.has(node.id));
      this.#box(context, look, node, box, ofCycle(node.cycle), isFaint);
    }
    if (focus && 9 * scale >= LEGIBLE) this.#carried(context, look, focus);
    context.restore();
    this.#legend(context, look, height);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {GraphNode} node
   * @param {import("./graph-layout.js").Box} box @param {string} cycle its colour @param {boolean} isFaint */
  #box(context, look, node, box, cycle, isFaint) {
    const { scale } = this.#camera, left = box.x - box.width / 2, top = box.y - box.height / 2;
    const isSelected = node.id === this.#selected;
    context.globalAlpha = isFaint ? 0.25 : 1;
    context.beginPath();
    const isRound = node.kind === "topic" || node.kind === "service";
    context.roundRect(left, top, box.width, box.height, isRound ? box.height / 2 : node.kind === "source" ? 2 : 5);
    context.fillStyle = look.raised;
    context.fill();
    const heat = this.#heat(node, look);
    if (heat) {
      context.globalAlpha *= heat.share;
      context.fillStyle = heat.colour;
      context.fill();
      context.globalAlpha = isFaint ? 0.25 : 1;
    }
    context.strokeStyle = isSelected ? look.accent : node.kind === "task" || node.kind === "module" ? cycle : node.kind === "source" ? look.text : look.muted;
    context.lineWidth = isSelected ? 2.5 : node.kind === "source" ? 1.5 : 1;
    context.setLineDash(node.kind === "service" ? [4, 3] : []);
    context.stroke();
    context.setLineDash([]);
    if (11 * scale >= LEGIBLE) {
      context.fillStyle = look.text;
      context.font = `11px ${look.font}`;
      const middle = node.subtitle ? top + 10.5 : box.y;
      context.fillText(node.title, left + 9, middle);
      if (node.subtitle) {
        context.fillStyle = look.muted;
        context.fillText(node.subtitle, left + 9, top + 22.5);
      }
    }
    context.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {string | null} focus */
  #edges(context, look, focus) {
    const { scale } = this.#camera;
    this.#graph.edges.forEach((edge, number) => {
      const path = this.#layout.paths[number];
      if (!path) return;
      const isNear = edge.from === focus || edge.to === focus;
      context.globalAlpha = isNear ? 1 : focus ? 0.12 : edge.carriage === "value" ? 0.55 : 0.35;
      context.strokeStyle = isNear ? (edge.from === focus ? look.series[1] : look.accent) : look.muted;
      context.lineWidth = (isNear ? 1.8 : 1) / Math.min(1, Math.max(0.4, scale));
      context.setLineDash(edge.carriage === "previous" || edge.carriage === "between" || edge.carriage === "output" ? [6, 4] : edge.carriage === "topic" ? [2, 3] : []);
      context.beginPath();
      context.moveTo(path[0][0], path[0][1]);
      for (let at = 1; at < path.length; at++) {
        const [x0, y0] = path[at - 1], [x1, y1] = path[at];
        const bend = y1 > y0 ? Math.min((y1 - y0) / 2, 60) : Math.min(140, 40 + (y0 - y1) / 4);
        context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
      }
      context.stroke();
      context.setLineDash([]);
      const [x, y] = path[path.length - 1];
      context.fillStyle = context.strokeStyle;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - 3, y - 6);
      context.lineTo(x + 3, y - 6);
      context.fill();
    });
    context.globalAlpha = 1;
  }

  /** Labels the edges of a node at their other ends.
   * @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {string} focus */
  #carried(context, look, focus) {
    context.font = `9px ${look.font}`;
    context.textAlign = "center";
    this.#graph.edges.forEach((edge, number) => {
      const path = this.#layout.paths[number];
      if (!path || (edge.from !== focus && edge.to !== focus)) return;
      const [x, y] = edge.from === focus ? path[path.length - 1] : path[0], at = y + (edge.from === focus ? -11 : 9);
      const text = edge.names.slice(0, 2).join(", ") + (edge.names.length > 2 ? " …" : ""), width = context.measureText(text).width + 4;
      context.fillStyle = look.background;
      context.globalAlpha = 0.8;
      context.fillRect(x - width / 2, at - 5.5, width, 11);
      context.globalAlpha = 1;
      context.fillStyle = look.text;
      context.fillText(text, x, at);
    });
    context.textAlign = "left";
  }

  /** How warm a box is. @param {GraphNode} node @param {import("./theme.js").Colours} look */
  #heat(node, look) {
    if (node.tasks.length === 0) return null;
    if (this.#colour.value === "duration") {
      const sum = node.tasks.reduce((all, task) => all + this.#mean(node.cycle, task.name), 0);
      // From 1 µs to 10 ms.
      return sum > 0 ? { colour: look.bad, share: Math.min(0.85, Math.max(0.04, Math.log10(sum / 1e3) / 4.7)) } : null;
    }
    if (this.#colour.value === "critical") {
      const most = Math.max(0, ...node.tasks.map((task) => this.#critical.get(task) ?? 0));
      return { colour: most > 0.999 ? look.bad : look.warning, share: most > 0.999 ? 0.75 : 0.6 * most ** 3 };
    }
    return null;
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./theme.js").Colours} look @param {number} height */
  #legend(context, look, height) {
    context.font = `10px ${look.font}`;
    context.fillStyle = look.muted;
    context.textAlign = "left";
    context.textBaseline = "bottom";
    const heat = { duration: "mean time: faint 1 µs, full 10 ms; ", critical: "red: the longest path of a cycle, by mean times; " }[this.#colour.value] ?? "";
    context.fillText(`${heat}dashed: from another cycle, or of the run before`, 8, height - 6);
  }

  /** The nodes that match the search; `null` if it is empty. @returns {Set<string> | null} */
  #found() {
    const words = this.#search.value.trim().toLowerCase();
    if (!words) return null;
    const fits = (/** @type {GraphNode} */ { title, subtitle, tasks }) => `${title}.${subtitle}`.toLowerCase().includes(words)
      || tasks.some((task) => list(task.provides).some((name) => String(name).toLowerCase().includes(words)));
    return new Set(this.#graph.nodes.filter(fits).map(({ id }) => id));
  }

  /** Selects what has this name, or provides it, and shows it. @param {string} name */
  #find(name) {
    const low = name.trim().toLowerCase();
    if (!low) return;
    const { nodes } = graphOf(this.robot.description, this.#detail.value === "module");
    const provides = (/** @type {GraphNode} */ node) => [...node.tasks.flatMap((task) => list(task.provides)), ...list(node.source?.provides)].map((one) => String(one).toLowerCase());
    const node = nodes.find((one) => one.title.toLowerCase() === low || `${one.title}.${one.subtitle}`.toLowerCase() === low) ?? nodes.find((one) => provides(one).includes(low))
      ?? nodes.find((one) => one.title.toLowerCase().includes(low)) ?? nodes.find((one) => provides(one).some((each) => each.includes(low)));
    if (nodes.length === 0) this.#wanted = name;
    else if (!node) this.host.say(`Nothing is called ${name}.`);
    else {
      if (this.#cycle.value && node.cycle && node.cycle !== this.#cycle.value) this.#cycle.value = node.cycle;
      this.#choose(node.id);
      const box = this.#layout.nodes.get(node.id), { clientWidth, clientHeight } = this.#canvas;
      if (!box || clientWidth === 0) return;
      const scale = Math.max(this.#camera.scale, 0.9);
      this.#camera.scale = scale;
      this.#camera.x = clientWidth / 2 - box.x * scale;
      this.#camera.y = clientHeight / 2 - box.y * scale;
      this.#camera.isFree = false;
      this.invalidate();
    }
  }

  /** @param {number} x @param {number} y @returns {string | null} */
  #at(x, y) {
    const [wx, wy] = this.#camera.place(x, y);
    for (const [id, box] of this.#layout.nodes) if (Math.abs(wx - box.x) <= box.width / 2 + 2 && Math.abs(wy - box.y) <= box.height / 2 + 2) return id;
    return null;
  }

  /** @param {string | null} id */
  #choose(id) {
    this.#selected = id;
    if (this.#around.value && id) this.#changed();
    else { this.#show(); this.host.changed(); }
    this.invalidate();
  }

  /** @param {{x: number, y: number} | null} place */
  #hover(place) {
    const id = place && this.#at(place.x, place.y);
    if (id !== this.#hovered) { this.#hovered = id; this.invalidate(); }
    const node = this.#graph.nodes.find((one) => one.id === id);
    if (!node) return this.#tip.show(null, []);
    const lines = [node.title, [node.kind, node.cycle, node.process].filter(Boolean).join(" in ")];
    for (const task of node.tasks) {
      const mean = this.#mean(node.cycle, task.name);
      lines.push(`${task.update}: ${mean ? `${duration(mean)} ` : ""}→ ${list(task.provides).join(", ") || "–"}`);
    }
    if (node.source) lines.push(`→ ${list(node.source.provides).join(", ")}`);
    this.#tip.show(place, lines);
  }

  /** Shows the selected node beside the graph. */
  #show() {
    const node = this.#node;
    this.#panel.hidden = !node;
    if (!node) return;
    const module = this.robot.description.modules.find(({ name, cycle }) => name === node.module && (cycle === node.cycle || !cycle));
    const names = (/** @type {string} */ label, /** @type {any[]} */ all, topic = false) => (all.length === 0 ? null
      : h("div.row", {}, h("span.muted", {}, label), ...all.map((name) => this.#name(String(name), topic))));
    fill(this.#panel,
      h("header", {}, h("b", {}, node.title), h("span.muted", {}, [node.cycle ?? node.kind, node.process].filter(Boolean).join(" · ")), space(), button({ icon: CROSS, title: "Close" }, () => this.#choose(null))),
      module?.location ? h("p.mono.muted", {}, module.location) : null,
      node.module ? h("div.row", {}, button({ text: "Parameters" }, () => this.host.open("parameters", { filter: `${node.module}.` })),
        module?.safe_state ? h("span.chip.good", { title: "Has values for the safe state" }, "safe state") : null) : null,
      ...node.tasks.map((task) => h("section", {}, h("h3", {}, String(task.update)),
        h("p.mono.figures", { data: { task: task.name } }),
        names("requires", list(task.requires)), names("uses", list(task.uses)), names("collects", list(task.collects)), names("provides", list(task.provides)),
        names("subscribes", list(task.subscribes), true), names("publishes", list(task.publishes), true),
        ...list(task.provides).map((name) => this.#providers(String(name))))),
      node.source ? h("section", {}, names("provides", list(node.source.provides)), names("takes", list(node.source.reads)), names("publishes", list(node.source.publishes), true)) : null,
      node.kind === "topic" ? h("div.row", {}, button({ text: "Show messages" }, () => this.host.open("values", { open: node.title, topic: true }))) : null);
    this.#figures();
  }

  /** A value or topic: a press selects who provides it, the other one shows it.
   * @param {string} name @param {boolean} topic */
  #name(name, topic) {
    return h("span", {}, h("button", { type: "button", class: "link", title: topic ? "Find it in the graph" : "Find who provides it", onclick: () => this.#find(name) }, name), " ",
      button({ icon: "M3 8h9M9 5l3 3l-3 3", title: `Show ${name}`, class: "quiet small" }, () => this.host.open("values", topic ? { open: name, topic: true } : { open: name })));
  }

  /** Who could provide a representation, if there is a choice. @param {string} name */
  #providers(name) {
    const one = this.robot.description.representations.find((each) => each.name === name);
    const candidates = list(one?.candidates).map(String);
    if (candidates.length < 2) return null;
    const select = h("select", { "aria-label": `Provider of ${name}` }, ...candidates.map((candidate) => h("option", { value: candidate, selected: candidate === one.provider }, candidate)));
    const apply = button({ text: "Switch", class: "primary", disabled: true, title: this.robot.mayChange ? `Let it provide ${name} from the next run on` : "This address is read-only" }, async () => {
      apply.disabled = true;
      if (await this.host.attempt(this.robot.change({ provider: { representation: name, module: select.value } }))) {
        this.host.say(`${select.value} provides ${name} now.`, "good");
        this.host.attempt(this.robot.refresh());
      } else select.value = one.provider;
    });
    select.onchange = () => { apply.disabled = select.value === one.provider || !this.robot.mayChange; };
    return h("div.row", {}, h("span.muted", {}, name), select, apply);
  }

  /** Writes the measurements into the panel. */
  #figures() {
    const node = this.#node;
    if (!node || this.#panel.hidden) return;
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (this.#panel.querySelectorAll("[data-task]"))) {
      const task = node.tasks.find(({ name }) => name === line.dataset.task), report = this.#reports.get(`${node.cycle} ${line.dataset.task}`);
      const { mean, p99, maximum } = report?.execution ?? {};
      const critical = this.#critical.get(task) ?? 0;
      line.textContent = report ? `${duration(mean)} mean, ${duration(p99)} p99, ${duration(maximum)} maximum; waits ${duration(report.queueing?.mean)}; ${critical > 0.999 ? "on the longest path" : `${Math.round(critical * 100)} % of the longest path`}${report.failures ? `; failed ${report.failures} times` : ""}` : "not measured yet";
    }
  }
}

register(GraphView);
