// Where the boxes of a graph lie: layered from left to right, groups in boxes of their own.

/**
 * @typedef {{id: string, width: number, height: number, group?: string | null}} Node
 * @typedef {{from: string, to: string, isBack?: boolean}} Edge `isBack` edges do not order their ends.
 * @typedef {{x: number, y: number, width: number, height: number}} Box `x` and `y` are its middle.
 * @typedef {{nodes: Map<string, Box>, groups: Map<string, Box>, paths: ([number, number][] | null)[]}} Layout
 *   `paths` are by edge: from the right of one box to the left of another; `null` if an end is missing.
 */

const LAYER_GAP = 46;
const NODE_GAP = 10;
const WAYPOINT = 5;
const GROUP_MARGIN = 18;
const GROUP_HEAD = 26;
const SWEEPS = 20;

/** @param {Node[]} nodes @param {Edge[]} edges @returns {Layout} */
export function layOut(nodes, edges) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = edges.filter(({ from, to }) => byId.has(from) && byId.has(to));
  const groupOf = (/** @type {string} */ id) => byId.get(id)?.group ?? null;
  const names = [...new Set(nodes.map(({ group }) => group).filter((group) => group !== null && group !== undefined))];

  /** @type {Map<string, ReturnType<typeof layers>>} */ const inside = new Map();
  /** @type {Node[]} */ const outer = nodes.filter(({ group }) => group === null || group === undefined);
  for (const name of names) {
    const members = nodes.filter(({ group }) => group === name);
    const within = layers(members, known.filter(({ from, to }) => groupOf(from) === name && groupOf(to) === name));
    inside.set(name, within);
    outer.push({ id: groupKey(name), width: within.width + 2 * GROUP_MARGIN, height: within.height + GROUP_MARGIN + GROUP_HEAD });
  }
  const place = (/** @type {string} */ id) => { const group = groupOf(id); return group === null ? id : groupKey(group); };
  const between = known.filter(({ from, to }) => place(from) !== place(to)).map((edge) => ({ ...edge, from: place(edge.from), to: place(edge.to) }));
  const whole = layers(outer, between);

  /** @type {Layout} */ const layout = { nodes: new Map(), groups: new Map(), paths: [] };
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
    return [[start.x + start.width / 2, start.y], ...(ways ?? []), [end.x - end.width / 2, end.y]];
  });
  return layout;
}

/** @param {string} name */
function groupKey(name) { return `\ngroup ${name}`; }

/** One level: all of its boxes, with the upper left corner at 0, and the waypoints of edges that
 * pass other layers. @param {Node[]} nodes @param {Edge[]} edges */
function layers(nodes, edges) {
  const rank = ranks(nodes, edges);
  const count = Math.max(0, ...rank.values()) + 1;
  /** @typedef {{id: string, width: number, height: number, y: number, left: Cell[], right: Cell[]}} Cell */
  /** @type {Cell[][]} */ const columns = Array.from({ length: count }, () => []);
  /** @type {Map<string, Cell>} */ const cells = new Map();
  const add = (/** @type {string} */ id, /** @type {number} */ layer, /** @type {number} */ width, /** @type {number} */ height) => {
    const cell = { id, width, height, y: 0, left: [], right: [] };
    columns[layer].push(cell);
    cells.set(id, cell);
    return cell;
  };
  for (const { id, width, height } of nodes) add(id, rank.get(id) ?? 0, width, height);
  /** Edges of one node share their waypoints. @type {Map<string, Cell[]>} */ const waypoints = new Map();
  for (const { from, to } of edges) {
    const first = rank.get(from) ?? 0, last = rank.get(to) ?? 0;
    if (first >= last) continue;
    let before = /** @type {Cell} */ (cells.get(from));
    const way = [];
    for (let layer = first + 1; layer <= last; layer++) {
      const id = layer === last ? to : `\n${from}\n${layer}`;
      const cell = cells.get(id) ?? add(id, layer, 0, WAYPOINT);
      if (!before.right.includes(cell)) { before.right.push(cell); cell.left.push(before); }
      if (layer < last) way.push(cell);
      before = cell;
    }
    waypoints.set(`${from}\n${to}`, way);
  }
  reduceCrossings(columns);
  straighten(columns);

  /** @type {Map<string, Box>} */ const boxes = new Map();
  /** @type {Map<string, [number, number][]>} */ const ways = new Map();
  const all = columns.flat();
  const top = Math.min(...all.map(({ y, height }) => y - height / 2), Infinity);
  const middles = new Map();
  let x = 0;
  for (const column of columns) {
    const width = Math.max(0, ...column.map((cell) => cell.width));
    for (const cell of column) {
      middles.set(cell, x + width / 2);
      if (!cell.id.startsWith("\n") || cell.width > 0) boxes.set(cell.id, { x: x + width / 2, y: cell.y - top, width: cell.width, height: cell.height });
    }
    x += width + LAYER_GAP;
  }
  for (const [key, way] of waypoints) ways.set(key, way.map((cell) => [middles.get(cell), cell.y - top]));
  const bottom = Math.max(...all.map(({ y, height }) => y + height / 2), 0);
  return { boxes, ways, width: Math.max(0, x - LAYER_GAP), height: Number.isFinite(top) ? bottom - top : 0 };
}

/** The layer of each node: behind all that it comes after; edges that would close a circle do not
 * count. Nodes then go as far right as what comes after them allows, so that edges are short.
 * @param {Node[]} nodes @param {Edge[]} edges @returns {Map<string, number>} */
function ranks(nodes, edges) {
  /** @type {Map<string, string[]>} */ const next = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to, isBack } of edges) if (!isBack && from !== to) next.get(from)?.push(to);
  const isIn = new Set(edges.filter(({ isBack }) => !isBack).map(({ to }) => to));
  /** @type {Map<string, "open" | "done">} */ const state = new Map();
  /** From the last to the first. @type {string[]} */ const order = [];
  /** @type {Map<string, string[]>} */ const forward = new Map();
  const visit = (/** @type {string} */ root) => {
    /** @type {[string, number][]} */ const stack = [[root, 0]];
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
  /** @type {Map<string, number>} */ const rank = new Map(nodes.map(({ id }) => [id, 0]));
  for (const id of order.slice().reverse()) for (const to of forward.get(id) ?? []) rank.set(to, Math.max(rank.get(to) ?? 0, (rank.get(id) ?? 0) + 1));
  for (const id of order) {
    const after = forward.get(id) ?? [];
    if (after.length > 0) rank.set(id, Math.min(...after.map((to) => rank.get(to) ?? 0)) - 1);
  }
  return rank;
}

/** Orders each layer by the middle of its neighbours, there and back, and keeps the best order.
 * @param {{left: any[], right: any[]}[][]} columns */
function reduceCrossings(columns) {
  let best = columns.map((column) => column.slice()), least = Infinity;
  const place = new Map();
  const number = (/** @type {any[]} */ column) => column.forEach((cell, at) => place.set(cell, at));
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isRight = sweep % 2 === 0;
    const through = isRight ? columns : columns.slice().reverse();
    for (const column of through) {
      const middle = new Map(column.map((cell) => {
        const beside = isRight ? cell.left : cell.right;
        return [cell, beside.length ? beside.reduce((sum, one) => sum + place.get(one), 0) / beside.length : place.get(cell)];
      }));
      column.sort((a, b) => middle.get(a) - middle.get(b) || place.get(a) - place.get(b));
      number(column);
    }
    const crossing = crossings(columns, place);
    if (crossing < least) { least = crossing; best = columns.map((column) => column.slice()); }
  }
  best.forEach((column, at) => { columns[at].splice(0, Infinity, ...column); });
}

/** How many pairs of edges cross. @param {{left: any[], right: any[]}[][]} columns @param {Map<any, number>} place */
function crossings(columns, place) {
  let sum = 0;
  for (const column of columns) {
    const ends = column.flatMap((cell) => cell.right.map((to) => place.get(to) ?? 0).sort((a, b) => a - b));
    // Pairs in the wrong order, by a tree of counts.
    const tree = new Int32Array(Math.max(0, ...ends) + 2);
    for (let seen = 0; seen < ends.length; seen++) {
      let before = 0;
      for (let at = ends[seen] + 1; at > 0; at -= at & -at) before += tree[at];
      sum += seen - before;
      for (let at = ends[seen] + 1; at < tree.length; at += at & -at) tree[at]++;
    }
  }
  return sum;
}

/** Moves all cells towards their neighbours, in their order and with room between them.
 * @param {{y: number, height: number, width: number, left: any[], right: any[]}[][]} columns */
function straighten(columns) {
  for (const column of columns) {
    let y = 0;
    for (const cell of column) { cell.y = y + cell.height / 2; y += cell.height + NODE_GAP; }
    for (const cell of column) cell.y -= y / 2;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isLast = sweep >= SWEEPS - 2;
    for (const column of sweep % 2 === 0 ? columns : columns.slice().reverse()) {
      settle(column, column.map((cell) => {
        const beside = isLast ? [...cell.left, ...cell.right] : sweep % 2 === 0 ? cell.left : cell.right;
        return beside.length ? beside.reduce((/** @type {number} */ sum, one) => sum + one.y, 0) / beside.length : cell.y;
      }));
    }
  }
}

/** The places nearest to the wished ones that keep the order: neighbours that would overlap become
 * a block, which goes where its members want to be on average.
 * @param {{y: number, height: number}[]} column @param {number[]} wished */
function settle(column, wished) {
  /** @type {{from: number, sum: number, count: number}[]} */ const blocks = [];
  /** Where a cell would be with everything before it packed. @type {number[]} */ const offset = [];
  let at = 0;
  column.forEach((cell, number) => {
    if (number > 0) at += (column[number - 1].height + cell.height) / 2 + NODE_GAP;
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
    const end = blocks[number + 1]?.from ?? column.length;
    for (let place = block.from; place < end; place++) column[place].y = block.sum / block.count + offset[place];
  });
}
