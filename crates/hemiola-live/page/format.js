// The formats of numbers, times and durations.

/** A duration in nanoseconds, with three digits: `12.3 ms`.
 * @param {unknown} nanoseconds */
export function duration(nanoseconds) {
  const value = number(nanoseconds);
  if (value === null) return "–";
  const size = Math.abs(value);
  if (size < 1e3) return `${Math.round(value)} ns`;
  if (size < 1e6) return `${digits(value / 1e3)} µs`;
  if (size < 1e9) return `${digits(value / 1e6)} ms`;
  if (size < 120e9) return `${digits(value / 1e9)} s`;
  const seconds = Math.round(size / 1e9);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** A time of the robot's clock in nanoseconds: `1:02:03.456`; of a clock that counts from 1970, the time of day.
 * @param {unknown} nanoseconds @returns {string} */
export function clock(nanoseconds) {
  const value = number(nanoseconds);
  if (value === null) return "–";
  if (value < 0) return `−${clock(-value)}`;
  if (value > 1e18) {
    const date = new Date(value / 1e6);
    const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  }
  const milliseconds = Math.floor(value / 1e6);
  const pad = (/** @type {number} */ part, /** @type {number} */ length) => String(part).padStart(length, "0");
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60];
  const rest = `${pad(Math.floor(milliseconds / 1000) % 60, 2)}.${pad(milliseconds % 1000, 3)}`;
  return hours ? `${hours}:${pad(minutes, 2)}:${rest}` : `${minutes}:${rest}`;
}

/** Three significant digits, never fewer than the integer part has.
 * @param {number} value */
export function digits(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** A number of a value, short but without loss that matters: at most seven significant digits.
 * @param {number | bigint} value */
export function plain(value) {
  if (typeof value === "bigint" || Number.isInteger(value)) return String(value);
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(4);
  return String(Number(value.toPrecision(7)));
}

/** A count with thin spaces between thousands.
 * @param {unknown} value */
export function count(value) {
  const known = number(value);
  return known === null ? "–" : String(Math.round(known)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** Returns a number in JSON; `null` for anything else.
 * @param {unknown} value @returns {number | null} */
export function number(value) {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
