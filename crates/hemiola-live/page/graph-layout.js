// The layout of a graph's boxes: in layers from top to bottom, groups side by side in boxes of
// their own, in which there may be groups again.

/**
 * @typedef {{id: string, width: number, height: number, group?: string[]}} Node `group` are the groups that it lies in, from outside.
 * @typedef {{from: string, to: string, isBack?: boolean}} Edge `isBack` edges do not order their ends.
 * @typedef {{x: number, y: number, width: number, height: number}} Box `x` and `y` are its middle.
 * @typedef {{nodes: Map<string, Box>, groups: Map<string, Box>, paths: ([number, number][] | null)[]}} Layout
 *   `groups` are by all names from outside, with line breaks between them. `paths` are by edge: from the lower end of one box to the upper one of another; `null` if an end is missing.
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
  const there = new Set(nodes.map(({ id }) => id));
  const { boxes, groups, ways } = nest(nodes, edges.filter(({ from, to }) => there.has(from) && there.has(to)), 0);
  const paths = edges.map(({ from, to }) => {
    const start = boxes.get(from), end = boxes.get(to);
    return start && end ? /** @type {[number, number][]} */ ([[start.x, start.y + start.height / 2], ...(ways.get(`${from}\n${to}`) ?? []), [end.x, end.y - end.height / 2]]) : null;
  });
  return { nodes: boxes, groups, paths };
}

/** Nodes that lie in the same groups down to a depth, with the upper left corner at 0: those in
 * deeper groups are laid out for themselves. @param {Node[]} nodes @param {Edge[]} edges @param {number} depth */
function nest(nodes, edges, depth) {
  const groupOf = new Map(nodes.map(({ id, group }) => [id, group && group.length > depth ? `\n${group.slice(0, depth + 1).join("\n")}` : null]));
  /** @type {Map<string, ReturnType<typeof nest>>} */
  const inside = new Map();
  const outer = nodes.filter(({ id }) => !groupOf.get(id));
  for (const group of new Set(groupOf.values())) {
    if (!group) continue;
    const isIn = (/** @type {string} */ id) => groupOf.get(id) === group;
    const within = nest(nodes.filter(({ id }) => isIn(id)), edges.filter(({ from, to }) => isIn(from) && isIn(to)), depth + 1);
    inside.set(group, within);
    outer.push({ id: group, width: within.width + 2 * GROUP_MARGIN, height: within.height + GROUP_MARGIN + GROUP_HEAD });
  }
  const place = (/** @type {string} */ id) => groupOf.get(id) ?? id;
  const isFed = new Set(edges.filter(({ isBack }) => !isBack).map(({ to }) => to));
  const { boxes, ways, width, height } = layers(outer, edges.filter(({ from, to }) => place(from) !== place(to)).map(({ from, to, isBack }) => ({
    from: place(from), to: place(to),
    // Groups lie side by side, what they feed below them.
    isBack: isBack || Boolean(groupOf.get(to) && (groupOf.get(from) || isFed.has(from))),
  })));
  /** @type {Map<string, Box>} */
  const groups = new Map();
  for (const [group, within] of inside) {
    const box = /** @type {Box} */ (boxes.get(group));
    boxes.delete(group);
    groups.set(group.slice(1), box);
    const left = box.x - box.width / 2 + GROUP_MARGIN, top = box.y - box.height / 2 + GROUP_HEAD;
    const move = (/** @type {Box} */ at) => ({ ...at, x: at.x + left, y: at.y + top });
    for (const [id, at] of within.boxes) boxes.set(id, move(at));
    for (const [id, at] of within.groups) groups.set(id, move(at));
    for (const [key, points] of within.ways) ways.set(key, points.map(([x, y]) => [x + left, y + top]));
  }
  return { boxes, groups, ways, width, height };
}

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
    ends.forEach((end, number) => { for (let other = 0; other < number; other++) if (ends[other] > end) sum++; });
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
