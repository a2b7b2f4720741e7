import assert from "node:assert/strict";
import test from "node:test";
import { layOut } from "../graph-layout.js";
import { around, criticality, graphOf, ofCycle } from "../graph-model.js";

const node = (/** @type {string} */ id, .../** @type {string[]} */ group) => ({ id, group, width: 60 + id.length, height: 20 });

/** @param {{x: number, y: number, width: number, height: number}} a @param {{x: number, y: number, width: number, height: number}} b */
const overlap = (a, b) => Math.abs(a.x - b.x) < (a.width + b.width) / 2 - 1e-6 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 - 1e-6;

test("what comes after something lies below it, circles or not, and nothing overlaps", () => {
  let seed = 3;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 40; round++) {
    const nodes = Array.from({ length: 40 }, (_, number) => node(`n${number}`, ...(number < 5 ? [] : [number % 2 ? "odd" : "even", ...(number < 20 ? [`below ${number % 4}`] : [])])));
    const edges = Array.from({ length: 90 }, () => {
      const from = Math.floor(random() * 40), to = Math.floor(random() * 40);
      return { from: `n${Math.min(from, to)}`, to: `n${Math.max(from, to)}`, isBack: random() < 0.1 };
    });
    const circle = round % 2 ? [{ from: "n39", to: "n7" }] : [];
    const { nodes: boxes, groups, paths } = layOut(nodes, [...edges, ...circle]);
    assert.equal(boxes.size, 40);
    const all = [...boxes.values()];
    all.forEach((one, number) => all.slice(number + 1).forEach((other) => assert.ok(!overlap(one, other))));
    assert.ok(!overlap(/** @type {any} */ (groups.get("odd")), /** @type {any} */ (groups.get("even"))));
    edges.forEach(({ from, to, isBack }, number) => {
      const [a, b] = [boxes.get(from), boxes.get(to)];
      const [ofFrom, ofTo] = [from, to].map((end) => String(nodes.find(({ id }) => id === end)?.group));
      if (from !== to && !isBack && ofFrom === ofTo && circle.length === 0) assert.ok(a && b && a.y < b.y);
      assert.ok(paths[number]?.flat().every(Number.isFinite));
    });
    for (const [id, box] of boxes) {
      const path = nodes.find((one) => one.id === id)?.group ?? [];
      for (const group of path.map((_, depth) => /** @type {any} */ (groups.get(path.slice(0, depth + 1).join("\n"))))) assert.ok(box.x - box.width / 2 >= group.x - group.width / 2 && box.y + box.height / 2 <= group.y + group.height / 2);
    }
  }
});

test("edges of two layers that can be drawn without a crossing are", () => {
  const nodes = ["a", "b", "c", "x", "y", "z"].map((id) => node(id));
  const edges = [{ from: "a", to: "z" }, { from: "b", to: "y" }, { from: "c", to: "x" }];
  const { nodes: boxes } = layOut(nodes, edges);
  const x = (/** @type {string} */ id) => boxes.get(id)?.x ?? NaN;
  const order = (/** @type {string[]} */ ids) => ids.slice().sort((a, b) => x(a) - x(b));
  const of = new Map(edges.map(({ from, to }) => [from, to]));
  assert.deepEqual(order(["a", "b", "c"]).map((id) => of.get(id)), order(["x", "y", "z"]));
});

test("an empty graph, unknown ends and edges to oneself are no harm", () => {
  assert.equal(layOut([], [{ from: "a", to: "b" }]).paths[0], null);
  const { paths } = layOut([node("a")], [{ from: "a", to: "a" }, { from: "a", to: "nobody" }]);
  assert.equal(paths[1], null);
});

const description = {
  sources: [{ name: "Body", provides: ["Imu"], reads: ["Joints"] }, { name: "Camera", provides: ["Image"], reads: [] }],
  cycles: [
    { name: "motion", tasks: [
      { name: "Filter.pose", module: "Filter", update: "pose", requires: ["Imu"], uses: ["Joints"], provides: ["Pose"], after: [] },
      { name: "Walk.joints", module: "Walk", update: "joints", requires: ["Pose", "Plan"], provides: ["Joints"], publishes: ["fell"], after: [0] },
    ] },
    { name: "cognition", tasks: [{ name: "Planner.plan", module: "Planner", update: "plan", requires: ["Image"], provides: ["Plan"], subscribes: ["fell"], after: [] }] },
  ],
  representations: [{ name: "Plan", owner: "cognition" }], topics: [{ name: "fell" }],
};

test("edges say how values come: of this run, of the one before, from another cycle, by a topic", () => {
  const { nodes, edges } = graphOf(description, false);
  assert.equal(nodes.length, 6);
  const carriage = (/** @type {string} */ from, /** @type {string} */ to) => edges.find((edge) => edge.from === from && edge.to === to)?.carriage;
  assert.equal(carriage("source Body", "task motion Filter.pose"), "sample");
  assert.equal(carriage("task motion Filter.pose", "task motion Walk.joints"), "value");
  assert.equal(carriage("task motion Walk.joints", "task motion Filter.pose"), "previous");
  assert.equal(carriage("task cognition Planner.plan", "task motion Walk.joints"), "between");
  assert.equal(carriage("task motion Walk.joints", "source Body"), "output");
  assert.equal(carriage("task motion Walk.joints", "topic fell"), "topic");
  assert.equal(carriage("topic fell", "task cognition Planner.plan"), "topic");
});

test("a part of the graph has what belongs to it and nothing else", () => {
  const graph = graphOf(description, true);
  assert.deepEqual(around(graph, "source Camera").nodes.map(({ title }) => title), ["Camera", "Planner"]);
  assert.deepEqual(ofCycle(graph, "cognition").nodes.map(({ title }) => title).sort(), ["Camera", "Planner", "Walk", "fell"]);
});

test("tasks on the longest path are critical, others by how much they lack", () => {
  const tasks = [{ name: "a", after: [] }, { name: "b", after: [0] }, { name: "c", after: [0] }, { name: "d", after: [1, 2] }];
  const lengths = /** @type {Record<string, number>} */ ({ a: 1, b: 6, c: 3, d: 1 });
  const critical = criticality({ cycles: [{ name: "motion", tasks }] }, (_, task) => lengths[task]);
  assert.deepEqual(tasks.map((task) => critical.get(task)), [1, 1, 5 / 8, 1]);
});

test("a description with nothing in it, or nonsense, gives an empty graph", () => {
  for (const odd of [{}, { cycles: null, sources: "x" }, { cycles: [{ name: "c", tasks: [{}] }] }]) assert.ok(graphOf(odd, false).edges.length === 0);
  assert.equal(criticality({ cycles: [{ name: "c", tasks: [{ name: "a", after: [7, -1, "x"] }] }] }, () => 0).size, 1);
});
