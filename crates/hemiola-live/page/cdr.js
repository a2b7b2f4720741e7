// Values as they come over the wire: ros2msg schemas, and CDR decoded by them.

/**
 * @typedef {{name: string, type: Type, array: null | {fixed: number} | {most: number}, constants: Map<number | bigint, string> | null}} Field
 *   `constants` are the names of the values of an enumeration.
 * @typedef {{kind: "struct", name: string, fields: Field[]}} Struct
 * @typedef {{kind: "primitive", name: string}} Primitive
 * @typedef {Struct | Primitive} Type
 * @typedef {{view: DataView, at: number, origin: number}} Reader
 */

/** Sizes of numbers, and the arrays that hold many of them.
 * @type {Record<string, {size: number, array: any, get(view: DataView, at: number): any}>} */
const NUMBERS = {
  bool: { size: 1, array: Uint8Array, get: (view, at) => view.getUint8(at) !== 0 },
  byte: { size: 1, array: Uint8Array, get: (view, at) => view.getUint8(at) },
  char: { size: 1, array: Uint8Array, get: (view, at) => view.getUint8(at) },
  int8: { size: 1, array: Int8Array, get: (view, at) => view.getInt8(at) },
  uint8: { size: 1, array: Uint8Array, get: (view, at) => view.getUint8(at) },
  int16: { size: 2, array: Int16Array, get: (view, at) => view.getInt16(at, true) },
  uint16: { size: 2, array: Uint16Array, get: (view, at) => view.getUint16(at, true) },
  int32: { size: 4, array: Int32Array, get: (view, at) => view.getInt32(at, true) },
  uint32: { size: 4, array: Uint32Array, get: (view, at) => view.getUint32(at, true) },
  int64: { size: 8, array: BigInt64Array, get: (view, at) => view.getBigInt64(at, true) },
  uint64: { size: 8, array: BigUint64Array, get: (view, at) => view.getBigUint64(at, true) },
  float32: { size: 4, array: Float32Array, get: (view, at) => view.getFloat32(at, true) },
  float64: { size: 8, array: Float64Array, get: (view, at) => view.getFloat64(at, true) },
};
const TIMES = new Set(["time", "duration", "builtin_interfaces/Time", "builtin_interfaces/Duration"]);
const TEXT = new TextDecoder();

/**
 * Parses a ros2msg text: the fields of the type itself, then after each line of `=` and
 * `MSG: package/Name` those of a nested one. Enumerations are `uint8` fields that their constants
 * precede.
 *
 * @param {string} text @param {string} name as `package/msg/Name`
 * @returns {Struct}
 */
export function parseSchema(text, name) {
  /** @type {Map<string, string[]>} */
  const sections = new Map();
  let lines = /** @type {string[]} */ ([]);
  sections.set(shortName(name), lines);
  for (const line of text.split("\n")) {
    if (/^={3,}\s*$/.test(line)) lines = [];
    else if (line.startsWith("MSG:")) sections.set(shortName(line.slice(4).trim()), lines);
    else lines.push(line);
  }
  /** @type {Map<string, Struct>} */
  const known = new Map();
  /** @type {(name: string) => Struct} */
  const struct = (full) => {
    const before = known.get(full);
    if (before) return before;
    const type = /** @type {Struct} */ ({ kind: "struct", name: full, fields: [] });
    known.set(full, type);
    const section = sections.get(full);
    if (section) type.fields = fieldsOf(section, (part) => resolve(part, full));
    else if (TIMES.has(full)) type.fields = fieldsOf(["int32 sec", "uint32 nanosec"], (part) => resolve(part, full));
    else throw new Error(`the schema of ${name} does not define ${full}`);
    return type;
  };
  /** @type {(part: string, owner: string) => Type} */
  const resolve = (part, owner) => {
    if (part in NUMBERS || part === "string" || part === "wstring") return { kind: "primitive", name: part };
    const short = shortName(part);
    if (short.includes("/") || TIMES.has(short)) return struct(short);
    const beside = `${owner.split("/")[0]}/${short}`;
    return struct(sections.has(beside) ? beside : [...sections.keys()].find((key) => key.endsWith(`/${short}`)) ?? beside);
  };
  return struct(shortName(name));
}

/** @param {string[]} lines @param {(part: string) => Type} resolve @returns {Field[]} */
function fieldsOf(lines, resolve) {
  /** @type {Field[]} */
  const fields = [];
  let constants = { type: "", names: /** @type {Map<number | bigint, string>} */ (new Map()) };
  for (const line of lines) {
    const constant = /^\s*([a-z]\w*)(?:<=\d+)?\s+([A-Z]\w*)\s*=\s*([^#]*)/.exec(line);
    if (constant) {
      const [, type, name, written] = constant;
      if (constants.type !== type) constants = { type, names: new Map() };
      const wide = type === "int64" || type === "uint64";
      if (/^\s*-?\d+\s*$/.test(written)) constants.names.set(wide ? BigInt(written) : Number(written), name);
      continue;
    }
    const field = /^\s*([A-Za-z][\w/]*)(?:<=\d+)?(\[(?:<=)?\d*\])?\s+([A-Za-z]\w*)/.exec(line);
    if (!field) continue;
    const [, type, brackets, name] = field;
    const size = Number(brackets?.match(/\d+/)?.[0] ?? Infinity);
    const array = !brackets ? null : brackets.includes("<") || size === Infinity ? { most: size } : { fixed: size };
    const isEnumeration = constants.type === type && constants.names.size > 0;
    fields.push({ name, type: resolve(type), array, constants: isEnumeration ? withoutPrefix(constants.names, name) : null });
    constants = { type: "", names: new Map() };
  }
  return fields;
}

/** `PHASE_READY` of a field `phase` is called `READY`.
 * @param {Map<number | bigint, string>} names @param {string} field */
function withoutPrefix(names, field) {
  const prefix = `${field.toUpperCase()}_`;
  if (![...names.values()].every((name) => name.startsWith(prefix))) return names;
  return new Map([...names].map(([value, name]) => [value, name.slice(prefix.length)]));
}

/** `package/msg/Name` and `package/Name` are the same. @param {string} name */
function shortName(name) {
  const parts = name.split("/");
  return parts.length === 3 ? `${parts[0]}/${parts[2]}` : name;
}

/**
 * Decodes a value with its four header bytes into plain objects. Arrays of numbers are typed
 * arrays, without a copy where they are aligned; 64-bit integers are `BigInt`s; `T[<=1]`, an
 * option, is its element or `null`.
 *
 * @param {Struct} type @param {Uint8Array} bytes @returns {any}
 */
export function decode(type, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || (bytes[1] !== 1 && bytes[1] !== 3)) throw new Error("not CDR in little-endian order");
  return readStruct(type, { view, at: 4, origin: 4 });
}

/** @param {Struct} type @param {Reader} reader */
function readStruct(type, reader) {
  /** @type {Record<string, any>} */
  const value = {};
  for (const field of type.fields) value[field.name] = readField(field, reader);
  return value;
}

/** @param {Field} field @param {Reader} reader */
function readField(field, reader) {
  const { type, array } = field;
  if (!array) return readOne(type, reader);
  const length = "fixed" in array ? array.fixed : readNumber("uint32", reader);
  if (isOption(field)) return length === 0 ? null : readOne(type, reader);
  if (type.kind === "primitive" && type.name in NUMBERS) return readNumbers(type.name, length, reader);
  if (length > reader.view.byteLength) throw new Error(`${field.name} has ${length} elements, more than there are bytes`);
  const list = [];
  for (let index = 0; index < length; index++) list.push(readOne(type, reader));
  return list;
}

/** Whether a field is an option: `T[<=1]`. @param {Field} field */
export function isOption(field) {
  return field.array !== null && "most" in field.array && field.array.most === 1;
}

/** @param {Type} type @param {Reader} reader */
function readOne(type, reader) {
  if (type.kind === "struct") return readStruct(type, reader);
  if (type.name === "string") return readText(reader);
  if (type.name === "wstring") throw new Error("wide strings cannot be shown");
  return readNumber(type.name, reader);
}

/** @param {number} size @param {Reader} reader */
function align(size, reader) {
  const beyond = (reader.at - reader.origin) % size;
  if (beyond) reader.at += size - beyond;
}

/** @param {string} name @param {Reader} reader */
function readNumber(name, reader) {
  const { size, get } = NUMBERS[name];
  align(size, reader);
  const value = get(reader.view, reader.at);
  reader.at += size;
  return value;
}

/** @param {string} name @param {number} length @param {Reader} reader */
function readNumbers(name, length, reader) {
  const { size, array } = NUMBERS[name];
  if (length === 0) return new array(0);
  align(size, reader);
  const { buffer, byteOffset, byteLength } = reader.view;
  if (reader.at + length * size > byteLength) throw new Error(`the value ends before its ${length} numbers do`);
  const at = byteOffset + reader.at;
  reader.at += length * size;
  return at % size === 0 ? new array(buffer, at, length) : new array(buffer.slice(at, at + length * size));
}

/** @param {Reader} reader */
function readText(reader) {
  const length = readNumber("uint32", reader);
  const { buffer, byteOffset, byteLength } = reader.view;
  if (reader.at + length > byteLength) throw new Error("the value ends within a text");
  const bytes = new Uint8Array(buffer, byteOffset + reader.at, Math.max(0, length - 1));
  reader.at += length;
  return TEXT.decode(bytes);
}
