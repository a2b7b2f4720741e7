import assert from "node:assert/strict";
import test from "node:test";
import { blockingChain } from "../blocking.js";
import { BEGIN, END, EventStore, SAMPLE, TASK, WOKEN } from "../event-store.js";
import { record, records } from "./events.js";

/**
 * @param {ReturnType<typeof record>[]} events
 * @param {Record<number, number[]>} after
 */
function chainOf(events, after) {
  const store = new EventStore();
  // The first event makes the base: times are then those of the events.
  store.absorb(records([record({ type: 99, begin: 0 }), ...events]));
  const run = store.runs.get(0)?.get(1);
  assert.ok(run);
  const chain = blockingChain(store, run, 3, () => true, (task) => new Set(after[task] ?? []));
  for (let at = 1; at < chain.length; at++) assert.equal(chain[at].begin, chain[at - 1].end, "stretches have no gaps");
  if (chain.length) assert.equal(chain[chain.length - 1].end - chain[0].begin, run.end - run.trigger, "stretches add up to the response");
  return chain.map(({ cause, task, begin, end }) => [cause, task, end - begin]);
}

const begin = record({ type: BEGIN, run: 1, number: 100, begin: 1000 });
const task = (/** @type {number} */ subject, /** @type {number} */ worker, /** @type {number} */ from, /** @type {number} */ to, run = 1) => record({ type: TASK, subject, worker, core: worker, run, begin: from, end: to });
const end = (/** @type {number} */ at) => record({ type: END, run: 1, begin: at });

test("the chain follows the result that was needed last, to the other worker", () => {
  const chain = chainOf([begin, task(0, 0, 1010, 2000), task(1, 1, 1020, 3000), task(2, 0, 3005, 4000), end(4001)], { 2: [0, 1] });
  assert.deepEqual(chain, [["late", -1, 100], ["handed", -1, 20], ["needed", 1, 1980], ["handed", -1, 5], ["needed", 2, 995], ["dispatched", -1, 1]]);
});

test("a task that was ready and waited for its worker was held up by what ran there", () => {
  const chain = chainOf([begin, task(0, 0, 1000, 1500), task(1, 0, 1500, 3000), task(2, 0, 3000, 3500), end(3500)], { 2: [0] });
  assert.deepEqual(chain.slice(1), [["occupied", 0, 500], ["occupied", 1, 1500], ["needed", 2, 500]]);
});

test("another thread on the same core is what a wait was for", () => {
  const other = { ...task(7, 5, 1500, 1900, 9), core: 0 };
  const chain = chainOf([begin, task(0, 0, 1000, 1500), other, task(1, 0, 1950, 2500), end(2500)], { 1: [0] });
  // The task of the other run is none of this cycle's run, and had the core.
  assert.ok(chain.some(([cause, , length]) => cause === "preempted" && length === 400));
});

test("waking a worker is told apart from handing over", () => {
  const woken = record({ type: WOKEN, worker: 1, number: 300, begin: 1800 });
  const chain = chainOf([begin, task(0, 0, 1000, 1500), woken, task(1, 1, 1810, 2000), end(2000)], { 1: [0] });
  assert.ok(chain.some(([cause, , length]) => cause === "woken" && length === 300));
});

test("a run that was due while its source took samples began late because of it", () => {
  const chain = chainOf([{ ...begin, number: 500 }, record({ type: SAMPLE, subject: 3, worker: 8, begin: 200, end: 900 }), task(0, 0, 1000, 1500), end(1500)], {});
  assert.deepEqual(chain, [["sampled", -1, 400], ["late", -1, 100], ["needed", 0, 500]]);
});

test("a run that was due while the one before went on waited for it", () => {
  const before = [record({ type: BEGIN, run: 0, begin: 100 }), record({ type: END, run: 0, begin: 950 })];
  const chain = chainOf([...before, begin, task(0, 0, 1000, 1500), end(1500)], {});
  assert.deepEqual(chain, [["backlog", -1, 50], ["late", -1, 50], ["needed", 0, 500]]);
});

test("a run without tasks, or that goes on, has no chain to follow", () => {
  assert.deepEqual(chainOf([begin], {}), []);
  assert.deepEqual(chainOf([begin, end(1500)], {}), [["late", -1, 100], ["dispatched", -1, 500]]);
});

test("random runs are explained without gaps", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 200; round++) {
    const free = [1000, 1000, 1000];
    /** @type {Record<number, number[]>} */
    const after = {};
    const tasks = Array.from({ length: 12 }, (_, number) => {
      const worker = Math.floor(random() * 3), from = free[worker] + Math.floor(random() * 200_000), to = from + Math.floor(random() * 5000);
      free[worker] = to;
      after[number] = Array.from({ length: number }, (_, before) => before).filter(() => random() < 0.3);
      return task(number, worker, from, to);
    });
    chainOf([begin, ...tasks, end(Math.max(...free) + 5)], after);
  }
});
