// Uses the transport of a replay as a person would, in Chromium: check_replay.cjs
// http://HOST:PORT/?token=.. The robot is that of crates/hemiola-live/tests/common, which repeats a
// log of 20 s, paused at its beginning: a run every 5 ms, marks at 5 and 12 s. What the page shows
// is compared with the door's answers to a program.
const assert = require("node:assert/strict");
const { DESKTOP, Program, Tab, pause, perform, until } = require("./browser.cjs");

const [url] = process.argv.slice(2);
const NEXT_RUN = "Next run (n)", NEXT_EVENT = "Next event of the recording (e)";

/** A client of the robot that repeats a log. */
class Replay extends Program {
  async runs() { return (await this.ask("read", { value: "Drive" })).value.runs; }
}

/** Returns the time that the bar shows, in seconds. */
async function shown(tab) {
  const [, minutes, seconds] = /^(\d+):([\d.]+) \//.exec(await tab.text(".transport .clock"));
  return Number(minutes) * 60 + Number(seconds);
}

/** Returns the position of its slider, in seconds. */
const slider = async (tab) => (await tab.page.$eval(".transport input", (one) => Number(one.value))) / 1000;
const isPlaying = async (tab) => (await tab.page.$eval(".transport button", (one) => one.title)).startsWith("Pause");

/** Waits until it is near a time. */
const stands = (tab, from, to) => until(`a time from ${from} to ${to} s`, async () => {
  const time = await shown(tab);
  if (!(time >= from && time <= to)) throw new Error(`it shows ${time} s`);
  return !(await isPlaying(tab));
});

/** Moves the slider and releases it, as a person does. */
const slide = (tab, seconds) => tab.page.$eval(".transport input", (one, value) => {
  one.value = String(value);
  one.dispatchEvent(new Event("input"));
  one.dispatchEvent(new Event("change"));
}, seconds * 1000);

/** Waits for the message that something was refused, and closes it with a click. */
async function refused(tab, pattern) {
  await tab.says("#messages .toast.bad", pattern);
  await tab.page.click("#messages .toast.bad");
}

const steps = {
  async "a replay has a bar, and stands at its beginning"({ tab }) {
    await tab.view("values", { shown: [{ name: "Drive", topic: false }] });
    await tab.says(".transport .clock", /^0:00\.000 \/ 0:(19\.99|20\.00)/);
    assert(!(await isPlaying(tab)));
    await tab.says("#top .notices", /replay/);
    await until("the marks of the recording", () => tab.page.evaluate(() => [...document.querySelectorAll(".transport .marks i")].map(({ title }) => title).join().match(/0:05.*lost the track.*0:1[12].*found the track/)));
  },

  async "it goes on run by run, by the button and by a key while the button has the focus"({ tab, program }) {
    for (let runs = 1; runs <= 3; runs++) {
      await tab.press(".transport", NEXT_RUN);
      await until(`${runs} runs`, async () => (await program.runs()) === runs);
      await tab.says('.tree .row[data-key=".runs"] .value', new RegExp(`^${runs}$`));
    }
    assert(await tab.page.evaluate((title) => document.activeElement.title === title, NEXT_RUN));
    for (let press = 0; press < 4; press++) await tab.page.keyboard.press("n");
    await until("7 runs", async () => (await program.runs()) === 7);
    await stands(tab, 0.03, 0.03);
  },

  async "it plays and pauses by the space bar, whoever has the focus"({ tab, program }) {
    await tab.page.keyboard.press("Space");
    await until("that it plays", () => isPlaying(tab));
    const before = await program.runs();
    await until("that it goes on", async () => (await program.runs()) > before + 20);
    await tab.page.keyboard.press("Space");
    await until("that it pauses", async () => !(await isPlaying(tab)));
    const there = await until("the same twice", async () => { const runs = await program.runs(); await pause(150); return runs === (await program.runs()) && runs; });
    await tab.says('.tree .row[data-key=".runs"] .value', new RegExp(`^${there}$`));
    await tab.press(".transport", "Play (Space)");
    await until("that it plays", () => isPlaying(tab));
    await tab.press(".transport", "Pause (Space)");
    await until("that it pauses", async () => !(await isPlaying(tab)));
  },

  async "another speed is taken, and keys work after it was chosen"({ tab, program }) {
    await tab.page.focus(".transport select");
    await tab.page.select(".transport select", "5");
    await until("that it plays", () => isPlaying(tab));
    const [first, begin] = [await program.runs(), performance.now()];
    await pause(500);
    const speed = ((await program.runs()) - first) / (200 * ((performance.now() - begin) / 1000));
    assert(speed > 2, `it plays ${speed.toFixed(1)} times as fast`);
    await tab.page.keyboard.press("Space");
    await until("that it pauses", async () => !(await isPlaying(tab)));
    assert.equal(await tab.page.$eval(".transport select", (one) => one.value), "5");
  },

  async "it goes on to a time by arrows and slider, and a wish to go back is refused with words"({ tab }) {
    const begin = await shown(tab);
    await tab.page.keyboard.press("ArrowRight");
    await stands(tab, begin + 0.98, begin + 1.01);
    await tab.page.keyboard.press("ArrowLeft");
    await refused(tab, /a replay goes forward only.*--from/);
    await slide(tab, 9);
    await stands(tab, 8.99, 9);
    await slide(tab, 3);
    await refused(tab, /3\.000 s has passed/);
    await stands(tab, 8.99, 9);
    const place = await slider(tab);
    assert(Math.abs(place - 9) < 0.1, `the slider stands at ${place} s`);
    await tab.page.click(".transport .marks i:first-of-type");
    await refused(tab, /5\.001 s/);
  },

  async "it goes on to the next event of the recording"({ tab }) {
    await tab.press(".transport", NEXT_EVENT);
    await stands(tab, 12, 12.01);
    await tab.page.keyboard.press("e");
    await refused(tab, /nothing was recorded after/);
  },

  async "figures of timing and values are plotted under one clock, and so are the threads"({ tab }) {
    const fields = ["Drive.metres", "timing:motion.response"];
    await tab.view("plots", { charts: fields.map((field) => ({ lines: [{ field }] })) });
    for (let press = 0; press < 3; press++) {
      await tab.page.keyboard.press("ArrowRight");
      await pause(300);
    }
    for (const [index, field] of fields.entries()) {
      const chart = `section.plots .chart:nth-of-type(${index + 1})`;
      await tab.says(`${chart} .legend-item .mono`, /\d/);
      const colour = await tab.page.evaluate((one) => getComputedStyle(document.querySelector(one)).backgroundColor, `${chart} .swatch`);
      await until(`a curve of ${field}`, async () => (await tab.pixels(`${chart} canvas`, colour)) > 20);
    }
    await tab.view("timeline", { span: 2 });
    const colour = await tab.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--series-1").trim());
    await until("tasks in the timeline", async () => {
      await tab.page.keyboard.press("n");
      return (await tab.pixels("section.timeline canvas", colour)) > 10;
    });
  },

  async "a read-only client cannot move what all others see"({ browser }) {
    const context = await browser.createBrowserContext();
    const tab = await Tab.open(context, new URL(url).origin, DESKTOP);
    await tab.says(".transport .clock", /^0:1/);
    assert.deepEqual(await tab.page.$$eval(".transport button, .transport select, .transport input", (all) => all.map(({ disabled }) => disabled)), Array(5).fill(true));
    await tab.page.keyboard.press("Space");
    await refused(tab, /is read-only/);
    await context.close();
  },
};

perform(url, Replay, steps);
