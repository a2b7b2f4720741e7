// The names of the numbers in events, and what the timeline says of events in words.

import { CALLBACK, DROPPED, FAILURE, OVERRUN, SAMPLE, SKIPPED, STALE, TASK } from "./event-store.js";
import { duration } from "./format.js";
import { list } from "./statistics.js";

/**
 * @typedef {{name: string, cycle: number, after: Set<number>}} Task
 *   With the number of its cycle, and those of the tasks that it waits for.
 */

export class Names {
  /** @type {{name: string, deadline: number}[]} */
  cycles = [];
  /** @type {Task[]} */
  tasks = [];
  /** @type {{name: string, kind: string, cycle?: number, index?: number, process?: string}[]} */
  workers = [];
  /** @type {{name: string}[]} */
  sources = [];
  /** @type {{name: string}[]} */
  callbacks = [];

  /** Takes the names that come with events. @param {any} names @param {any} description of the robot, which says what tasks wait for */
  learn(names, description) {
    const all = (/** @type {any} */ some) => list(some).map((one) => (typeof one === "string" ? { name: one } : { ...one, name: String(one?.name) }));
    this.cycles = all(names.cycles).map((cycle) => ({ ...cycle, deadline: cycle.deadline ?? Infinity }));
    this.workers = all(names.workers);
    this.sources = all(names.sources);
    this.callbacks = all(names.callbacks);
    const place = (/** @type {any} */ cycle) => (typeof cycle === "number" ? cycle : this.cycles.findIndex(({ name }) => name === cycle));
    this.tasks = all(names.tasks).map(({ name, cycle }) => ({ name, cycle: place(cycle), after: new Set() }));
    const numbers = new Map(this.tasks.map((task, number) => [`${task.cycle} ${task.name}`, number]));
    for (const cycle of list(description.cycles)) {
      const at = place(cycle.name), all = list(cycle.tasks);
      for (const task of all) {
        const number = numbers.get(`${at} ${task.name}`);
        if (number === undefined) continue;
        this.tasks[number].after = new Set(list(task.after).map((before) => numbers.get(`${at} ${all[before]?.name}`) ?? -1));
      }
    }
  }

  /** @param {number} worker */
  thread(worker) { return this.workers[worker]?.name ?? `thread ${worker}`; }

  /** The words in an event's bar. @param {{type: number, subject: number}} event */
  label({ type, subject }) {
    if (type === TASK) return this.tasks[subject]?.name ?? `task ${subject}`;
    if (type === CALLBACK) return this.callbacks[subject]?.name ?? `callback ${subject}`;
    if (type === SAMPLE) return this.sources[subject]?.name ?? `source ${subject}`;
    return "";
  }

  /** The lines about an event. @param {import("./event-store.js").Event} event @returns {string[]} */
  describe(event) {
    const where = `${this.thread(event.worker)}${event.core === 255 ? "" : `, core ${event.core}`}`;
    const name = this.label(event), length = duration(event.end - event.begin), cycle = this.cycles[event.subject]?.name ?? "", task = this.tasks[event.subject]?.name ?? "";
    switch (event.type) {
      case TASK: return [`${name}  ${length}`, `run ${event.run}, was ready for ${duration(event.number)}`, where];
      case CALLBACK: return [`${name}  ${length}`, `called ${duration(event.number)} after publication`, where];
      case SAMPLE: return [`sample of ${name}  ${length}`, where];
      case OVERRUN: return [`${cycle} missed its deadline in run ${event.run}`];
      case FAILURE: return [`${task} failed in run ${event.run}`];
      case STALE: return [`${task} provides stale values in run ${event.run}`];
      case DROPPED: return [`${cycle} dropped ${event.number} samples of ${this.sources[event.other]?.name ?? "a source"}`];
      case SKIPPED: return [`${cycle} skipped ${event.number} triggers`];
      default: return [where];
    }
  }

  /** What a run waited for. @param {import("./blocking.js").Stretch} stretch */
  cause({ cause, task, worker, by }) {
    const thread = this.thread(worker), name = this.tasks[task]?.name ?? "";
    switch (cause) {
      case "needed": return name;
      case "occupied": return `${name}, occupying ${thread}`;
      case "backlog": return "the previous run still ran";
      case "late": return "began late";
      case "sampled": return "the source was taking samples";
      case "preempted": return `preempted by ${this.thread(by)}`;
      case "woken": return `waking ${thread}`;
      case "handed": return `handed over to ${thread}`;
      case "stalled": return `${thread} did not run`;
      default: return "dispatching";
    }
  }
}
