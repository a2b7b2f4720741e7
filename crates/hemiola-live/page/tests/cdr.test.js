import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, parseSchema } from "../cdr.js";

/** Writes CDR as docs say it, independently of the reader. */
class Writer {
  bytes = [0, 1, 0, 0];
  align(size) { while ((this.bytes.length - 4) % size) this.bytes.push(0); return this; }
  put(size, set) {
    this.align(size);
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8(value) { return this.put(1, (view) => view.setUint8(0, value)); }
  u32(value) { return this.put(4, (view) => view.setUint32(0, value, true)); }
  i64(value) { return this.put(8, (view) => view.setBigInt64(0, value, true)); }
  f32(value) { return this.put(4, (view) => view.setFloat32(0, value, true)); }
  f64(value) { return this.put(8, (view) => view.setFloat64(0, value, true)); }
  text(value) { const bytes = new TextEncoder().encode(value); this.u32(bytes.length + 1); this.bytes.push(...bytes, 0); return this; }
  done(offset = 0) { const all = new Uint8Array(offset + this.bytes.length); all.set(this.bytes, offset); return all.subarray(offset); }
}

const SCHEMA = `# a comment
uint8 PHASE_READY=0
uint8 PHASE_PLAYING=1
uint8 phase
float64 gain 1.5
string<=20 name
Point[] points
float32[3] axis
float64[<=1] age
int64 big
bool seen
================================================================================
MSG: nao/Point
float32 x
float64 y
`;

test("a value with nested types, options, enumerations and texts is read as it was written", () => {
  const type = parseSchema(SCHEMA, "nao/msg/Ball");
  const bytes = new Writer().u8(1).f64(2.5).text("größe").u32(2).f32(1).f64(2).f32(3).f64(4).f32(5).f32(6).f32(7).u32(1).f64(9).i64(2n ** 60n).u8(1).done();
  const value = decode(type, bytes);
  assert.equal(value.phase, 1);
  assert.equal(value.gain, 2.5);
  assert.equal(value.name, "größe");
  assert.deepEqual(value.points, [{ x: 1, y: 2 }, { x: 3, y: 4 }]);
  assert.deepEqual([...value.axis], [5, 6, 7]);
  assert.equal(value.age, 9);
  assert.equal(value.big, 2n ** 60n);
  assert.equal(value.seen, true);
  assert.deepEqual(type.fields[0].constants, new Map([[0, "READY"], [1, "PLAYING"]]));
});

test("an absent option is null, and the field after it stays aligned", () => {
  const type = parseSchema("float64[<=1] age\nuint8 last", "a/msg/B");
  assert.deepEqual(decode(type, new Writer().u32(0).u8(7).done()), { age: null, last: 7 });
});

test("large arrays of bytes are not copied", () => {
  const type = parseSchema("uint8[] data", "a/msg/B");
  const bytes = new Writer().u32(3).u8(1).u8(2).u8(3).done(32);
  assert.equal(decode(type, bytes).data.buffer, bytes.buffer);
});

test("numbers that are not aligned in the message are copied and right", () => {
  const type = parseSchema("float64[] data", "a/msg/B");
  for (const offset of [0, 1, 3, 4, 32]) {
    const bytes = new Writer().u32(2).f64(-1.25).f64(1e300).done(offset);
    assert.deepEqual([...decode(type, bytes).data], [-1.25, 1e300]);
  }
});

test("bytes that end too early are an error, never a value", () => {
  const type = parseSchema(SCHEMA, "nao/msg/Ball");
  const bytes = new Writer().u8(1).f64(2.5).text("name").u32(1).f32(1).f64(2).f32(5).f32(6).f32(7).u32(0).i64(1n).u8(1).done();
  assert.doesNotThrow(() => decode(type, bytes));
  for (let end = 0; end < bytes.length; end++) assert.throws(() => decode(type, bytes.slice(0, end)), undefined, `${end} bytes`);
});

test("a count of elements beyond the bytes is refused before memory is taken", () => {
  const type = parseSchema("Point[] points\n===\nMSG: a/Point\nuint8 x", "a/msg/B");
  assert.throws(() => decode(type, new Writer().u32(0xffffffff).done()), /more than there are bytes/);
});

test("times need no definition, and missing types are named", () => {
  const type = parseSchema("builtin_interfaces/Time stamp", "a/msg/B");
  assert.deepEqual(decode(type, new Writer().u32(3).u32(4).done()), { stamp: { sec: 3, nanosec: 4 } });
  assert.throws(() => parseSchema("Nowhere x", "a/msg/B"), /does not define a\/Nowhere/);
});
