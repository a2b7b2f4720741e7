// The event `statistics`, combined with the robot's description: missing numbers are zero.

import { number } from "./format.js";

/** A process of the robot, in words. @param {import("./robot.js").Robot["processes"][0]} process */
export function processText({ name, host, state, process, restarts, problem }) {
  return `${name}${host ? ` on ${host}` : ""} ${state === "gone" || state === "silent" ? `is ${state}: ${problem}` : `${state} as ${process}`}${restarts ? `, restarted ${restarts} times` : ""}`;
}

/** The colour of a process. @param {{state: string, restarts: number}} process */
export function processKind({ state, restarts }) {
  return state === "gone" || state === "silent" ? "bad" : restarts ? "warning" : "good";
}

/**
 * @typedef {{count: number, p01: number | null, mean: number | null, p99: number | null, maximum: number | null}} Summary
 * @typedef {{name: string, process: string, rate: number, deadline: number | null, period: number | null, trigger: string, priority: number | null, workers: number | null,
 *   response: Summary, execution: Summary, jitter: Summary, wakeUp: Summary, runs: number, missed: number, dropped: number, skipped: number,
 *   inputs: [string, number][], tasks: any[]}} Cycle
 * @typedef {{name: string, from: string, to: string, kind: "reaction" | "age", limit: number | null, seen: Summary}} Chain
 */

/** A summary of durations. @param {any} from @returns {Summary} */
export function summary(from) {
  const count = number(from?.count) ?? 0;
  const of = (/** @type {string} */ name) => (count > 0 ? number(from?.[name]) : null);
  return { count, p01: of("p01"), mean: of("mean"), p99: of("p99"), maximum: of("maximum") };
}

/** All cycles, the highest priority first. @param {any} event @param {any} description @returns {Cycle[]} */
export function cyclesOf(event, description) {
  const reports = new Map(list(event?.report?.cycles).map((report) => [report.name, report]));
  const known = list(description?.cycles);
  const names = [...new Set([...known.map(({ name }) => name), ...reports.keys()])];
  const cycles = names.map((name) => {
    const report = reports.get(name) ?? {}, cycle = known.find((each) => each.name === name) ?? {};
    const health = event?.health?.[name];
    const interval = summary(report.interval);
    const inputs = /** @type {[string, number][]} */ (Object.entries(report.dropped_inputs ?? {}).filter(([, lost]) => number(lost)));
    return {
      name, process: String(cycle.process ?? report.process ?? ""), rate: interval.mean ? 1e9 / interval.mean : 0,
      deadline: number(cycle.deadline) ?? number(report.deadline), period: number(cycle.period) ?? number(report.period),
      trigger: triggerText(cycle.trigger), priority: number(cycle.priority), workers: number(cycle.workers),
      response: summary(report.response), execution: summary(report.execution), jitter: summary(report.jitter), wakeUp: summary(report.wake_up),
      runs: number(health?.runs) ?? summary(report.execution).count,
      missed: number(health?.overruns) ?? number(report.missed_deadlines) ?? 0,
      dropped: number(health?.dropped) ?? inputs.reduce((sum, [, lost]) => sum + lost, 0),
      skipped: number(health?.skipped) ?? number(report.skipped_triggers) ?? 0,
      inputs, tasks: list(report.tasks),
    };
  });
  return cycles.sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
}

/** The chains that are declared, with what was measured from and to the same places; then the
 * others that were measured. @param {any} event @param {any} description @returns {Chain[]} */
export function chainsOf(event, description) {
  const measured = list(event?.report?.chains);
  const sourceOf = new Map(list(description?.sources).map((source) => [source.name, source]));
  /** @type {Chain[]} */
  const chains = [];
  for (const chain of list(description?.chains)) {
    const exits = list(sourceOf.get(chain.to)?.reads);
    const begins = (/** @type {string} */ source) => source === chain.from || source === `${chain.from} by messages`;
    const fits = measured.filter((one) => begins(one.source) && (one.output === `output to ${chain.to}` || isProvider(one.output, exits, description)));
    for (const kind of /** @type {const} */ (["reaction", "age"])) {
      const limit = number(chain[kind]);
      if (limit === null && !(kind === "reaction" && number(chain.age) === null)) continue;
      chains.push({ name: chain.name, from: chain.from, to: chain.to, kind, limit, seen: worst(fits.map((one) => summary(kind === "age" ? one.data_age : one.reaction))) });
    }
  }
  return chains;
}

/** @param {string} task @param {string[]} representations @param {any} description */
function isProvider(task, representations, description) {
  for (const cycle of list(description?.cycles)) {
    const found = list(cycle.tasks).find(({ name }) => name === task);
    if (found) return list(found.provides).some((/** @type {string} */ name) => representations.includes(name));
  }
  return false;
}

/** @param {Summary[]} all @returns {Summary} */
function worst(all) {
  return all.reduce((a, b) => ((b.p99 ?? -1) > (a.p99 ?? -1) ? b : a), summary(null));
}

/** The names of a trigger: `83.3 Hz`, a source, a topic. @param {any} trigger */
function triggerText(trigger) {
  if (typeof trigger === "string") return trigger;
  const rate = number(trigger?.rate);
  if (rate !== null) return `${rate} Hz`;
  return String(trigger?.source ?? trigger?.topic ?? "");
}

/** Returns a list: the value if it is one, otherwise an empty one. @param {any} value @returns {any[]} */
export function list(value) {
  return Array.isArray(value) ? value : [];
}
