// The layout of views as plain data, which is saved, put into addresses and changed by dragging.

/**
 * @typedef {{view: string, settings: any}} Tab
 * @typedef {{tabs: Tab[], active: number}} Stack
 * @typedef {{split: "row" | "column", sizes: number[], children: Arrangement[]}} Split
 * @typedef {Stack | Split} Arrangement
 * @typedef {"left" | "right" | "top" | "bottom"} Side
 */

const DEPTH = 12;
const MOST_TABS = 60;

/** @param {Arrangement} node @returns {node is Split} */
export const isSplit = (node) => "split" in node;

/** All stacks, from left to right and from the top. @param {Arrangement} node @returns {Stack[]} */
export function stacks(node) {
  return isSplit(node) ? node.children.flatMap(stacks) : [node];
}

/** All tabs. @param {Arrangement} node */
export function tabs(node) {
  return stacks(node).flatMap((stack) => stack.tabs);
}

/**
 * Returns the usable part of a layout from an address or a file: unknown views and malformed parts
 * are left out. `null` if nothing is left.
 *
 * @param {any} data @param {(view: string) => boolean} isKnown @returns {Arrangement | null}
 */
export function read(data, isKnown) {
  let count = 0;
  /** @type {(node: any, depth: number) => Arrangement | null} */
  const node = (from, depth) => {
    if (typeof from !== "object" || from === null || depth > DEPTH) return null;
    if (Array.isArray(from.tabs)) {
      const good = from.tabs.filter((/** @type {any} */ tab) => typeof tab?.view === "string" && isKnown(tab.view) && ++count <= MOST_TABS);
      const list = good.map((/** @type {any} */ tab) => ({ view: tab.view, settings: typeof tab.settings === "object" ? tab.settings ?? {} : {} }));
      const active = Number.isInteger(from.active) ? Math.min(Math.max(0, from.active), Math.max(0, list.length - 1)) : 0;
      return list.length ? { tabs: list, active } : null;
    }
    if (!Array.isArray(from.children)) return null;
    const children = [], sizes = [];
    for (const [index, child] of from.children.entries()) {
      const good = node(child, depth + 1);
      if (!good) continue;
      const size = Number(from.sizes?.[index]);
      children.push(good);
      sizes.push(size > 0 && Number.isFinite(size) ? size : 1);
    }
    return children.length ? { split: from.split === "column" ? "column" : "row", sizes, children } : null;
  };
  const result = node(data, 0);
  return result && tidy(result);
}

/**
 * Returns the same layout without empty stacks, splits of one, and splits within splits of the same
 * direction. Stacks and tabs stay the same objects.
 *
 * @param {Arrangement} node @returns {Arrangement}
 */
export function tidy(node) {
  return tidied(node) ?? { tabs: [], active: 0 };
}

/** @param {Arrangement} node @returns {Arrangement | null} */
function tidied(node) {
  if (!isSplit(node)) {
    node.active = Math.min(Math.max(0, node.active), Math.max(0, node.tabs.length - 1));
    return node.tabs.length ? node : null;
  }
  const children = [], sizes = [];
  for (const [index, child] of node.children.entries()) {
    const good = tidied(child);
    if (!good) continue;
    const size = node.sizes[index] ?? 1;
    if (isSplit(good) && good.split === node.split) {
      const sum = good.sizes.reduce((a, b) => a + b, 0);
      children.push(...good.children);
      sizes.push(...good.sizes.map((part) => (part / sum) * size));
    } else {
      children.push(good);
      sizes.push(size);
    }
  }
  if (children.length === 0) return null;
  if (children.length === 1) return children[0];
  return { split: node.split, sizes, children };
}

/** Removes a tab. @param {Arrangement} root @param {Tab} tab @returns {Arrangement} */
export function remove(root, tab) {
  return tidy(without(root, tab));
}

/** Takes a tab out; a stack that it leaves empty stays for now. @param {Arrangement} root @param {Tab} tab */
function without(root, tab) {
  for (const stack of stacks(root)) {
    const index = stack.tabs.indexOf(tab);
    if (index < 0) continue;
    stack.tabs.splice(index, 1);
    if (index < stack.active || stack.active >= stack.tabs.length) stack.active = Math.max(0, stack.active - 1);
  }
  return root;
}

/** Puts a tab into a stack, at a place, and to the front; it may come from elsewhere in `root`.
 * @param {Arrangement} root @param {Stack} stack @param {Tab} tab @param {number} [index] @returns {Arrangement} */
export function insert(root, stack, tab, index = stack.tabs.length) {
  const before = stack.tabs.indexOf(tab);
  without(root, tab);
  const at = Math.min(before >= 0 && before < index ? index - 1 : index, stack.tabs.length);
  stack.tabs.splice(at, 0, tab);
  stack.active = at;
  return tidy(root);
}

/** Puts a tab into a stack of its own, beside another; it may come from elsewhere in `root`.
 * @param {Arrangement} root @param {Stack} stack @param {Tab} tab @param {Side} side @returns {Arrangement} */
export function beside(root, stack, tab, side) {
  if (stack.tabs.length === 1 && stack.tabs[0] === tab) return root;
  without(root, tab);
  const added = { tabs: [tab], active: 0 };
  const direction = side === "left" || side === "right" ? "row" : "column";
  const isBefore = side === "left" || side === "top";
  /** @type {(node: Arrangement) => Arrangement} */
  const replaced = (node) => {
    if (node === stack) return { split: direction, sizes: [1, 1], children: isBefore ? [added, stack] : [stack, added] };
    return isSplit(node) ? { ...node, children: node.children.map(replaced) } : node;
  };
  return tidy(replaced(root));
}

/** An arrangement as it stands in an address. @param {Arrangement} arrangement */
export function toAddress(arrangement) {
  const bytes = new TextEncoder().encode(JSON.stringify(arrangement));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The opposite of `toAddress`; `null` for anything else. @param {string} text @returns {any} */
export function fromAddress(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
