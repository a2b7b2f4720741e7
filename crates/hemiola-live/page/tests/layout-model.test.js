import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, fromAddress, insert, read, remove, stacks, tabs, tidy, toAddress } from "../layout-model.js";

const tab = (view) => ({ view, settings: {} });
const stack = (...names) => ({ tabs: names.map(tab), active: 0 });
const names = (root) => stacks(root).map((each) => each.tabs.map(({ view }) => view).join("+"));

test("a tab that is dropped at an edge gets a stack of its own there", () => {
  const one = stack("a", "b");
  const root = beside(one, one, one.tabs[1], "left");
  assert.deepEqual(names(root), ["b", "a"]);
  assert.equal(root.split, "row");
  const below = beside(root, stacks(root)[1], tab("c"), "bottom");
  assert.deepEqual(names(below), ["b", "a", "c"]);
});

test("the stack that a tab leaves empty goes, and its neighbours stay as they are", () => {
  const root = tidy({ split: "row", sizes: [1, 3], children: [stack("a"), stack("b", "c")] });
  const [left, right] = stacks(root);
  const moved = insert(root, right, left.tabs[0], 1);
  assert.deepEqual(names(moved), ["b+a+c"]);
  assert.equal(moved, right);
  assert.equal(right.active, 1);
});

test("a tab that moves within its stack lands where it was dropped", () => {
  for (const [from, to, expected] of [[0, 3, "b+c+a"], [2, 0, "c+a+b"], [1, 1, "a+b+c"], [0, 2, "b+a+c"]]) {
    const one = stack("a", "b", "c");
    assert.deepEqual(names(insert(one, one, one.tabs[from], to)), [expected]);
  }
});

test("no sequence of moves loses or doubles a view", () => {
  let seed = 7;
  const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
  let root = tidy({ split: "row", sizes: [1, 1], children: [stack("a", "b"), stack("c", "d")] });
  for (let step = 0; step < 2000; step++) {
    const all = tabs(root), some = stacks(root);
    const moved = all[random(all.length)], target = some[random(some.length)];
    root = random(2) ? beside(root, target, moved, ["left", "right", "top", "bottom"][random(4)]) : insert(root, target, moved, random(5));
    assert.deepEqual(tabs(root).map(({ view }) => view).sort(), ["a", "b", "c", "d"]);
    for (const each of stacks(root)) assert.ok(each.tabs.length && each.active < each.tabs.length);
  }
});

test("the last view can be closed, and another opened", () => {
  const one = stack("a");
  const empty = remove(one, one.tabs[0]);
  assert.deepEqual(tabs(empty), []);
  assert.deepEqual(names(insert(empty, stacks(empty)[0], tab("b"))), ["b"]);
});

test("an address brings an arrangement back, with texts of any language", () => {
  const root = { tabs: [{ view: "plots", settings: { title: "Größe ∑" } }], active: 0 };
  assert.deepEqual(read(fromAddress(toAddress(root)), () => true), root);
});

test("what is unusable in an address is left out", () => {
  const known = (view) => view === "a";
  assert.equal(read(fromAddress("%%%"), known), null);
  for (const odd of [null, 1, "x", [], {}, { tabs: [] }, { tabs: [{ view: "b" }] }, { children: [null, { tabs: 3 }] }]) assert.equal(read(odd, known), null);
  const endless = { split: "row", children: [] };
  endless.children.push(endless);
  assert.equal(read(endless, known), null);
  assert.deepEqual(read({ split: "row", sizes: [NaN, -1], children: [{ tabs: [{ view: "a" }], active: 9 }, { tabs: [{ view: "b" }] }] }, known), { tabs: [{ view: "a", settings: {} }], active: 0 });
});
