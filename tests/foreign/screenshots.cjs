// Makes a picture of each view of a running robot, as in the documentation: screenshots.cjs http://HOST:PORT/?token=.. FOLDER
const fs = require("node:fs");
const path = require("node:path");
const { DESKTOP, PHONE, Tab, launch, pause } = require("./browser.cjs");

const [url, folder] = process.argv.slice(2);
/** What the views show, if it is not what they begin with; for the NAO. */
const VIEWS = {
  overview: {}, graph: { cycle: "motion" }, log: {}, field: {}, images: {}, parameters: { filter: "Walk" },
  values: { shown: [{ name: "Imu", topic: false }, { name: "RobotPose", topic: false }] },
  plots: {}, timeline: {},
};
/** Curves and distributions take some time to look like something. */
const SETTLE = Number(process.env.SETTLE ?? 6000);

async function main() {
  fs.mkdirSync(folder, { recursive: true });
  const browser = await launch();
  const picture = async (tab, name) => {
    await pause(SETTLE);
    await tab.page.screenshot({ path: path.join(folder, `${name}.png`) });
    for (const fault of tab.faults.splice(0)) console.log(`${name}: ${fault}`);
  };
  const tab = await Tab.open(browser.defaultBrowserContext(), url, DESKTOP);
  await picture(tab, "page");
  for (const [name, settings] of Object.entries(VIEWS)) {
    await tab.view(name, settings);
    if (name === "timeline") {
      await pause(SETTLE);
      await tab.page.select("section.timeline .bar select:last-of-type", "0");
    }
    await picture(tab, name);
  }
  await tab.page.close();
  const phone = await Tab.open(browser.defaultBrowserContext(), `${new URL(url).origin}/`, PHONE);
  await picture(phone, "phone");
  await browser.close();
}
main().catch((error) => { console.error(error); process.exit(1); });
