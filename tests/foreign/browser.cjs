// Chromium with the page of a robot in it, for check_{page,log,replay,nao}.cjs, measure_page.cjs
// and screenshots.cjs.
const puppeteer = require("puppeteer-core");
const { WebSocket } = require("ws");

const PATIENCE = 30_000;
exports.DESKTOP = { width: 1600, height: 1000 };
exports.PHONE = { width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** A host name of somebody else that resolves to this host. */
exports.REBOUND = "rebound.example";

exports.launch = () => puppeteer.launch({
  executablePath: process.env.HEMIOLA_CHROMIUM ?? "/usr/bin/chromium", headless: true,
  // Chromium ends with the process that drives it, however that ends.
  pipe: true,
  // Tests may run as root in containers, where Chromium's sandbox cannot be set up.
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--host-resolver-rules=MAP ${exports.REBOUND} 127.0.0.1`],
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Polls until there is a result; fails with the description of what it waited for. */
async function until(what, look) {
  const end = Date.now() + PATIENCE;
  for (let last = ""; ; await pause(50)) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) { last = `: ${error.message}`; }
    if (Date.now() > end) throw new Error(`this never came: ${what}${last}`);
  }
}
exports.until = until;
exports.pause = pause;

/** A client of the door that is no browser, connected by the address of the page. */
exports.Program = class Program {
  #waiting = new Map();
  /** The newest values of subscriptions, by number. */
  #followed = new Map();
  #next = 0;
  /** Receives the next event `statistics`. @type {((event: any) => void) | undefined} */
  #statistics;
  /** The newest event `transport` of a replay. */
  transport = null;

  static async connect(url) {
    const program = new this();
    program.socket = new WebSocket(url.replace("http", "ws"), ["hemiola.v1"]);
    program.socket.on("message", (data, isBinary) => {
      if (isBinary) return Object.assign(program.#followed.get(data.readUInt32LE(4)), { newest: data.subarray(32) });
      const message = JSON.parse(data), { id, result, error } = message;
      if (message.event === "transport") program.transport = message;
      if (message.event === "statistics") program.#statistics?.(message);
      if (error === undefined) program.#waiting.get(id)?.resolve(result); else program.#waiting.get(id)?.reject(new Error(error));
    });
    program.socket.on("close", () => { for (const { reject } of program.#waiting.values()) reject(new Error("the door has closed")); });
    await new Promise((resolve, reject) => { program.socket.on("open", resolve); program.socket.on("error", reject); });
    return program;
  }

  async ask(verb, values) {
    const id = ++this.#next;
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the door has closed");
    this.socket.send(JSON.stringify({ id, do: verb, ...values }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Returns the next event `statistics`. */
  async statistics() {
    const next = new Promise((resolve) => { this.#statistics = resolve; });
    await this.ask("watch", { what: "statistics" });
    return next;
  }

  /** Subscribes to a representation: `newest` of the result has the bytes of its newest value, once there is one. */
  async follow(value) {
    const subscription = ++this.#next, followed = { newest: null };
    this.#followed.set(subscription, followed);
    await this.ask("subscribe", { subscription, value });
    return followed;
  }
};

/** A tab of a browser, with the errors that occurred in it: `faults`. */
class Tab {
  /** All open tabs, and those that were closed since the last call of `faults`. @type {Tab[]} */
  static #all = [];
  faults = [];

  static async open(context, url, viewport) {
    const tab = new Tab();
    tab.name = `${viewport.width} × ${viewport.height}`;
    Tab.#all.push(tab);
    const page = tab.page = await context.newPage();
    await page.setViewport(viewport);
    page.on("pageerror", (error) => tab.faults.push(`error: ${error.stack ?? error}`));
    page.on("requestfailed", (request) => tab.faults.push(`request failed: ${request.url()}: ${request.failure()?.errorText}`));
    page.on("response", (response) => { if (response.status() >= 400) tab.faults.push(`status ${response.status()}: ${response.url()}`); });
    page.on("console", (message) => { if (["error", "warn", "assert"].includes(message.type())) tab.faults.push(`console: ${message.text()}`); });
    await page.evaluateOnNewDocument(() => addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => console.error(`violates ${violatedDirective}: ${blockedURI} ${sample}`)));
    await page.goto(url);
    return tab;
  }

  /** Returns the errors in all tabs since the last call. */
  static faults() {
    const faults = Tab.#all.flatMap(({ name, faults }) => faults.splice(0).map((fault) => `tab ${name}: ${fault}`));
    Tab.#all = Tab.#all.filter(({ page }) => !page?.isClosed());
    return faults;
  }

  /** Returns what each open tab shows, for error messages. */
  static shown() {
    return Promise.all(Tab.#all.map(async ({ name, page }) => {
      const shown = await page?.evaluate(() => {
        const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
        return { address: location.href, state: document.querySelector("#top .state")?.title, views: [...document.querySelectorAll("section.view")].map(({ className, offsetWidth, offsetHeight }) => `${className} ${offsetWidth} × ${offsetHeight}`), notices: texts("#top .notices .chip"), messages: texts("#messages .toast"), errors: texts(".bad:not([hidden])") };
      }).catch((error) => error.message);
      return `tab ${name}: ${JSON.stringify(shown)}`;
    }));
  }

  /** Shows a single view, by an address as people share them. */
  async view(name, settings = {}) {
    const layout = Buffer.from(JSON.stringify({ tabs: [{ view: name, settings }], active: 0 })).toString("base64url");
    await this.page.evaluate((hash) => { location.hash = hash; }, `l=${layout}`);
    await until(`the view ${name}`, async () => {
      const views = await this.page.evaluate(() => [...document.querySelectorAll("section.view")].map(({ className, offsetWidth }) => `${className}${offsetWidth > 0 ? "" : ", hidden"}`));
      if (views.join() !== `view ${name}`) throw new Error(`there are ${JSON.stringify(views)}`);
      return true;
    });
  }

  /** Returns the text of the first element that matches. */
  text(selector) {
    return this.page.evaluate((one) => document.querySelector(one)?.textContent ?? null, selector);
  }

  /** Waits until the text of an element matches. */
  says(selector, pattern) {
    return until(`${pattern} in ${selector}`, async () => {
      const text = await this.text(selector);
      if (text === null || !pattern.test(text)) throw new Error(`it says ${JSON.stringify(text)}`);
      return text;
    });
  }

  /** Clicks the button with this label. */
  async press(within, label, button = "left") {
    const handle = await until(`the button “${label}” in ${within}`, async () => {
      const found = await this.page.evaluateHandle((root, text) => [...document.querySelectorAll(`${root} button`)].find((one) => (one.textContent.trim() === text || one.title === text) && !one.disabled && one.offsetWidth > 0), within, label);
      return found.asElement();
    });
    await handle.click({ button });
  }

  /** Replaces the text of a field by typing. */
  async write(selector, text) {
    const field = await until(selector, () => this.page.$(selector));
    await field.click({ count: 3 });
    await field.evaluate((one) => one.select());
    await field.type(text);
  }

  /** Returns the number of pixels of a canvas that have about this colour (`#rrggbb`, or a CSS colour), and where on the page their centre is. */
  spot(selector, colour) {
    return this.page.evaluate((one, wanted) => {
      const canvas = document.querySelector(one);
      if (!canvas?.width || !canvas.height) return { count: 0, x: NaN, y: NaN };
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.fillStyle = wanted;
      copy.fillRect(0, 0, 1, 1);
      const [red, green, blue] = copy.getImageData(0, 0, 1, 1).data;
      copy.clearRect(0, 0, 1, 1);
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0, x = 0, y = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] <= 100 || Math.hypot(data[at] - red, data[at + 1] - green, data[at + 2] - blue) >= 60) continue;
        count++;
        x += (at / 4) % canvas.width;
        y += Math.floor(at / 4 / canvas.width);
      }
      const box = canvas.getBoundingClientRect();
      return { count, x: box.left + (x / count / canvas.width) * box.width, y: box.top + (y / count / canvas.height) * box.height };
    }, selector, colour);
  }

  /** Returns the number of pixels of a canvas that have about this colour. */
  async pixels(selector, colour) {
    return (await this.spot(selector, colour)).count;
  }
}
exports.Tab = Tab;

/** Performs all steps on the page at this address, one after the other, and ends this program. No step may leave an error in any tab. */
exports.perform = async (url, Robot, steps) => {
  setTimeout(() => { console.error("it took too long"); process.exit(1); }, 400_000).unref();
  try {
    const browser = await exports.launch();
    const context = browser.defaultBrowserContext();
    const program = await Robot.connect(url);
    const tab = await Tab.open(context, url, exports.DESKTOP);
    await until("that the token leaves the address", () => !tab.page.url().includes("token="));
    let failed = 0, done = 0;
    for (const [name, step] of Object.entries(steps)) {
      const begin = performance.now(), took = () => `${((performance.now() - begin) / 1000).toFixed(1)} s`;
      const error = await step({ tab, context, browser, program }).then(() => null, (error) => error);
      // Read before `faults` forgets the tabs that are closed.
      const shown = error ? await Tab.shown() : [], faults = Tab.faults();
      if (error || faults.length > 0) {
        failed++;
        console.log([`FAILED: ${name} (${took()})`, error?.stack ?? "it left faults", ...faults, ...shown].join("\n  "));
      } else console.log(`ok: ${name} (${took()})`);
      // For people: a screenshot after each step.
      if (process.env.HEMIOLA_SCREENSHOT) await tab.page.screenshot({ path: `${process.env.HEMIOLA_SCREENSHOT}-${++done}.png` });
    }
    await browser.close();
    if (failed === 0) console.log("as expected");
    process.exit(failed && 1);
  } catch (error) {
    console.error([error.stack, ...Tab.faults()].join("\n  "));
    process.exit(1);
  }
};
