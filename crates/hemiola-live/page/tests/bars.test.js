import assert from "node:assert/strict";
import { test } from "node:test";
import { Bars, isDense, paintBars } from "../bars.js";
import { Series } from "../series.js";

function series(values) {
  const all = new Series();
  values.forEach((value, index) => all.add(index, value, value));
  return all;
}

function bars(values, columns, from = 0, to = values.length) {
  const taken = new Bars();
  taken.take(series(values), from, to, columns);
  return taken;
}

const covers = ({ low, high, columns }) => Array.from({ length: columns }, (_, column) => [low[column], high[column]]);

test("a bar goes from the least to the greatest value of its column, and meets the one before", () => {
  assert.deepEqual(covers(bars([1, 5, 2, 3, 9, 4], 2)), [[1, 5], [2, 9]]);
  assert.deepEqual(bars([1, 5, 2, 3, 9, 4], 2).range(), [1, 9]);
});

test("no extreme is lost, whatever the columns", () => {
  const values = Array.from({ length: 5000 }, (_, index) => Math.sin(index * 0.37) * (index % 91));
  for (const columns of [1, 7, 300, 1400]) assert.deepEqual(bars(values, columns).range(), [Math.min(...values), Math.max(...values)]);
});

test("columns between two points are crossed, and a gap is not", () => {
  assert.deepEqual(covers(bars([0, 4], 8, 0, 2)), [[0, 0], [1, 1], [2, 2], [3, 3], [0, 4], [NaN, NaN], [NaN, NaN], [NaN, NaN]]);
  assert.deepEqual(covers(bars([0, NaN, 4], 3)), [[0, 0], [NaN, NaN], [4, 4]]);
});

test("what is added while time goes on is what would be taken at once", () => {
  const all = new Series(), following = new Bars();
  const value = (index) => (index % 97 === 5 ? NaN : Math.sin(index * 0.31) * (index % 13));
  for (let end = 100, index = 0; end < 3000; end += 7) {
    // Newer ones than are shown, too, as they come.
    for (; index < end + 20; index++) all.add(index, value(index), value(index) + 0.5);
    following.take(all, end - 100, end, 25);
    const once = new Bars();
    once.take(all, end - 100, end, 25);
    // In the first column, who followed knows what was before.
    assert.deepEqual(covers(following).slice(1), covers(once).slice(1), `up to ${end}`);
  }
  all.add(10, 1000, 1000);
  following.take(all, 0, 100, 25);
  assert.deepEqual(following.range(), [Math.min(...[0, 1, 2, 3, 4, 6, 7, 8, 9].map(value)), 1000]);
});

test("the point before the window reaches into it", () => {
  assert.deepEqual(covers(bars([2, 6, 6, 6], 2, 1, 3)), [[2, 6], [6, 6]]);
});

test("what is painted is as opaque as the line covers the pixel", () => {
  const picture = { width: 2, height: 4, data: new Uint8ClampedArray(32) };
  paintBars(picture, bars([1.5, 1.5, 3, 3], 2), [0, 4], 1, "#102030");
  const pixel = (column, row) => [...picture.data.subarray((row * 2 + column) * 4, (row * 2 + column) * 4 + 4)];
  assert.deepEqual(pixel(0, 2), [16, 32, 48, 255]);
  assert.deepEqual(pixel(0, 1)[3], 0);
  // From 1.5 up to 3: the upper end covers half of two pixels.
  assert.deepEqual([0, 1, 2, 3].map((row) => pixel(1, row)[3]), [127, 255, 255, 0]);
});

test("bars are for many points in a column", () => {
  const all = series(Array(1000).fill(0));
  assert.ok(isDense(all, 0, 1000, 300));
  assert.ok(!isDense(all, 0, 500, 300));
  // Points that cover a tenth of what is shown are as many in a column as if they covered all.
  assert.ok(isDense(all, -9000, 1000, 3000));
  assert.ok(!isDense(all, -9000, 1000, 30000));
  assert.ok(!isDense(series([1]), 0, 10, 300));
});
