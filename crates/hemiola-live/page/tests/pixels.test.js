import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf, toRgba } from "../pixels.js";

/**
 * @param {string} encoding
 * @param {number[]} bytes of two pixels
 */
const two = (encoding, bytes, bigEndian = false) => [...toRgba({ width: 2, height: 1, encoding, step: bytes.length, bigEndian, data: Uint8Array.from(bytes) })];

test("every encoding gives the colours that it means", () => {
  const orange = [255, 128, 0, 255], blue = [0, 0, 255, 255];
  assert.deepEqual(two("rgb8", [255, 128, 0, 0, 0, 255]), [...orange, ...blue]);
  assert.deepEqual(two("bgr8", [0, 128, 255, 255, 0, 0]), [...orange, ...blue]);
  assert.deepEqual(two("rgba8", [255, 128, 0, 255, 0, 0, 255, 7]), [...orange, 0, 0, 255, 7]);
  assert.deepEqual(two("bgra8", [0, 128, 255, 255, 255, 0, 0, 7]), [...orange, 0, 0, 255, 7]);
  assert.deepEqual(two("mono8", [0, 200]), [0, 0, 0, 255, 200, 200, 200, 255]);
  assert.deepEqual(two("mono16", [9, 200, 0, 100]), [200, 200, 200, 255, 100, 100, 100, 255]);
  assert.deepEqual(two("mono16", [200, 9, 100, 0], true), [200, 200, 200, 255, 100, 100, 100, 255]);
  assert.deepEqual(two("8UC2", [1, 2, 3, 4]), [1, 2, 0, 255, 3, 4, 0, 255]);
});

test("YUV is full range BT.601, in both orders of its bytes", () => {
  // By the formulae of JFIF, in floating point.
  for (let round = 0; round < 500; round++) {
    const [y0, u, y1, v] = [round * 37, round * 91, round * 53, round * 17].map((part) => part % 256);
    const expected = [y0, y1].flatMap((y) => [y + 1.402 * (v - 128), y - 0.344136 * (u - 128) - 0.714136 * (v - 128), y + 1.772 * (u - 128), 255].map((part) => Math.min(255, Math.max(0, part))));
    for (const got of [two("yuv422_yuy2", [y0, u, y1, v]), two("yuv422", [u, y0, v, y1])]) got.forEach((part, at) => assert.ok(Math.abs(part - expected[at]) <= 1, `${part} is not ${expected[at]}`));
  }
});

test("rows may have padding, and the last one need not", () => {
  const pixels = toRgba({ width: 1, height: 2, encoding: "rgb8", step: 5, bigEndian: false, data: Uint8Array.from([1, 2, 3, 0, 0, 4, 5, 6]) });
  assert.deepEqual([...pixels], [1, 2, 3, 255, 4, 5, 6, 255]);
});

test("bad images are errors, not crashes", () => {
  const base = { width: 4, height: 4, encoding: "rgb8", step: 12, bigEndian: false, data: new Uint8Array(48) };
  for (const wrong of [{ data: new Uint8Array(47) }, { step: 3 }, { step: 2.5 }, { encoding: "bayer_x" }, { encoding: "" }, { width: 1e9, step: 3e9 }]) assert.throws(() => toRgba({ ...base, ...wrong }), Error);
});

test("an image is found within a value", () => {
  const data = new Uint8Array(16);
  assert.ok(pictureOf({ width: 2, height: 2, encoding: "rgba8", step: 8, data }));
  assert.deepEqual(pictureOf({ image: { width: 2, height: 2, pixels: new Uint8Array(8) } }), { raw: { width: 2, height: 2, encoding: "yuv422_yuy2", step: 4, bigEndian: false, data: new Uint8Array(8) } });
  assert.deepEqual(pictureOf({ format: "jpeg", data }), { packed: data });
  for (const odd of [null, 3, "x", {}, { data: 3 }, { width: 0, height: 2, data }, new Uint8Array(3), { a: { b: { c: { d: { format: "png", data } } } } }]) assert.equal(pictureOf(odd), null);
});
