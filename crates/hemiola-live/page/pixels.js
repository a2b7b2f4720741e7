// Images of robots as pixels for a canvas.

/**
 * @typedef {{width: number, height: number, encoding: string, step: number, bigEndian: boolean, data: Uint8Array}} Raw
 * @typedef {{raw: Raw} | {packed: Uint8Array}} Picture `packed` is a JPEG, PNG or WebP.
 * @typedef {(data: Uint8Array, at: number) => number} Read a pixel as a canvas has it in memory: alpha, blue, green, red
 */

const OPAQUE = 0xff000000;

/**
 * Finds the image that a decoded value is or contains: `sensor_msgs/Image`, `CompressedImage`, or
 * a structure with a width, a height and matching bytes.
 *
 * @param {any} value
 * @param {number} [depth]
 * @returns {Picture | null}
 */
export function pictureOf(value, depth = 3) {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return null;
  const { width, height, encoding, step, is_bigendian: bigEndian } = value;
  const data = value.data ?? value.pixels;
  if (data instanceof Uint8Array || data instanceof Uint8ClampedArray) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (width > 0 && height > 0) {
      // Without an encoding, the number of bytes per pixel determines it.
      const guessed = ["", "mono8", "yuv422_yuy2", "rgb8", "rgba8"][Math.round(bytes.length / (width * height))] ?? "";
      return { raw: { width, height, encoding: typeof encoding === "string" ? encoding : guessed, step: step > 0 ? step : bytes.length / height, bigEndian: !!bigEndian, data: bytes } };
    }
    if (typeof value.format === "string") return { packed: bytes };
  }
  if (depth === 0) return null;
  for (const part of Object.values(value)) {
    const found = pictureOf(part, depth - 1);
    if (found) return found;
  }
  return null;
}

/**
 * Converts an image to rows of red, green, blue and alpha.
 *
 * @param {Raw} raw
 * @returns {Uint8ClampedArray<ArrayBuffer>}
 * @throws if the encoding is not known, or there are too few bytes
 */
export function toRgba({ width, height, encoding, step, bigEndian, data }) {
  if (width * height > 64e6) throw new Error(`${width}x${height} pixels are too many to show`);
  const out = new Uint32Array(width * height);
  const yuv = { yuv422: [1, 0, 2], uyvy: [1, 0, 2], yuv422_yuy2: [0, 1, 3], yuyv: [0, 1, 3] }[encoding.toLowerCase()];
  if (yuv) {
    need(data, width * 2, height, step);
    fromYuv(out, data, width, height, step, yuv);
  } else {
    const [size, read] = format(encoding, bigEndian);
    need(data, width * size, height, step);
    for (let y = 0, to = 0; y < height; y++) for (let x = 0, at = y * step; x < width; x++, at += size) out[to++] = read(data, at);
  }
  return new Uint8ClampedArray(out.buffer);
}

/**
 * @param {Uint8Array} data
 * @param {number} row
 * @param {number} height
 * @param {number} step
 */
function need(data, row, height, step) {
  if (!Number.isInteger(step) || step < row || data.length < step * (height - 1) + row) throw new Error(`${data.length} bytes are too few for ${height} rows of ${row} bytes`);
}

/**
 * @param {string} encoding
 * @param {boolean} bigEndian
 * @returns {[number, Read]} bytes of a pixel, and how it is read
 */
function format(encoding, bigEndian) {
  const grey = (/** @type {number} */ value) => OPAQUE | (value * 0x10101);
  switch (encoding.toLowerCase()) {
    case "rgb8": return [3, (data, at) => OPAQUE | (data[at + 2] << 16) | (data[at + 1] << 8) | data[at]];
    case "bgr8": case "8uc3": return [3, (data, at) => OPAQUE | (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]];
    case "rgba8": return [4, (data, at) => (data[at + 3] << 24) | (data[at + 2] << 16) | (data[at + 1] << 8) | data[at]];
    case "bgra8": case "8uc4": return [4, (data, at) => (data[at + 3] << 24) | (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]];
    case "mono8": case "8uc1": return [1, (data, at) => grey(data[at])];
    case "8uc2": return [2, (data, at) => OPAQUE | (data[at + 1] << 8) | data[at]];
    case "mono16": case "16uc1": return [2, (data, at) => grey(data[bigEndian ? at : at + 1])];
    default: throw new Error(encoding ? `the encoding ${encoding} cannot be shown` : "the image does not say its encoding");
  }
}

/**
 * Full range BT.601, as in JPEG, in fixed point.
 *
 * @param {Uint32Array} out
 * @param {Uint8Array} data
 * @param {number} width
 * @param {number} height
 * @param {number} step
 * @param {number[]} places of Y, Cb and Cr in each pair of pixels
 */
function fromYuv(out, data, width, height, step, [y0, u0, v0]) {
  const pixels = new Uint8ClampedArray(out.buffer);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, at = y * step; x < width; x++, to += 4) {
      const pair = at + (x & ~1) * 2;
      const luma = (data[pair + y0 + (x & 1) * 2] << 16) + 32768, u = data[pair + u0] - 128, v = data[pair + v0] - 128;
      pixels[to] = (luma + 91881 * v) >> 16;
      pixels[to + 1] = (luma - 22554 * u - 46802 * v) >> 16;
      pixels[to + 2] = (luma + 116130 * u) >> 16;
      pixels[to + 3] = 255;
    }
  }
}
