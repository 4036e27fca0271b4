// The exact solver of a board: calls of the compiled search, in slices.

import { Kernels, compiled } from "./kernels.js";
import { centerOrder, geometryOf, mirrorOf, playable, wordsOf } from "./positions.js";
import { SOLVER, SOLVER_TABLE } from "./slots.js";

/** Limits of the size of the default table in MB, MB for each GB of the device, and its GB if unknown. */
const [MIN_MB, MAX_MB, MB_FOR_GB, DEFAULT_GB] = [16, 64, 8, 4];
/** Positions with more discs are solved without waiting for the book. */
const OPENING_PLIES = 12;
/** The assumed nodes in a millisecond before a measurement, and the fewest nodes that are one. */
const [FIRST_RATE, MEASURED_NODES] = [2_000, 1_000];

compiled("solver.wasm").catch(() => {}); // while the other modules load; `Solver.load` reports errors

/** A search whose time is over. */
export class SearchStopped extends Error {
  message = "The position was not solved within the time limit.";
}

/** Return the setup of the kernels, as `solver.layout.search_setup` of the Python package. */
function searchSetup(board, buckets) {
  const { height, bits, bottom, cells } = geometryOf(board);
  const setup = new BigUint64Array(SOLVER.SETUP);
  const ones = (count) => (1n << BigInt(count)) - 1n;
  const above = Array.from({ length: board.rows }, (_, row) => board.rows - 1 - row); // cells above a row
  const rowsWith = (isIncluded) => bottom * above.reduce((sum, count, row) => sum + (isIncluded(count) ? 1n << BigInt(row) : 0n), 0n);
  const values = {
    HEIGHT: height, CONNECT: board.connect, CELLS: board.cells, COLUMNS: board.columns, BOTTOM: bottom, BOARD: cells,
    PAIR_TOPS: rowsWith((count) => count % 2 === 0), MIRROR_PLIES: Math.floor(board.cells / 3), KEY_MASK: ones(bits),
    MULTIPLIER: (SOLVER_TABLE.GOLDEN >> BigInt(64 - bits)) | 1n, BUCKET_SHIFT: bits - buckets, REST_MASK: ones(bits - buckets),
  };
  for (const [slot, value] of Object.entries(values)) setup[SOLVER[slot]] = BigInt(value);
  for (const least of above) setup[SOLVER.ABOVE + least] = rowsWith((count) => count >= least);
  for (const [place, column] of centerOrder(board).entries()) {
    const first = SOLVER.WEIGHT + column * height;
    setup.fill(BigInt(board.columns - place), first, first + board.rows);
  }
  return setup;
}

/** Exact scores of the positions of one board. Positions are the ones of `rules.js`. */
export class Solver {
  #idle = []; // arrays of searches that are done
  #rate = FIRST_RATE;
  nodes = 0;
  book = null;

  /** `opening()` returns the promise of a book or null, when one is needed; `lookUp(position)` of a book returns a score or null. */
  static async load(board, megabytes = Math.min(MAX_MB, Math.max(MIN_MB, MB_FOR_GB * (navigator.deviceMemory ?? DEFAULT_GB))), opening = async () => null) {
    if (!board.isSolvable) throw new Error("This board is too large for exact scores: columns × (rows + 1) may be at most 64.");
    try {
      return new Solver(await Kernels.load("solver.wasm"), board, megabytes, opening);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (megabytes < 1) throw new Error("There is not enough memory for the solver: close other pages, then try again.");
      return Solver.load(board, megabytes / 2, opening);
    }
  }

  constructor(kernels, board, megabytes, opening) {
    Object.assign(this, { kernels, board, opening });
    const { bits } = geometryOf(board);
    const wanted = Math.floor(Math.log2((megabytes * 2 ** 20) / SOLVER_TABLE.ENTRY_BYTES)) - SOLVER_TABLE.BUCKET_BITS;
    const buckets = Math.min(Math.max(wanted, 1, bits - SOLVER_TABLE.REST_BITS), bits - 1);
    this.setup = kernels.copy(BigUint64Array, searchSetup(board, buckets));
    this.entries = kernels.array(BigUint64Array, 2 ** (buckets + SOLVER_TABLE.BUCKET_BITS));
  }

  /** Return the score of a position if the rules or the book have it, else null. */
  #known(position) {
    return position.isOver ? position.finalScore : this.book?.lookUp(position) ?? null;
  }

  /**
   * Return the score of a position, cut off to `floor` to `ceiling` if it is searched. `job` has
   * `pause`, `left` and `isLate`; throws `SearchStopped` when the job is late.
   */
  async score(position, job, floor = null, ceiling = null) {
    if (position.ply <= OPENING_PLIES) this.book ??= await this.opening();
    return this.#known(position) ?? this.#search(position, job, floor, ceiling);
  }

  async #search(position, job, floor = null, ceiling = null) {
    const { BUDGET, LOW, HIGH, NODES, PAUSED, RESUME, STEP, TOGETHER } = SOLVER;
    const most = this.board.winScore(0);
    const [low, high] = [floor ?? -most, ceiling ?? most].map(BigInt);
    const { mine, mask } = wordsOf(position);
    const array = (Type, size) => this.kernels.array(Type, size);
    // Each search in progress has its own arrays; all share the table.
    const arrays = this.#idle.pop() ?? [array(BigUint64Array, SOLVER.STACK), array(BigInt64Array, SOLVER.CONTROLS), array(BigInt64Array, SOLVER.SHARED)];
    const [, control, shared] = arrays;
    Object.assign(control.items, { [RESUME]: 0n, [STEP]: 0n });
    Object.assign(shared.items, { [LOW]: low, [HIGH]: high, [TOGETHER]: 0n });
    try {
      for (;;) {
        await job.pause();
        if (job.isLate) throw new SearchStopped();
        const before = control.items[NODES];
        const start = performance.now();
        control.items[BUDGET] = before + BigInt(Math.ceil(job.left * this.#rate) + 1);
        const score = this.kernels.call("solve", this.setup, this.entries, ...arrays, mine, mask, low, high);
        const nodes = Number(control.items[NODES] - before);
        this.nodes += nodes;
        if (nodes > MEASURED_NODES) this.#rate = nodes / Math.max(0.1, performance.now() - start);
        if (score !== BigInt(PAUSED)) return Number(score);
      }
    } finally {
      this.#idle.push(arrays);
    }
  }

  /**
   * Return the scores of all columns (null for full ones), whether all are known in time (`complete`), and
   * whether without a search (`fromBook`). `onColumn(column, score)` is called for each known column.
   */
  async scores(position, job, onColumn = () => {}) {
    if (position.ply <= OPENING_PLIES) this.book ??= await this.opening();
    // No column is better than the position: a lower bound for the positions one ply beyond the book.
    const best = this.#known(position);
    const scores = Array(this.board.columns).fill(null);
    const children = new Map();
    const found = (column, score) => {
      scores[column] = score;
      onColumn(column, score);
    };
    for (const column of playable(position)) {
      const child = position.play(column);
      const known = this.#known(child);
      if (known === null) children.set(column, child);
      else found(column, 0 - known);
    }
    const isMirror = position.rows === mirrorOf(position).rows;
    let complete = true;
    for (const [column, child] of children) {
      try {
        const image = isMirror ? scores[this.board.columns - 1 - column] : null;
        found(column, image ?? 0 - await this.#search(child, job, best === null ? null : 0 - best));
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
    for (const column of playable(position)) {
      if (await this.score(position.play(column), job, -score, 1 - score) === 0 - score) return column;
    }
    throw new Error("The opening book is wrong: no column leads to its score of this position.");
  }
}
