import assert from "node:assert/strict";
import { test } from "node:test";
import { Series, thin, Thinned, ticks } from "../series.js";

let seed = 1;
const random = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };

function thinned(series, from, to, columns) {
  const left = new Thinned();
  thin(series, from, to, columns, left);
  return Array.from({ length: left.length / 2 }, (_, index) => [left.points[2 * index], left.points[2 * index + 1]]);
}

function filled(count) {
  const series = new Series(), all = [];
  for (let index = 0; index < count; index++) {
    const low = random() * 10 - 5, high = low + random();
    series.add(index * 0.01, low, high);
    all.push([index * 0.01, low, high]);
  }
  return { series, all };
}

test("a series grows, then keeps its newest points", () => {
  for (const count of [1, 1023, 1025, 5000, 70_000]) {
    const { series, all } = filled(count);
    assert.equal(series.length, Math.min(count, 65_536));
    const kept = all.slice(-series.length);
    for (const index of [0, Math.floor(series.length / 2), series.length - 1]) assert.deepEqual([series.timeAt(index), series.minimumAt(index), series.maximumAt(index)], kept[index]);
  }
});

test("thinning loses no extreme, draws in order, and at most four points in a column", () => {
  for (const count of [3, 100, 10_000]) {
    for (const columns of [1, 7, 300]) {
      const { series, all } = filled(count);
      const end = (count - 1) * 0.01;
      const drawn = thinned(series, 0, end, columns);
      assert.ok(drawn.length <= 4 * (columns + 2), `${drawn.length} points in ${columns} columns`);
      assert.equal(Math.min(...drawn.map(([, value]) => value)), Math.min(...all.map(([, low]) => low)));
      assert.equal(Math.max(...drawn.map(([, value]) => value)), Math.max(...all.map(([, , high]) => high)));
      for (let index = 1; index < drawn.length; index++) assert.ok(drawn[index][0] >= drawn[index - 1][0]);
    }
  }
});

test("a line reaches both borders of a window within it", () => {
  const { series } = filled(1000);
  const drawn = thinned(series, 2.005, 3.005, 100).map(([x]) => x);
  assert.ok(drawn[0] < 0 && drawn.at(-1) > 1);
});

test("not a number is a gap, and points beside it stay", () => {
  const series = new Series();
  [1, NaN, 3, 4].forEach((value, index) => series.add(index, value, value));
  const drawn = thinned(series, 0, 3, 100).map(([, value]) => value);
  assert.ok(drawn.some(Number.isNaN));
  assert.deepEqual(drawn.filter((value) => !Number.isNaN(value)), [1, 3, 4]);
});

test("a clock that is set back replaces what was after", () => {
  const series = new Series();
  for (const time of [1, 2, 3, 4]) series.add(time, time, time);
  series.add(2.5, 9, 9);
  assert.deepEqual([0, 1, 2].map((index) => series.timeAt(index)), [1, 2, 2.5]);
  assert.equal(series.length, 3);
});

test("what holds at a time is the newest point before it", () => {
  const { series, all } = filled(500);
  for (let round = 0; round < 200; round++) {
    const time = random() * 6 - 0.5;
    const expected = all.filter(([at]) => at <= time).at(-1);
    assert.equal(series.at(time)?.minimum, expected?.[1]);
  }
});

test("ticks are round, within the range, and none for ranges that are none", () => {
  assert.deepEqual(ticks(0, 1, 5).values.map((value) => Number(value.toFixed(3))), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.equal(ticks(0, 1, 5).decimals, 1);
  for (const [low, high] of [[0, 0], [1, 0], [NaN, 1], [0, Infinity], [1e20, 1e20 + 1]]) assert.deepEqual(ticks(low, high, 5).values, []);
});
