// A robot's description as nodes and edges.

import { list } from "./statistics.js";

/**
 * @typedef {"task" | "module" | "source" | "topic" | "service"} Kind
 * @typedef {{id: string, kind: Kind, title: string, subtitle: string, process: string | null, cycle: string | null, module: string | null, tasks: any[], source: any}} GraphNode
 * @typedef {"sample" | "value" | "previous" | "between" | "output" | "topic"} Carriage
 *   `previous` is of the run before; `between` is a snapshot of another cycle; `output` goes to a source.
 * @typedef {{from: string, to: string, carriage: Carriage, names: string[], isBack: boolean}} GraphEdge
 * @typedef {{nodes: GraphNode[], edges: GraphEdge[]}} Graph
 */

/** @param {any} description as the robot gave it @param {boolean} byModule one node for all updates of a module
 * @returns {Graph} */
export function graphOf(description, byModule) {
  /** @type {Map<string, GraphNode>} */
  const nodes = new Map();
  /** @type {Map<any, string>} */
  const nodeOf = new Map();
  /** Who provides a representation, by cycle: its task and node. @type {Map<string, {cycle: any, task: any, id: string}[]>} */
  const providers = new Map();
  const provide = (/** @type {string} */ name, /** @type {{cycle: any, task: any, id: string}} */ provider) => providers.set(name, [...(providers.get(name) ?? []), provider]);
  const add = (/** @type {Partial<GraphNode> & {id: string, kind: Kind, title: string}} */ node) => {
    const full = { subtitle: "", process: null, cycle: null, module: null, tasks: [], source: null, ...node };
    nodes.set(node.id, full);
    return full;
  };

  for (const source of list(description.sources)) {
    const { id } = add({ id: `source ${source.name}`, kind: "source", title: String(source.name), process: source.process ?? null, source });
    for (const name of list(source.provides)) provide(name, { cycle: null, task: null, id });
  }
  for (const cycle of list(description.cycles)) {
    for (const task of list(cycle.tasks)) {
      const id = byModule ? `module ${cycle.name} ${task.module}` : `task ${cycle.name} ${task.name}`;
      const node = nodes.get(id) ?? add({
        id, kind: byModule ? "module" : "task", title: String(task.module), subtitle: byModule ? "" : String(task.update), process: cycle.process ?? null, cycle: String(cycle.name), module: String(task.module),
      });
      node.tasks.push(task);
      nodeOf.set(task, id);
      for (const name of list(task.provides)) provide(name, { cycle, task, id });
    }
  }
  for (const { name, process = null } of list(description.topics)) add({ id: `topic ${name}`, kind: "topic", title: String(name), process });
  for (const { name, process = null } of list(description.services)) add({ id: `service ${name}`, kind: "service", title: String(name), process });

  /** @type {Map<string, GraphEdge>} */
  const edges = new Map();
  const connect = (/** @type {string} */ from, /** @type {string} */ to, /** @type {Carriage} */ carriage, /** @type {string} */ name) => {
    if (from === to || !nodes.has(from) || !nodes.has(to)) return;
    const key = `${from}\n${to}\n${carriage}`;
    const edge = edges.get(key) ?? { from, to, carriage, names: [], isBack: carriage === "previous" || carriage === "output" };
    if (!edge.names.includes(name)) edge.names.push(name);
    edges.set(key, edge);
  };
  for (const cycle of list(description.cycles)) {
    const tasks = list(cycle.tasks), before = ancestors(tasks);
    for (const task of tasks) {
      const to = /** @type {string} */ (nodeOf.get(task));
      for (const name of reads(task)) {
        const all = providers.get(name) ?? [];
        const own = all.find((provider) => provider.cycle === cycle);
        const provider = own ?? all.find(({ cycle: of }) => of?.name === ownerOf(description, name)) ?? all[0];
        if (!provider) continue;
        if (provider.cycle === cycle) connect(provider.id, to, before.get(task)?.has(provider.task) ? "value" : "previous", name);
        else connect(provider.id, to, provider.cycle ? "between" : "sample", name);
      }
      for (const name of list(task.publishes)) connect(to, `topic ${name}`, "topic", name);
      for (const name of list(task.subscribes)) connect(`topic ${name}`, to, "topic", name);
    }
  }
  for (const source of list(description.sources)) {
    for (const name of list(source.reads)) for (const { id } of (providers.get(name) ?? []).slice(0, 1)) connect(id, `source ${source.name}`, "output", name);
    for (const name of list(source.publishes)) connect(`source ${source.name}`, `topic ${name}`, "topic", name);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** All that a task reads. @param {any} task @returns {string[]} */
export function reads(task) {
  return [...list(task.requires), ...list(task.uses), ...list(task.collects)];
}

/** @param {any} description @param {string} name */
function ownerOf(description, name) {
  return list(description.representations).find((one) => one.name === name)?.owner;
}

/** For each task those that have ended before it begins. @param {any[]} tasks @returns {Map<any, Set<any>>} */
function ancestors(tasks) {
  /** @type {Map<any, Set<any>>} */
  const known = new Map();
  const of = (/** @type {any} */ task) => {
    const before = known.get(task);
    if (before) return before;
    /** @type {Set<any>} */
    const all = new Set();
    known.set(task, all);
    for (const number of list(task.after)) {
      const other = tasks[number];
      if (!other) continue;
      all.add(other);
      for (const far of of(other)) all.add(far);
    }
    return all;
  };
  for (const task of tasks) of(task);
  return known;
}

/** A node with its neighbours. @param {Graph} graph @param {string} id @returns {Graph} */
export function around(graph, id) {
  return only(graph, new Set([id, ...graph.edges.filter(({ from, to }) => from === id || to === id).flatMap(({ from, to }) => [from, to])]));
}

/** A cycle with what it is connected to. @param {Graph} graph @param {string} cycle @returns {Graph} */
export function ofCycle(graph, cycle) {
  const own = new Set(graph.nodes.filter((node) => node.cycle === cycle).map(({ id }) => id));
  const kept = new Set(own);
  for (const { from, to } of graph.edges) {
    if (own.has(from)) kept.add(to);
    if (own.has(to)) kept.add(from);
  }
  const { nodes, edges } = only(graph, kept);
  return { nodes, edges: edges.filter(({ from, to }) => own.has(from) || own.has(to)) };
}

/** @param {Graph} graph @param {Set<string>} kept @returns {Graph} */
function only({ nodes, edges }, kept) {
  return { nodes: nodes.filter(({ id }) => kept.has(id)), edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)) };
}

/** How near each task is to the longest path of its cycle, by the durations of tasks: 1 is on it.
 * @param {any} description @param {(cycle: string, task: string) => number} duration @returns {Map<any, number>} */
export function criticality(description, duration) {
  const result = new Map();
  for (const cycle of list(description.cycles)) {
    const tasks = list(cycle.tasks);
    /** @type {number[][]} */
    const next = tasks.map(() => []);
    tasks.forEach((task, number) => { for (const before of list(task.after)) next[before]?.push(number); });
    const longest = (/** @type {(number: number) => number[]} */ others) => {
      /** @type {number[]} */
      const known = [];
      /** @type {(number: number) => number} */
      const of = (number) => {
        if (known[number] !== undefined) return known[number];
        known[number] = 0;
        return (known[number] = duration(cycle.name, tasks[number].name) + Math.max(0, ...others(number).map(of)));
      };
      return tasks.map((_, number) => of(number));
    };
    const until = longest((number) => list(tasks[number].after).filter((before) => tasks[before])), from = longest((number) => next[number]);
    const whole = Math.max(0, ...until);
    tasks.forEach((task, number) => result.set(task, whole > 0 ? (until[number] + from[number] - duration(cycle.name, task.name)) / whole : 0));
  }
  return result;
}
