// Minimax, alpha-beta and negamax: the driver of the compiled search, within its limits.

import { Kernels } from "./kernels.js";
import { centerOrder, geometryOf, wordsOf } from "./positions.js";
import { BOARD, EVALUATIONS, MINIMAX as SLOTS, MINIMAX_TABLE as TABLE, MONTECARLO, STREAKS } from "./slots.js";

/** Nodes between two looks at the clock. */
const SLICE = 8192;

/** Plies to the winning disc of a proven value, or null. */
export const pliesTo = (value) => (Math.abs(value) > SLOTS.PROVEN ? SLOTS.WIN - Math.abs(value) : null);

/** Return the constants of a board for kernels, in an array of some length. */
export function boardVector({ columns, rows, connect }, length = MONTECARLO.BOARD_SLOTS) {
  const { height, bottom, cells } = geometryOf({ columns, rows });
  const column = (1n << BigInt(rows)) - 1n;
  const starts = [[0, 1], [1, 0], [1, 1], [1, -1]].map(([right, up]) => {
    let mask = 0n; // of the first cells of lines
    for (let c = 0; c + (connect - 1) * right < columns; c++) {
      for (let r = up < 0 ? connect - 1 : 0; r < (up > 0 ? rows - connect + 1 : rows); r++) mask |= 1n << BigInt(c * height + r);
    }
    return mask;
  });
  return Object.assign(Array(length).fill(0n), {
    [BOARD.HEIGHT]: BigInt(height), [BOARD.CONNECT]: BigInt(connect), [BOARD.BOTTOM]: bottom, [BOARD.BOARD]: cells,
    [BOARD.CENTER]: column << BigInt(Math.floor(columns / 2) * height), ...Object.fromEntries(starts.map((mask, at) => [BOARD.STARTS + at, mask])),
    [MONTECARLO.COLUMNS]: BigInt(columns), [MONTECARLO.COLUMN]: column, [MONTECARLO.FIRST_WIN]: BigInt(2 * connect - 1),
  });
}

/** A search with its options; negamax also keeps its table from call to call, until `clear`. */
export class MinimaxSearch {
  /** `algorithm` is minimax, alphabeta or negamax; `steps` is the room for recorded steps of a slice. */
  static async load(board, algorithm, options, steps = 0) {
    return new MinimaxSearch(await Kernels.load("searches.wasm"), board, algorithm, options, steps);
  }

  constructor(kernels, board, algorithm, options, steps) {
    const { eval: evaluation, order, prune, table, view } = options;
    const plies = board.cells + 1;
    const columns = order === "left" ? Array.from({ length: board.columns }, (_, column) => column) : centerOrder(board);
    const weights = evaluation === "streaks" ? [...STREAKS.CHAIN_WEIGHTS.slice(0, board.connect - 1), STREAKS.LINE_WEIGHT] : EVALUATIONS[evaluation].weights;
    const [integers, bits] = [(...shape) => kernels.array(BigInt64Array, ...shape), algorithm === "negamax" ? table : TABLE.NO_TABLE];
    const entries = 1 << Math.max(0, bits);
    Object.assign(this, { kernels, options });
    this.discs = kernels.array(BigUint64Array, plies, SLOTS.DISCS_FIELDS);
    this.numbers = integers(plies, SLOTS.NUMBERS_FIELDS);
    this.lines = integers(plies + 1, plies + 1);
    this.registers = integers(SLOTS.REGISTERS);
    this.counts = integers(SLOTS.COUNTERS + (steps ? 1 + steps * SLOTS.STEP_SLOTS : 0));
    this.roots = integers(board.columns, SLOTS.ROOT_FIELDS);
    this.keys = kernels.array(BigUint64Array, entries);
    this.entries = integers(entries, TABLE.ENTRY_SLOTS);
    this.parameters = [
      this.discs, this.numbers, this.lines,
      kernels.copy(BigUint64Array, boardVector(board)), kernels.copy(BigInt64Array, columns.map(BigInt)), kernels.copy(BigInt64Array, weights.map(BigInt)),
      this.registers, this.counts, this.roots, this.keys, this.entries,
    ];
    this.settings = {
      [SLOTS.PRUNE]: algorithm !== "minimax" && prune !== false, [SLOTS.TABLE_BITS]: bits,
      [SLOTS.EVALUATION]: EVALUATIONS[evaluation].kernel, [SLOTS.ROOT_VIEW]: view === "root",
    };
    this.clear();
  }

  /** Remove all entries of the table. */
  clear() {
    this.keys.items.fill(0n);
    // The empty board has the key 0 of an empty slot, so its slot 0 has an entry without a result.
    this.entries.items.set([0n, -1n, BigInt(TABLE.EXACT), -1n]);
  }

  /** Start the search of a position to a depth. */
  start(position, depth) {
    const { mine, mask } = wordsOf(position);
    for (const array of [this.registers, this.counts, this.roots]) array.items.fill(0n);
    for (const [slot, value] of Object.entries({ ...this.settings, [SLOTS.DEPTH_LIMIT]: depth })) this.registers.items[slot] = BigInt(value);
    this.discs.items.set([mine, mask]);
    this.kernels.call("start_search", ...this.parameters);
  }

  /** Continue for a slice, until `most` nodes at the latest; return whether the search is done. */
  slice(most) {
    return this.kernels.call("search_slice", ...this.parameters, BigInt(Math.min(this.#count(SLOTS.NODES) + SLICE, most))) !== 0n;
  }

  /** Remove the recorded steps and return them, each a list of integers. */
  takeSteps() {
    const { items } = this.counts;
    const steps = Array.from({ length: Number(items[SLOTS.STEPS]) }, (_, at) => {
      const first = SLOTS.STEPS + 1 + at * SLOTS.STEP_SLOTS;
      return items.slice(first, first + SLOTS.STEP_SLOTS);
    });
    items[SLOTS.STEPS] = 0n;
    return steps;
  }

  #count(slot) {
    return Number(this.counts.items[slot]);
  }

  /** Return the decision in a position: by a depth, or within seconds or nodes with growing depth. */
  async search(position, { depth = null, seconds = null, nodes = null }, job) {
    const empty = position.board.cells - position.ply;
    const deepest = Math.min(depth ?? empty, empty);
    const [deadline, most] = [performance.now() + (seconds ?? Infinity) * 1000, nodes ?? Infinity];
    const total = { nodes: 0, evaluations: 0, cutoffs: 0, expanded: 0, table_hits: 0, depth: 0, searches: 0 };
    if (this.options.view === "root" && this.turn !== position.turn) this.clear(); // its values are for one side
    this.turn = position.turn;
    let best = await this.#depth(position, seconds === null && nodes === null ? deepest : 1, Infinity, Infinity, total, job);
    while (best.depth < deepest && pliesTo(best.value) === null && total.nodes < most && performance.now() < deadline) {
      const deeper = await this.#depth(position, best.depth + 1, deadline, most - total.nodes, total, job);
      if (!deeper) break;
      best = deeper;
    }
    return this.#decision(best, total, position);
  }

  /** Search one depth and add its counts to `total`; return its results, or null if a limit ended it. */
  async #depth(position, depth, deadline, most, total, job) {
    this.start(position, depth);
    let isDone = false;
    while (!isDone && this.#count(SLOTS.NODES) < most && performance.now() < deadline) {
      isDone = this.slice(most);
      await job.pause();
      if (!isDone && job.isLate && deadline === Infinity) throw new Error(`the request took more than ${job.seconds} s, the limit of this page: ask for less`);
    }
    for (const name of ["nodes", "evaluations", "cutoffs", "expanded", "table_hits"]) total[name] += this.#count(SLOTS[name.toUpperCase()]);
    total.depth = Math.max(total.depth, this.#count(SLOTS.DEEPEST));
    total.searches += 1;
    if (!isDone) return null;
    const [line, roots] = [this.lines, this.roots].map(({ items }) => [...items].map(Number));
    return { depth, value: Number(this.numbers.items[SLOTS.BEST]), line: line.slice(1, 1 + line[0]), roots };
  }

  #decision({ depth, value, line, roots }, { depth: reached, nodes, searches, ...counts }, { board, stacks }) {
    const { plays, eval: evaluation } = this.options;
    const last = line.at(-1);
    const column = plays === "last" && stacks[last].length < board.rows ? last : line[0];
    const columns = Array.from({ length: board.columns }, (_, each) => roots.slice(each * SLOTS.ROOT_FIELDS, (each + 1) * SLOTS.ROOT_FIELDS));
    return {
      column, value: pliesTo(value) === null ? value / (Math.abs(value) + EVALUATIONS[evaluation].scale) : Math.sign(value),
      policy: columns.map((_, each) => Number(each === column)), depth: reached, nodes, line,
      details: {
        values: columns.map((root) => (root[SLOTS.ROOT_STATE] === SLOTS.UNSEEN ? null : root[SLOTS.ROOT_VALUE])), values_are: "eval",
        exact: columns.map((root) => root[SLOTS.ROOT_STATE] === SLOTS.IS_EXACT), evaluation: value, plies_to_end: pliesTo(value), ...counts,
        depth_completed: depth, branching: counts.expanded ? (nodes - searches) / counts.expanded : null, backend: "compiled",
      },
    };
  }
}
