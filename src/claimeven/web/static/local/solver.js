// The exact solver of a board: calls of the compiled search, in slices.

import { Kernels } from "./kernels.js";
import { centerOrder, geometryOf, mirrorOf, wordsOf } from "./positions.js";
import { Position } from "../rules.js";
import { SOLVER, SOLVER_TABLE } from "./slots.js";

const [MIN_MB, MAX_MB] = [16, 64];
/** Positions with more discs are solved without waiting for the book. */
const OPENING_PLIES = 12;
/** The assumed nodes in a millisecond before a measurement, and the fewest nodes that are one. */
const FIRST_RATE = 2_000;
const MEASURED_NODES = 1_000;

/** A search whose time is over. */
export class SearchStopped extends Error {
  name = "SearchStopped";

  constructor() {
    super("The position was not solved within the time limit.");
  }
}

/** Return the score of a side that completes a line with the disc after `ply` discs. */
export function winScore({ cells }, ply) {
  return Math.floor((cells + 1 - ply) / 2);
}

/** Return the score of a finished game for the side that would be to move. */
export function finalScore({ board, ply, winner }) {
  return winner === null ? 0 : -winScore(board, ply - 1);
}

/** Return the MB of the table for the memory of this device, in GB if the browser reports it. */
function defaultMegabytes() {
  return Math.min(MAX_MB, Math.max(MIN_MB, 8 * (navigator.deviceMemory ?? 4)));
}

/** Return the bits of the number of buckets of the greatest table of at most `megabytes`. */
function bucketBits({ bits }, megabytes) {
  const wanted = Math.floor(Math.log2((megabytes * 2 ** 20) / SOLVER_TABLE.ENTRY_BYTES)) - SOLVER_TABLE.BUCKET_BITS;
  return Math.min(Math.max(wanted, 1, bits - SOLVER_TABLE.REST_BITS), bits - 1);
}

/** Return the setup of the kernels for a board, as `search_setup` of the Python package. */
function searchSetup(board, buckets) {
  const { height, bits, bottom, cells } = geometryOf(board);
  const setup = new BigUint64Array(SOLVER.SETUP);
  const rest = bits - buckets;
  const ones = (count) => (1n << BigInt(count)) - 1n;
  const rowsWith = (isIncluded) => {
    let rows = 0n;
    for (let row = 0; row < board.rows; row++) if (isIncluded(board.rows - 1 - row)) rows |= 1n << BigInt(row);
    return bottom * rows;
  };
  const values = {
    HEIGHT: height, CONNECT: board.connect, CELLS: board.cells, COLUMNS: board.columns, BOTTOM: bottom, BOARD: cells,
    PAIR_TOPS: rowsWith((above) => above % 2 === 0), MIRROR_PLIES: Math.floor(board.cells / 3), KEY_MASK: ones(bits),
    MULTIPLIER: (SOLVER_TABLE.GOLDEN >> BigInt(64 - bits)) | 1n, BUCKET_SHIFT: rest, REST_MASK: ones(rest),
  };
  for (const [slot, value] of Object.entries(values)) setup[SOLVER[slot]] = BigInt(value);
  for (let count = 0; count < board.rows; count++) setup[SOLVER.ABOVE + count] = rowsWith((above) => above >= count);
  for (const [place, column] of centerOrder(board).entries()) {
    const first = SOLVER.WEIGHT + column * height;
    setup.fill(BigInt(board.columns - place), first, first + board.rows);
  }
  return setup;
}

/** Exact scores of the positions of one board. Positions are the ones of `rules.js`. */
export class Solver {
  #idle = []; // arrays of searches that are done
  #rate = FIRST_RATE; // nodes in a millisecond

  /** `opening` is the promise of a book, or null: it has `lookUp(position)`, which returns a score or null. */
  static async load(board, megabytes = defaultMegabytes(), opening = null) {
    if (!board.isSolvable) throw new Error("This board is too large for exact scores: columns × (rows + 1) may be at most 64.");
    for (let size = megabytes; ; size /= 2) {
      try {
        return new Solver(await Kernels.load("solver.wasm"), board, size, opening);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        if (size < 1) throw new Error("There is not enough memory for the solver: close other pages, then try again.");
      }
    }
  }

  constructor(kernels, board, megabytes, opening) {
    Object.assign(this, { kernels, board, opening, book: null });
    const buckets = bucketBits(geometryOf(board), megabytes);
    this.setup = kernels.copy(BigUint64Array, searchSetup(board, buckets));
    this.entries = kernels.array(BigUint64Array, 2 ** (buckets + SOLVER_TABLE.BUCKET_BITS));
    this.nodes = 0;
  }

  /** Return the score of a position if the rules or the book have it, else null. */
  #known(position) {
    return position.isOver ? finalScore(position) : this.book?.lookUp(position) ?? null;
  }

  /** Wait for the book if a position may be in it. */
  async #open({ ply }) {
    if (ply <= OPENING_PLIES) this.book = await this.opening;
  }

  /**
   * Return the score of a position, cut off to `floor` to `ceiling` if it is searched. `job` has
   * `pause`, `left` and `isLate`; throws `SearchStopped` when the job is late.
   */
  async score(position, job, floor = null, ceiling = null) {
    await this.#open(position);
    return this.#known(position) ?? this.#search(position, job, floor, ceiling);
  }

  async #search(position, job, floor, ceiling) {
    const { BUDGET, LOW, HIGH, NODES, PAUSED, RESUME, STEP, TOGETHER } = SOLVER;
    const most = BigInt(winScore(this.board, 0));
    const [low, high] = [floor === null ? -most : BigInt(floor), ceiling === null ? most : BigInt(ceiling)];
    const { mine, mask } = wordsOf(position);
    const arrays = this.#idle.pop() ?? this.#newArrays();
    const { stack, control, shared } = arrays;
    try {
      Object.assign(control.items, { [RESUME]: 0n, [STEP]: 0n });
      Object.assign(shared.items, { [LOW]: low, [HIGH]: high, [TOGETHER]: 0n });
      for (;;) {
        await job.pause();
        if (job.isLate) throw new SearchStopped();
        const before = control.items[NODES];
        control.items[BUDGET] = before + BigInt(Math.ceil(job.left * this.#rate) + 1);
        const start = performance.now();
        const score = this.kernels.call("solve", this.setup, this.entries, stack, control, shared, mine, mask, low, high);
        const nodes = Number(control.items[NODES] - before);
        this.nodes += nodes;
        if (nodes > MEASURED_NODES) this.#rate = nodes / Math.max(0.1, performance.now() - start);
        if (score !== BigInt(PAUSED)) return Number(score);
      }
    } finally {
      this.#idle.push(arrays);
    }
  }

  /** Each search in progress has its own arrays; all share the table. */
  #newArrays() {
    const { kernels } = this;
    return {
      stack: kernels.array(BigUint64Array, SOLVER.STACK),
      control: kernels.array(BigInt64Array, SOLVER.CONTROLS),
      shared: kernels.array(BigInt64Array, SOLVER.SHARED),
    };
  }

  /**
   * Return the scores of all columns (null for full ones), whether all are known in time
   * (`complete`), and whether without a search (`fromBook`).
   * `onColumn(column, score)` is called for each as soon as it is known.
   */
  async scores(position, job, onColumn = () => {}) {
    await this.#open(position);
    const scores = Array(this.board.columns).fill(null);
    const children = new Map();
    const found = (column, score) => {
      scores[column] = score;
      onColumn(column, score);
    };
    for (const column of this.playable(position)) {
      const child = position.play(column);
      const known = this.#known(child);
      if (known === null) children.set(column, child);
      else found(column, 0 - known);
    }
    const floors = this.#floors(position, children);
    const isMirror = position.rows === mirrorOf(position).rows;
    let complete = true;
    for (const [column, child] of children) {
      const image = this.board.columns - 1 - column;
      try {
        const isKnown = isMirror && scores[image] !== null;
        found(column, isKnown ? scores[image] : 0 - await this.#search(child, job, floors.get(column) ?? null, null));
      } catch (error) {
        if (!(error instanceof SearchStopped)) throw error;
        complete = false;
      }
    }
    return { scores, complete, fromBook: !children.size };
  }

  /** Return the most central column that keeps the score of an unfinished position. */
  async best(position, job) {
    const score = await this.score(position, job);
    for (const column of this.playable(position)) {
      if (await this.score(position.play(column), job, -score, 1 - score) === -score) return { column, score };
    }
    throw new Error("The opening book is wrong: no column leads to its score of this position.");
  }

  /** Columns that can be played, the most central one first. */
  playable(position) {
    return centerOrder(this.board).filter((column) => position.isLegal(column));
  }

  /**
   * Return lower bounds of positions one ply beyond the book: several positions of the book may lead to
   * one, by the removal of each top disc of the side that moved last.
   */
  #floors(position, children) {
    const known = this.book?.lookUp(position) ?? null;
    if (known === null) return new Map();
    return new Map([...children].map(([column, child]) => {
      const parents = child.stacks.flatMap((stack, at) => (stack.at(-1) === position.turn
        ? [this.book.lookUp(new Position(child.board, child.stacks.with(at, stack.slice(0, -1))))] : []));
      return [column, Math.max(-known, ...parents.filter((score) => score !== null).map((score) => -score))];
    }));
  }
}
