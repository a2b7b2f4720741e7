// All fields that can be plotted, for completion.

import { list } from "./statistics.js";

const AT_ONCE = 12;

/** @typedef {{text: string, kind: string}} Choice */

/** The fields that are known already, as long as the robot's description stays the same.
 * @type {{description: any, choices: Promise<Choice[]>} | null} */
let known = null;

/** The fields of all representations and topics, and the figures of timing.
 * @param {import("./robot.js").Robot} robot @returns {Promise<Choice[]>} */
export function plottable(robot) {
  if (known?.description !== robot.description) known = { description: robot.description, choices: gather(robot) };
  return known.choices;
}

/** @param {import("./robot.js").Robot} robot @returns {Promise<Choice[]>} */
async function gather(robot) {
  const { cycles, representations, topics } = robot.description;
  // The plots of modules are announced while they are watched.
  const watch = robot.watch("debug", null, () => {});
  const shown = new Promise((resolve) => setTimeout(resolve, 500));
  const timing = robot.isLog ? [] : list(cycles).flatMap(({ name, tasks }) => [
    ...["response", "execution", "jitter"].map((figure) => ({ text: `timing:${name}.${figure}`, kind: "seconds" })),
    ...list(tasks).map((task) => ({ text: `timing:${task.name}`, kind: "seconds, execution" })),
  ]);
  const wishes = [
    ...list(representations).filter((one) => one.schema_name).map(({ name }) => ({ value: name })),
    ...list(topics).filter((one) => one.schema_name).map(({ name }) => ({ topic: name })),
  ];
  /** @type {Choice[]} */
  const fields = [];
  for (let begin = 0; begin < wishes.length; begin += AT_ONCE) {
    const some = await Promise.all(wishes.slice(begin, begin + AT_ONCE).map((wish) => robot.request("fields", wish).catch(() => [])));
    for (const result of some) for (const { path, type } of list(result)) fields.push({ text: String(path), kind: String(type ?? "") });
  }
  await shown;
  watch.close();
  const plots = [...robot.debugNames.values()].filter(({ kind }) => kind === "plot").map(({ name, update }) => ({ text: `plot:${name}`, kind: update }));
  return [...fields, ...plots, ...timing];
}
