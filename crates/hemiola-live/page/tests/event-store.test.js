import assert from "node:assert/strict";
import test from "node:test";
import { BEGIN, END, EventStore, TASK } from "../event-store.js";
import { record, records } from "./events.js";

test("events of nested tasks are found by time, the innermost first", () => {
  const store = new EventStore();
  store.absorb(records([
    record({ type: TASK, subject: 2, begin: 2000, end: 3000 }),
    record({ type: TASK, subject: 1, begin: 1000, end: 9000 }),
  ]));
  // The first event that came makes the zero of the times.
  assert.equal(store.find(500, 0, () => true)?.subject, 2);
  assert.equal(store.find(-500, 0, () => true)?.subject, 1);
  assert.equal(store.find(20_000, 0, () => true), null);
});

test("memory is bounded, and what is oldest goes first", () => {
  const store = new EventStore({ keep: Infinity, most: 8 });
  for (let batch = 0; batch < 50; batch++) {
    store.absorb(records(Array.from({ length: 1000 }, (_, number) => record({ type: TASK, worker: number % 3, begin: (batch * 1000 + number) * 100, end: (batch * 1000 + number) * 100 + 50 }))));
  }
  assert.ok(store.length <= 8 * 1024);
  let oldest = Infinity;
  store.each(-Infinity, Infinity, (chunk, place) => { oldest = Math.min(oldest, chunk.begin[place]); });
  assert.ok(oldest > 49_000 * 100 - 8 * 1024 * 100 * 1.5);
});

test("what is older than the time to keep is dropped, runs as well", () => {
  const store = new EventStore({ keep: 1e6 });
  for (let run = 0; run < 5000; run++) store.absorb(records([record({ type: BEGIN, run, begin: run * 1000 }), record({ type: END, run, begin: run * 1000 + 500 })]));
  assert.ok(store.length < 4 * 1024);
  assert.ok([...(store.runs.get(0)?.values() ?? [])].every(({ begin }) => begin >= 4999 * 1000 - 1e6));
});

test("a frozen store stays as it is while the live one goes on", () => {
  const store = new EventStore();
  store.absorb(records([record({ type: TASK, begin: 0, end: 10 }), record({ type: BEGIN, run: 1, begin: 0 })]));
  const frozen = store.freeze();
  store.absorb(records([record({ type: TASK, begin: 20, end: 30 }), record({ type: END, run: 1, begin: 30 })]));
  assert.equal(frozen.length, 2);
  assert.equal(store.length, 4);
  assert.ok(Number.isNaN(frozen.runs.get(0)?.get(1)?.end));
  assert.equal(store.runs.get(0)?.get(1)?.end, 30);
});

test("a run that ends after its deadline has missed it", () => {
  const store = new EventStore({ deadline: () => 1000 });
  store.absorb(records([record({ type: BEGIN, run: 1, number: 100, begin: 100 }), record({ type: END, run: 1, begin: 1001 }), record({ type: BEGIN, run: 2, number: 0, begin: 2000 }), record({ type: END, run: 2, begin: 3000 })]));
  assert.equal(store.runs.get(0)?.get(1)?.missed, true);
  assert.equal(store.runs.get(0)?.get(2)?.missed, false);
});

test("times far from the beginning of the clock lose nothing", () => {
  const store = new EventStore();
  const epoch = 1_800_000_000_000_000_001n;
  store.absorb(records([record({ type: TASK, begin: epoch, end: epoch + 3n }), record({ type: TASK, begin: epoch + 7n, end: epoch + 9n })]));
  assert.equal(store.base, epoch);
  assert.equal(store.find(8, 0, () => true)?.begin, 7);
});
