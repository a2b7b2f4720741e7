// Curves with many points in a column of pixels: of each column only its least and greatest value
// can be seen, and a bar from one to the other is painted by far faster than lines between all
// points.

/**
 * The range that a curve covers, column by column: the least and the greatest value, joined to the point before.
 * Columns begin at multiples of their width in time, so that they do not change as time goes on,
 * and only new points must be examined.
 */
export class Bars {
  low = new Float64Array(0);
  high = new Float64Array(0);
  columns = 0;
  /** In seconds. */
  #width = 0;
  /** The number of the first column here, counted from time 0. */
  #first = 0;
  /** The number of points that have ever been examined, and how often the series had been cut before. */
  #seen = 0;
  #cuts = 0;
  /** The point that was examined last: its closing value, and its column counted from time 0. */
  #before = NaN;
  #last = 0;

  /** Reads the points of its series between two times. NaN is a gap.
   * @param {import("./series.js").Series} series always the same @param {number} from @param {number} to @param {number} columns */
  take(series, from, to, columns) {
    const width = (to - from) / columns, isSame = columns === this.columns && Math.abs(width / this.#width - 1) < 1e-6;
    if (!isSame) this.#width = width;
    const first = Math.floor(from / this.#width), shift = first - this.#first;
    const isNew = !isSame || shift < 0 || shift >= columns || series.cuts !== this.#cuts;
    this.#first = first;
    if (isNew) {
      if (this.low.length < columns) { this.low = new Float64Array(columns); this.high = new Float64Array(columns); }
      this.columns = columns;
      this.#cuts = series.cuts;
      this.#seen = series.added - series.length + Math.max(0, series.indexAt(from) - 1);
      this.#before = NaN;
    }
    for (const ends of [this.low, this.high]) {
      if (!isNew) ends.copyWithin(0, shift, columns);
      ends.fill(NaN, isNew ? 0 : columns - shift, columns);
    }
    this.#add(series);
  }

  /** Looks at the points that are new, up to the last column. @param {import("./series.js").Series} series */
  #add(series) {
    const { low: lows, high: highs, columns } = this, { time: times, minimum: minima, maximum: maxima, length, added } = series;
    const begin = Math.max(0, length - (added - this.#seen)), first = series.placeOf(begin), count = length - begin;
    const mask = times.length - 1, width = this.#width, offset = this.#first;
    let before = this.#before, last = this.#last - offset, index = 0;
    for (; index < count; index++) {
      const place = (first + index) & mask, column = Math.floor(times[place] / width) - offset;
      if (column >= columns) break;
      let low = minima[place], high = maxima[place];
      if (low !== low || high !== high) { before = NaN; continue; }
      const closing = high;
      // A line crosses the columns between two points.
      for (let between = Math.max(0, last + 1); before === before && between < column; between++) {
        lows[between] = highs[between] = before + ((low - before) * (between - last)) / (column - last);
      }
      if (before < low) low = before;
      if (before > high) high = before;
      if (column >= 0) {
        if (!(lows[column] <= low)) lows[column] = low;
        if (!(highs[column] >= high)) highs[column] = high;
      }
      before = closing;
      last = column;
    }
    this.#seen = added - length + begin + index;
    this.#before = before;
    this.#last = last + offset;
  }

  /** The least and the greatest value; `null` without any. @returns {[number, number] | null} */
  range() {
    let low = Infinity, high = -Infinity;
    for (let column = 0; column < this.columns; column++) {
      if (this.low[column] < low) low = this.low[column];
      if (this.high[column] > high) high = this.high[column];
    }
    return low <= high ? [low, high] : null;
  }
}

/** Returns whether there are so many points between two times that bars show the same as lines: more than
 * three for each column that they cover, so that a curve which has only begun is no slower to draw
 * than a whole one.
 * @param {import("./series.js").Series} series @param {number} from @param {number} to @param {number} columns */
export function isDense(series, from, to, columns) {
  const begin = series.indexAt(from), end = series.indexAt(to);
  if (end - begin < 2) return false;
  const covered = ((series.timeAt(end - 1) - series.timeAt(begin)) / (to - from)) * columns;
  return end - begin > 3 * Math.max(1, covered);
}

/** The pixels of a picture as numbers. @type {WeakMap<ImageData, Uint32Array>} */
const numbers = new WeakMap();

/**
 * Paints bars as a line of this thickness would look: its ends are as opaque as they cover a pixel.
 *
 * @param {ImageData} picture @param {Bars} bars @param {[number, number]} range @param {number} thickness in pixels
 * @param {string} colour as `#rrggbb`
 */
export function paintBars(picture, { low, high, columns }, [least, greatest], thickness, colour) {
  const { width, height } = picture, scale = height / (greatest - least), half = thickness / 2;
  const rgb = parseInt(colour.slice(1), 16), bgr = ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
  let pixels = numbers.get(picture);
  if (!pixels) numbers.set(picture, pixels = new Uint32Array(picture.data.buffer));
  for (let column = 0; column < columns && column < width; column++) {
    if (low[column] !== low[column]) continue;
    const top = height - (high[column] - least) * scale - half, bottom = height - (low[column] - least) * scale + half;
    const end = Math.min(height, Math.ceil(bottom));
    for (let row = Math.max(0, Math.floor(top)); row < end; row++) {
      const covered = Math.min(bottom, row + 1) - Math.max(top, row), place = row * width + column;
      const opacity = covered >= 1 ? 255 : Math.max(covered * 255, pixels[place] >>> 24);
      pixels[place] = ((opacity << 24) | bgr) >>> 0;
    }
  }
}
