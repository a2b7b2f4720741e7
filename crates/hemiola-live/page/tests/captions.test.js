import assert from "node:assert/strict";
import test from "node:test";
import { Words } from "../captions.js";

const SECOND = 1e9;
/** @param {Words} words @param {string[]} spaces */
const shown = (words, ...spaces) => { const { texts, notes } = words.of(spaces); return [texts, notes].map((all) => all.map(({ text }) => text)); };

test("the newest text of a name holds, and annotations are listed", () => {
  const words = new Words();
  words.absorb({ records: [{ name: "field/game", text: "0 : 0", time: 0 }, { name: "field/said", annotation: "here", time: 0 }, { name: "field/ball", plot: 1, time: 0 }] });
  words.absorb({ records: [{ name: "field/game", text: "1 : 0", time: SECOND }, { name: "field/said", annotation: "there", time: SECOND }] });
  assert.deepEqual(shown(words, "field"), [["1 : 0"], ["here", "there"]]);
  assert.deepEqual(shown(words, "fiel", "robot"), [[], []]);
});

test("a text that nobody repeats no longer holds, and old annotations are gone", () => {
  const words = new Words();
  words.absorb({ records: [{ name: "field/game", text: "0 : 0", time: 0 }, { name: "field/said", annotation: "here", time: 0 }] });
  words.absorb({ records: [{ name: "robot/state", text: "up", time: 5 * SECOND }] });
  assert.deepEqual(shown(words, "field"), [[], ["here"]]);
  words.absorb({ records: [{ name: "robot/state", text: "up", time: 30 * SECOND }] });
  assert.deepEqual(shown(words, "field", "robot"), [["up"], []]);
});

test("who goes back in a log sees nothing of what comes later", () => {
  const words = new Words();
  words.absorb({ records: [{ name: "field/said", annotation: "late", time: 60 * SECOND }] });
  words.absorb({ records: [{ name: "field/said", annotation: "early", time: SECOND }] });
  assert.deepEqual(shown(words, "field"), [[], ["early"]]);
});
