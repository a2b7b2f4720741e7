// Uses the page of a robot of two processes as a person would, in Chromium: check_whole.cjs
// http://HOST:PORT/?token=.. The robot is the one of tests/linked/convoy.rs, and the door is the one
// of its process `main`. `vision` is killed and restarted.
const assert = require("node:assert/strict");
const { PHONE, Program, Tab, perform, until } = require("./browser.cjs");

const [url] = process.argv.slice(2);

/** A client of the door that knows all processes. */
class Robot extends Program {
  static connect(address) { return super.connect(`${address}&process=*`); }
  async parameter(module, name) { return (await this.ask("parameters", { module })).find((one) => one.name === name).value; }
}

/** Returns the cells of all table rows in the overview whose first cell matches. */
const rows = (tab, pattern) => tab.page.evaluate((text) => [...document.querySelectorAll("section.overview tr")]
  .map(({ cells }) => [...cells].map((cell) => cell.textContent)).filter(([first]) => new RegExp(text).test(first ?? "")), pattern.source);

/** Returns the text that a field of a value shows. */
const field = (tab, card, key) => tab.page.evaluate((name, path) => [...document.querySelectorAll("article.card")]
  .find((one) => one.querySelector("b")?.textContent === name)?.querySelector(`.row[data-key="${path}"] .value`)?.textContent ?? null, card, key);

/** Waits until a field of a value shows several different numbers. */
async function isLive(tab, card, key) {
  const seen = new Set();
  await until(`five values of ${card}${key}`, async () => seen.add(await field(tab, card, key)).size > 5 && !seen.delete(null));
}

const steps = {
  async "the overview shows the cycles and links of all processes, and how these are"({ tab }) {
    await tab.view("overview");
    for (const cycle of ["driving", "seeing"]) await until(`the rate of ${cycle}`, async () => (await rows(tab, new RegExp(`^${cycle}`)))[0]?.[1].endsWith("Hz"));
    for (const [process, cycle] of [["main", "driving"], ["vision", "seeing"]]) {
      const [[, cycles, number, restarts]] = await until(`the process ${process}`, async () => { const found = await rows(tab, new RegExp(`^${process} running`)); return found.length && found; });
      assert.deepEqual([cycles, restarts], [cycle, "0"]);
      assert(Number(number) > 1, number);
    }
    for (const name of ["Line", "Lap"]) await until(`what goes over links: ${name}`, async () => Number((await rows(tab, new RegExp(`^→ ${name}$`)))[0]?.[2]) > 1);
  },

  async "values of all processes are live beside each other, each with the process that has it"({ tab }) {
    await tab.view("values", { shown: ["Line", "Drive"].map((name) => ({ name, topic: false })) });
    await isLive(tab, "Line", ".image");
    await isLive(tab, "Drive", ".run");
    await tab.says('section.values .names button[title^="Line,"]', /LineDetector · vision/);
    await tab.says('section.values .names button[title^="Drive,"]', /Pilot · main/);
  },

  async "fields of different processes are in one plot, on one clock"({ tab }) {
    await tab.view("plots", { charts: [{ lines: [{ field: "Line.image" }, { field: "Drive.run" }] }] });
    await tab.says("section.plots", /Line\.image\s*\d.*Drive\.run\s*\d/s);
  },

  async "the graph has all modules, and says where each runs"({ tab }) {
    for (const [module, where] of [["LineDetector", /seeing · vision/], ["Pilot", /driving · main/]]) {
      await tab.view("graph", { select: module });
      await tab.says("section.graph aside header .muted", where);
    }
  },

  async "the timeline has the cycles of all processes"({ tab }) {
    await tab.view("timeline");
    await tab.says("section.timeline .bar", /driving.*seeing/s);
    await until("that events come", () => tab.page.evaluate(() => document.querySelector("section.timeline .empty")?.hidden));
  },

  async "parameters of all processes are changed where they stand"({ tab, program }) {
    for (const [module, name, value] of [["LineDetector", "offset", 0.5], ["Pilot", "gain", 3]]) {
      await tab.view("parameters", { filter: `${module}.${name}` });
      const input = 'section.parameters input[type="number"]';
      await tab.write(input, String(value));
      await tab.page.keyboard.press("Enter");
      await until(`the new ${module}.${name}`, async () => (await program.parameter(module, name)) === value);
    }
    await tab.view("log");
    await tab.says("section.log", /LineDetector\.offset.*Pilot\.gain/s);
  },

  async "the safe state is that of all"({ tab, program }) {
    await tab.view("overview");
    await tab.press("section.overview", "Enter safe state");
    await tab.says("section.overview", /Safe state since.*main: .*vision: /s);
    assert.deepEqual((await program.statistics()).safe_state.processes, ["main", "vision"]);
    await tab.press("section.overview", "Leave safe state");
    await tab.press("dialog", "Leave");
    await until("that it is left", async () => (await program.statistics()).safe_state === null);
  },

  async "a process that is killed is told, and all of it comes again"({ tab }) {
    await tab.view("values", { shown: ["Line", "Drive"].map((name) => ({ name, topic: false })) });
    await isLive(tab, "Line", ".image");
    const [, number] = /vision running as (\d+)/.exec(await tab.page.evaluate(() => [...document.querySelectorAll("#top button")].map(({ title }) => title).join("\n")));
    process.kill(Number(number), "SIGKILL");
    await until("that it was restarted", () => tab.page.evaluate((before) => [...document.querySelectorAll("#top button")].some(({ title }) => /vision running as \d+, restarted 1 times/.test(title) && !title.includes(before)), number));
    await isLive(tab, "Line", ".image");
    await isLive(tab, "Drive", ".run");
    await tab.view("overview");
    await until("its cycle", async () => (await rows(tab, /^seeing/))[0]?.[1].endsWith("Hz"));
    const [[, , , restarts]] = await rows(tab, /^vision running/);
    assert.equal(restarts, "1");
  },

  async "it fits a phone"({ browser }) {
    const phone = await Tab.open(await browser.createBrowserContext(), url, PHONE);
    await phone.view("overview");
    await until("both processes", async () => (await rows(phone, /running/)).length === 2);
    assert(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it is wider than the phone");
    await phone.page.close();
  },
};

perform(url, Robot, steps);
