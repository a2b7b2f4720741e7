// Points over time: kept in a ring, and thinned for drawing without losing an extreme.

/** Powers of two, so that places in the ring come by a mask. */
const FIRST = 1024;
const MOST = 1 << 16;

/** The last points of a field: at most 65,536, in the order of their times. */
export class Series {
  /** The times, in seconds. */
  time = new Float64Array(FIRST);
  minimum = new Float64Array(FIRST);
  maximum = new Float64Array(FIRST);
  /** The number of points. */
  length = 0;
  /** The number of points that were ever added, and how often time was set back. */
  added = 0;
  cuts = 0;
  /** The place of the oldest one. */
  #begin = 0;

  /** Adds a point. If it is older than existing ones, these are removed, as time was set back.
   * @param {number} time @param {number} minimum @param {number} maximum */
  add(time, minimum, maximum) {
    if (!Number.isFinite(time)) return;
    if (this.length > 0 && time < this.timeAt(this.length - 1)) this.#cut(time);
    if (this.length === this.time.length) this.#makeRoom();
    const place = this.placeOf(this.length);
    this.time[place] = time;
    this.minimum[place] = minimum;
    this.maximum[place] = maximum;
    this.length++;
    this.added++;
  }

  /** @param {number} index of a point, the oldest is 0 */
  timeAt(index) { return this.time[this.placeOf(index)]; }
  /** @param {number} index */
  minimumAt(index) { return this.minimum[this.placeOf(index)]; }
  /** @param {number} index */
  maximumAt(index) { return this.maximum[this.placeOf(index)]; }

  /** Where in the arrays a point is. @param {number} index */
  placeOf(index) { return (this.#begin + index) & (this.time.length - 1); }

  /** The first point that is not before a time. @param {number} time */
  indexAt(time) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The newest point at or before a time; `null` if there is none.
   * @param {number} time @returns {{time: number, minimum: number, maximum: number} | null} */
  at(time) {
    const after = this.indexAt(time);
    const index = after < this.length && this.timeAt(after) === time ? after : after - 1;
    return index < 0 ? null : { time: this.timeAt(index), minimum: this.minimumAt(index), maximum: this.maximumAt(index) };
  }

  #makeRoom() {
    const size = this.time.length;
    if (size === MOST) {
      this.#begin = (this.#begin + 1) & (size - 1);
      this.length--;
      return;
    }
    for (const name of /** @type {const} */ (["time", "minimum", "maximum"])) {
      const larger = new Float64Array(size * 2);
      larger.set(this[name].subarray(this.#begin), 0);
      larger.set(this[name].subarray(0, this.#begin), size - this.#begin);
      this[name] = larger;
    }
    this.#begin = 0;
  }

  /** @param {number} time */
  #cut(time) {
    this.length = this.indexAt(time);
    this.cuts++;
  }
}

/**
 * Thins the points between two times to at most four for each column of pixels: the first, the
 * least, the greatest and the last. One point before and one after are kept, so that lines reach the
 * borders. NaN is a gap.
 *
 * @param {Series} series @param {number} from @param {number} to @param {number} columns
 * @param {Thinned} thinned takes the places, from 0 to 1, and the values
 */
export function thin(series, from, to, columns, thinned) {
  thinned.length = 0;
  const span = to - from;
  if (!(span > 0) || columns < 1 || series.length === 0) return;
  thinned.reserve(4 * (columns + 2));
  const { time: times, minimum: minima, maximum: maxima, length } = series;
  const oldest = Math.max(0, series.indexAt(from) - 1), count = length - oldest;
  const first = series.placeOf(oldest), mask = times.length - 1;
  let column = NaN, opening = NaN, closing = NaN, low = Infinity, high = -Infinity, begin = 0, end = 0;
  const flush = () => {
    if (!(low <= high)) return;
    thinned.add(begin, opening);
    if (low !== opening || high !== closing) { thinned.add(begin, low); thinned.add(begin, high); }
    if (closing !== opening || end !== begin) thinned.add(end, closing);
  };
  for (let index = 0; index < count; index++) {
    const place = (first + index) & mask;
    const time = times[place], minimum = minima[place], maximum = maxima[place];
    const x = (time - from) / span, here = Math.floor(x * columns);
    if (here !== column) {
      flush();
      column = here; begin = x; low = Infinity; high = -Infinity; opening = minimum;
    }
    if (minimum !== minimum || maximum !== maximum) {
      flush();
      thinned.add(x, NaN);
      low = Infinity; high = -Infinity; column = NaN;
      continue;
    }
    if (minimum < low) low = minimum;
    if (maximum > high) high = maximum;
    closing = maximum; end = x;
    if (time > to) break;
  }
  flush();
}

/** The remaining points: places and values in turn, in memory that is reused. */
export class Thinned {
  /** Places and values in turn. */
  points = new Float64Array(0);
  /** The count of valid numbers in `points`. */
  length = 0;

  /** @param {number} count of points, besides gaps */
  reserve(count) {
    if (this.points.length < count * 2) this.points = new Float64Array(count * 2);
  }

  /** @param {number} place @param {number} value */
  add(place, value) {
    if (this.length + 2 > this.points.length) {
      const larger = new Float64Array(this.points.length * 2 + 16);
      larger.set(this.points);
      this.points = larger;
    }
    this.points[this.length++] = place;
    this.points[this.length++] = value;
  }

  /** The least and the greatest value; `null` without any. @returns {[number, number] | null} */
  range() {
    let low = Infinity, high = -Infinity;
    for (let index = 1; index < this.length; index += 2) {
      const value = this.points[index];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low <= high ? [low, high] : null;
  }
}

/** Round numbers between two others, about as many as asked for, and how many decimals they need.
 * @param {number} low @param {number} high @param {number} count @returns {{values: number[], decimals: number}} */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span) || count < 1) return { values: [], decimals: 0 };
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999) ?? power * 10;
  if (!(step > Math.max(Math.abs(low), Math.abs(high)) * 1e-15)) return { values: [], decimals: 0 };
  const values = [];
  for (let number = Math.ceil(low / step - 1e-9); number * step <= high + step * 1e-9 && values.length < 100; number++) values.push(number * step);
  return { values, decimals: Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9))) };
}
