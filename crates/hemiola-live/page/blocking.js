// The blocking chain of a run: everything that its response time consists of, from its end back to its
// trigger. The robot's `why` says the same in words, from more than a page can know.

import { CALLBACK, SAMPLE, TASK, WOKEN, eventAt } from "./event-store.js";

/**
 * @typedef {import("./event-store.js").EventStore} EventStore
 * @typedef {import("./event-store.js").Event} Event
 * @typedef {import("./event-store.js").Run} Run
 * @typedef {"needed" | "occupied" | "late" | "sampled" | "backlog" | "preempted" | "woken" | "dispatched" | "handed" | "stalled"} Cause
 *   `needed` and `occupied`: a task ran, and what came after needed its result or its worker.
 * @typedef {{begin: number, end: number, cause: Cause, worker: number, task: number, by: number}} Stretch
 *   `task` and `by` (the thread that preempted) are -1 where there is none.
 */

/** A thread that is awake goes from task to task in less than this; nanoseconds. */
const LONGEST_DISPATCH = 100_000;

/**
 * Returns the stretches between the trigger of a run and its end, without gaps, in the order of
 * time; none while it goes on.
 *
 * @param {EventStore} store @param {Run} run
 * @param {number} source that triggers the cycle; -1 without one
 * @param {(task: number) => boolean} isOfCycle
 * @param {(task: number) => Set<number>} after the tasks that one waits for
 * @returns {Stretch[]}
 */
export function blockingChain(store, run, source, isOfCycle, after) {
  if (!(run.end > run.trigger)) return [];
  /** @type {Event[]} */
  const tasks = [];
  /** @type {Event[]} */
  const wakes = [];
  /** The events that occupied a core. @type {Event[]} */
  const occupations = [];
  store.each(run.trigger, run.end, (chunk, place, worker) => {
    const type = chunk.type[place];
    if (type === TASK || type === CALLBACK || type === SAMPLE) {
      const event = eventAt(chunk, place, worker);
      if (type === TASK && event.run === run.run && isOfCycle(event.subject)) tasks.push(event);
      else occupations.push(event);
    } else if (type === WOKEN) {
      const event = eventAt(chunk, place, worker);
      wakes.push({ ...event, begin: event.end - event.number });
    }
  });
  tasks.sort((one, other) => one.end - other.end || one.begin - other.begin);
  return new Walk(run, store.runs.get(run.cycle)?.get(run.run - 1)?.end || -Infinity, source, tasks, wakes, occupations, after).stretches();
}

class Walk {
  /** @param {Run} run @param {number} before when the run before it ended, if it is known @param {number} source @param {Event[]} tasks @param {Event[]} wakes @param {Event[]} occupations @param {(task: number) => Set<number>} after */
  constructor(run, before, source, tasks, wakes, occupations, after) {
    this.run = run;
    this.before = before;
    this.source = source;
    this.tasks = tasks;
    this.wakes = wakes;
    this.occupations = occupations;
    this.after = after;
  }

  /** @returns {Stretch[]} */
  stretches() {
    const { run } = this;
    /** The stretches, from the end backwards. @type {Stretch[][]} */
    const parts = [];
    let left = this.tasks.filter((task) => task.end <= run.end);
    let current = left.pop();
    if (!current) {
      parts.push(this.#gap(run.begin, run.end, -1, run.worker, -1));
    } else {
      parts.push(this.#gap(Math.max(current.end, run.begin), run.end, current.worker, run.worker, -1));
      /** @type {Cause} */
      let because = "needed";
      while (current) {
        const here = current;
        parts.push(this.#execution(here, because));
        const begin = Math.max(here.begin, run.begin);
        left = left.filter((task) => task.end <= begin);
        const before = binding(here, left, this.after(here.subject));
        if (!before) {
          parts.push(this.#gap(run.begin, begin, run.worker, here.worker, here.core));
          break;
        }
        parts.push(this.#gap(Math.max(before.event.end, run.begin), begin, before.event.worker, here.worker, here.core));
        left = left.filter((task) => task !== before.event);
        [current, because] = [before.event, before.because];
      }
    }
    parts.push(this.#late());
    return parts.reverse().flat();
  }

  /** From the trigger to the begin. */
  #late() {
    const { trigger, begin, worker } = this.run;
    const core = this.tasks.find((task) => task.worker === worker)?.core ?? -1;
    const canvas = new Canvas(trigger, begin);
    canvas.paint({ begin: trigger, end: this.before }, { cause: "backlog", worker });
    for (const other of this.occupations) if (other.type === SAMPLE && other.subject === this.source) canvas.paint(other, { cause: "sampled", worker });
    this.#preempted(canvas, worker, core);
    return canvas.fill(() => ({ cause: "late", worker }));
  }

  /** @param {Event} task @param {Cause} because */
  #execution(task, because) {
    const canvas = new Canvas(Math.max(task.begin, this.run.begin), task.end);
    for (const inner of this.tasks) {
      if (inner !== task && inner.worker === task.worker && inner.begin >= task.begin && inner.end <= task.end) {
        canvas.paint(inner, { cause: "occupied", worker: task.worker, task: inner.subject });
      }
    }
    return canvas.fill(() => ({ cause: because, worker: task.worker, task: task.subject }));
  }

  /** Explains a time without a task of the chain, between the work of one thread and that of another.
   * @param {number} begin @param {number} end @param {number} from @param {number} to @param {number} core */
  #gap(begin, end, from, to, core) {
    const canvas = new Canvas(begin, end);
    for (const busy of this.tasks) if (busy.worker === to) canvas.paint(busy, { cause: "occupied", worker: to, task: busy.subject });
    this.#preempted(canvas, to, core);
    for (const wake of this.wakes) if (wake.worker === to) canvas.paint(wake, { cause: "woken", worker: to });
    return canvas.fill((length) => ({ worker: to, cause: length > LONGEST_DISPATCH ? "stalled" : from >= 0 && from !== to ? "handed" : "dispatched" }));
  }

  /** @param {Canvas} canvas @param {number} worker @param {number} core */
  #preempted(canvas, worker, core) {
    if (core < 0) return;
    for (const other of this.occupations) {
      if (other.core === core && other.worker !== worker && other.type === TASK) canvas.paint(other, { cause: "preempted", worker, by: other.worker });
    }
  }
}

/** The last to end of everything that a task had to wait for: results, and the earlier work of its worker.
 * @param {Event} task @param {Event[]} left in the order of their ends @param {Set<number>} after
 * @returns {{event: Event, because: Cause} | null} */
function binding(task, left, after) {
  /** @type {Event | undefined} */
  let needed;
  /** @type {Event | undefined} */
  let occupied;
  for (let place = left.length - 1; place >= 0 && !(needed && occupied); place--) {
    if (!needed && after.has(left[place].subject)) needed = left[place];
    if (!occupied && left[place].worker === task.worker) occupied = left[place];
  }
  if (occupied && (!needed || needed.end < occupied.end)) return { event: occupied, because: "occupied" };
  return needed ? { event: needed, because: "needed" } : null;
}

/** A span of time in which the first paint of each part is kept. */
class Canvas {
  /** @type {Stretch[]} */
  #painted = [];

  /** @param {number} begin @param {number} end */
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
  }

  /** @param {{begin: number, end: number}} span @param {{cause: Cause, worker: number, task?: number, by?: number}} what */
  paint(span, what) {
    let begin = Math.max(span.begin, this.begin);
    const end = Math.min(span.end, this.end);
    for (const other of this.#painted.slice()) {
      if (other.end <= begin || other.begin >= end) continue;
      if (other.begin > begin) this.#add(begin, other.begin, what);
      begin = Math.max(begin, other.end);
    }
    this.#add(begin, end, what);
  }

  /** Fills the remaining gaps by `rest`, and returns all stretches.
   * @param {(length: number) => {cause: Cause, worker: number, task?: number}} rest @returns {Stretch[]} */
  fill(rest) {
    let at = this.begin;
    for (const { begin, end } of this.#painted.slice()) {
      if (begin > at) this.#add(at, begin, rest(begin - at));
      at = Math.max(at, end);
    }
    if (this.end > at) this.#add(at, this.end, rest(this.end - at));
    return this.#painted;
  }

  /** @param {number} begin @param {number} end @param {{cause: Cause, worker: number, task?: number, by?: number}} what */
  #add(begin, end, { cause, worker, task = -1, by = -1 }) {
    if (end <= begin) return;
    this.#painted.push({ begin, end, cause, worker, task, by });
    this.#painted.sort((one, other) => one.begin - other.begin);
  }
}
