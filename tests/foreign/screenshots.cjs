// Takes a screenshot of each view of a running robot, as in the documentation: screenshots.cjs
// http://HOST:PORT/?token=.. FOLDER
const fs = require("node:fs");
const path = require("node:path");
const { DESKTOP, PHONE, Tab, launch, pause } = require("./browser.cjs");

const [url, folder] = process.argv.slice(2);
/** The settings of views that do not keep their defaults, for the NAO. */
const VIEWS = {
  field: {}, images: {}, overview: {}, graph: { cycle: "motion" }, log: {}, parameters: { filter: "Walk" },
  values: { shown: [{ name: "BallModel", topic: false }, { name: "RobotPose", topic: false, open: [".pose"] }, { name: "JointAngles", topic: false }] },
  plots: { charts: [["timing:motion.response", "timing:cognition.response"], ["RobotPose.pose.translation.x", "RobotPose.pose.translation.y"], ["BallModel.position.x"]].map((fields) => ({ lines: fields.map((field) => ({ field })) })) },
  timeline: {},
};
/** The time to wait, so that curves and distributions have enough data. */
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
      await tab.says("section.timeline pre.why", /^(?!asking)./);
    }
    await picture(tab, name);
  }
  await tab.page.close();
  // A new browser context, which has no stored layout.
  const phone = await Tab.open(await browser.createBrowserContext(), url, PHONE);
  await picture(phone, "phone");
  await browser.close();
}
main().catch((error) => { console.error(error); process.exit(1); });
