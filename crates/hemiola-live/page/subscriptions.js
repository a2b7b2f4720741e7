// The subscriptions of a page, each shared by all views that need it.

import { decode, parseSchema } from "./cdr.js";

/** One subscription for all views of a value. */
export class Shared {
  /** @type {Set<{rate: number, due: number, callback: (message: import("./robot.js").Message) => void, failed?: (error: Error) => void}>} */
  #users = new Set();
  /** @type {import("./cdr.js").Struct | null} */
  #type = null;
  #encoding = "";
  #isOpen = false;
  #rate = 0;
  /** @type {Error | null} */
  #error = null;

  /** @param {import("./robot.js").Robot} robot @param {Map<number, import("./robot.js").Stream>} streams @param {number} subscription @param {import("./robot.js").Wish} wish */
  constructor(robot, streams, subscription, wish) {
    this.robot = robot;
    this.streams = streams;
    this.subscription = subscription;
    this.wish = wish;
    streams.set(subscription, this);
  }

  /** @param {{rate: number, due: number, callback: (message: import("./robot.js").Message) => void, failed?: (error: Error) => void}} user */
  join(user) {
    this.#users.add(user);
    if (this.#error) user.failed?.(this.#error);
    if (user.rate > this.#rate) { this.#rate = user.rate; this.#reopen(); }
  }

  /** Returns whether nobody is left. @param {any} user */
  leave(user) {
    if (!this.#users.delete(user)) return false;
    if (this.#users.size > 0) return false;
    this.streams.delete(this.subscription);
    if (this.robot.state === "connected") this.robot.request("unsubscribe", { subscription: this.subscription }).catch(() => {});
    return true;
  }

  async #reopen() {
    if (this.robot.state !== "connected") return;
    const wasOpen = this.#isOpen;
    this.#isOpen = true;
    if (wasOpen) await this.robot.request("unsubscribe", { subscription: this.subscription }).catch(() => {});
    await this.begin();
  }

  /** Repeats a refused subscription. */
  again() { if (this.#error) this.begin(); }

  async begin() {
    this.#isOpen = true;
    const { value, topic, as } = this.wish;
    const rate = Number.isFinite(this.#rate) ? this.#rate : undefined;
    try {
      const result = await this.robot.request("subscribe", { subscription: this.subscription, value, topic, rate, as }, Infinity);
      this.#encoding = result.encoding ?? "cdr";
      this.#type = result.schema !== undefined && this.#encoding === "cdr" ? parseSchema(result.schema, result.schema_name) : null;
      this.#error = null;
    } catch (error) {
      this.#error = /** @type {Error} */ (error);
      for (const user of this.#users) user.failed?.(this.#error);
    }
  }

  /** @param {DataView} data */
  message(data) {
    if (data.byteLength < 32 || data.getUint8(0) !== 1) return;
    const type = this.#type;
    const bytes = new Uint8Array(data.buffer, 32);
    /** @type {any} */
    let value;
    const message = {
      sequence: data.getUint32(8, true), run: data.getUint32(12, true),
      time: Number(data.getBigInt64(16, true)), stamp: Number(data.getBigInt64(24, true)),
      bytes, type, encoding: this.#encoding,
      value: () => (value === undefined && type ? (value = decode(type, bytes)) : value),
    };
    const now = performance.now();
    for (const user of [...this.#users]) {
      if (user.rate < this.#rate) {
        if (now < user.due) continue;
        user.due = now + 900 / user.rate;
      }
      contain(user.callback, message);
    }
  }
}

/** The single subscription to events, for all views that show them. */
export class EventStream {
  /** @type {Set<{callback: (records: DataView) => void, onNames: (names: import("./robot.js").Names) => void}>} */
  #users = new Set();
  /** @type {import("./robot.js").Names | null} */
  #names = null;
  /** @type {import("./robot.js").Closable} */
  #opened;

  /** @param {import("./robot.js").Robot} robot @param {(subscription: number, stream: import("./robot.js").Stream) => import("./robot.js").Closable} open @param {number} subscription */
  constructor(robot, open, subscription) {
    this.robot = robot;
    this.subscription = subscription;
    this.#opened = open(subscription, this);
  }

  async begin() {
    const result = await this.robot.request("events", { subscription: this.subscription }, Infinity);
    this.named(result.names);
  }

  /** @param {any} user */
  join(user) {
    this.#users.add(user);
    if (this.#names) user.onNames(this.#names);
  }

  /** @param {any} user */
  leave(user) {
    if (!this.#users.delete(user) || this.#users.size > 0) return false;
    this.#opened.close();
    return true;
  }

  /** @param {import("./robot.js").Names} names */
  named(names) {
    this.#names = names;
    for (const { onNames } of this.#users) contain(onNames, names);
  }

  /** @param {DataView} data */
  message(data) {
    if (data.getUint8(0) !== 3 || !this.#names) return;
    const records = new DataView(data.buffer, 8, data.byteLength - 8 - ((data.byteLength - 8) % 32));
    for (const { callback } of [...this.#users]) contain(callback, records);
  }
}

/** A view that fails takes nobody else with it. @template T @param {(value: T) => void} callback @param {T} value */
export function contain(callback, value) {
  try {
    callback(value);
  } catch (error) {
    console.error(error);
  }
}
