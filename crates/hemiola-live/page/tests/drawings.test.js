import assert from "node:assert/strict";
import test from "node:test";
import { Drawings, paintDrawings, pointsOf, spacesOf } from "../drawings.js";

/**
 * @param {number} run
 * @param {any} draw
 * @param {any} [more]
 */
const record = (run, draw, more = {}) => ({ time: run * 1000, run, update: "BallFilter.ball", sequence: 0, name: "field/ball", draw, color: "#ff8800ff", ...more });

test("what an update drew in its newest run replaces what it drew before", () => {
  const drawings = new Drawings();
  drawings.absorb({ records: [record(1, { circle: [1, 2], radius: 0.05 }), record(1, { points: [[1, 2]] })] });
  // The rest of the same run may come in the next event.
  drawings.absorb({ records: [record(1, { line: [[0, 0], [1, 1]] })] });
  assert.equal(drawings.of("field")[0].shapes.length, 3);
  drawings.absorb({ records: [record(2, { points: [[3, 4]] }), record(2, { points: [[5, 6]] }, { update: "Other.ball" })] });
  assert.deepEqual(drawings.of("field").map(({ update, shapes }) => [update, shapes.length]).sort(), [["BallFilter.ball", 1], ["Other.ball", 1]]);
});

test("an update that draws nothing now takes its drawing away", () => {
  const drawings = new Drawings();
  drawings.absorb({ records: [record(1, { points: [[1, 2]] })] });
  drawings.absorb({ records: [record(2, null)] });
  assert.equal(drawings.of("field")[0].shapes.length, 0);
});

test("what nobody has drawn for a second is gone, and backgrounds stay", () => {
  const drawings = new Drawings();
  drawings.absorb({ records: [record(1, { points: [[1, 2]] }, { time: 0 }), record(1, { points: [[1, 2]] }, { time: 0, name: "field/pitch", background: true })] });
  drawings.absorb({ records: [record(2, { points: [[1, 2]] }, { time: 1_500_000_000, name: "field/robot" })] });
  assert.deepEqual(drawings.of("field").map(({ layer }) => layer), ["pitch", "robot"]);
});

test("an image has what was drawn in its run, for as long as it is shown", () => {
  const drawings = new Drawings();
  const at = (/** @type {number} */ time) => { drawings.at = time; return drawings.of("field").map(({ run }) => run); };
  drawings.at = 0;
  for (let run = 1; run <= 5; run++) drawings.absorb({ records: [record(run, { points: [[run, 0]] })] });
  assert.equal(drawings.reaches("field", 4500), true);
  assert.equal(drawings.reaches("field", 5500), false);
  assert.equal(drawings.reaches("elsewhere", 5500), true);
  assert.equal(drawings.reaches("field", 2e9), true, "nobody draws there any more");
  assert.deepEqual(at(2500), [3]);
  for (let run = 6; run <= 50; run++) drawings.absorb({ records: [record(run, { points: [[run, 0]] })] });
  assert.deepEqual(at(2500), [3]);
  assert.deepEqual(at(48_000), [48]);
  assert.deepEqual(at(50_500), [50], "its own are not here yet");
  // A replay goes back.
  drawings.absorb({ records: [record(9, { points: [[9, 0]] })] });
  assert.deepEqual(at(8500), [9]);
});

test("names are spaces and layers, and backgrounds lie below", () => {
  const drawings = new Drawings();
  drawings.absorb({ records: [record(1, { points: [[1, 2]] }), record(1, { line: [[0, 0], [1, 1]] }, { name: "field/pitch", background: true }), record(1, { points: [[1, 2]] }, { name: "odometry" })] });
  assert.deepEqual(drawings.of("field").map(({ layer }) => layer), ["pitch", "ball"]);
  assert.equal(drawings.of("odometry")[0].layer, "BallFilter.ball");
});

test("spaces are those in which modules draw", () => {
  const names = [["odometry", "drawing"], ["field/pitch", "background"], ["field/ball", "drawing"], ["frames", "drawing 3d"], ["score", "plot"]];
  assert.deepEqual(spacesOf(names.map(([name, kind]) => ({ name, kind }))), ["field", "frames", "odometry"]);
});

test("a circle reaches as far as its radius", () => {
  assert.deepEqual(pointsOf({ circle: [1, 2], radius: 0.5 }), [[0.5, 1.5], [1.5, 2.5]]);
});

test("nothing that comes can stop the painting, or get into it unread", () => {
  const drawn = /** @type {any[][]} */ ([]);
  const context = /** @type {any} */ (new Proxy({}, {
    get: (_, name) => (...values) => { drawn.push([name, ...values]); },
    set: () => true,
  }));
  const odd = [null, 0, "x", [], {}, NaN, [NaN, 1], [1], [[1, 2], null, [3, "4"]], [[1, 2]], [1, 2], [1, 2, 3], -1, Infinity, { a: 1 }];
  const names = ["points", "line", "arrow", "circle", "radius", "ellipse", "axes", "angle", "text", "at", "frame", "rotation", "length"];
  const drawings = new Drawings();
  for (const one of names) for (const other of names) for (const a of odd) for (const b of odd.slice(0, 8)) drawings.absorb({ records: [record(1, { [one]: a, [other]: b })] });
  for (const wrong of odd) drawings.absorb({ records: [wrong, { name: wrong, draw: {} }, { name: "field", draw: wrong, color: wrong }] });
  for (const wrong of [...odd, { records: 3 }]) drawings.absorb(wrong);
  paintDrawings(context, drawings.of("field"), ([x, y]) => [x * 10, y * -10], 10, "monospace");
  const places = drawn.filter(([name]) => name === "moveTo" || name === "lineTo" || name === "fillRect" || name === "arc" || name === "ellipse");
  assert.ok(places.length > 100);
  assert.ok(places.flatMap(([, ...values]) => values).every(Number.isFinite), "no place without numbers");
});
