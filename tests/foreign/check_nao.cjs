// Uses the page of the NAO as a person would, in Chromium: check_nao.cjs http://HOST:PORT/?token=..
// game LOG|replay In `game` the robot plays, this makes changes that robots/nao/tests/page.rs looks
// for in the robot's log, and records another log into LOG; in `replay` the robot repeats its own
// log, slowly at first. What the page shows is compared with the door's answers to a program.
const assert = require("node:assert/strict");
const { Program, perform, until } = require("./browser.cjs");

const [url, act, log] = process.argv.slice(2);

/** A client of the robot in robots/nao. */
class Nao extends Program {
  async value(name) { return (await this.ask("read", { value: name })).value; }
  async place() { return Object.values((await this.value("RobotPose")).pose.translation).map(Number); }
  async deceleration() { return (await this.ask("parameters", { module: "BallPredictor" })).find(({ name }) => name === "deceleration").value; }
  async provider(value) { return (await this.ask("describe")).representations.find(({ name }) => name === value).provider; }
}

/** Steps a paused replay by one run of cognition, and waits until the run has ended. */
async function step(program) {
  // The door tells the state after every request, even if the clock stands still in the run: it is
  // not set back for a run that had begun before the end of the previous one.
  program.transport = null;
  await program.ask("step", { cycle: "cognition" });
  await until("that it stands still after a run", () => program.transport && !program.transport.is_playing && !program.transport.is_stepping);
}

/** Returns the text of a row of a value's tree. */
const row = (tab, key) => tab.text(`section.values .tree .row[data-key="${key}"] .value`);

/** Returns the width and height of the image that is shown. */
const size = async (tab) => (await tab.says("section.images .status", /^\d+ × \d+$/)).split(" × ").map(Number);

/** Returns the time that the bar of a replay shows, in seconds. */
async function clock(tab) {
  const [, minutes, seconds] = /^(\d+):([\d.]+) \//.exec(await tab.text(".transport .clock"));
  return Number(minutes) * 60 + Number(seconds);
}

/** Waits until the replay is paused at this time or later. */
const rest = (tab, from) => until(`that it stands still at ${from} s or later`, async () => {
  const isPlaying = (await tab.page.$eval(".transport button", (one) => one.title)).startsWith("Pause");
  return !isPlaying && (await clock(tab)) >= from;
});

const game = {
  async "the overview has all cycles, and they run"({ tab }) {
    await tab.view("overview");
    await until("three cycles with their rates", async () => {
      const shown = await tab.page.$$eval("section.overview table.timing tbody tr", (all) => all.map(({ cells }) => `${cells[0]?.textContent}: ${cells[1]?.textContent}`).join(", "));
      for (const cycle of ["motion", "audio", "cognition"]) assert.match(shown, new RegExp(`${cycle}[^:,]*: [\\d.]+ Hz`));
      return true;
    });
  },

  async "the field shows the robot where it believes to be"({ tab, program }) {
    await tab.view("field");
    await tab.says("section.field .bar select", /field/);
    await until("the robot at its place", async () => {
      // Other drawings may cover the robot.
      await tab.page.$$eval("section.field .layers label", (labels) => { for (const label of labels) if (label.firstChild.checked !== (label.textContent === "pose")) label.firstChild.click(); });
      const robot = await tab.spot("section.field canvas", "#0000ff");
      assert(robot.count > 20, "there is no robot");
      await tab.page.mouse.move(robot.x, robot.y);
      const shown = (await tab.says("section.field .status", /^-?[\d.]+, -?[\d.]+$/)).split(", ").map(Number);
      const believed = await program.place(), apart = Math.hypot(shown[0] - believed[0], shown[1] - believed[1]);
      assert(apart < 0.5, `the field shows it at ${shown}, it believes to be at ${believed}`);
      return true;
    });
  },

  async "images of both cameras come, as large as they are"({ tab, program }) {
    await tab.view("images");
    for (const name of ["LowerImage", "UpperImage"]) {
      await until(`${name} among all`, () => tab.page.$(`section.images select option[value="value:${name}"]`));
      await tab.page.select("section.images .bar select", `value:${name}`);
      const image = await program.follow(name), { length } = await until(`${name} of the door`, () => image.newest);
      const [width, height] = await size(tab);
      assert(length > 2 * width * height && length < 2 * width * height + 100, `the page shows ${width} × ${height} pixels, the robot's image has ${length} bytes`);
      const seen = new Set();
      await until("three different pictures", async () => seen.add(await tab.page.$eval("section.images canvas", (one) => one.toDataURL())).size >= 3);
    }
  },

  async "a value is as new as the robot's"({ tab, program }) {
    await tab.view("values", { shown: [{ name: "TruthReport", topic: false }] });
    for (let look = 0; look < 3; look++) {
      const before = await program.value("TruthReport.time");
      const shown = await until(`a report after ${before} s`, async () => { const time = Number(await row(tab, ".time")); return time > before && time; });
      const after = await program.value("TruthReport.time");
      assert(shown <= after + 1e-3, `the page shows what is at ${shown} s, the robot is at ${after} s`);
    }
  },

  async "a number is plotted as it is"({ tab, program }) {
    const field = "RobotPose.pose.translation.x";
    await tab.view("plots", { charts: [{ lines: [{ field }] }] });
    await until("the place in the legend", async () => {
      const shown = Number((await tab.text(`section.plots .legend-item[title="${field}"] .mono`)).trim().split(" ")[0]);
      const [x] = await program.place();
      assert(Math.abs(shown - x) < 0.3, `the plot is at ${shown}, the robot at ${x}`);
      return true;
    });
    const colour = await tab.page.$eval("section.plots .swatch", (one) => getComputedStyle(one).backgroundColor);
    await until("a curve", async () => (await tab.pixels("section.plots .chart canvas", colour)) > 20);
  },

  async "the other ball model is switched to"({ tab, program }) {
    await tab.view("values", { shown: [{ name: "BallModel", topic: false }] });
    const select = "section.values .card select.provider";
    const shown = await until("all candidates", () => tab.page.$eval(select, (one) => one.value === "BallFilter" && [...one.options].map(({ value }) => value)));
    assert.deepEqual(shown.sort(), ["BallFilter", "BallFit", "BallModes"]);
    await tab.page.select(select, "BallFit");
    await tab.press("dialog.question", "Switch");
    await tab.says("#messages", /BallFit provides BallModel/);
    assert.equal(await program.provider("BallModel"), "BallFit");
  },

  async "a parameter is changed"({ tab, program }) {
    await tab.view("parameters", { filter: "BallPredictor." });
    await tab.write('section.parameters input[type="number"][aria-label="BallPredictor.deceleration"]', "0.75");
    await tab.page.keyboard.press("Enter");
    await until("deceleration = 0.75 in the robot", async () => (await program.deceleration()) === 0.75);
    await tab.view("log");
    await tab.says("section.log .lines", /BallFit provides BallModel.*BallPredictor\.deceleration = 0\.75/s);
  },

  async "a value is overridden, modules act on it, and it is released"({ tab, program }) {
    await tab.view("values", { shown: [{ name: "GameState", topic: false }] });
    await tab.press("section.values .card", "Override");
    await tab.write("section.values .editor textarea", JSON.stringify({ phase: "Scored", lasts: 4321 }));
    await tab.press("section.values .editor", "Apply");
    const shows = (isOverridden) => until(isOverridden ? "the value of the page" : "its module's value", async () => {
      return ((await row(tab, ".lasts")) === "4321") === isOverridden && ((await program.value("GameState.lasts")) === 4321) === isOverridden;
    });
    await shows(true);
    // A robot that lies on the ground does not celebrate, and gets up.
    await until("that it celebrates", async () => (await program.value("BehaviorState.activity")) === "Celebrates");
    assert.equal(await program.value("MotionRequest.motion"), "Stand");
    const from = await program.value("TruthReport.time");
    await until("that it goes on for a second", async () => (await program.value("TruthReport.time")) > from + 1);
    await shows(true);
    await tab.press("section.values .card", "Release");
    await shows(false);
    await until("that it plays again", async () => (await program.value("BehaviorState.activity")) !== "Celebrates");
  },

  async "a log is recorded beside the robot's own"({ tab, program }) {
    await tab.view("log");
    const button = await until("the recorder", () => tab.page.$("section.log .bar button.record"));
    await button.click({ button: "right" });
    await tab.press(".menu", "Record into a file …");
    await tab.write("dialog.question input", log);
    await tab.page.keyboard.press("Enter");
    await tab.says("section.log button.record", /Stop recording/);
    const from = await program.value("TruthReport.time");
    await until("that it is recorded for a second", async () => (await program.value("TruthReport.time")) > from + 1);
    await button.click();
    await tab.says("section.log button.record", /^Record$/);
    await tab.says("#messages", /The log is in .*page\.mcap/);
  },

  async "the timeline shows what ran, and a run of cognition is explained"({ tab }) {
    await tab.view("timeline", { span: 2 });
    const cycles = "section.timeline .bar select:last-of-type";
    const cognition = await until("cognition among the cycles", () => tab.page.$eval(cycles, (one) => [...one.options].find(({ text }) => text === "cognition")?.value));
    await until("tasks of all cycles", async () => {
      for (const series of [1, 2, 3]) {
        const colour = await tab.page.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(), `--series-${series}`);
        assert((await tab.pixels("section.timeline canvas", colour)) > 10, `none of cycle ${series}`);
      }
      return true;
    });
    await until("a run that is kept", async () => {
      await tab.page.select(cycles, cognition);
      return /^cognition, run \d+$/.test(await tab.text("section.timeline aside.detail header b"));
    });
    await tab.says("section.timeline pre.why", /^(?!asking)[^]*cognition/);
    await until("what it waited for", () => tab.page.$("section.timeline ol.chain li"));
  },
};

const replay = {
  async "the replay of the game stands still when it is told to, and goes on by runs"({ tab, program }) {
    await tab.view("values", { shown: [{ name: "RobotPose", topic: false, open: [".pose", ".pose.translation"] }] });
    await tab.says("#top .notices", /replay/);
    await tab.press(".transport", "Pause (Space)");
    await rest(tab, 0);
    const begin = await clock(tab);
    // The first runs of all cycles may be at the same time.
    for (let run = 0; run < 5; run++) await tab.press(".transport", "Next run (n)");
    await rest(tab, begin + 0.001);
    await until("the robot's time", async () => {
      const { time } = await program.ask("read", { value: "RobotPose.quality" });
      return Math.abs(time / 1e9 - (await clock(tab))) < 0.002;
    });
  },

  async "it plays at another speed, and pauses"({ tab }) {
    const begin = await clock(tab);
    await tab.page.select(".transport select", "1");
    await until("that half a second passes", async () => (await clock(tab)) > begin + 0.5);
    await tab.press(".transport", "Pause (Space)");
    await rest(tab, begin + 0.5);
  },

  async "values that stand still are the robot's, to the last row"({ tab, program }) {
    const { pose, quality } = await program.value("RobotPose");
    const [x, y] = Object.values(pose.translation);
    const expected = { ".pose.rotation": pose.rotation, ".pose.translation.x": x, ".pose.translation.y": y, ".quality": quality };
    await until("the same in the tree", async () => {
      for (const [key, number] of Object.entries(expected)) {
        const text = await row(tab, key);
        assert(Math.abs(Number(text) - number) <= 1e-4 * Math.abs(number), `${key} is ${number}, the page shows ${text}`);
      }
      return true;
    });
  },

  async "an image that stands still is the robot's, to the pixel"({ tab, program }) {
    await tab.view("images", { value: "UpperImage", rate: null });
    const image = await program.follow("UpperImage");
    await until("an image here and there", async () => {
      // Values of sources are there after the next run that reads them.
      await step(program);
      return image.newest && tab.text("section.images .status");
    });
    const [width, height] = await size(tab);
    const box = await (await tab.page.$("section.images canvas")).boundingBox();
    for (const [across, down] of [[0.5, 0.3], [0.4, 0.5], [0.6, 0.8]]) {
      await until("the robot's pixel", async () => {
        await tab.page.mouse.move(box.x + box.width * across, box.y + box.height * down);
        const text = await tab.says("section.images .status", /^\(\d+, \d+\)/);
        const [column, line, red, green, blue] = text.match(/\d+/g).map(Number);
        // The pixels are the last ones of an image: the luminance of each, and one of its colours
        // in turn.
        const luminance = 0.299 * red + 0.587 * green + 0.114 * blue, expected = image.newest.subarray(-2 * width * height)[2 * (line * width + column)];
        assert(Math.abs(luminance - expected) < 20, `the page shows ${text}, and the robot's pixel has the luminance ${expected}`);
        return true;
      });
    }
  },

  async "it goes on to what was changed, and that is changed again"({ tab, program }) {
    await until("the changes along the bar", () => tab.page.$$eval(".transport .marks i", (all) => /BallFit.*deceleration/s.test(all.map(({ title }) => title).join())));
    await until("the new deceleration", async () => {
      await tab.press(".transport", "Next event of the recording (e)");
      // A run of the cycle applies it.
      await step(program);
      return (await program.deceleration()) === 0.75;
    });
    assert.equal(await program.provider("BallModel"), "BallFit");
  },
};

perform(url, Nao, { game, replay }[act]);
