// The events of a robot's threads in the last seconds, as its door sends them.

/**
 * @typedef {{type: number, core: number, worker: number, subject: number, other: number, run: number, number: number, begin: number, end: number}} Event
 *   Times are nanoseconds since `EventStore.base`.
 * @typedef {{cycle: number, run: number, worker: number, trigger: number, begin: number, end: number, missed: boolean}} Run
 *   `end` is `NaN` while it goes on; `missed` says that it ended after its deadline.
 */

export const TASK = 0, BEGIN = 1, END = 2, OVERRUN = 3, WOKEN = 4, PUBLISH = 5, TAKE = 6, CALLBACK = 7, SAMPLE = 8,
  FAILURE = 9, STALE = 10, DROPPED = 11, SKIPPED = 12;

const RECORD = 32;
const CHUNK = 1024;

/** A number of consecutive events of one thread. */
export class Chunk {
  type = new Uint8Array(CHUNK);
  core = new Uint8Array(CHUNK);
  subject = new Uint16Array(CHUNK);
  other = new Uint16Array(CHUNK);
  run = new Uint32Array(CHUNK);
  number = new Uint32Array(CHUNK);
  begin = new Float64Array(CHUNK);
  end = new Float64Array(CHUNK);
  length = 0;
  first = Infinity;
  last = -Infinity;
}

/**
 * Events by thread, in chunks: events older than `keep` nanoseconds are dropped chunk by chunk,
 * and so are the oldest of all chunks if there are more than `most`.
 */
export class EventStore {
  /** Chunks by thread, the oldest first. @type {Map<number, Chunk[]>} */
  lanes = new Map();
  /** By cycle and number, in the order of their begins. @type {Map<number, Map<number, Run>>} */
  runs = new Map();
  /** Nanoseconds of the robot's clock at which the times of events begin. @type {bigint | null} */
  base = null;
  /** The time at which the newest event ended. */
  newest = -Infinity;
  /** Cores that anything ran on. @type {Set<number>} */
  cores = new Set();
  #chunks = 0;

  /** @param {{keep?: number, most?: number, deadline?: (cycle: number) => number}} [limits] */
  constructor({ keep = 15e9, most = 400, deadline = () => Infinity } = {}) {
    this.keep = keep;
    this.most = most;
    this.deadline = deadline;
  }

  /** Takes records of 32 bytes. @param {DataView} records */
  absorb(records) {
    for (let at = 0; at + RECORD <= records.byteLength; at += RECORD) {
      const absolute = records.getBigInt64(at + 16, true);
      // A robot whose clock jumps is another one.
      if (this.base !== null && Math.abs(Number(absolute - this.base) - Math.max(0, this.newest)) > 3.6e12) this.clear();
      this.base ??= absolute;
      const begin = Number(absolute - this.base);
      const end = Math.max(begin, Number(records.getBigInt64(at + 24, true) - this.base));
      const worker = records.getUint16(at + 2, true);
      const chunk = this.#chunk(worker);
      const place = chunk.length++;
      const type = chunk.type[place] = records.getUint8(at);
      const core = chunk.core[place] = records.getUint8(at + 1);
      const subject = chunk.subject[place] = records.getUint16(at + 4, true);
      chunk.other[place] = records.getUint16(at + 6, true);
      const run = chunk.run[place] = records.getUint32(at + 8, true);
      const number = chunk.number[place] = records.getUint32(at + 12, true);
      chunk.begin[place] = begin;
      chunk.end[place] = end;
      if (begin < chunk.first) chunk.first = begin;
      if (end > chunk.last) chunk.last = end;
      if (end > this.newest) this.newest = end;
      if (type === TASK) this.cores.add(core);
      else if (type === BEGIN) this.#begins({ cycle: subject, run, worker, trigger: begin - number, begin, end: NaN, missed: false });
      else if (type === END) this.#ends(subject, run, end);
    }
    this.#drop();
  }

  clear() {
    this.lanes.clear();
    this.runs.clear();
    this.cores.clear();
    this.base = null;
    this.newest = -Infinity;
    this.#chunks = 0;
  }

  /** Returns a snapshot of the events, which does not change as this store goes on. @returns {EventStore} */
  freeze() {
    const frozen = new EventStore({ keep: Infinity, most: Infinity, deadline: this.deadline });
    for (const [worker, chunks] of this.lanes) {
      frozen.lanes.set(worker, chunks.slice());
      // The next event begins a chunk of its own.
      this.lanes.set(worker, chunks.concat(this.#fresh()));
    }
    for (const [cycle, runs] of this.runs) frozen.runs.set(cycle, new Map([...runs].map(([run, what]) => [run, { ...what }])));
    frozen.base = this.base;
    frozen.newest = this.newest;
    frozen.cores = new Set(this.cores);
    return frozen;
  }

  /** The number of events in the store. */
  get length() {
    let sum = 0;
    for (const chunks of this.lanes.values()) for (const chunk of chunks) sum += chunk.length;
    return sum;
  }

  /** Calls with everything that overlaps a time, of each thread the newest first.
   * @param {number} from @param {number} to @param {(chunk: Chunk, place: number, worker: number) => void} callback */
  each(from, to, callback) {
    for (const [worker, chunks] of this.lanes) {
      for (let number = chunks.length - 1; number >= 0; number--) {
        const chunk = chunks[number];
        if (chunk.last < from || chunk.first > to) continue;
        const { begin, end } = chunk;
        for (let place = chunk.length - 1; place >= 0; place--) {
          if (end[place] >= from && begin[place] <= to) callback(chunk, place, worker);
        }
      }
    }
  }

  /** The event that a thread was in at a time: the innermost, if they are nested.
   * @param {number} time @param {number} slack of this many nanoseconds beside it counts
   * @param {(event: Event) => boolean} wanted @returns {Event | null} */
  find(time, slack, wanted) {
    /** @type {Event | null} */
    let best = null;
    let bestDistance = Infinity, bestLength = Infinity;
    this.each(time - slack, time + slack, (chunk, place, worker) => {
      const event = eventAt(chunk, place, worker);
      if (!wanted(event)) return;
      const distance = Math.max(0, event.begin - time, time - event.end), length = event.end - event.begin;
      if (distance < bestDistance || (distance === bestDistance && length < bestLength)) [best, bestDistance, bestLength] = [event, distance, length];
    });
    return best;
  }

  /** @param {number} worker */
  #chunk(worker) {
    let chunks = this.lanes.get(worker);
    if (!chunks) this.lanes.set(worker, chunks = []);
    const last = chunks[chunks.length - 1];
    if (last && last.length < CHUNK) return last;
    const fresh = this.#fresh();
    chunks.push(fresh);
    return fresh;
  }

  #fresh() {
    this.#chunks++;
    return new Chunk();
  }

  /** @param {Run} run */
  #begins(run) {
    const runs = this.runs.get(run.cycle) ?? new Map();
    this.runs.set(run.cycle, runs.set(run.run, run));
  }

  /** @param {number} cycle @param {number} number @param {number} end */
  #ends(cycle, number, end) {
    const run = this.runs.get(cycle)?.get(number);
    if (!run) return;
    run.end = end;
    run.missed = end - run.trigger > this.deadline(cycle);
  }

  #drop() {
    const limit = this.newest - this.keep;
    for (const [worker, chunks] of this.lanes) {
      let old = 0;
      while (old < chunks.length && chunks[old].length > 0 && chunks[old].last < limit) old++;
      if (old > 0) this.#remove(worker, chunks, old);
    }
    while (this.#chunks > this.most) {
      let oldest = Infinity, victim = -1;
      for (const [worker, chunks] of this.lanes) if (chunks.length > 0 && chunks[0].last < oldest) [oldest, victim] = [chunks[0].last, worker];
      const chunks = this.lanes.get(victim);
      if (!chunks) break;
      this.#remove(victim, chunks, 1);
    }
    for (const runs of this.runs.values()) {
      for (const [number, run] of runs) {
        if (run.begin >= limit) break;
        runs.delete(number);
      }
    }
  }

  /** @param {number} worker @param {Chunk[]} chunks @param {number} count */
  #remove(worker, chunks, count) {
    chunks.splice(0, count);
    this.#chunks -= count;
    if (chunks.length === 0) this.lanes.delete(worker);
  }
}

/** @param {Chunk} chunk @param {number} place @param {number} worker @returns {Event} */
export function eventAt(chunk, place, worker) {
  return {
    type: chunk.type[place], core: chunk.core[place], worker, subject: chunk.subject[place], other: chunk.other[place],
    run: chunk.run[place], number: chunk.number[place], begin: chunk.begin[place], end: chunk.end[place],
  };
}
