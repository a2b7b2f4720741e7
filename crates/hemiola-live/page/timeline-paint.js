// Paints the events of the timeline: in batches of one colour, and events narrower than a
// pixel as the share of the pixel that was busy.

import { CALLBACK, OVERRUN, PUBLISH, SAMPLE, TAKE, TASK } from "./event-store.js";

/**
 * @typedef {import("./event-store.js").EventStore} EventStore
 * @typedef {import("./event-store.js").Chunk} Chunk
 * @typedef {import("./timeline.js").Row} Row
 * @typedef {import("./timeline.js").Window} Window
 * @typedef {import("./theme.js").Colours} Colours
 */

const HEIGHT = 16;
const INSET = 6;
const BAND = 3;
const MOST_ARROWS = 3000;

/**
 * Paints tasks, callbacks and samples, and marks what went wrong.
 *
 * @param {CanvasRenderingContext2D} context @param {EventStore} store @param {Window} window @param {Map<number, Row>} rows
 * @param {{byCore: boolean, look: Colours, colour(type: number, subject: number): string, name(event: {type: number, subject: number}): string,
 *   isMarked(chunk: Chunk, place: number): boolean}} how
 */
export function paint(context, store, window, rows, how) {
  const { from, to, left, width, top, scroll } = window;
  const scale = width / (to - from);
  /** Rectangles by colour: x, y, width, height. @type {Map<string, number[]>} */
  const faint = new Map();
  /** @type {Map<string, number[]>} */
  const marked = new Map();
  /** @type {[string, number, number, number][]} */
  const names = [];
  /** @type {[number, number, boolean][]} */
  const troubles = [];
  const add = (/** @type {Map<string, number[]>} */ batch, /** @type {string} */ colour, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ across, /** @type {number} */ down) => {
    const rectangles = batch.get(colour);
    if (rectangles) rectangles.push(x, y, across, down);
    else batch.set(colour, [x, y, across, down]);
  };

  let thread = -1, pixel = NaN, busy = 0, colour = "", y = 0, isMarked = false, trouble = NaN;
  /** The events that enclose the current one. @type {number[]} */
  let around = [];
  const flush = () => {
    if (busy > 0) {
      const height = HEIGHT * Math.min(1, Math.max(0.2, busy));
      add(isMarked ? marked : faint, colour, left + pixel, y + HEIGHT - height, 1, height);
    }
    busy = 0;
    pixel = NaN;
  };
  store.each(from, to, (chunk, place, worker) => {
    const row = rows.get(how.byCore ? chunk.core[place] : worker);
    if (!row) return;
    if (worker !== thread) { flush(); thread = worker; around = []; trouble = NaN; }
    const type = chunk.type[place], begin = chunk.begin[place], end = chunk.end[place];
    const here = top + row.y - scroll + INSET, x = (begin - from) * scale;
    if (type !== TASK && type !== CALLBACK && type !== SAMPLE) {
      if ((type === OVERRUN || type > SAMPLE) && Math.round(x) !== trouble) {
        trouble = Math.round(x);
        troubles.push([left + x, here, type === OVERRUN || type === 9]);
      }
      return;
    }
    const across = (end - begin) * scale, mark = how.isMarked(chunk, place);
    if (across < 1) {
      const column = Math.floor(x);
      if (column !== pixel || here !== y || mark !== isMarked) {
        flush();
        [pixel, y, isMarked, colour] = [column, here, mark, how.colour(type, chunk.subject[place])];
      }
      busy += Math.max(across, 0.05);
      return;
    }
    // A task that waits for parts of it may run others meanwhile: they lie lower.
    while (around.length > 0 && around[around.length - 1] >= end) around.pop();
    const depth = Math.min(3, around.length);
    around.push(begin);
    const start = Math.max(-2, x), length = Math.min(x + across, width + 2) - start;
    add(mark ? marked : faint, how.colour(type, chunk.subject[place]), left + start, here + depth * 3, Math.max(1, length - (length > 4 ? 0.5 : 0)), HEIGHT - depth * 3);
    if (length > 34) names.push([how.name({ type, subject: chunk.subject[place] }), left + start, here + depth * 3 + (HEIGHT - depth * 3) / 2, length]);
  });
  flush();

  const put = (/** @type {Map<string, number[]>} */ batch) => {
    for (const [style, all] of batch) {
      context.fillStyle = style;
      for (let at = 0; at < all.length; at += 4) context.fillRect(all[at], all[at + 1], all[at + 2], all[at + 3]);
    }
  };
  put(faint);
  const alpha = context.globalAlpha;
  context.globalAlpha = 1;
  put(marked);
  context.font = `10px ${how.look.font}`;
  context.textBaseline = "middle";
  context.fillStyle = how.look.background;
  for (const [name, x, at, length] of names) {
    const most = Math.floor((length - 6) / 6.1), last = name.slice(name.indexOf(".") + 1);
    const text = name.length <= most ? name : last.length <= most ? last : `${last.slice(0, most - 1)}…`;
    if (most > 2) context.fillText(text, x + 3, at);
  }
  for (const [x, at, isBad] of troubles) {
    context.fillStyle = isBad ? how.look.bad : how.look.warning;
    context.beginPath();
    context.moveTo(x, at + 2);
    context.lineTo(x - 4, at - 6);
    context.lineTo(x + 4, at - 6);
    context.fill();
  }
  context.globalAlpha = alpha;
}

/** Paints a band over each run, from its trigger to its end: runs that missed their deadlines stand out.
 * @param {CanvasRenderingContext2D} context @param {EventStore} store @param {Window} window @param {Map<number, Row>} rows @param {Colours} look
 * @param {{cycle: number, run: number} | null} selected */
export function paintRuns(context, store, window, rows, look, selected) {
  const { from, to, left, width, top, scroll } = window;
  const scale = width / (to - from);
  for (const [cycle, runs] of store.runs) {
    let before = NaN;
    for (const run of runs.values()) {
      const end = Number.isFinite(run.end) ? run.end : store.newest;
      if (end < from || run.trigger > to) continue;
      const row = rows.get(run.worker);
      if (!row) break;
      const x = (run.trigger - from) * scale, across = Math.max(1, (end - run.trigger) * scale - 0.5);
      if (across < 1.5 && Math.round(x) === before && !run.missed) continue;
      before = Math.round(x);
      const isSelected = selected?.cycle === cycle && selected.run === run.run;
      context.fillStyle = run.missed ? look.bad : isSelected ? look.accent : look["strong-line"];
      context.fillRect(left + x, top + row.y - scroll + 1, across, run.missed || isSelected ? BAND + 1 : BAND);
    }
  }
}

/** The colour of what a run waited for. @param {import("./blocking.js").Cause} cause @param {Colours} look */
export function causeColour(cause, look) {
  switch (cause) {
    case "needed": return look.accent;
    case "occupied": return look.warning;
    case "preempted": case "stalled": return look.bad;
    case "late": case "sampled": case "backlog": return look.series[4];
    default: return look.muted;
  }
}

/** Paints a blocking chain over its threads.
 * @param {CanvasRenderingContext2D} context @param {import("./blocking.js").Stretch[]} chain @param {Window} window @param {Map<number, Row>} rows @param {Colours} look */
export function paintChain(context, chain, window, rows, look) {
  const { from, to, left, width, top, scroll } = window;
  const scale = width / (to - from);
  /** @type {[number, number] | null} */
  let before = null;
  context.lineWidth = 1.5;
  for (const stretch of chain) {
    const row = rows.get(stretch.worker);
    if (!row) continue;
    const x = left + (stretch.begin - from) * scale, across = (stretch.end - stretch.begin) * scale, y = top + row.y - scroll + INSET;
    const isTask = stretch.cause === "needed" || stretch.cause === "occupied";
    context.strokeStyle = context.fillStyle = causeColour(stretch.cause, look);
    if (before && before[1] !== y) {
      context.beginPath();
      context.moveTo(before[0], before[1] + HEIGHT / 2);
      context.lineTo(x, y + HEIGHT / 2);
      context.stroke();
    }
    if (isTask) {
      context.strokeRect(x, y - 1, Math.max(1, across), HEIGHT + 2);
      context.fillRect(x, y + HEIGHT - 3, Math.max(1, across), 3);
    } else {
      context.fillRect(x, y + HEIGHT / 2 - 2, Math.max(1, across), 4);
    }
    before = [x + across, y];
  }
}

/** Paints arrows from publications to the runs that read them: those of the selected run, if there is one.
 * @param {CanvasRenderingContext2D} context @param {EventStore} store @param {Window} window @param {Map<number, Row>} rows @param {boolean} byCore
 * @param {Colours} look @param {{cycle: number, run: number} | null} selected */
export function paintArrows(context, store, window, rows, byCore, look, selected) {
  const { from, to, left, width, top, scroll } = window;
  const scale = width / (to - from);
  /** The time and the row, by exchange and run. @type {Map<string, [number, number]>} */
  const published = new Map();
  /** @type {[string, number, number][]} */
  const taken = [];
  store.each(from - 1e9, to, (chunk, place, worker) => {
    const type = chunk.type[place];
    if (type !== PUBLISH && type !== TAKE) return;
    const row = rows.get(byCore ? chunk.core[place] : worker);
    if (!row) return;
    const x = left + (chunk.begin[place] - from) * scale, y = top + row.y - scroll + INSET + HEIGHT / 2;
    if (type === PUBLISH) published.set(`${chunk.subject[place]} ${chunk.run[place]}`, [x, y]);
    else if (x >= left && (!selected || (chunk.other[place] === selected.cycle && chunk.run[place] === selected.run))) taken.push([`${chunk.subject[place]} ${chunk.number[place]}`, x, y]);
  });
  context.strokeStyle = context.fillStyle = look.series[3];
  context.lineWidth = 1;
  for (const [key, x, y] of taken.slice(0, MOST_ARROWS)) {
    const origin = published.get(key);
    if (!origin) continue;
    const [x0, y0] = origin, middle = Math.max(8, (x - x0) / 2);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + middle, y0, x - middle, y, x, y);
    context.stroke();
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - 5, y - 3);
    context.lineTo(x - 5, y + 3);
    context.fill();
  }
}
