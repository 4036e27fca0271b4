// Monte Carlo searches: the driver of the compiled trees, immediate moves, and the final choice.

import { Kernels } from "./kernels.js";
import { log } from "./logarithm.js";
import { boardVector } from "./minimax.js";
import { wordsOf } from "./positions.js";
import { FLAT, MONTECARLO as SLOTS, TREE } from "./slots.js";

const KERNELS = { uct: "grow_tree", flat: "grow_flat", breadth: "grow_breadth" };
/** Proofs, for the player that moved into a node, with their results and names. */
const { UNPROVEN, PROVEN_WIN: WON, PROVEN_LOSS: LOST, PROVEN_DRAW: DRAWN, PROOF_RESULTS: RESULTS } = SLOTS;
export const PROOF_NAMES = [null, "win", "loss", "draw"];
/** Nodes on a device with little memory; iterations before the first look at the clock; milliseconds between two. */
const [FEW_NODES, FIRST, SLICE] = [1_000_000, 8, 5];

/** Random numbers from a seed: splitmix64, as in the kernels. */
export class Stream {
  constructor(seed) {
    this.state = BigInt(seed);
  }

  /** Draw from 0 to 2^64 - 1. */
  word() {
    const mix = (word, shift, factor) => BigInt.asUintN(64, (word ^ (word >> shift)) * factor);
    this.state = BigInt.asUintN(64, this.state + 0x9E3779B97F4A7C15n);
    const word = mix(mix(this.state, 30n, 0xBF58476D1CE4E5B9n), 27n, 0x94D049BB133111EBn);
    return word ^ (word >> 31n);
  }

  /** Draw from 0 to count - 1. */
  below(count) {
    return Number(((this.word() >> 32n) * BigInt(count)) >> 32n);
  }

  /** Draw from [0, 1). */
  share() {
    return Number(this.word() >> 11n) / 2 ** 53;
  }
}

/** A search with its options, the settings of `agents.json`; each decision grows a new tree. */
export class MonteCarloSearch {
  /** With `isRecording` the moves of the last playout are in `board`. */
  static async load(board, options, isRecording = false) {
    return new MonteCarloSearch(await Kernels.load("searches.wasm"), board, options, isRecording);
  }

  constructor(kernels, board, options, isRecording) {
    const { method, formula, scale, capacity, first_play: first } = options;
    const isTree = method === "uct";
    const room = (globalThis.navigator?.deviceMemory ?? 4) < 4 ? FEW_NODES : Infinity;
    const most = Math.min(capacity, room, method === "flat" ? 1 + board.columns + board.columns ** 2 : Infinity);
    Object.assign(this, { kernels, options });
    /** The width of a unit of the scale of results on -1..1, and the factor of the bonus there. */
    this.width = scale === "0..1" ? 2 : 1;
    this.weight = options.c * Math.sqrt(formula === "ucb1" ? 2 : 1) * this.width;
    this.nodes = kernels.array(Int32Array, most, TREE.FIELDS);
    this.parents = kernels.array(Int32Array, isTree ? 1 : most);
    this.state = kernels.array(BigInt64Array, FLAT.STATE_FIELDS);
    this.words = kernels.array(BigUint64Array, SLOTS.WORDS_FIELDS);
    this.path = kernels.array(BigInt64Array, 2 * board.cells + 2);
    this.board = kernels.copy(BigUint64Array, boardVector(board, isRecording ? SLOTS.RECORDING_SLOTS : SLOTS.BOARD_SLOTS));
    const settings = Object.assign(Array(SLOTS.SETTINGS_FIELDS).fill(0), {
      [SLOTS.ALL_AT_ONCE]: first === "all", [SLOTS.SHUFFLED]: first !== "order", [SLOTS.PLAYOUT]: SLOTS.PLAYOUTS.indexOf(options.playout),
      [SLOTS.CUT]: options.playout_cutoff || -1, [SLOTS.SOLVER]: options.solver, [SLOTS.DECISIVE]: options.decisive_moves === "tree",
      [SLOTS.RANDOM_TIES]: options.ties === "random",
    });
    const table = (of) => kernels.copy(Float64Array, Array.from({ length: SLOTS.TABLE_SIZE }, (_, visits) => (visits ? of(visits) : 0)));
    const roots = () => [table((visits) => 1 / Math.sqrt(visits)), table((visits) => Math.sqrt(log(visits)))];
    this.parameters = [this.nodes, ...(isTree ? [] : [this.parents]), this.state, this.words, this.path, kernels.copy(BigInt64Array, settings.map(BigInt)), this.board];
    this.formula = isTree ? [this.weight, ...roots(), BigInt(options.min_wins)] : [];
  }

  /** Make a position the root of a new tree, with a seed of 64 bits. */
  start(position, seed) {
    const [least, { mine, mask }] = [1 + position.legal.length, wordsOf(position)];
    if (this.options.capacity < least) throw new Error(`capacity must be at least ${least} here, for the position and each of its moves, got ${this.options.capacity}`);
    Object.assign(this.words.items.fill(0n), { [SLOTS.MINE]: mine, [SLOTS.MASK]: mask, [SLOTS.RANDOM_STATE]: seed });
    this.state.items.fill(0n)[SLOTS.USED] = 1n;
    this.nodes.items.set([0, 0, TREE.NO_CHILDREN, 0]);
    this.parents.items[0] = SLOTS.NO_NODE;
    if (this.options.method === "flat") this.kernels.call("plant_two_plies", ...this.parameters);
  }

  get used() {
    return Number(this.state.items[SLOTS.USED]);
  }

  /** Make iterations; return their number, fewer at the end of the search. */
  run(iterations) {
    const left = Math.min(iterations, SLOTS.MAX_VISITS - this.nodes.items[TREE.VISITS]);
    return Number(this.kernels.call(KERNELS[this.options.method], ...this.parameters, ...this.formula, BigInt(left)));
  }

  /** Return a node, with the totals and the proof of the player that moved into it. */
  node(index) {
    const [visits, total, first, meta] = [TREE.VISITS, TREE.TOTAL, TREE.CHILD, TREE.META].map((field) => this.nodes.items[index * TREE.FIELDS + field]);
    const length = first === TREE.NO_CHILDREN ? 0 : (meta >> SLOTS.COUNT_SHIFT) & SLOTS.COUNT_MASK;
    const read = (_, child) => this.node(first + child);
    return {
      visits, total, column: meta & SLOTS.COLUMN_MASK, proof: (meta >> SLOTS.PROOF_SHIFT) & SLOTS.PROOF_MASK, distance: meta >> SLOTS.DISTANCE_SHIFT,
      get children() {
        return Array.from({ length }, read).sort((a, b) => a.column - b.column);
      },
    };
  }

  /** Return a decision in a position, within iterations, seconds or both. */
  async search(position, { iterations, seconds }, random, job) {
    this.start(position, random.word());
    const { options, width } = this;
    const obvious = immediate(position, options);
    const made = obvious ? 0 : await this.#run(iterations ?? Infinity, performance.now() + (seconds ?? Infinity) * 1000, job);
    const root = obvious ?? this.node(0);
    const all = root.children.reduce((sum, child) => sum + child.visits, 0);
    const children = root.children.map((child) => this.branch(child, root, all, position.legal.length));
    const equals = obvious ? children.filter((child) => obvious.best.includes(child.column)) : this.#best(children);
    const chosen = equals[equals.length === 1 || options.first_play === "order" ? 0 : random.below(equals.length)];
    const of = (read) => position.stacks.map((_, column) => read(children.find((child) => child.column === column)));
    const resultOf = ({ proof }) => (width === 1 ? RESULTS[proof] : (RESULTS[proof] + 1) / 2);
    return {
      column: chosen.column, value: chosen.proof ? RESULTS[chosen.proof] : chosen.plain, policy: policyOf(children, chosen, position.board.columns),
      depth: obvious ? 0 : Number(this.state.items[SLOTS.DEPTH]), iterations: made,
      details: {
        values: of((child) => (child?.proof ? resultOf(child) : child?.mean ?? null)), values_are: "mean", visits: of((child) => child?.visits ?? 0),
        reused_visits: 0, stored: this.used, full: this.state.items[SLOTS.FULL] !== 0n, proof: PROOF_NAMES[turned(root.proof)], backend: "compiled",
      },
    };
  }

  /** Make iterations until a time, in slices that let messages in. */
  async #run(iterations, deadline, job) {
    for (let [made, size] = [0, FIRST]; ;) {
      size = Math.min(size, iterations - made);
      const before = performance.now();
      const done = this.run(size);
      const now = performance.now();
      made += done;
      if (done < size || made >= iterations || now >= deadline) return made;
      await job.pause();
      size = Math.max(1, Math.min(4 * size, Math.floor((size * Math.min(SLICE, deadline - now)) / Math.max(now - before, 0.01))));
    }
  }

  /** Return a node with the numbers that selection and readers use; `parent` is null at the root, `legal` counts its columns. */
  branch(node, parent, siblings, legal) {
    const [{ options, width }, { visits, column }] = [this, node];
    const total = parent ? node.total : 0 - node.total;
    const plain = visits ? total / visits : 0;
    const mean = visits ? (width === 2 ? (total + visits) / 2 : total) / visits : null;
    const lift = Math.max(0, 2 * options.min_wins - visits - node.total) / visits;
    const guided = parent && options.method === "uct";
    const bonus = !guided ? null : visits ? (this.weight * Math.sqrt(log(Math.max(parent.visits, 1)) / visits) + lift) / width : Infinity;
    const leaves = options.method === "flat" ? node.children : [];
    const sum = leaves.reduce((before, leaf) => before - (leaf.visits ? leaf.total / leaf.visits : 0), 0);
    return {
      column, visits, total: width === 2 ? (total + visits) / 2 : total, plain, mean, bonus, final: leaves.length ? sum : plain * (options.method === "flat" ? legal : 1),
      selection: bonus === null ? null : (mean ?? 0) + bonus, share: !parent ? 1 : siblings ? visits / siblings : 0,
      proof: parent ? node.proof : turned(node.proof), distance: node.distance + (parent && node.proof ? 1 : 0),
    };
  }

  /** Return the best children, with visits if possible: see `final_choice` and `solver` of the options. */
  #best(children) {
    const { solver, final_choice: by, method } = this.options;
    const visited = children.filter((child) => child.visits);
    const candidates = visited.length ? visited : children;
    const wins = solver ? candidates.filter((child) => child.proof === WON) : [];
    const others = solver ? candidates.filter((child) => child.proof !== LOST) : candidates;
    if (wins.length) return best(wins, (child) => [-child.distance]);
    if (!others.length) return best(candidates, (child) => [child.distance]);
    return best(others, {
      visits: (child) => [child.visits, child.plain],
      mean: (child) => [child.final, Number(method === "flat" && child.proof === WON), child.visits],
      ucb: (child) => (child.visits ? [child.selection, child.visits] : [0, 0]),
    }[by]);
  }
}

/** Return a proof from the view of the other player. */
const turned = (proof) => [UNPROVEN, LOST, WON, DRAWN][proof];

/** Return the items with the greatest list of numbers. */
function best(items, rank) {
  const compare = (a, b) => a.map((number, place) => number - b[place]).find((difference) => difference) ?? 0;
  const top = items.map(rank).reduce((first, next) => (compare(next, first) > 0 ? next : first));
  return items.filter((item) => compare(rank(item), top) === 0);
}

/** Return the shares of the visits; 1 for a proven win, 0 for avoidable losses. */
function policyOf(children, chosen, columns) {
  const live = children.filter((child) => child.proof !== LOST);
  const total = live.reduce((sum, child) => sum + child.visits, 0);
  if (chosen.proof === WON || !total) return Array.from({ length: columns }, (_, column) => Number(column === chosen.column));
  return Array.from({ length: columns }, (_, column) => (live.find((child) => child.column === column)?.visits ?? 0) / total);
}

/** Return the columns that do not lose immediately, if the side to move has no immediate win. */
function safe(position) {
  const blocks = position.wins(1 - position.turn);
  const candidates = blocks.length > 1 ? [] : blocks.length ? blocks : position.legal;
  return candidates.filter((column) => !position.play(column).wins().includes(column));
}

/** Return the root of a position that the options decide without a search, with the `best` columns; else null. */
export function immediate(position, { decisive_moves: decisive }) {
  if (decisive === "off") return null;
  const [wins, blocks] = [position.wins(), position.wins(1 - position.turn)];
  if (!wins.length && (decisive !== "tree" || safe(position).length)) return null;
  const node = (column, proof, distance = 0, children = []) => ({ column, visits: 0, total: 0, proof, distance, children });
  const children = position.legal.map((column) => (wins.length ? node(column, wins.includes(column) ? WON : UNPROVEN)
    : node(column, LOST, 1, position.play(column).wins().map((reply) => node(reply, WON)))));
  const columns = [wins, blocks, position.legal].find((each) => each.length);
  return { ...(wins.length ? node(0, LOST, 1, children) : node(0, WON, 2, children)), best: columns };
}
