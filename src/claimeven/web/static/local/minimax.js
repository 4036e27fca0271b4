// Minimax, alpha-beta and negamax: the driver of the compiled search, within its limits.

import { Kernels } from "./kernels.js";
import { centerOrder, geometryOf, wordsOf } from "./positions.js";
import { BOARD, EVALUATIONS, MINIMAX as SLOTS, MINIMAX_TABLE as TABLE, MONTECARLO, STREAKS } from "./slots.js";

/** Nodes between two looks at the clock. */
const SLICE = 8192;
const COUNTERS = {
  nodes: SLOTS.NODES, evaluations: SLOTS.EVALUATIONS, cutoffs: SLOTS.CUTOFFS, expanded: SLOTS.EXPANDED, table_hits: SLOTS.TABLE_HITS,
};

/** Plies to the winning disc of a proven value, or null. */
export const pliesTo = (value) => (Math.abs(value) > SLOTS.PROVEN ? SLOTS.WIN - Math.abs(value) : null);

/** Return the constants of a board for kernels: see `BOARD` for the places. */
export function boardVector(board) {
  const { height, bottom, cells } = geometryOf(board);
  const vector = Array(MONTECARLO.BOARD_SLOTS).fill(0n);
  const column = (1n << BigInt(board.rows)) - 1n;
  Object.assign(vector, {
    [BOARD.HEIGHT]: BigInt(height), [BOARD.CONNECT]: BigInt(board.connect), [BOARD.BOTTOM]: bottom, [BOARD.BOARD]: cells,
    [BOARD.CENTER]: column << BigInt(Math.floor(board.columns / 2) * height), [MONTECARLO.COLUMNS]: BigInt(board.columns),
    [MONTECARLO.COLUMN]: column, [MONTECARLO.FIRST_WIN]: BigInt(2 * board.connect - 1),
  });
  for (const [direction, [right, up]] of [[0, 1], [1, 0], [1, 1], [1, -1]].entries()) {
    for (let cell = 0; cell < board.columns * height; cell++) {
      const [first, row] = [Math.floor(cell / height), cell % height];
      const [last, end] = [first + (board.connect - 1) * right, row + (board.connect - 1) * up];
      if (row < board.rows && last < board.columns && end >= 0 && end < board.rows) vector[BOARD.STARTS + direction] |= 1n << BigInt(cell);
    }
  }
  return vector;
}

/** A search with its options; negamax also keeps its table from call to call, until `clear`. */
export class MinimaxSearch {
  /** `algorithm` is minimax, alphabeta or negamax; `evaluation` is one of `agents.json`. */
  static async load(board, algorithm, options) {
    return new MinimaxSearch(await Kernels.load("searches.wasm"), board, algorithm, options);
  }

  constructor(kernels, board, algorithm, options) {
    const plies = board.cells + 1;
    const order = options.order === "left" ? Array.from({ length: board.columns }, (_, column) => column) : centerOrder(board);
    this.kernels = kernels;
    this.isRootView = options.view === "root";
    this.discs = kernels.array(BigUint64Array, plies, SLOTS.DISCS_FIELDS);
    this.numbers = kernels.array(BigInt64Array, plies, SLOTS.NUMBERS_FIELDS);
    this.lines = kernels.array(BigInt64Array, plies + 1, plies + 1);
    this.registers = kernels.array(BigInt64Array, SLOTS.REGISTERS);
    this.counts = kernels.array(BigInt64Array, SLOTS.COUNTERS);
    this.roots = kernels.array(BigInt64Array, board.columns, SLOTS.ROOT_FIELDS);
    const rules = [
      kernels.copy(BigUint64Array, boardVector(board)),
      kernels.copy(BigInt64Array, order.map(BigInt)),
      kernels.copy(BigInt64Array, weightsOf(options.eval, board.connect).map(BigInt)),
    ];
    this.bits = algorithm === "negamax" ? options.table : TABLE.NO_TABLE;
    const entries = 1 << Math.max(0, this.bits);
    this.keys = kernels.array(BigUint64Array, entries);
    this.entries = kernels.array(BigInt64Array, entries, TABLE.ENTRY_SLOTS);
    this.parameters = [
      this.discs, this.numbers, this.lines, ...rules, this.registers, this.counts, this.roots, this.keys, this.entries,
    ];
    this.settings = {
      [SLOTS.PRUNE]: algorithm !== "minimax" && options.prune !== false, [SLOTS.TABLE_BITS]: this.bits,
      [SLOTS.EVALUATION]: EVALUATIONS[options.eval].kernel, [SLOTS.ROOT_VIEW]: this.isRootView,
    };
    this.clear();
  }

  /** Remove all entries of the table. */
  clear() {
    this.keys.items.fill(0n);
    // The empty board has the key 0 of an empty slot, so slot 0 gets an entry without a result.
    this.entries.items.set([0n, -1n, BigInt(TABLE.EXACT), -1n]);
  }

  /**
   * Search a position to a depth, within seconds or nodes, or to the end; `within(limits)` of a
   * `job`. Returns the value, the best line, the value of each column, and the counts.
   */
  async search(position, { depth = null, seconds = null, nodes = null }, job) {
    if (this.isRootView && this.turn !== position.turn) this.clear(); // values are for one side
    this.turn = position.turn;
    const empty = position.board.cells - position.ply;
    const deepest = Math.min(depth ?? empty, empty);
    const deadline = seconds === null ? Infinity : performance.now() + 1000 * seconds;
    const counters = {};
    if (seconds === null && nodes === null) return this.#depth(position, deepest, Infinity, Infinity, counters, job);
    let best = await this.#depth(position, 1, Infinity, Infinity, counters, job);
    while (best.depth < deepest && pliesTo(best.value) === null) {
      if (performance.now() >= deadline || counters.nodes >= (nodes ?? Infinity)) break;
      const deeper = await this.#depth(position, best.depth + 1, deadline, (nodes ?? Infinity) - counters.nodes, counters, job);
      if (!deeper) break;
      best = deeper;
    }
    return best;
  }

  /** Prepare the search of one depth. */
  start(position, depth) {
    const { mine, mask } = wordsOf(position);
    this.discs.items.set([mine, mask]);
    for (const array of [this.registers, this.counts, this.roots]) array.items.fill(0n);
    for (const [slot, value] of Object.entries({ ...this.settings, [SLOTS.DEPTH_LIMIT]: depth })) this.registers.items[slot] = BigInt(value);
    this.kernels.call("start_search", ...this.parameters);
  }

  /** Search one depth; null if a limit ended it. Add its counts to `counters`. */
  async #depth(position, depth, deadline, nodes, counters, job) {
    this.start(position, depth);
    const visited = () => Number(this.counts.items[SLOTS.NODES]);
    let isDone = false;
    while (!isDone && visited() < nodes && performance.now() < deadline) {
      const pause = Math.min(visited() + SLICE, nodes);
      isDone = this.kernels.call("search_slice", ...this.parameters, BigInt(pause)) !== 0n;
      await job.pause();
    }
    const counts = this.counts.items;
    for (const [name, slot] of Object.entries(COUNTERS)) counters[name] = (counters[name] ?? 0) + Number(counts[slot]);
    counters.depth = Math.max(counters.depth ?? 0, Number(counts[SLOTS.DEEPEST]));
    counters.searches = (counters.searches ?? 0) + 1;
    if (!isDone) return null;
    const { roots, lines } = this;
    const field = (column, slot) => Number(roots.items[column * SLOTS.ROOT_FIELDS + slot]);
    return {
      value: Number(this.numbers.items[SLOTS.BEST]),
      line: [...lines.items.subarray(1, 1 + Number(lines.items[0]))].map(Number),
      columns: Array.from({ length: position.board.columns }, (_, column) => {
        const state = field(column, SLOTS.ROOT_STATE);
        return state === SLOTS.UNSEEN ? null : { value: field(column, SLOTS.ROOT_VALUE), isExact: state === SLOTS.IS_EXACT };
      }),
      counters,
      depth,
    };
  }
}

const weightsOf = (name, connect) => (name === "streaks" ? [...STREAKS.CHAIN_WEIGHTS.slice(0, connect - 1), STREAKS.LINE_WEIGHT] : EVALUATIONS[name].weights);

/** Return the decision of a search, as data for JSON. */
export function minimaxDecision({ value, line, columns, counters, depth }, position, options) {
  const last = line.at(-1);
  const column = options.plays === "last" && position.isLegal(last) ? last : line[0];
  const { depth: deepest, nodes, searches, ...others } = counters;
  const isProven = pliesTo(value) !== null;
  return {
    column,
    value: isProven ? Math.sign(value) : value / (Math.abs(value) + EVALUATIONS[options.eval].scale),
    policy: columns.map((_, each) => Number(each === column)),
    depth: deepest,
    nodes,
    line,
    details: {
      values: columns.map((known) => known?.value ?? null),
      values_are: "eval",
      exact: columns.map((known) => known?.isExact ?? false),
      evaluation: value,
      plies_to_end: pliesTo(value),
      ...others,
      depth_completed: depth,
      branching: others.expanded ? (nodes - searches) / others.expanded : null,
      backend: "compiled",
    },
  };
}
