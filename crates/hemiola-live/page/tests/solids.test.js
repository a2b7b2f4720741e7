import assert from "node:assert/strict";
import test from "node:test";
import { Orbit, layerAt, middleOf, tint } from "../solids.js";
import { pointsOf } from "../drawings.js";
import { HERE } from "../places.js";

/** @param {Partial<Orbit>} [more] */
const orbit = (more = {}) => Object.assign(new Orbit(), { width: 400, height: 300, ...more });
/** @param {number} value @param {number} expected */
const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-6, `${value} is not ${expected}`);

test("what the camera looks at is in the middle, and right, up and near are where they belong", () => {
  // It looks along y from the south.
  const camera = orbit({ target: [1, 2, 0.5], elevation: 0, distance: 5 }), see = camera.view();
  const [middle, right, up, far] = [[1, 2, 0.5], [2, 2, 0.5], [1, 2, 1.5], [1, 3, 0.5]].map((point) => see(point));
  assert.ok(middle && right && up && far);
  near(middle.x, 200);
  near(middle.y, 150);
  near(middle.z, 5);
  assert.ok(right.x > middle.x && Math.abs(right.y - middle.y) < 1e-9);
  assert.ok(up.y < middle.y && far.z > middle.z);
  assert.equal(see([1, -4, 0.5]), null, "it is behind the camera");
});

test("everything is seen after it was framed, as near as possible", () => {
  for (const azimuth of [-2, -1, 0, 1.5]) for (const elevation of [0.1, 0.6, 1.5]) {
    const camera = orbit({ azimuth, elevation }), points = [[-4, -3, 0], [4, -3, 0], [4, 3, 1], [-4, 3, 0]];
    camera.frame(points);
    const seen = points.map((point) => camera.view()(point));
    assert.ok(seen.every((one) => one && one.x > 0 && one.x < 400 && one.y > 0 && one.y < 300));
    const reach = Math.max(...seen.map((one) => Math.max(Math.abs((one?.x ?? 0) - 200) / 200, Math.abs((one?.y ?? 0) - 150) / 150)));
    assert.ok(reach > 0.85, `only ${reach} of the canvas is used`);
  }
});

test("the ground follows the pointer when it slides, and zooming keeps the target", () => {
  const camera = orbit({ elevation: Math.PI / 2, distance: 10 }), before = camera.view()([0, 0, 0]);
  camera.slide(30, -20);
  const after = camera.view()([0, 0, 0]);
  assert.ok(before && after);
  near(after.x - before.x, 30);
  near(after.y - before.y, -20);
  const target = [...camera.target];
  camera.zoom(2);
  assert.deepEqual([camera.target, camera.distance], [target, 5]);
});

test("the nearest solid at a place is picked", () => {
  const part = (/** @type {string} */ layer, /** @type {number} */ left) => ({ depth: 1, layer, paint() {}, hits: (/** @type {number} */ x) => x > left });
  const parts = [part("far", 0), part("near", 10)];
  assert.deepEqual([layerAt(parts, 5, 0), layerAt(parts, 15, 0), layerAt(parts, -5, 0)], ["far", "near", ""]);
});

test("the middle of a drawing is that of its solids", () => {
  const shapes = [{ draw: { capsule: [[0, 0, 0], [2, 0, 0]], radius: 0.1 }, color: "#ffffffff" }, { draw: { sphere: [1, 0, 3], radius: 0.1 }, color: "#ffffffff" }, { draw: { line: [[50, 50], [60, 60]] }, color: "#ffffffff" }];
  const drawing = { space: "scene", layer: "robot", update: "", run: 1, time: 0, background: false, shapes, places: [], pose: { ...HERE, origin: [0, 5, 0] } };
  assert.deepEqual(middleOf(drawing), [1, 5, 1]);
  assert.equal(middleOf({ ...drawing, shapes: shapes.slice(2) }), null);
});

test("solids reach as far as they are large", () => {
  assert.deepEqual(pointsOf({ sphere: [1, 2, 3], radius: 1 })[2], [2, 3, 3]);
  assert.deepEqual(pointsOf({ box: [1, 2, 3], size: [2, 4, 2] })[0], [-1, 0, 3]);
  assert.deepEqual(pointsOf({ capsule: [[0, 0, 0], [1, 1, 1]], radius: 0.1 }), [[0, 0, 0], [1, 1, 1]]);
});

test("colours become brighter and darker, and keep their opacity", () => {
  assert.deepEqual([tint("#808080", 0.5), tint("#ff8000ff", 2), tint("#10203000", 1)], ["rgb(64 64 64 / 1)", "rgb(255 255 0 / 1)", "rgb(16 32 48 / 0)"]);
});
