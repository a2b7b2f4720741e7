import assert from "node:assert/strict";
import test from "node:test";
import { Drawings, paintDrawings, pointsOf, reachOf, spacesOf } from "../drawings.js";

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
  drawings.absorb({ records: [record(2, null), record(2, null, { name: "field/nothing yet" })] });
  assert.equal(drawings.of("field").length, 1);
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
  assert.deepEqual(pointsOf({ circle: [1, 2], radius: 0.5 }), [[0.5, 1.5], [1.5, 1.5], [1.5, 2.5], [0.5, 2.5]]);
});

/** Numbers that are about equal, as far as they are shown. @param {number[][]} points */
const rounded = (points) => points.map((point) => point.map((value) => Math.round(value * 1000) / 1000 + 0));

/** A place of a space, as a module draws it. @param {number} run @param {string} space @param {string} name @param {any} where */
const place = (run, space, name, where) => record(run, { place: space, ...where }, { name, update: "Locator.pose" });

test("what is drawn in a space is seen where that lies, also through others", () => {
  const drawings = new Drawings();
  const turned = Math.PI / 2, half = Math.SQRT1_2;
  drawings.absorb({ records: [
    record(1, { points: [[0, 0]] }, { name: "field/goal" }),
    place(1, "robot", "field/pose", { at: [1, 2], angle: turned }),
    record(1, { points: [[1, 0]] }, { name: "robot/ball" }),
    place(1, "camera", "robot/head", { at: [0, 1, 0.5], rotation: [half, 0, 0, half] }),
    record(1, { points: [[0, 3]] }, { name: "camera" }),
    record(1, { points: [[7, 7]] }, { name: "elsewhere" }),
  ] });
  const seen = drawings.seenIn("field");
  assert.deepEqual(seen.spaces, ["field", "robot", "camera"]);
  // The robot looks along y of the field; what lies beside the camera's axis is above it.
  assert.deepEqual(seen.drawings.map((drawing) => [drawing.layer, ...rounded(reachOf(drawing))]), [["goal", [0, 0, 0]], ["robot/ball", [1, 3, 0]], ["camera/BallFilter.ball", [0, 2, 3.5]]]);
  assert.deepEqual(drawings.seenIn("robot").drawings.map(({ layer }) => layer), ["ball", "camera/BallFilter.ball"], "the field does not lie in the robot");
  // The space itself has its own drawings alone.
  assert.deepEqual(rounded(reachOf(drawings.of("robot").filter(({ layer }) => layer === "ball")[0])), [[1, 0, 0]]);
});

test("the newest place counts, and goes when nobody draws it any more", () => {
  const drawings = new Drawings();
  const at = () => rounded(drawings.seenIn("field").drawings.flatMap(reachOf));
  const robot = (/** @type {number} */ time) => record(time, { points: [[0, 0]] }, { name: "robot", time });
  drawings.absorb({ records: [robot(1), { ...place(1, "robot", "field/odometry", { at: [1, 0], angle: 0 }), time: 1 }, { ...place(2, "robot", "field/pose", { at: [2, 0], angle: 0 }), time: 2 }] });
  assert.deepEqual(at(), [[2, 0, 0]]);
  drawings.absorb({ records: [{ ...place(3, "robot", "field/pose", { at: [3, 0], angle: 0 }), time: 3 }] });
  assert.deepEqual(at(), [[3, 0, 0]]);
  drawings.absorb({ records: [robot(2e9)] });
  assert.deepEqual(at(), []);
});

test("spaces that lie in each other in a circle, or nowhere, are seen once or not at all", () => {
  const drawings = new Drawings();
  drawings.absorb({ records: [
    record(1, { points: [[0, 0]] }, { name: "field" }), record(1, { points: [[0, 0]] }, { name: "robot" }), record(1, { points: [[0, 0]] }, { name: "lost" }),
    place(1, "robot", "field/pose", { at: [1, 0], angle: 0 }), place(1, "field", "robot/back", { at: [1, 0], angle: 0 }), place(1, "robot", "robot/itself", { at: [1, 0], angle: 0 }),
    place(1, "nobody draws there", "field/more", { at: [1, 0], angle: 0 }),
    ...[{}, { at: [1, 0] }, { at: [NaN, 0], angle: 0 }, { at: ["1", 0], angle: 0 }, { at: [1, 0], angle: null, rotation: null }, { at: [0, 0, 0], rotation: [0, 0, 0, 0] }].map((where) => place(1, "lost", "field/lost", where)),
  ] });
  const seen = (/** @type {string} */ space) => drawings.seenIn(space).drawings.filter(({ shapes }) => shapes.length).map((drawing) => [drawing.space, ...rounded(reachOf(drawing))]);
  assert.deepEqual(seen("field"), [["field", [0, 0, 0]], ["robot", [1, 0, 0]]]);
  assert.deepEqual(seen("robot"), [["robot", [0, 0, 0]], ["field", [1, 0, 0]]]);
  assert.deepEqual(drawings.seenIn("unknown"), { drawings: [], spaces: ["unknown"] });
});

test("where a space lies changes where and how things are painted, but not their size", () => {
  /** @param {any} where */
  const painted = (where) => {
    const drawings = new Drawings(), calls = /** @type {any[][]} */ ([]);
    const shapes = [{ text: "ball", at: [1, 0] }, { ellipse: [1, 0], axes: [0.5, 0.25], angle: 0 }, { circle: [1, 0], radius: 0.5 }, { points: [[1, 0]] }];
    drawings.absorb({ records: [...shapes.map((draw) => record(1, draw, { name: "robot" })), place(1, "robot", "field/pose", where)] });
    const context = /** @type {any} */ (new Proxy({}, { get: (_, name) => (/** @type {any[]} */ ...values) => { calls.push([name, ...values.map((value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 + 0 : value))]); }, set: () => true }));
    paintDrawings(context, drawings.seenIn("field").drawings, ([x, y]) => [x * 10, y * -10], 10, "monospace");
    return calls.filter(([name]) => name !== "beginPath" && name !== "stroke");
  };
  assert.deepEqual(painted({ at: [0, 0], angle: 0 }), [["fillText", "ball", 10, 0], ["ellipse", 10, 0, 5, 2.5, 0, 0, 7], ["arc", 10, 0, 5, 0, 7], ["fillRect", 8.5, -1.5, 3, 3]]);
  assert.deepEqual(painted({ at: [2, 1], angle: Math.PI / 2 }), [["fillText", "ball", 20, -20], ["ellipse", 20, -20, 5, 2.5, -1.571, 0, 7], ["arc", 20, -20, 5, 0, 7], ["fillRect", 18.5, -21.5, 3, 3]]);
});

test("nothing that comes can stop the painting, or get into it unread", () => {
  const drawn = /** @type {any[][]} */ ([]);
  const context = /** @type {any} */ (new Proxy({}, {
    get: (_, name) => (...values) => { drawn.push([name, ...values]); },
    set: () => true,
  }));
  const odd = [null, 0, "x", [], {}, NaN, [NaN, 1], [1], [[1, 2], null, [3, "4"]], [[1, 2]], [1, 2], [1, 2, 3], -1, Infinity, { a: 1 }];
  const names = ["points", "line", "arrow", "circle", "radius", "ellipse", "axes", "angle", "text", "at", "frame", "rotation", "length", "place"];
  const drawings = new Drawings();
  for (const one of names) for (const other of names) for (const a of odd) for (const b of odd.slice(0, 8)) drawings.absorb({ records: [record(1, { [one]: a, [other]: b })] });
  for (const wrong of odd) drawings.absorb({ records: [wrong, { name: wrong, draw: {} }, { name: "field", draw: wrong, color: wrong }] });
  for (const wrong of [...odd, { records: 3 }]) drawings.absorb(wrong);
  paintDrawings(context, drawings.of("field"), ([x, y]) => [x * 10, y * -10], 10, "monospace");
  const places = drawn.filter(([name]) => name === "moveTo" || name === "lineTo" || name === "fillRect" || name === "arc" || name === "ellipse");
  assert.ok(places.length > 100);
  assert.ok(places.flatMap(([, ...values]) => values).every(Number.isFinite), "no place without numbers");
});
