// The connection to a robot: the protocol of docs/book/src/door.md in a page. It reconnects by itself, and
// renews all subscriptions.

import { EventStream, Shared, contain } from "./subscriptions.js";

/**
 * @typedef {{close(): void}} Closable
 * @typedef {{value?: string, topic?: string, rate?: number, as?: "cdr" | "jpeg"}} Wish
 * @typedef {{time: number, sequence: number, run: number, stamp: number, bytes: Uint8Array, type: import("./cdr.js").Struct | null, encoding: string, value(): any}} Message
 *   Times are nanoseconds of the robot's clock. `bytes` is CDR with its header, or a JPEG; `value()` decodes it.
 * @typedef {{field: number, time: Float64Array, minimum: Float64Array, maximum: Float64Array}} Points
 *   Times are in seconds.
 * @typedef {{cycles: any[], workers: any[], tasks: any[], sources: any[], exchanges: any[], callbacks: any[]}} Names
 * @typedef {{cycles: any[], modules: any[], sources: any[], representations: any[], topics: any[], services: any[], chains: any[]}} Description
 * @typedef {"connecting" | "connected" | "lost" | "ended"} State
 * @typedef {{message(data: DataView): void, begin(): Promise<void>}} Stream
 */

const PATIENCE = 15_000;
const JOURNAL_LENGTH = 5000;

/** The share by which the clock is corrected when it runs ahead: the delay of a value is unknown. */
const CLOCK_CORRECTION = 0.02;

export class Robot {
  /** @type {State} */
  state = "connecting";
  /** The robot's first message. @type {any} */
  welcome = null;
  /** The description of the robot; empty until it is known. @type {Description} */
  description = { cycles: [], modules: [], sources: [], representations: [], topics: [], services: [], chains: [] };
  /** The journal, the oldest entry first. @type {any[]} */
  journal = [];
  /** The transport of a log or replay: its time, its speed, and whether it plays. @type {{time: number, speed: number, is_playing: boolean, is_stepping: boolean} | null} */
  transport = null;
  /** The newest event `statistics`, while anybody watches them. @type {any} */
  statistics = null;
  /** The output that modules can show, by name, as far as it is known. @type {Map<string, {name: string, kind: string, update: string}>} */
  debugNames = new Map();
  /** The current processes of a robot that has several. @type {{name: string, host: string | null, state: "running" | "starting" | "silent" | "gone", process: number | null, restarts: number, problem: string | null}[]} */
  processes = [];
  /** The reason why the robot ended, if it did. */
  reason = "";

  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, Set<(value: any) => void>>} */
  #listeners = new Map();
  /** @type {Map<number, {resolve(value: any): void, reject(error: Error): void, timer: any}>} */
  #waiting = new Map();
  /** @type {{text: string, number: number}[]} */
  #unsent = [];
  /** @type {Map<number, Stream>} */
  #streams = new Map();
  /** @type {Map<string, Shared>} */
  #shared = new Map();
  /** @type {Map<string, Set<{period: number | null, names: string[], callback: (event: any) => void}>>} */
  #watches = new Map();
  /** @type {EventStream | null} */
  #events = null;
  #number = 0;
  #attempts = 0;
  /** The number of the newest entry of the journal of each process. @type {Map<string, number>} */
  #noted = new Map();
  /** The time of the robot's clock, in nanoseconds, at a time of the page's, in milliseconds.
   * @type {{time: number, at: number} | null} */
  #clock = null;
  /** The speed of the robot's clock: its seconds per second. */
  #pace = 1;

  /** @param {string} [address] of the WebSocket; without it where the page comes from, to all processes or the one that its address names. */
  constructor(address = location.origin.replace(/^http/, "ws") + "/" + (location.search || "?process=*")) {
    this.address = address;
    this.#connect();
    this.watch("journal", null, (event) => this.#note(event));
  }

  /** Set if this page may change the robot and not only view it. */
  get mayChange() { return this.welcome?.may_change === true; }

  /** Set if a log is shown instead of a robot. */
  get isLog() { return this.welcome?.kind === "log"; }

  /** Set if it is a log, or a robot that replays one: then there is a `transport`. */
  get isPlayed() { return this.welcome?.end !== undefined; }

  /** The current time of the robot's clock, in nanoseconds, as precisely as it is known here. */
  time() {
    return this.#clock ? this.#clock.time + (performance.now() - this.#clock.at) * 1e6 * this.#pace : 0;
  }

  /**
   * Calls when something has changed: `state`, `welcome`, `description`, `journal` (an entry),
   * `processes`, `dropped` (messages that this page was too slow for), `transport` (of a log or replay).
   *
   * @param {"state" | "welcome" | "description" | "journal" | "processes" | "dropped" | "transport"} name
   * @param {(value: any) => void} callback @returns {Closable}
   */
  on(name, callback) {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(callback));
    return { close: () => void all.delete(callback) };
  }

  /** Sends a request. The promise is rejected with the robot's error, or if the robot does not answer.
   * @param {string} verb @param {Record<string, any>} [values]
   * @param {number} [patience] in milliseconds; without end for what takes as long as it takes
   * @returns {Promise<any>} */
  request(verb, values = {}, patience = PATIENCE) {
    const number = ++this.#number;
    const text = JSON.stringify({ id: number, do: verb, ...values }, (_, value) => (typeof value === "bigint" ? Number(value) : value));
    return new Promise((resolve, reject) => {
      const timer = patience === Infinity ? 0 : setTimeout(() => {
        this.#waiting.delete(number);
        this.#unsent = this.#unsent.filter((one) => one.number !== number);
        reject(new Error(this.state === "connected" ? `the robot does not answer \`${verb}\`` : "the robot cannot be reached"));
      }, patience);
      this.#waiting.set(number, { resolve, reject, timer });
      if (this.state === "connected") this.#socket?.send(text);
      else this.#unsent.push({ text, number });
    });
  }

  /** Requests a change: `{parameter: …}` and the others of docs/book/src/door.md.
   * @param {Record<string, any>} change */
  change(change) { return this.request("change", { change }); }

  /**
   * Calls with each new value of a representation, or message of a topic. Views of the same value
   * share one subscription, at the highest rate that one of them wants.
   *
   * @param {Wish} wish @param {(message: Message) => void} callback
   * @param {(error: Error) => void} [failed] calls if the robot refuses it
   * @returns {Closable}
   */
  subscribe(wish, callback, failed) {
    const key = JSON.stringify([wish.value, wish.topic, wish.as ?? "cdr"]);
    let shared = this.#shared.get(key);
    if (!shared) this.#shared.set(key, shared = new Shared(this, this.#streams, ++this.#number, wish));
    const user = { rate: wish.rate ?? Infinity, due: 0, callback, failed };
    shared.join(user);
    return { close: () => { if (shared?.leave(user)) this.#shared.delete(key); } };
  }

  /**
   * Calls with events `statistics`, `journal` or `debug`. Images of modules come as a record of
   * `debug` with their `pixels`.
   *
   * @param {"statistics" | "journal" | "debug"} what
   * @param {number | null} period in nanoseconds, of statistics
   * @param {(event: any) => void} callback
   * @param {string[]} [names] of `debug`: what modules are to show; what others want comes as well
   * @returns {Closable & {want(names: string[]): void}} `want` asks for other names
   */
  watch(what, period, callback, names = []) {
    const all = this.#watches.get(what) ?? new Set();
    this.#watches.set(what, all);
    const before = wishOf(what, all);
    const user = { period, names, callback };
    all.add(user);
    if (all.size === 1 || wishOf(what, all) !== before) this.#watch(what);
    if (what === "statistics" && this.statistics) callback(this.statistics);
    return {
      want: (other) => {
        user.names = other;
        this.#watch(what);
      },
      close: () => {
        if (!all.delete(user) || this.state !== "connected") return;
        if (all.size === 0) this.request("unwatch", { what }).catch(() => {});
        else if (user.names.length) this.#watch(what);
      },
    };
  }

  /**
   * Calls with the points of numeric fields: `Ball.position.x`, `topic:/scan.range_min`,
   * `plot:ball.score`, `timing:motion.response`.
   *
   * @param {string[]} fields @param {number} rate of messages in a second
   * @param {(points: Points[]) => void} callback
   * @returns {Closable & {fields: Promise<{unit?: string, error?: string}[]>}}
   */
  plot(fields, rate, callback) {
    const subscription = ++this.#number;
    /** @type {(fields: any[]) => void} */
    let known = () => {};
    const result = new Promise((resolve) => { known = resolve; });
    const stream = {
      message: (/** @type {DataView} */ data) => callback(pointsOf(data)),
      begin: async () => known((await this.request("plot", { subscription, fields, rate }, Infinity)).fields ?? []),
    };
    const closing = this.#open(subscription, stream, (error) => known(fields.map(() => ({ error: error.message }))));
    return { ...closing, fields: result };
  }

  /**
   * Calls with the 32-byte records of the events of all threads, and with the names of the numbers in
   * them whenever there are new ones.
   *
   * @param {(records: DataView) => void} callback @param {(names: Names) => void} onNames
   * @returns {Closable}
   */
  events(callback, onNames) {
    this.#events ??= new EventStream(this, (subscription, stream) => this.#open(subscription, stream), ++this.#number);
    const user = { callback, onNames };
    this.#events.join(user);
    return { close: () => { if (this.#events?.leave(user)) this.#events = null; } };
  }

  /** Requests the description of the robot again. */
  async refresh() {
    this.description = { ...this.description, ...(await this.request("describe", {}, Infinity)) };
    this.#emit("description", this.description);
  }

  /** @param {number} subscription @param {Stream} stream @param {(error: Error) => void} [failed] @returns {Closable} */
  #open(subscription, stream, failed = () => {}) {
    this.#streams.set(subscription, stream);
    if (this.state === "connected") stream.begin().catch(failed);
    return {
      close: () => {
        if (this.#streams.delete(subscription) && this.state === "connected") this.request("unsubscribe", { subscription }).catch(() => {});
      },
    };
  }

  /** @param {string} what */
  #watch(what) {
    const all = this.#watches.get(what);
    if (this.state !== "connected" || !all?.size || (this.isLog && what === "statistics")) return;
    this.request("watch", JSON.parse(wishOf(what, all)), Infinity).catch((error) => console.warn(`watch ${what}: ${error.message}`));
  }

  #connect() {
    const socket = new WebSocket(this.address, "hemiola.v1");
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#text(data);
      else this.#binary(data);
    };
    socket.onclose = () => this.#lost();
  }

  #lost() {
    this.#socket = null;
    for (const { reject, timer } of this.#waiting.values()) { clearTimeout(timer); reject(new Error("the connection to the robot was lost")); }
    this.#waiting.clear();
    this.#unsent = [];
    if (this.state !== "ended") this.#enter("lost");
    setTimeout(() => this.#connect(), Math.min(5000, 250 * 1.6 ** this.#attempts++));
  }

  /** @param {State} state */
  #enter(state) {
    if (this.state === state) return;
    this.state = state;
    this.#emit("state", state);
  }

  /** @param {string} name @param {any} value */
  #emit(name, value) {
    for (const callback of [...(this.#listeners.get(name) ?? [])]) contain(callback, value);
  }

  /** @param {string} text */
  #text(text) {
    const message = JSON.parse(text);
    if ("id" in message && !("event" in message)) {
      const waiting = this.#waiting.get(message.id);
      if (!waiting) return;
      this.#waiting.delete(message.id);
      clearTimeout(waiting.timer);
      if ("error" in message) waiting.reject(new Error(String(message.error)));
      else waiting.resolve(message.result);
      return;
    }
    this.#tick(message.time);
    if (message.event === "welcome") this.#welcomed(message);
    else if (message.event === "transport") this.#transported(message);
    else if (message.event === "ended") { this.reason = String(message.reason ?? ""); this.#enter("ended"); }
    else if (message.event === "dropped") this.#emit("dropped", message);
    else if (message.event === "names") this.#events?.named(message.names);
    else if (message.event === "processes") this.#processed(message.processes);
    else {
      if (message.event === "statistics") this.statistics = message;
      for (const one of message.event === "debug" ? message.names ?? [] : []) this.debugNames.set(one.name, one);
      this.#hand(message);
    }
  }

  /** @param {any} message */
  #hand(message) {
    for (const { callback } of [...(this.#watches.get(message.event) ?? [])]) contain(callback, message);
  }

  /** @param {any} welcome */
  #welcomed(welcome) {
    const isAnother = this.welcome?.process !== welcome.process || this.welcome?.name !== welcome.name;
    this.welcome = welcome;
    this.#attempts = 0;
    this.reason = "";
    this.transport = null;
    if (isAnother) { this.journal = []; this.#noted.clear(); this.debugNames.clear(); this.statistics = null; this.#clock = null; }
    this.processes = [];
    this.#pace = Number(/^[\d.]+(?= ×)/.exec(String(welcome.pace))?.[0] ?? 1);
    this.#tick(welcome.time);
    this.state = "connected";
    for (const { text } of this.#unsent.splice(0)) this.#socket?.send(text);
    for (const what of this.#watches.keys()) this.#watch(what);
    for (const stream of this.#streams.values()) stream.begin().catch((error) => console.warn(error.message));
    this.#emit("welcome", welcome);
    this.#emit("state", "connected");
    this.refresh().catch((error) => console.warn(`describe: ${error.message}`));
  }

  /** A process has come or gone. @param {Robot["processes"]} processes */
  #processed(processes) {
    const known = this.processes;
    this.processes = processes;
    for (const { name, process } of processes) if (known.some((one) => one.name === name && one.process !== process)) this.#noted.delete(name);
    if (known.length) this.refresh().then(() => { for (const shared of this.#shared.values()) shared.again(); }, () => {});
    this.#emit("processes", processes);
  }

  /** @param {any} transport */
  #transported(transport) {
    this.transport = transport;
    this.#pace = transport.is_playing ? transport.speed : 0;
    this.#clock = { time: transport.time, at: performance.now() };
    this.#emit("transport", transport);
  }

  /** @param {ArrayBuffer} buffer */
  #binary(buffer) {
    if (buffer.byteLength < 8) return;
    const data = new DataView(buffer);
    if (data.getUint8(0) === 4) {
      const begin = 8 + data.getUint32(4, true);
      const record = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, begin - 8)));
      return this.#hand({ event: "debug", records: [{ ...record, pixels: new Uint8Array(buffer, begin) }] });
    }
    if (data.getUint8(0) === 1 && buffer.byteLength >= 32) this.#tick(Number(data.getBigInt64(16, true)));
    const stream = this.#streams.get(data.getUint32(4, true));
    if (stream) contain((view) => stream.message(view), data);
  }

  /** Corrects the clock by the time in a message, which is never later than the current time.
   * @param {unknown} time */
  #tick(time) {
    if (typeof time !== "number" || !Number.isFinite(time) || this.isPlayed) return;
    const behind = this.time() - time;
    const isRight = this.#clock !== null && behind >= 0 && behind < 1e9;
    this.#clock = { time: isRight ? this.time() - behind * CLOCK_CORRECTION : time, at: performance.now() };
  }

  /** @param {any} entry */
  #note(entry) {
    const { number, process } = entry;
    if (number <= (this.#noted.get(process) ?? -1)) return;
    if (number !== undefined) this.#noted.set(process, number);
    // The entries of several processes arrive one after the other.
    let at = this.journal.length;
    while (process && at > 0 && this.journal[at - 1].time > entry.time) at--;
    this.journal.splice(at, 0, entry);
    if (this.journal.length > JOURNAL_LENGTH) this.journal.splice(0, JOURNAL_LENGTH / 10);
    this.#emit("journal", entry);
    const change = entry.change?.change;
    if (change && (change.provider || change.workers || change.restart)) this.refresh().catch(() => {});
  }
}

/** The request to the robot on behalf of all watchers: the shortest period, all names.
 * @param {string} what @param {Set<{period: number | null, names: string[]}>} users */
function wishOf(what, users) {
  const periods = [...users].flatMap(({ period }) => period ?? []);
  const names = [...new Set([...users].flatMap((user) => user.names))];
  return JSON.stringify({ what, period: periods.length ? Math.min(...periods) : undefined, names: names.length ? names : undefined });
}

/** The points of plots in a message. @param {DataView} data @returns {Points[]} */
export function pointsOf(data) {
  const all = [];
  let at = 8;
  while (at + 8 <= data.byteLength) {
    const field = data.getUint32(at, true), count = data.getUint32(at + 4, true);
    at += 8;
    if (at + count * 24 > data.byteLength) break;
    const time = new Float64Array(count), minimum = new Float64Array(count), maximum = new Float64Array(count);
    for (let index = 0; index < count; index++, at += 24) {
      time[index] = data.getFloat64(at, true);
      minimum[index] = data.getFloat64(at + 8, true);
      maximum[index] = data.getFloat64(at + 16, true);
    }
    all.push({ field, time, minimum, maximum });
  }
  return all;
}
