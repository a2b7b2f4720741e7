// Uses the page of a robot as a person would, in Chromium: check_page.cjs
// http://HOST:PORT/?token=.. LOG The robot is the one of crates/hemiola-live/tests/common: Drive by
// Pilot or Parked, Pilot.step, the topic Beat, the drawing track/cart. LOG is the file to record
// into. What the page shows is compared with the door's answers to a program.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const http = require("node:http");
const { DESKTOP, PHONE, Program, REBOUND, Tab, launch, pause, perform, until } = require("./browser.cjs");

const [url, log] = process.argv.slice(2);
const { host, searchParams } = new URL(url);
const token = searchParams.get("token");
const VIEWS = ["overview", "timeline", "graph", "values", "plots", "images", "field", "parameters", "log"];
/** The maximum size of all files of the page, compressed; src/page.rs limits their decoded size. */
const MOST_BYTES = 100_000;

/** A client of this test's robot. */
class Robot extends Program {
  async drive() { return (await this.ask("read", { value: "Drive" })).value; }
  async step() { return (await this.ask("parameters", { module: "Pilot" }))[0].value; }
}

const steps = {
  async "the overview shows the cycles with their rates"({ tab, program }) {
    await tab.view("overview");
    const row = "section.overview table.timing tbody tr";
    await tab.says(`${row} td:nth-child(1)`, /motion/);
    await until("the real rate", async () => {
      const [first, begin] = [await program.drive(), performance.now()];
      await pause(2000);
      const real = ((await program.drive()).runs - first.runs) / ((performance.now() - begin) / 1000);
      const shown = Number(/^([\d.]+) Hz$/.exec(await tab.says(`${row} td:nth-child(2)`, /^[\d.]+ Hz$/))[1]);
      assert(Math.abs(shown / real - 1) < 0.2, `the page says ${shown} Hz, the robot runs at ${real.toFixed(1)} Hz`);
      return true;
    });
    await tab.says("#top .cycle", /motion/);
  },

  async "the overview shows who is linked, what goes over the link, and in red what is lost"({ tab, program }) {
    await tab.view("overview");
    await tab.says("section.overview .flows", /laptop listens at tcp:127\.0\.0\.1:\d+: desk/);
    const row = () => tab.page.evaluate(() => {
      const found = [...document.querySelectorAll("section.overview .flows tr")].find(({ cells }) => cells[0].textContent === "→ Beat");
      return found && [...found.cells].map((cell) => cell.textContent.replaceAll("\u2009", "")).concat(found.cells[3].className, found.title);
    });
    const [, messages, , lost, tone, title] = await until("the rate of beats", async () => { const cells = await row(); return Number(cells?.[2]) > 1 && cells; });
    const { links: [{ sent: [beats] }] } = await program.statistics();
    assert(Number(messages) > 0 && Number(messages) <= beats.messages, `the page says ${messages}, the robot ${beats.messages}`);
    assert(Number(lost) > 0 && Number(lost) <= beats.dropped, `the page says ${lost}, the robot ${beats.dropped}`);
    assert.match(tone, /bad/);
    assert.match(title, /dropped/);
  },

  async "a value is shown as a tree, whole and live"({ tab }) {
    await tab.view("values");
    await tab.press("section.values .names", "Drive, by Pilot");
    const read = () => tab.page.evaluate(() => Object.fromEntries(["metres", "runs", "history"].map((name) => [name, document.querySelector(`.tree .row[data-key=".${name}"] .value`)?.textContent])));
    await until("the fields of Drive", async () => (await read()).metres);
    const seen = new Set();
    await until("five different values of Drive", async () => {
      const { metres, runs, history } = await read();
      assert.equal(Number(metres), Number(runs) * 0.5, "metres and runs are of different values");
      assert.match(history, /1, 2, 3/);
      return seen.add(runs).size >= 5;
    });
    assert.equal(await tab.page.evaluate(() => document.querySelectorAll('.tree .row[data-key^=".history["]').length), 0);
    await tab.page.click('.tree .row[data-key=".history"]');
    await tab.says('.tree .row[data-key=".history[1]"] .value', /^2$/);
  },

  async "a field is followed from its value into a plot, and a timing figure is added"({ tab }) {
    await tab.page.hover('.tree .row[data-key=".metres"]');
    await tab.page.click('.tree .row[data-key=".metres"] button.plot');
    await until("a chart of Drive.metres", () => tab.page.$('section.plots .legend-item[title="Drive.metres"]'));
    await tab.press("section.plots .bar", "Add");
    await tab.write("dialog.palette input", "timing:motion.response");
    await tab.says("dialog.palette .choice.active span", /^timing:motion\.response$/);
    await tab.page.keyboard.press("Enter");
    for (const [place, name, unit] of [[1, "Drive.metres", /[\d.]/], [2, "timing:motion.response", /^[\d.]+ (ns|µs|ms|s)$/]]) {
      const chart = `section.plots .chart:nth-of-type(${place})`;
      await tab.says(`section.plots .legend-item[title="${name}"] .mono`, unit);
      const colour = await tab.page.evaluate((one) => getComputedStyle(document.querySelector(one)).backgroundColor, `${chart} .swatch`);
      await until(`a curve of ${name}`, async () => (await tab.pixels(`${chart} canvas`, colour)) > 20);
    }
  },

  async "a parameter is set, and what is out of its range is refused with the robot's words"({ tab, program }) {
    await tab.view("parameters", { filter: "Pilot." });
    const field = 'section.parameters input[type="number"][aria-label="Pilot.step"]';
    await tab.write(field, "1.25");
    await tab.page.keyboard.press("Enter");
    await until("Pilot.step = 1.25 in the robot", async () => (await program.step()) === 1.25);
    const further = async (from) => until("twenty runs more", async () => { const now = await program.drive(); return now.runs > from.runs + 20 && now; });
    const before = await further(await program.drive()), later = await further(before);
    assert.equal((later.metres - before.metres) / (later.runs - before.runs), 1.25, "the cart does not go by the parameter of the page");

    await tab.write(field, "7");
    await tab.page.keyboard.press("Enter");
    await tab.says("section.parameters .parameter .error:not([hidden])", /step.*7|7.*2/s);
    assert.equal(await program.step(), 1.25);
    await until("the value as it is again", () => tab.page.evaluate((one) => { const input = document.querySelector(one); input.blur(); return true; }, field));
    await tab.view("log");
    await tab.says("section.log .line.change", /Pilot\.step = 1\.25/);
  },

  async "a provider is switched in the graph, and back"({ tab, program }) {
    await tab.view("graph", { select: "Drive" });
    const select = 'section.graph select[aria-label="Provider of Drive"]';
    for (const [provider, isSo] of [["Parked", ({ metres }) => metres === -1], ["Pilot", ({ metres }) => metres > 10]]) {
      await tab.write('section.graph input[type="search"]', "Drive");
      await tab.page.keyboard.press("Enter");
      await until(`${provider} among the candidates`, () => tab.page.$(`${select} option[value="${provider}"]`));
      await tab.page.select(select, provider);
      await tab.press("section.graph aside.detail", "Switch");
      await until(`Drive by ${provider}`, async () => isSo(await program.drive()));
      await tab.says("#messages", new RegExp(`${provider} provides Drive`));
    }
  },

  async "an override holds until it is released"({ tab, program }) {
    await tab.view("values", { shown: [{ name: "Drive", topic: false }] });
    await tab.press("section.values .card", "Override");
    await tab.write("section.values .editor textarea", JSON.stringify({ metres: 4.5, history: [7, 8, 9], runs: 12 }));
    await tab.press("section.values .editor", "Apply");
    await tab.says('.tree .row[data-key=".metres"] .value', /^4\.5$/);
    await pause(300);
    assert.deepEqual(await program.drive(), { metres: 4.5, history: [7, 8, 9], runs: 12 });
    await tab.says('.tree .row[data-key=".metres"] .value', /^4\.5$/);
    await tab.press("section.values .card", "Release");
    await until("the provider's values again", async () => (await program.drive()).history[0] === 1);
    await tab.says('.tree .row[data-key=".metres"] .value', /^(?!4\.5$)/);
  },

  async "the timeline shows the threads, and a run is explained"({ tab }) {
    await tab.view("timeline");
    await until("that events come", () => tab.page.evaluate(() => document.querySelector("section.timeline .empty.over")?.hidden));
    const colour = await tab.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--series-1").trim());
    await until("tasks in the timeline", async () => (await tab.pixels("section.timeline canvas", colour)) > 100);
    await until("a run to choose", () => tab.page.evaluate(() => { const select = document.querySelector("section.timeline .bar select:last-of-type"); return [...select.options].some(({ text }) => text === "motion"); }));
    await pause(500);
    await tab.page.select("section.timeline .bar select:last-of-type", "0");
    await tab.says("section.timeline aside.detail header b", /^motion, run \d+$/);
    await tab.says("section.timeline pre.why", /^(?!asking)[^]*(Pilot|motion)/);
    await until("what it waited for", () => tab.page.$("section.timeline ol.chain li"));
    await tab.press("section.timeline .bar", "Resume");
  },

  async "a moment is marked, and a log is recorded"({ tab }) {
    await tab.view("log");
    await tab.press("section.log .bar", "Mark");
    await tab.write("dialog.question input", "the cart was lost");
    await tab.page.keyboard.press("Enter");
    await tab.says("section.log .line.mark", /the cart was lost/);
    const button = await tab.page.$("section.log .bar button.record");
    await button.click({ button: "right" });
    await tab.press(".menu", "Record into a file …");
    await tab.write("dialog.question input", log);
    await tab.page.keyboard.press("Enter");
    await tab.says("section.log button.record", /Stop recording/);
    await tab.says("#top .notices", /recording/);
    await pause(500);
    await button.click();
    await tab.says("section.log button.record", /^Record$/);
    const magic = fs.readFileSync(log);
    assert.deepEqual([magic.subarray(0, 8), magic.subarray(-8)].map((bytes) => bytes.toString("latin1")), Array(2).fill("\x89MCAP0\r\n"));
  },

  async "the safe state is entered, and left after a question"({ tab, program }) {
    await tab.view("overview");
    await tab.press("section.overview .bar", "Enter safe state");
    await tab.says("section.overview .bar", /Safe state since/);
    await tab.says("#top .notices", /safe state/);
    await tab.press("section.overview .bar", "Leave safe state");
    await tab.press("dialog.question", "Cancel");
    await pause(1000);
    await tab.says("section.overview .bar", /Safe state since/);
    await tab.press("section.overview .bar", "Leave safe state");
    await tab.press("dialog.question", "Leave");
    await tab.says("section.overview button.safe", /Enter safe state/);
    const before = await program.drive();
    await until("that the cart goes on", async () => (await program.drive()).metres > before.metres);
  },

  async "the field has what modules draw, also in spaces that lie in it"({ tab }) {
    const field = "section.field canvas", lamp = "#00ffff", cart = "#ff8800";
    await tab.view("field", { space: "track" });
    await tab.says("section.field .layers", /^cartvehicle\/lamp$/);
    await until("the lamp, a metre to the left of the cart", async () => {
      const [one, other] = [await tab.spot(field, cart), await tab.spot(field, lamp)];
      await tab.page.mouse.move(other.x, other.y);
      const [, y] = (await tab.text("section.field .status")).split(", ").map(Number);
      assert(Math.abs(y - 1) < 0.05 && Math.abs(one.x - other.x) < 5, `it is at y = ${y}, ${other.x - one.x} pixels aside`);
      return true;
    });
    await tab.page.click('section.field .layers label:nth-child(2) input');
    await until("the cart alone", async () => (await tab.pixels(field, lamp)) === 0 && (await tab.pixels(field, cart)) > 3);
    // Seen from its own space, it is where its module has drawn it.
    await tab.view("field", { space: "vehicle" });
    await tab.says("section.field .layers", /^lamp$/);
    await until("the lamp", async () => {
      const { x, y } = await tab.spot(field, lamp);
      await tab.page.mouse.move(x, y);
      const place = (await tab.text("section.field .status")).split(", ").map(Number);
      assert(Math.hypot(place[0] - 1, place[1]) < 0.05, `it is at ${place}`);
      return true;
    });
  },

  async "images have what modules draw over them"({ tab }) {
    await tab.view("images");
    await until("the module's image among all", () => tab.page.$('section.images select option[value="image:pilot.view"]'));
    await tab.page.select("section.images .bar select", "image:pilot.view");
    await tab.says("section.images .status", /^8 × 4$/);
    await until("its pixels", async () => (await tab.pixels("section.images canvas", "#c8c8c8")) > 1000);
    await until("the drawing over it", async () => (await tab.pixels("section.images canvas", "#ff8800")) > 10);
  },

  async "a person who is new sees the usual layout, and all its files are small"({ browser }) {
    const context = await browser.createBrowserContext();
    const tab = await Tab.open(context, url, DESKTOP);
    await until("the views", () => tab.page.evaluate(() => document.querySelectorAll("section.view").length >= 3));
    await pause(500);
    const { paint, files } = await tab.page.evaluate(() => ({
      paint: performance.getEntriesByType("paint").map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`),
      files: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(({ name, transferSize, encodedBodySize, decodedBodySize }) => [name, transferSize, encodedBodySize, decodedBodySize]),
    }));
    const sizes = new Map(files.map(([name, ...of]) => [name.split("?")[0], of]));
    const sum = (place) => [...sizes.values()].reduce((all, of) => all + of[place], 0);
    console.log(`${paint.join(", ")}; ${sizes.size} files, ${sum(1)} bytes compressed, ${sum(2)} decoded`);
    assert(sum(1) <= MOST_BYTES, `the page has ${sum(1)} bytes, ${MOST_BYTES} are allowed`);
    assert(sizes.size > 30 && sum(2) > sum(1), "not all files were counted");
    await context.close();
  },

  async "an address is obeyed that comes when the page is about to write its own"({ tab }) {
    for (const [before, after] of [["images", "field"], ["field", "log"], ["log", "images"]]) {
      await tab.view(before);
      // While the page is busy, its timer and the new address are both queued.
      const busy = tab.page.evaluate(() => {
        document.querySelector("#layout .tabs").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
        for (const begin = performance.now(); performance.now() < begin + 400;);
      });
      await Promise.all([busy, tab.view(after)]);
    }
  },

  async "on a phone nothing is wider than the screen"({ browser }) {
    const context = await browser.createBrowserContext();
    const tab = await Tab.open(context, url, PHONE);
    await tab.says("section.overview table.timing tbody tr", /motion/);
    for (const view of VIEWS) {
      await tab.view(view);
      await pause(300);
      const [wide, most] = await tab.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert(wide <= most && most === PHONE.width, `${view}: ${wide} pixels on a screen of ${most}`);
    }
    await context.close();
  },

  async "without the token everything is to be seen, and nothing to be changed"({ browser, program }) {
    const context = await browser.createBrowserContext();
    const tab = await Tab.open(context, `http://${host}/`, DESKTOP);
    await tab.says("#top .notices", /read-only/);
    await tab.view("values", { shown: [{ name: "Drive", topic: false }] });
    await tab.says('.tree .row[data-key=".metres"] .value', /\d/);
    const usable = (selector) => tab.page.evaluate((one) => [...document.querySelectorAll(one)].filter((each) => !each.disabled && each.offsetWidth > 0).map((each) => each.textContent || each.getAttribute("aria-label")), selector);
    assert.deepEqual(await usable(".card select, .card header button:not(.quiet)"), []);
    await tab.view("parameters", { filter: "Pilot." });
    await tab.says("section.parameters .parameter", /step/);
    assert.deepEqual(await usable(".parameter input, .parameter button"), []);
    await tab.view("graph", { select: "Drive" });
    const select = 'section.graph select[aria-label="Provider of Drive"]';
    await until("the provider", () => tab.page.$(select));
    await tab.page.select(select, "Parked");
    assert.deepEqual(await usable("section.graph aside.detail button.primary"), []);
    const steering = /^(Record|Mark|Enter safe state|Trace …)$/;
    for (const view of ["overview", "log", "timeline"]) {
      await tab.view(view);
      await pause(300);
      assert.deepEqual((await usable(`section.${view} .bar button`)).filter((text) => steering.test(text)), [], `offered by ${view}`);
    }
    assert.equal((await program.ask("describe", {})).representations.find(({ name }) => name === "Drive").provider, "Pilot");
    await context.close();
  },

  async "a page of another origin gets nothing, not even with the token's cookie"({ context }) {
    // Another port is another origin but the same site: the browser sends the cookie.
    const server = http.createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>elsewhere</title>"));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const got = await page.evaluate(async (door, secret) => {
      const socket = (query) => new Promise((resolve) => {
        const one = new WebSocket(`ws://${door}/${query}`, ["hemiola.v1"]);
        one.onopen = () => resolve("open");
        one.onerror = () => resolve("refused");
      });
      const read = (options, address = `http://${door}/`) => fetch(address, options).then((response) => response.text()).then((text) => (text ? "read" : "nothing"), () => "refused");
      const script = () => import(`http://${door}/app.js`).then(() => "ran", () => "refused");
      const frame = () => new Promise((resolve) => {
        const one = document.createElement("iframe");
        one.src = `http://${door}/`;
        // A frame that is refused is an error page of the browser, which has no origin.
        one.onload = () => setTimeout(() => resolve(one.contentWindow.length === 0 ? "loaded" : "framed"), 200);
        document.body.append(one);
      });
      return { own: await read({}, location.href), socket: await socket(""), "socket with token": await socket(`?token=${secret}`), fetch: await read({}), "fetch with cookies": await read({ credentials: "include" }),
        post: await read({ method: "POST", body: "{}", credentials: "include" }), script: await script(), frame: await frame() };
    }, host, token);
    const { frame, own, ...rest } = got;
    assert.equal(own, "read", "the page cannot even read what it may");
    for (const [how, result] of Object.entries(rest)) assert.equal(result, "refused", `${how}: ${result}`);
    const framed = page.frames().filter((one) => one !== page.mainFrame()).map((one) => one.url());
    assert(framed.length === 1 && !framed[0].startsWith(`http://${host}`), `the page can be put into a frame of another (${frame}): ${framed}`);
    await page.close();
    server.close();
  },

  async "a name that is rebound to the robot's address is none of its names"({ context }) {
    const page = await context.newPage();
    const answer = await page.goto(`http://${REBOUND}:${new URL(url).port}/?token=${token}`);
    assert.equal(answer.status(), 403);
    assert.deepEqual(await page.cookies(), []);
    await page.close();
  },
};

perform(url, Robot, steps);
