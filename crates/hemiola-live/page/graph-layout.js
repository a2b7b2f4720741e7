// Where the boxes of a graph lie: in layers from top to bottom, groups side by side in boxes of
// their own.

/**
 * @typedef {{id: string, width: number, height: number, group?: string | null}} Node
 * @typedef {{from: string, to: string, isBack?: boolean}} Edge `isBack` edges do not order their ends.
 * @typedef {{x: number, y: number, width: number, height: number}} Box `x` and `y` are its middle.
 * @typedef {{nodes: Map<string, Box>, groups: Map<string, Box>, paths: ([number, number][] | null)[]}} Layout
 *   `paths` are by edge: from the lower end of one box to the upper one of another; `null` if an end is missing.
 * @typedef {{id: string, node: Node | null, width: number, x: number, above: Cell[], below: Cell[]}} Cell a node, or the waypoint of an edge
 */

const LAYER_GAP = 32;
const NODE_GAP = 12;
const WAYPOINT = 4;
const GROUP_MARGIN = 18;
const GROUP_HEAD = 26;
const SWEEPS = 20;

/** @param {Node[]} nodes @param {Edge[]} edges @returns {Layout} */
export function layOut(nodes, edges) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = edges.filter(({ from, to }) => byId.has(from) && byId.has(to));
  const groupOf = (/** @type {string} */ id) => byId.get(id)?.group ?? null;
  const names = [...new Set(nodes.map(({ group }) => group).filter((group) => group !== null && group !== undefined))];

  /** @type {Map<string, ReturnType<typeof layers>>} */
  const inside = new Map();
  /** @type {Node[]} */
  const outer = nodes.filter(({ group }) => group === null || group === undefined);
  for (const name of names) {
    const members = nodes.filter(({ group }) => group === name);
    const within = layers(members, known.filter(({ from, to }) => groupOf(from) === name && groupOf(to) === name));
    inside.set(name, within);
    outer.push({ id: groupKey(name), width: within.width + 2 * GROUP_MARGIN, height: within.height + GROUP_MARGIN + GROUP_HEAD });
  }
  const place = (/** @type {string} */ id) => { const group = groupOf(id); return group === null ? id : groupKey(group); };
  const isFed = new Set(known.filter(({ isBack }) => !isBack).map(({ to }) => to));
  const between = known.filter(({ from, to }) => place(from) !== place(to)).map(({ from, to, isBack }) => ({
    from: place(from), to: place(to),
    // Groups lie side by side, what they feed below them.
    isBack: isBack || (groupOf(to) !== null && (groupOf(from) !== null || isFed.has(from))),
  }));
  const whole = layers(outer, between);

  /** @type {Layout} */
  const layout = { nodes: new Map(), groups: new Map(), paths: [] };
  for (const [id, box] of whole.boxes) {
    const name = names.find((each) => groupKey(each) === id);
    const within = name === undefined ? undefined : inside.get(name);
    if (name === undefined || !within) { layout.nodes.set(id, box); continue; }
    layout.groups.set(name, box);
    const left = box.x - box.width / 2 + GROUP_MARGIN, top = box.y - box.height / 2 + GROUP_HEAD;
    for (const [member, at] of within.boxes) layout.nodes.set(member, { ...at, x: at.x + left, y: at.y + top });
    for (const [key, points] of within.ways) within.ways.set(key, points.map(([x, y]) => [x + left, y + top]));
  }
  layout.paths = edges.map(({ from, to }) => {
    const start = layout.nodes.get(from), end = layout.nodes.get(to);
    if (!start || !end) return null;
    const group = groupOf(from);
    const ways = group !== null && group === groupOf(to) ? inside.get(group)?.ways.get(`${from}\n${to}`) : undefined;
    return [[start.x, start.y + start.height / 2], ...(ways ?? []), [end.x, end.y - end.height / 2]];
  });
  return layout;
}

/** @param {string} name */
function groupKey(name) { return `\ngroup ${name}`; }

/** One level: all of its boxes, with the upper left corner at 0, and the waypoints of edges that
 * pass other layers. @param {Node[]} nodes @param {Edge[]} edges */
function layers(nodes, edges) {
  const rank = ranks(nodes, edges);
  /** @type {Cell[][]} */
  const rows = Array.from({ length: Math.max(0, ...rank.values()) + 1 }, () => []);
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  const add = (/** @type {string} */ id, /** @type {number} */ layer, /** @type {Node | null} */ node) => {
    /** @type {Cell} */
    const cell = { id, node, width: node?.width ?? WAYPOINT, x: 0, above: [], below: [] };
    rows[layer].push(cell);
    cells.set(id, cell);
    return cell;
  };
  for (const node of nodes) add(node.id, rank.get(node.id) ?? 0, node);
  /** Edges of one node share their waypoints. @type {Map<string, Cell[]>} */
  const waypoints = new Map();
  for (const { from, to } of edges) {
    const first = rank.get(from) ?? 0, last = rank.get(to) ?? 0;
    if (first >= last) continue;
    let before = /** @type {Cell} */ (cells.get(from));
    const way = [];
    for (let layer = first + 1; layer <= last; layer++) {
      const id = layer === last ? to : `\n${from}\n${layer}`;
      const cell = cells.get(id) ?? add(id, layer, null);
      if (!before.below.includes(cell)) { before.below.push(cell); cell.above.push(before); }
      if (layer < last) way.push(cell);
      before = cell;
    }
    waypoints.set(`${from}\n${to}`, way);
  }
  reduceCrossings(rows);
  straighten(rows);

  /** @type {Map<string, Box>} */
  const boxes = new Map();
  /** @type {Map<string, [number, number][]>} */
  const ways = new Map();
  const all = rows.flat();
  const left = all.reduce((least, { x, width }) => Math.min(least, x - width / 2), Infinity);
  const right = all.reduce((most, { x, width }) => Math.max(most, x + width / 2), -Infinity);
  /** @type {Map<Cell, number>} */
  const middles = new Map();
  let y = 0;
  for (const row of rows) {
    const height = row.reduce((most, { node }) => Math.max(most, node?.height ?? 0), 0);
    for (const cell of row) {
      middles.set(cell, y + height / 2);
      if (cell.node) boxes.set(cell.id, { x: cell.x - left, y: y + cell.node.height / 2, width: cell.width, height: cell.node.height });
    }
    y += height + LAYER_GAP;
  }
  for (const [key, way] of waypoints) ways.set(key, way.map((cell) => [cell.x - left, middles.get(cell) ?? 0]));
  return { boxes, ways, width: Math.max(0, right - left), height: Math.max(0, y - LAYER_GAP) };
}

/** The layer of each node: behind all that it comes after; edges that would close a circle do not
 * count. Nodes then go as far right as what comes after them allows, so that edges are short.
 * @param {Node[]} nodes @param {Edge[]} edges @returns {Map<string, number>} */
function ranks(nodes, edges) {
  /** @type {Map<string, string[]>} */
  const next = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to, isBack } of edges) if (!isBack && from !== to) next.get(from)?.push(to);
  const isIn = new Set(edges.filter(({ isBack }) => !isBack).map(({ to }) => to));
  /** @type {Map<string, "open" | "done">} */
  const state = new Map();
  /** From the last to the first. @type {string[]} */
  const order = [];
  /** @type {Map<string, string[]>} */
  const forward = new Map();
  const visit = (/** @type {string} */ root) => {
    /** @type {[string, number][]} */
    const stack = [[root, 0]];
    state.set(root, "open");
    while (stack.length > 0) {
      const top = stack[stack.length - 1], [id] = top, after = next.get(id) ?? [];
      if (top[1] < after.length) {
        const to = after[top[1]++];
        if (state.get(to) === "open") continue;
        const kept = forward.get(id) ?? [];
        forward.set(id, kept);
        kept.push(to);
        if (!state.has(to)) { state.set(to, "open"); stack.push([to, 0]); }
      } else {
        state.set(id, "done");
        order.push(id);
        stack.pop();
      }
    }
  };
  const roots = [...nodes.filter(({ id }) => !isIn.has(id)), ...nodes];
  for (const { id } of roots) if (!state.has(id)) visit(id);
  /** @type {Map<string, number>} */
  const rank = new Map(nodes.map(({ id }) => [id, 0]));
  for (const id of order.slice().reverse()) for (const to of forward.get(id) ?? []) rank.set(to, Math.max(rank.get(to) ?? 0, (rank.get(id) ?? 0) + 1));
  for (const id of order) {
    const after = forward.get(id) ?? [];
    if (after.length > 0) rank.set(id, Math.min(...after.map((to) => rank.get(to) ?? 0)) - 1);
  }
  return rank;
}

/** Orders each layer by the middle of its neighbours, there and back, and keeps the best order.
 * @param {Cell[][]} rows */
function reduceCrossings(rows) {
  let best = rows.map((row) => row.slice()), least = Infinity;
  /** @type {Map<Cell, number>} */
  const place = new Map();
  const at = (/** @type {Cell} */ cell) => place.get(cell) ?? 0;
  const number = (/** @type {Cell[]} */ row) => row.forEach((cell, here) => place.set(cell, here));
  rows.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.slice().reverse()) {
      const middle = new Map(row.map((cell) => [cell, mean((isDown ? cell.above : cell.below).map(at)) ?? at(cell)]));
      row.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0) || at(a) - at(b));
      number(row);
    }
    const crossing = crossings(rows, at);
    if (crossing < least) { least = crossing; best = rows.map((row) => row.slice()); }
  }
  best.forEach((row, layer) => { rows[layer] = row; });
}

/** How many pairs of edges cross. @param {Cell[][]} rows @param {(cell: Cell) => number} at */
function crossings(rows, at) {
  let sum = 0;
  for (const row of rows) {
    const ends = row.flatMap((cell) => cell.below.map(at).sort((a, b) => a - b));
    // Pairs in the wrong order, by a tree of counts.
    const tree = new Int32Array(Math.max(0, ...ends) + 2);
    for (let seen = 0; seen < ends.length; seen++) {
      let before = 0;
      for (let place = ends[seen] + 1; place > 0; place -= place & -place) before += tree[place];
      sum += seen - before;
      for (let place = ends[seen] + 1; place < tree.length; place += place & -place) tree[place]++;
    }
  }
  return sum;
}

/** Moves all cells towards their neighbours, in their order and with room between them.
 * @param {Cell[][]} rows */
function straighten(rows) {
  for (const row of rows) {
    let x = 0;
    for (const cell of row) { cell.x = x + cell.width / 2; x += cell.width + NODE_GAP; }
    for (const cell of row) cell.x -= x / 2;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isLast = sweep >= SWEEPS - 2, isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.slice().reverse()) {
      settle(row, row.map((cell) => mean((isLast ? [...cell.above, ...cell.below] : isDown ? cell.above : cell.below).map(({ x }) => x)) ?? cell.x));
    }
  }
}

/** The places nearest to the wished ones that keep the order: neighbours that would overlap become
 * a block, which goes where its members want to be on average.
 * @param {Cell[]} row @param {number[]} wished */
function settle(row, wished) {
  /** @type {{from: number, sum: number, count: number}[]} */
  const blocks = [];
  /** Where a cell would be with everything before it packed. @type {number[]} */
  const offset = [];
  let at = 0;
  row.forEach((cell, number) => {
    if (number > 0) at += (row[number - 1].width + cell.width) / 2 + NODE_GAP;
    offset.push(at);
    blocks.push({ from: number, sum: wished[number] - at, count: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1], before = blocks[blocks.length - 2];
      if (before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      blocks.pop();
    }
  });
  blocks.forEach((block, number) => {
    const end = blocks[number + 1]?.from ?? row.length;
    for (let place = block.from; place < end; place++) row[place].x = block.sum / block.count + offset[place];
  });
}

/** @param {number[]} values @returns {number | null} */
function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}
