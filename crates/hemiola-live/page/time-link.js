// The time that all views with a time axis show together.

/**
 * The window of time that is shown, in seconds of the robot's clock: the last `span` seconds while
 * `end` is `null`, a still one that ends at `end` otherwise. `cursor` is where the pointer is.
 */
export class TimeLink {
  span = 10;
  /** @type {number | null} */
  end = null;
  /** @type {number | null} */
  cursor = null;
  /** @type {Set<() => void>} */
  #listeners = new Set();

  /** Set if the picture is paused. */
  get isPaused() { return this.end !== null; }

  /** @param {() => void} callback @returns {{close(): void}} */
  on(callback) {
    this.#listeners.add(callback);
    return { close: () => void this.#listeners.delete(callback) };
  }

  /** @param {{span?: number, end?: number | null, cursor?: number | null}} change */
  set(change) {
    Object.assign(this, change);
    this.span = Math.min(3600, Math.max(1e-6, this.span));
    for (const callback of [...this.#listeners]) callback();
  }

  /** The begin and the end of the window, in seconds. @param {number} now @returns {[number, number]} */
  window(now) {
    const end = this.end ?? now;
    return [end - this.span, end];
  }
}

/** The time link of this page. */
export const timeLink = new TimeLink();
