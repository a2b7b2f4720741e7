// Measures the page of a robot in Chromium, for `hemiola-bench live`. It takes one JSON object a
// line from its standard input and answers each with one line; when its input ends, so do it and
// the browser.
//
//   {"do": "open", "url": "http://HOST:PORT/?token=..", "pages": [LAYOUT, ..]}
//       pages that stay open until the next `open` or `close`
//   {"do": "close"}
//   {"do": "requests", "url": .., "pages": [LAYOUT, ..], "seconds": 40}
//       the requests that each of these pages sends to the robot, and when
//   {"do": "pixels", "url": .., "fields": [..], "seconds": 10, "clock": VALUE}
//       the time from a value to the frame that shows it
//   {"do": "frames", "url": .., "fields": [..], "seconds": 10}
//       frames a second, with four views beside each other
//   {"do": "sleep", "url": .., "fields": [..], "seconds": 60, "clock": VALUE}
//       the time that a page takes to catch up after sleeping
const readline = require("node:readline");
const { DESKTOP, launch, pause, until } = require("./browser.cjs");

/** The time in ms that a page has to load and to fill its curves, before the measurement. */
const SETTLE = 3000;
/** The time that plots show by default, in ms. */
const SHOWN = 10_000;
/** The age in ms up to which what a page shows is the present. */
const PRESENT = 150;

const one = (view, settings = {}) => ({ tabs: [{ view, settings }], active: 0 });
const charts = (fields) => one("plots", { charts: fields.map((field) => ({ lines: [{ field }] })) });

/** Runs in the page before its own code: records its requests, when points of plots arrive, and when a frame shows them. */
function probe() {
  const seen = (window.probe = { waiting: [], drawn: [], frames: [], newest: 0, sent: [], greeted: NaN });
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      // Before the page's own listener; the page draws in a later frame.
      this.addEventListener("message", ({ data }) => {
        if (Number.isNaN(seen.greeted)) seen.greeted = performance.now();
        if (!(data instanceof ArrayBuffer) || new Uint8Array(data)[0] !== 2) return;
        const view = new DataView(data);
        for (let at = 8; at < data.byteLength; ) {
          const count = view.getUint32(at + 4, true);
          at += 8;
          for (let point = 0; point < count; point++, at += 24) seen.waiting.push(view.getFloat64(at, true) * 1000);
        }
      });
    }

    send(text) {
      seen.sent.push({ after_ms: Math.round(performance.now() - seen.greeted), request: JSON.parse(text) });
      super.send(text);
    }
  };
  const { port1, port2 } = new MessageChannel();
  /** @type {{begun: number, times: number[]}[]} */
  const painting = [];
  // A task after those of the frame: by then the frame is painted and handed to the compositor.
  port2.onmessage = () => {
    const at = performance.now(), { begun, times } = painting.shift();
    for (const time of times) {
      seen.drawn.push([time, at]);
      seen.newest = Math.max(seen.newest, time);
    }
    seen.frames.push([at, at - begun, seen.newest]);
  };
  const request = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => request((time) => {
    const begun = performance.now(), times = seen.waiting;
    seen.waiting = [];
    callback(time);
    painting.push({ begun, times });
    port1.postMessage(null);
  });
  /** Returns the offset from the page's clock to the robot's, in milliseconds, and its maximum error. */
  window.clocks = (value) => new Promise((resolve, reject) => {
    const socket = new Socket(`${location.origin.replace("http", "ws")}/`, "hemiola.v1");
    let best = { offset: 0, error: Infinity }, left = 50, sent = 0;
    const ask = () => { sent = performance.now(); socket.send(JSON.stringify({ id: left, do: "read", value })); };
    socket.onerror = () => reject(new Error("the door does not open"));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data), now = performance.now();
      if (message.error) return reject(new Error(message.error));
      if (message.result) {
        const error = (now - sent) / 2;
        if (error < best.error) best = { offset: message.result.time / 1e6 - (now + sent) / 2, error };
        if (--left === 0) { socket.close(); return resolve(best); }
      }
      ask();
    };
  });
}

/** Returns a quantile of sorted numbers. */
const quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];

class Browser {
  #pages = [];

  constructor(browser) { this.browser = browser; }

  /** Opens a page in a window of its own: a page that is covered by another one would not draw. */
  async page(url, layout) {
    const context = await this.browser.createBrowserContext();
    const page = await context.newPage();
    await page.setViewport(DESKTOP);
    await page.evaluateOnNewDocument(probe);
    await page.goto(`${url}#l=${Buffer.from(JSON.stringify(layout)).toString("base64url")}`);
    await until("a view", () => page.evaluate(() => document.querySelector("section.view")?.offsetWidth > 0));
    this.#pages.push(page);
    return page;
  }

  async close() {
    for (const page of this.#pages.splice(0)) await page.browserContext().close();
    return {};
  }

  async open({ url, pages }) {
    await this.close();
    await Promise.all(pages.map((layout) => this.page(url, layout)));
    return {};
  }

  async requests({ url, pages, seconds }) {
    const opened = await Promise.all(pages.map((layout) => this.page(url, layout)));
    await pause(seconds * 1000);
    const sent = await Promise.all(opened.map((page) => page.evaluate(() => window.probe.sent)));
    await this.close();
    return { pages: sent };
  }

  /** Returns what the probe of a page has recorded in some seconds. */
  async #watch(page, seconds) {
    await page.evaluate(() => Object.assign(window.probe, { drawn: [], frames: [] }));
    await pause(seconds * 1000);
    return page.evaluate(() => ({ drawn: window.probe.drawn, frames: window.probe.frames }));
  }

  async pixels({ url, fields, seconds, clock }) {
    const page = await this.page(url, charts(fields));
    await pause(SETTLE);
    const { offset, error } = await page.evaluate((value) => window.clocks(value), clock);
    const { drawn, frames } = await this.#watch(page, seconds);
    await this.close();
    const late = drawn.map(([time, at]) => at + offset - time).sort((a, b) => a - b);
    return { values: late.length, p50: quantile(late, 0.5), p95: quantile(late, 0.95), most: late.at(-1), clock_error: error, frames: frames.length / seconds };
  }

  async frames({ url, fields, seconds }) {
    // All charts must be visible at once.
    const share = Math.ceil(fields.length / 4);
    const views = [0, 1, 2, 3].map((number) => charts(fields.slice(number * share, (number + 1) * share)));
    const page = await this.page(url, { split: "row", sizes: [1, 1, 1, 1], children: views });
    await pause(SETTLE + SHOWN);
    const { drawn, frames } = await this.#watch(page, seconds);
    await this.close();
    const busy = frames.map(([, took]) => took).sort((a, b) => a - b);
    const points = (drawn.length / seconds / fields.length) * (SHOWN / 1000);
    return { frames: frames.length / seconds, painting: quantile(busy, 0.5), points };
  }

  async sleep({ url, fields, seconds, clock }) {
    const page = await this.page(url, charts(fields));
    await pause(SETTLE);
    const { offset } = await page.evaluate((value) => window.clocks(value), clock);
    const session = await page.createCDPSession();
    const origin = await page.evaluate(() => performance.timeOrigin);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    const slept = Date.now() - origin;
    await pause(seconds * 1000);
    const woken = Date.now() - origin;
    await session.send("Page.setWebLifecycleState", { state: "active" });
    // A page that sleeps is hidden until somebody returns to it.
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    const caught = await until("the present", () => page.evaluate(({ woken, offset, present }) => {
      const frame = window.probe.frames.find(([at, , newest]) => at > woken && at + offset - newest < present);
      return frame ? { at: frame[0], frames: window.probe.frames.map(([at]) => at) } : null;
    }, { woken, offset, present: PRESENT }));
    await this.close();
    // Some frames were on their way when it fell asleep.
    const restless = caught.frames.filter((at) => at > slept + 500 && at < woken).length;
    return { slept: (woken - slept) / 1000, restless, caught_up: caught.at - woken };
  }
}

async function main() {
  const chromium = await launch();
  const browser = new Browser(chromium);
  const end = async () => { await chromium.close(); process.exit(0); };
  console.log(JSON.stringify({ ready: await chromium.version() }));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { do: verb, ...given } = JSON.parse(line);
    if (!["open", "close", "requests", "pixels", "frames", "sleep"].includes(verb)) throw new Error(`nobody can do ${verb}`);
    console.log(JSON.stringify(await browser[verb](given)));
  }
  await end();
}
// In one line, because the parent process shows the last line.
main().catch((error) => { console.error(String(error)); process.exit(1); });
