// Overview: is the robot well? Cycles and chains against their deadlines and bounds, losses,
// the safe state and the recorder.

import { button, fill, h, setText, space } from "./dom.js";
import { clock, count, digits, duration, number } from "./format.js";
import { boundedText, entryText } from "./journal.js";
import { confirm } from "./menu.js";
import { markButton, RecorderButton } from "./recorder.js";
import { chainsOf, cyclesOf, list, processKind, processText } from "./statistics.js";
import { onColours } from "./theme.js";
import { drawBar, Recent } from "./timing-bar.js";
import { register, View } from "./view.js";

const PERIOD = 500e6;
/** The time between two requests for bounds, which take the robot a while. */
const BOUNDS_EVERY = 60_000;
const MESSAGES = 5;
/** The ways in which messages on a link can be lost. */
const LOSSES = ["dropped", "unsendable", "lost", "unreadable"];
/** The ways in which calls over a link can end without an answer. */
const MISSES = ["unanswered", "refused"];
const LEGEND = "▍ last minute   ╷ p50   ┃ p99   ● maximum   ┊ bound (dashed)   ┃ deadline (missed beyond it)";

class Overview extends View {
  static id = "overview";
  static steers = true;
  static title = "Overview";
  static icon = "M2 9a6 6 0 0 1 12 0M8 9l3-3M3 13h10";

  #verdict = h("div.verdict");
  #cycles = h("tbody");
  #chains = h("tbody");
  #flows = h("div.flows");
  #messages = h("div.messages");
  #safe = button({ text: "Enter safe state", class: "safe" }, () => this.#toggleSafe());
  #safeReason = h("span.bad");
  /** @type {Map<string, Recent>} */
  #recent = new Map();
  /** @type {{close(): void} | null} */
  #plot = null;
  /** @type {any} */
  #bounds = null;
  #plotted = "";
  /** @type {Set<string>} */
  #open;
  /** @type {Map<string, {sent: number, time: number, rate: number}>} */
  #rates = new Map();
  /** @type {Map<HTMLCanvasElement, Parameters<typeof drawBar>[1]>} */
  #bars = new Map();

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot, host } = this;
    this.#open = new Set(list(this.initial.open));
    const recorder = this.keep(new RecorderButton(robot, host));
    fill(this.bar, recorder.element, markButton(robot, host),
      space(), this.#safeReason, this.#safe);
    if (robot.isLog) this.bar.remove();
    fill(this.body, this.#verdict,
      h("table.grid.timing", {}, h("thead", {}, row("th", ["Cycle", "Rate", "Response", "p50", "p99", "Max", "Deadline", "Bound", "Missed", "Lost"])), this.#cycles),
      h("table.grid.timing", {}, h("thead", {}, row("th", ["Chain", "", "Reaction or age", "mean", "p99", "Max", "Deadline", "Bound", "", ""])), this.#chains),
      h("div.legend.muted", {}, LEGEND), this.#flows, this.#messages);
    this.keep(robot.watch("statistics", PERIOD, () => this.#update()));
    this.keep(robot.on("description", () => this.#update()));
    this.keep(robot.on("processes", () => { this.#bounds = null; this.#plotted = ""; this.#askBounds(); }));
    this.keep(robot.on("welcome", () => { this.#bounds = null; this.#recent.clear(); this.#askBounds(); this.#showSafe(); this.#showMessages(); }));
    this.keep(robot.on("journal", () => this.#showMessages()));
    this.keep(onColours(() => this.invalidate()));
    this.keep({ close: () => this.#plot?.close() });
    const asking = setInterval(() => this.#askBounds(), BOUNDS_EVERY);
    this.keep({ close: () => clearInterval(asking) });
    this.#askBounds();
    this.#showMessages();
    this.#showSafe();
  }

  /** @override */
  settings() { return this.#open.size ? { open: [...this.#open] } : {}; }

  /** @override @param {boolean} visible */
  shown(visible) {
    if (visible) return this.#update();
    this.#plot?.close();
    this.#plot = null;
    this.#plotted = "";
  }

  async #askBounds() {
    if (!this.visible && this.#bounds) return;
    this.#bounds = await this.robot.request("bounds", {}, Infinity).catch(() => null);
    this.#update();
  }

  /** What `analyze` knows of it. @param {string} what @param {string} name */
  #bound(what, name) {
    return list(this.#bounds?.rows).find((each) => each.what === what && shortName(each) === name) ?? null;
  }

  #update() {
    if (!this.visible) return;
    const { statistics, description } = this.robot;
    const cycles = cyclesOf(statistics, description), chains = chainsOf(statistics, description);
    this.#follow(cycles.map(({ name }) => name));
    this.#bars.clear();
    update(this.#cycles, cycles.flatMap((cycle) => [cycle, ...(this.#open.has(cycle.name) ? [{ detail: cycle }] : [])]), (tr, each) => ("detail" in each ? this.#detail(tr, each.detail) : this.#cycle(tr, each)));
    update(this.#chains, chains, (tr, chain) => this.#chain(tr, chain));
    /** @type {HTMLElement} */
    (this.#chains.parentElement).hidden = chains.length === 0;
    this.#judge(cycles, chains);
    this.#showFlows();
    this.#showSafe();
    this.invalidate();
  }

  /** Follows the response of each run. @param {string[]} names */
  #follow(names) {
    const key = names.join("\n");
    if (key === this.#plotted || !names.length) return;
    this.#plot?.close();
    this.#plotted = key;
    const scale = names.map(() => 1e9);
    const plot = this.robot.plot(names.map((name) => `timing:${name}.response`), 30, (points) => {
      for (const { field, minimum, maximum } of points) {
        const recent = this.#recent.get(names[field]) ?? new Recent();
        this.#recent.set(names[field], recent);
        for (let index = 0; index < minimum.length; index++) {
          recent.add(minimum[index] * scale[field]);
          if (maximum[index] !== minimum[index]) recent.add(maximum[index] * scale[field]);
        }
      }
    });
    plot.fields.then((fields) => fields.forEach(({ unit }, index) => { scale[index] = { ns: 1, "µs": 1e3, us: 1e3, ms: 1e6 }[unit ?? ""] ?? 1e9; }));
    this.#plot = plot;
  }

  /** @param {HTMLTableRowElement} tr @param {import("./statistics.js").Cycle} cycle */
  #cycle(tr, cycle) {
    const cells = cellsOf(tr, 10);
    tr.className = "click";
    tr.onclick = () => { this.#open.has(cycle.name) ? this.#open.delete(cycle.name) : this.#open.add(cycle.name); this.#update(); this.host.changed(); };
    const bound = this.#bound("cycle", cycle.name);
    const recent = this.#recent.get(cycle.name);
    const p50 = recent?.quantile(0.5) ?? null;
    name(cells[0], cycle.missed ? "bad" : cycle.dropped || cycle.skipped ? "warning" : "good", cycle.name, [cycle.trigger, cycle.process].filter(Boolean).join(" · "));
    setText(cells[1], cycle.rate ? `${digits(cycle.rate)} Hz` : "–");
    this.#bar(cells[2], { recent: recent?.values, p01: cycle.response.p01, p50, p99: cycle.response.p99, maximum: cycle.response.maximum, limit: cycle.deadline, bound: number(bound?.bound) });
    setText(cells[3], duration(p50));
    setText(cells[4], duration(cycle.response.p99));
    tone(cells[5], duration(cycle.response.maximum), cycle.deadline !== null && (cycle.response.maximum ?? 0) > cycle.deadline ? "bad" : "");
    setText(cells[6], duration(cycle.deadline));
    showBound(cells[7], bound, cycle.deadline);
    tone(cells[8], count(cycle.missed), cycle.missed ? "bad" : "muted");
    tone(cells[9], count(cycle.dropped + cycle.skipped), cycle.dropped + cycle.skipped ? "warning" : "muted");
    cells[9].title = [...cycle.inputs.map(([source, lost]) => `${count(lost)} samples of ${source} that no run read`), cycle.skipped ? `${count(cycle.skipped)} triggers skipped` : ""].filter(Boolean).join("\n");
  }

  /** What a cycle consists of, the longest first. @param {HTMLTableRowElement} tr @param {import("./statistics.js").Cycle} cycle */
  #detail(tr, cycle) {
    tr.className = "detail";
    tr.onclick = null;
    const longest = Math.max(1, ...cycle.tasks.map((task) => number(task.execution?.maximum) ?? 0));
    const rows = cycle.tasks.slice(0, 40).map((task) => {
      const { mean, p99, maximum } = task.execution ?? {};
      const bar = h("i.share");
      bar.style.width = `${((number(p99) ?? 0) / longest) * 100}%`;
      const troubles = [number(task.failures) ? `${task.failures} failures` : "", number(task.stale) ? `${task.stale} times stale` : ""].filter(Boolean).join(", ");
      return h("tr.click", { title: "Show it in the graph", onclick: () => this.host.open("graph", { select: String(task.name).split(".")[0] }) },
        h("td", {}, String(task.name), troubles && h("span.bad", {}, ` ${troubles}`)), h("td.wide", {}, bar), ...[mean, p99, maximum].map((time) => h("td.number", {}, duration(time))));
    });
    const facts = [`${count(cycle.runs)} runs`, cycle.priority === null ? "" : `priority ${cycle.priority}`, cycle.workers === null ? "" : `${cycle.workers} workers`,
      `release jitter p99 ${duration(cycle.jitter.p99)}`, `wake-up p99 ${duration(cycle.wakeUp.p99)}`, `execution p99 ${duration(cycle.execution.p99)}`].filter(Boolean).join(" · ");
    fill(tr, h("td", { colspan: "10" }, h("div.muted", {}, facts),
      rows.length ? h("table.grid.inner", {}, h("tr", {}, ...["Task", "execution p99", "mean", "p99", "max"].map((text, index) => h("th", { class: index > 1 ? "number" : "" }, text))), ...rows) : null));
  }

  /** @param {HTMLTableRowElement} tr @param {import("./statistics.js").Chain} chain */
  #chain(tr, chain) {
    const cells = cellsOf(tr, 10);
    const bound = this.#bound(chain.kind === "age" ? "data age" : "reaction time", chain.name);
    const isLate = chain.limit !== null && (chain.seen.maximum ?? 0) > chain.limit;
    name(cells[0], chain.seen.count === 0 ? "muted" : isLate ? "bad" : "good", chain.name, `${chain.from} → ${chain.to}`);
    setText(cells[1], chain.kind);
    cells[1].className = "muted";
    this.#bar(cells[2], { p01: chain.seen.p01, p50: chain.seen.mean, p99: chain.seen.p99, maximum: chain.seen.maximum, limit: chain.limit, bound: number(bound?.bound) });
    setText(cells[3], duration(chain.seen.mean));
    setText(cells[4], duration(chain.seen.p99));
    tone(cells[5], duration(chain.seen.maximum), isLate ? "bad" : "");
    setText(cells[6], duration(chain.limit));
    showBound(cells[7], bound, chain.limit);
  }

  /** @param {HTMLElement} cell @param {Parameters<typeof drawBar>[1]} times */
  #bar(cell, times) {
    let canvas = cell.querySelector("canvas");
    if (!canvas) fill(cell, canvas = h("canvas.timing-bar", { title: LEGEND }));
    cell.className = "wide";
    this.#bars.set(canvas, times);
  }

  /** @override */
  draw() {
    for (const [canvas, times] of this.#bars) drawBar(canvas, times);
  }

  /** One sentence first. @param {import("./statistics.js").Cycle[]} cycles @param {import("./statistics.js").Chain[]} chains */
  #judge(cycles, chains) {
    const { statistics, state } = this.robot;
    const missed = cycles.filter((cycle) => cycle.missed), lost = cycles.filter((cycle) => cycle.dropped + cycle.skipped);
    const late = chains.filter((chain) => chain.limit !== null && (chain.seen.maximum ?? 0) > chain.limit);
    const unsure = list(this.#bounds?.rows).filter((each) => each.holds === false);
    const unbounded = unsure.filter((each) => number(each.bound) === null);
    const exceedances = list(statistics?.exceedances);
    const { processes } = this.robot;
    const lines = [
      ...processes.filter((one) => processKind(one) === "bad").map((one) => ["bad", `Process ${processText(one)}.`]),
      ...missed.map((cycle) => ["bad", `${cycle.name} missed its deadline in ${count(cycle.missed)} of ${count(cycle.runs)} runs.`]),
      ...late.map((chain) => ["bad", `${chain.name}: a ${chain.kind} of ${duration(chain.seen.maximum)}, limit ${duration(chain.limit)}.`]),
      ...exceedances.map(({ of, count: times }) => ["warning", `${boundedText(of)}: its bound was exceeded ${(times ?? 1) === 1 ? "once" : `${count(times)} times`}; the log says why.`]),
      ...lost.map((cycle) => ["warning", `${cycle.name} lost ${count(cycle.dropped + cycle.skipped)} inputs.`]),
      ...unsure.filter((each) => number(each.bound) !== null).map((each) => ["warning", `${shortName(each)}: up to ${duration(each.bound)} possible, limit ${duration(each.deadline)}.`]),
      ...(unbounded.length ? [["warning", `No bound is known for ${unbounded.map(shortName).join(", ")}.`]] : []),
    ];
    const all = !statistics ? [["muted", state === "connected" ? "Waiting for statistics …" : "Not connected."]]
      : lines.length ? lines : [["good", `All ${cycles.length} cycles meet their deadlines${chains.length ? ", and all chains are in time" : ""}.`]];
    fill(this.#verdict, ...all.slice(0, 6).map(([kind, text]) => h("div", {}, h("i", { class: `dot ${kind}` }), text)));
  }

  #showFlows() {
    const { statistics, description } = this.robot;
    const topics = list(statistics?.topics), links = list(statistics?.links);
    /** The process of this robot at the other end, if it is one. */
    const beyond = (/** @type {any} */ { process, name }) => links.find((one) => process && one.process === name && one.name === process);
    const lostOf = new Map();
    for (const cycle of cyclesOf(statistics, description)) for (const [source, lost] of cycle.inputs) lostOf.set(source, [...(lostOf.get(source) ?? []), `${count(lost)} by ${cycle.name}`]);
    const callbacks = list(statistics?.report?.callbacks);
    const table = (/** @type {string[]} */ heads, /** @type {HTMLElement[]} */ rows) => rows.length ? h("table.grid", {}, h("thead", {}, h("tr", {}, ...heads.map((text, index) => h("th", { class: index ? "number" : "" }, text)))), h("tbody", {}, ...rows)) : null;
    const cell = (/** @type {any} */ text, kind = "") => h("td", { class: `number ${kind}` }, text);
    fill(this.#flows,
      table(["Process", "cycles", "number", "restarts"], this.robot.processes.map((one) => h("tr", { title: processText(one) }, h("td", {}, h("i", { class: `dot ${processKind(one)}` }), one.name, h("span.muted", {}, `${one.host ? ` on ${one.host}` : ""} ${one.problem ?? one.state}`)),
        cell(description.cycles.filter(({ process }) => process === one.name).map(({ name }) => name).join(", "), "muted"), cell(one.process ?? "–"), cell(one.restarts, one.restarts ? "warning" : "muted")))),
      table(["Source", "provides", "lost"], list(description.sources).map((source) => h("tr", {}, h("td", {}, source.name, source.process && h("span.muted", {}, ` ${source.process}`)), h("td.muted.clip", {}, list(source.provides).join(", ")), cell(lostOf.get(source.name)?.join(", ") ?? "0", lostOf.has(source.name) ? "warning" : "muted")))),
      table(["Topic", "sent", "Hz", "waiting", "lost"], topics.map((topic) => h("tr.click", { onclick: () => this.host.open("values", { open: topic.name, topic: true }) },
        h("td", {}, topic.name, topic.process && h("span.muted", {}, ` ${topic.process}`)), cell(count(topic.sent)), cell(digits(this.#rate({ ...topic, name: `${topic.process} ${topic.name}` }, statistics.time))), cell(count(topic.waiting ?? 0), number(topic.waiting) ? "" : "muted"), cell(count(topic.lost ?? 0), number(topic.lost) ? "warning" : "muted")))),
      table(["Link", "messages", "Hz", "lost"], links.flatMap((link) => [
        // A topic from one process to another is listed once, by its sender, with the losses on both sides.
        h("tr", {}, h("td", { colspan: "4" }, ...(beyond(link) ? [`${link.process} → ${link.name}`] : [`${link.name} `, h("span.muted", {}, `${link.listens ? "listens at" : link.joins ? "joins" : "connects to"} ${link.address}:`)]),
          beyond(link) && link.peers.length ? null : link.peers.length ? link.peers.map((/** @type {any} */ peer) => h("span", { title: `Since ${clock(peer.since)}` }, ` ${peer.name}`)) : h("span.warning", {}, " not connected"),
          link.problem && h("div.bad", {}, link.problem))),
        ...[...link.sent, ...(beyond(link) ? [] : link.received)].map((sent) => {
          const there = beyond(link)?.received.find((/** @type {any} */ one) => one.name === sent.name && one.kind === sent.kind) ?? {};
          const item = { ...there, ...sent };
          const losses = LOSSES.filter((what) => item[what]), lost = losses.reduce((sum, what) => sum + item[what], 0);
          return h("tr", { title: losses.map((what) => `${count(item[what])} ${what}`).join("\n") }, h("td", {}, `${link.sent.includes(sent) ? "→" : "←"} ${item.name}`, item.is_stale && h("span.warning", {}, " stale")), cell(count(item.messages)),
            cell(digits(this.#rate({ name: `${link.process} ${link.name}: ${item.kind} ${item.name}`, sent: item.messages }, statistics.time))), cell(count(lost), lost ? "bad" : "muted"));
        }),
        ...[...list(link.served), ...list(link.called)].map((service) => {
          const missed = MISSES.reduce((sum, what) => sum + service[what], 0), what = list(link.served).includes(service) ? "serves" : "calls";
          const told = ["answers", ...MISSES].filter((what) => service[what]).map((what) => `${count(service[what])} ${what}`);
          return h("tr", { title: [...told, service.in_flight ? `${service.in_flight} in flight` : ""].join("\n") }, h("td", {}, h("span.muted", {}, `${what} `), service.name), cell(count(service.calls)),
            cell(digits(this.#rate({ name: `${link.name}: ${what} ${service.name}`, sent: service.calls }, statistics.time))), cell(count(missed), missed ? "bad" : "muted"));
        })])),
      table(["Callback", "latency p99", "execution p99", "panics"], callbacks.map((callback) => h("tr", {}, h("td", {}, String(callback.name), h("span.muted", {}, ` ${callback.executor}`)), cell(duration(callback.latency?.p99)), cell(duration(callback.execution?.p99)), cell(count(callback.panics ?? 0), callback.panics ? "bad" : "muted")))));
  }

  /** @param {any} topic @param {number} time */
  #rate(topic, time) {
    const before = this.#rates.get(topic.name);
    const sent = number(topic.sent) ?? 0;
    if (!before) this.#rates.set(topic.name, { sent, time, rate: 0 });
    else if (time - before.time > 2e9) this.#rates.set(topic.name, { sent, time, rate: ((sent - before.sent) / (time - before.time)) * 1e9 });
    return this.#rates.get(topic.name)?.rate ?? 0;
  }

  #showMessages() {
    const entries = this.robot.journal.filter((entry) => entry.message || entry.exceedance || entry.mark !== undefined).slice(-MESSAGES).reverse();
    fill(this.#messages, h("div.section.click", { onclick: () => this.host.open("log") }, "Latest messages"),
      ...entries.map((entry) => { const { kind, about, text } = entryText(entry); return h("div.line", {}, h("span.number.muted", {}, clock(entry.time)), h("i", { class: `dot ${kind}` }), h("span", {}, about && h("b", {}, `${about}: `), text)); }),
      entries.length ? null : h("div.muted.line", {}, "None yet."));
  }

  #showSafe() {
    const safe = this.robot.statistics?.safe_state;
    setText(this.#safe, safe ? "Leave safe state" : "Enter safe state");
    this.#safe.classList.toggle("bad", !safe);
    this.#safe.disabled = !this.robot.mayChange;
    setText(this.#safeReason, safe ? `Safe state since ${clock(safe.since)}: ${safe.cause}` : "");
  }

  async #toggleSafe() {
    const isSafe = Boolean(this.robot.statistics?.safe_state);
    if (isSafe && !(await confirm("Leave the safe state? The robot will move again.", "Leave", "bad"))) return;
    await this.host.attempt(this.robot.change({ safe_state: !isSafe }));
  }
}

/** @param {"td" | "th"} tag @param {string[]} texts */
function row(tag, texts) {
  return h("tr", {}, ...texts.map((text, index) => h(tag, { class: index === 0 || index === 2 ? "" : "number" }, text)));
}

/** Creates as many rows as there are items, and fills each of them.
 * @template T @param {HTMLElement} body @param {T[]} things @param {(tr: HTMLTableRowElement, thing: T) => void} show */
function update(body, things, show) {
  while (body.children.length > things.length) body.lastChild?.remove();
  while (body.children.length < things.length) body.append(h("tr"));
  things.forEach((thing, index) => show(/** @type {HTMLTableRowElement} */ (body.children[index]), thing));
}

/** @param {HTMLTableRowElement} tr @param {number} length */
function cellsOf(tr, length) {
  if (tr.children.length !== length) fill(tr, ...Array.from({ length }, (_, index) => h("td", { class: index === 0 ? "" : "number" })));
  return /** @type {HTMLElement[]} */ ([...tr.children]);
}

/** @param {HTMLElement} cell @param {string} kind @param {string} text @param {string} more */
function name(cell, kind, text, more) {
  if (!cell.firstChild) fill(cell, h("i.dot"), h("b"), h("span.muted"));
  cell.children[0].className = `dot ${kind}`;
  setText(cell.children[1], text);
  setText(cell.children[2], more ? ` ${more}` : "");
}

/** @param {HTMLElement} cell @param {string} text @param {string} kind */
function tone(cell, text, kind) {
  cell.className = `number ${kind}`;
  setText(cell, text);
}

/** @param {HTMLElement} cell @param {any} bound @param {number | null} limit */
function showBound(cell, bound, limit) {
  const value = number(bound?.bound);
  tone(cell, duration(value), value !== null && limit !== null && value > limit ? "warning" : "");
  cell.title = typeof bound?.no_bound === "string" ? bound.no_bound : value === null ? "" : "No run takes longer while tasks keep their known execution times";
}

/** The name of what has a bound, without its way: `image-to-joints`. @param {any} bound */
function shortName(bound) {
  return String(bound.name).split(": ")[0];
}

register(Overview);
