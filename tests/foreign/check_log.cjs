// Tests the page of a log in Chromium: check_log.cjs http://HOST:PORT/?token=..
// The log is one of the robot of crates/hemiola-live/tests/common, with plots, drawings and images.
const assert = require("node:assert/strict");
const { Program, perform, until } = require("./browser.cjs");

const [url] = process.argv.slice(2);

/** Sets the time of the log, in seconds, by its slider. */
const slide = (tab, seconds) => tab.page.$eval(".transport input", (one, value) => {
  one.value = String(value);
  one.dispatchEvent(new Event("input"));
  one.dispatchEvent(new Event("change"));
}, seconds * 1000);

const steps = {
  async "what modules have plotted is offered, and plotted again"({ tab }) {
    await tab.view("plots");
    await tab.press("section.plots .bar", "Add");
    await tab.write("dialog.palette input", "plot:pilot");
    await tab.says("dialog.palette .choice.active span", /^plot:pilot\.metres$/);
    await tab.page.keyboard.press("Enter");
    await slide(tab, 2);
    await tab.says('section.plots .legend-item[title="plot:pilot.metres"] .mono', /^ ?(200|199|198)/);
  },

  async "the field has what they have drawn, at the time that is set"({ tab }) {
    await tab.view("field");
    await until("a space", () => tab.page.$eval("section.field .bar select", (one) => one.value === "track"));
    await until("the cart", async () => (await tab.pixels("section.field canvas", "#ff8800")) > 3);
    await tab.says("section.field .layers", /^cartvehicle\/lamp$/);
    // After two seconds the cart has gone 200 m, and its lamp is a metre to the left.
    await until("the lamp", async () => {
      const { x, y } = await tab.spot("section.field canvas", "#00ffff");
      await tab.page.mouse.move(x, y);
      const place = (await tab.text("section.field .status")).split(", ").map(Number);
      assert(Math.abs(place[0] - 200) < 2 && Math.abs(place[1] - 1) < 0.05, `it is at ${place}`);
      return true;
    });
  },

  async "images have it, and what was drawn over them"({ tab }) {
    await tab.view("images");
    await until("the module's image among all", () => tab.page.$('section.images select option[value="image:pilot.view"]'));
    await tab.page.select("section.images .bar select", "image:pilot.view");
    await tab.says("section.images .status", /^8 × 4$/);
    await until("its pixels", async () => (await tab.pixels("section.images canvas", "#c8c8c8")) > 1000);
    await until("the drawing over it", async () => (await tab.pixels("section.images canvas", "#ff8800")) > 10);
  },
};

perform(url, Program, steps);
