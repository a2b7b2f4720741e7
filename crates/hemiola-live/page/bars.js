// Curves with many points in a column of pixels: of each column only its least and greatest value can be
// seen, and a bar from one to the other is painted by far faster than lines between all points.

/** What a curve covers, column by column: the least and the greatest value, joined to the point before. */
export class Bars {
  low = new Float64Array(0);
  high = new Float64Array(0);
  columns = 0;

  /** Takes the points between two times. Not a number is a gap.
   * @param {import("./series.js").Series} series @param {number} from @param {number} to @param {number} columns */
  take(series, from, to, columns) {
    if (this.low.length < columns) { this.low = new Float64Array(columns); this.high = new Float64Array(columns); }
    const { low: lows, high: highs } = this, { time: times, minimum: minima, maximum: maxima, length } = series;
    this.columns = columns;
    lows.fill(NaN, 0, columns);
    highs.fill(NaN, 0, columns);
    const oldest = Math.max(0, series.indexAt(from) - 1), first = series.placeOf(oldest), count = length - oldest;
    const mask = times.length - 1, scale = columns / (to - from);
    let before = NaN, last = 0;
    for (let index = 0; index < count; index++) {
      const place = (first + index) & mask, column = Math.floor((times[place] - from) * scale);
      let low = minima[place], high = maxima[place];
      if (low !== low || high !== high) { before = NaN; continue; }
      const closing = high;
      // A line crosses the columns between two points.
      for (let between = Math.max(0, last + 1); before === before && between < column && between < columns; between++) {
        const value = before + ((low - before) * (between - last)) / (column - last);
        lows[between] = highs[between] = value;
      }
      if (before < low) low = before;
      if (before > high) high = before;
      if (column >= 0 && column < columns) {
        if (!(lows[column] <= low)) lows[column] = low;
        if (!(highs[column] >= high)) highs[column] = high;
      }
      before = closing;
      last = column;
      if (column >= columns) break;
    }
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

/** Whether the points between two times are so many that bars show all that lines would.
 * @param {import("./series.js").Series} series @param {number} from @param {number} to @param {number} columns */
export function isDense(series, from, to, columns) {
  return series.indexAt(to) - series.indexAt(from) > 3 * columns;
}

/** Of a picture, its pixels as numbers. @type {WeakMap<ImageData, Uint32Array>} */
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
