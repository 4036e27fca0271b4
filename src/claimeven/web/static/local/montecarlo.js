// Monte Carlo searches: the driver of the compiled trees, immediate moves, and the final choice.

import { Position } from "../rules.js";
import { Kernels } from "./kernels.js";
import { boardVector } from "./minimax.js";
import { wordsOf } from "./positions.js";
import { FLAT, MONTECARLO as SLOTS, TREE } from "./slots.js";

const KERNELS = { uct: "grow_tree", flat: "grow_flat", breadth: "grow_breadth" };
/** Proofs, for the player that moved into a node, with their results. */
const { UNPROVEN, PROVEN_WIN: WON, PROVEN_LOSS: LOST, PROVEN_DRAW: DRAWN, PROOF_RESULTS: RESULTS } = SLOTS;
export const PROOF_NAMES = [null, "win", "loss", "draw"];
/** Nodes of a tree on a device with little memory, iterations before the first look at the clock, milliseconds between two. */
const [FEW_NODES, FIRST, SLICE] = [1_000_000, 8, 5];
/** Parts of the time of a flat search. */
const TIME_PARTS = 40;

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
    const room = (globalThis.navigator?.deviceMemory ?? 4) < 4 ? FEW_NODES : Infinity;
    const most = Math.min(capacity, room, method === "flat" ? 1 + board.columns + board.columns ** 2 : Infinity);
    this.options = options;
    this.kernels = kernels;
    /** The width of a unit of the scale of results on -1..1, and the factor of the bonus there. */
    this.width = scale === "0..1" ? 2 : 1;
    this.weight = options.c * Math.sqrt(formula === "ucb1" ? 2 : 1) * this.width;
    this.nodes = kernels.array(Int32Array, most, TREE.FIELDS);
    this.parents = kernels.array(Int32Array, method === "uct" ? 1 : most);
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
    this.parameters = [
      this.nodes, ...(method === "uct" ? [] : [this.parents]), this.state, this.words, this.path, kernels.copy(BigInt64Array, settings.map(BigInt)), this.board,
    ];
    this.formula = method !== "uct" ? [] : [
      this.weight, table((visits) => 1 / Math.sqrt(visits)), table((visits) => Math.sqrt(Math.log(visits))), BigInt(options.min_wins),
    ];
  }

  /** Make a position the root of a new tree, with a seed of 64 bits. */
  start(position, seed) {
    const least = 1 + position.legal.length;
    if (this.options.capacity < least) {
      throw new Error(`capacity must be at least ${least} here, for the position and each of its moves, got ${this.options.capacity}`);
    }
    const { mine, mask } = wordsOf(position);
    this.words.items.fill(0n);
    Object.assign(this.words.items, { [SLOTS.MINE]: mine, [SLOTS.MASK]: mask, [SLOTS.RANDOM_STATE]: seed });
    this.state.items.fill(0n);
    this.state.items[SLOTS.USED] = 1n;
    this.nodes.items.set([0, 0, TREE.NO_CHILDREN, 0]);
    this.parents.items[0] = -1;
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
    const at = index * TREE.FIELDS;
    const [visits, total, first, meta] = [TREE.VISITS, TREE.TOTAL, TREE.CHILD, TREE.META].map((field) => this.nodes.items[at + field]);
    const count = first === TREE.NO_CHILDREN ? 0 : (meta >> SLOTS.COUNT_SHIFT) & SLOTS.COUNT_MASK;
    const read = (_, child) => this.node(first + child);
    return {
      index, visits, total, column: meta & SLOTS.COLUMN_MASK,
      proof: (meta >> SLOTS.PROOF_SHIFT) & SLOTS.PROOF_MASK, distance: meta >> SLOTS.DISTANCE_SHIFT,
      get children() {
        return Array.from({ length: count }, read).sort((a, b) => a.column - b.column);
      },
    };
  }

  /** Return a decision in a position, within iterations, seconds or both. */
  async search(position, { iterations, seconds }, random, job) {
    this.start(position, random.word());
    const immediate = immediateTree(position, this.options);
    const made = immediate ? 0 : await this.#grow(iterations ?? Infinity, seconds, job);
    const root = immediate ?? this.node(0);
    const siblings = root.children;
    const all = siblings.reduce((sum, child) => sum + child.visits, 0);
    const children = siblings.map((child) => this.branch(child, root, all, position.legal.length));
    const chosen = immediate ? this.#chooseImmediate(children, position, random) : this.#choose(children, random);
    const of = (read) => Array.from({ length: position.board.columns }, (_, column) => read(children.find((child) => child.column === column)));
    return {
      column: chosen.column,
      value: chosen.proof ? RESULTS[chosen.proof] : chosen.plain,
      policy: policyOf(children, chosen, position.board.columns),
      depth: immediate ? 0 : Number(this.state.items[SLOTS.DEPTH]),
      iterations: made,
      line: this.#line(root, chosen.column, position),
      details: {
        values: of((child) => {
          if (!child?.proof) return child?.mean ?? null;
          return this.width === 1 ? RESULTS[child.proof] : (RESULTS[child.proof] + 1) / 2;
        }),
        values_are: "mean",
        visits: of((child) => child?.visits ?? 0),
        reused_visits: 0,
        stored: this.used,
        full: !immediate && this.state.items[SLOTS.FULL] !== 0n,
        proof: PROOF_NAMES[turned(root.proof)],
        backend: "compiled",
      },
    };
  }

  async #grow(iterations, seconds, job) {
    const start = performance.now();
    const limit = (seconds ?? Infinity) * 1000;
    if (this.options.method !== "flat" || iterations !== Infinity) return this.#run(iterations, start + limit, job);
    // Each leaf of a flat search gets the same share of the time.
    const leaves = Array.from({ length: this.used }, (_, index) => this.node(index)).filter((node) => !node.children.length).length;
    this.state.items[FLAT.HOLDS_LEAF] = 1n;
    let made = 0;
    for (let leaf = 1; leaf <= leaves && performance.now() < start + limit; leaf++) {
      made += await this.#run(Infinity, start + (leaf * limit) / Math.max(TIME_PARTS, leaves), job);
      this.state.items[FLAT.LEAF] += 1n;
    }
    return made;
  }

  /** Make iterations until a time, in slices that let messages in. */
  async #run(iterations, deadline, job) {
    let [made, size] = [0, FIRST];
    for (;;) {
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

  /** Return a node with the numbers that selection and readers use; `parent` is null at the root. */
  branch(node, parent, siblings, legal = 0) {
    const { options, weight, width } = this;
    const { visits } = node;
    const total = parent ? node.total : 0 - node.total;
    const plain = visits ? total / visits : 0;
    let [final, bonus] = [plain, null];
    if (parent && options.method === "uct") {
      const lift = Math.max(0, 2 * options.min_wins - visits - node.total) / visits;
      bonus = visits ? (weight * Math.sqrt(Math.log(Math.max(parent.visits, 1)) / visits) + lift) / width : Infinity;
    } else if (parent && options.method === "flat") {
      const leaves = node.children;
      final = leaves.length ? leaves.reduce((sum, leaf) => sum - (leaf.visits ? leaf.total / leaf.visits : 0), 0) : plain * legal;
    }
    const scaled = width === 2 ? (total + visits) / 2 : total;
    const mean = visits ? scaled / visits : null;
    return {
      column: node.column, visits, total: scaled, plain, mean, bonus,
      final,
      selection: bonus === null ? null : (mean ?? 0) + bonus,
      share: parent ? (siblings ? visits / siblings : 0) : 1,
      proof: parent ? node.proof : turned(node.proof), distance: node.distance + (parent && node.proof ? 1 : 0),
    };
  }

  /** Return the child to play, with visits if possible: see `final_choice` and `solver` of the options. */
  #choose(children, random) {
    const { solver, final_choice: by, method } = this.options;
    const visited = children.filter((child) => child.visits);
    const candidates = visited.length ? visited : children;
    const wins = solver ? candidates.filter((child) => child.proof === WON) : [];
    const others = solver ? candidates.filter((child) => child.proof !== LOST) : candidates;
    const rank = (child) => {
      if (wins.length) return [-child.distance];
      if (!others.length) return [child.distance];
      if (by === "visits") return [child.visits, child.plain];
      if (by === "mean") return [child.final, Number(method === "flat" && child.proof === WON), child.visits];
      return child.visits ? [child.selection, child.visits] : [0, 0];
    };
    return this.#pick(best(wins.length ? wins : others.length ? others : candidates, rank), random);
  }

  #chooseImmediate(children, position, random) {
    const wins = children.filter((child) => child.proof === WON);
    const blocks = children.filter((child) => winsAt(position, child.column, 1 - position.turn));
    return this.#pick(wins.length ? wins : blocks.length ? blocks : children, random);
  }

  #pick(children, random) {
    return children[children.length === 1 || this.options.first_play === "order" ? 0 : random.below(children.length)];
  }

  /** Return a column and the likeliest moves after it. */
  #line(root, column, position) {
    const likelihood = ({ proof, distance, visits }) => {
      if (proof === WON) return [1, -distance, visits];
      return proof === LOST ? [-1, distance, visits] : [0, visits, 0];
    };
    const columns = [];
    for (let node = root; ;) {
      let known = node.children.filter((child) => child.visits || child.proof);
      if (node === root) known = known.filter((child) => child.column === column);
      if (!known.length) {
        if (columns.length && node.proof && this.options.decisive_moves === "tree") columns.push(...immediateMoves(position));
        return columns.length ? columns : [column];
      }
      [node] = best(known, likelihood);
      columns.push(node.column);
      position = position.play(node.column);
    }
  }
}

/** Return a proof from the view of the other player. */
const turned = (proof) => [UNPROVEN, LOST, WON, DRAWN][proof];

/** Return the items with the greatest list of numbers. */
function best(items, rank) {
  const compare = (a, b) => a.map((number, place) => number - b[place]).find((difference) => difference) ?? 0;
  const ranks = items.map(rank);
  const top = ranks.reduce((first, next) => (compare(next, first) > 0 ? next : first));
  return items.filter((_, place) => compare(ranks[place], top) === 0);
}

/** Return the shares of the visits; 1 for a proven win, 0 for avoidable losses. */
function policyOf(children, chosen, columns) {
  const live = children.filter((child) => child.proof !== LOST);
  const total = live.reduce((sum, child) => sum + child.visits, 0);
  const shares = Array(columns).fill(0);
  if (chosen.proof === WON || !total) shares[chosen.column] = 1;
  else for (const child of live) shares[child.column] = child.visits / total;
  return shares;
}

/** Whether a player's disc completes a line in a column, which must have room. */
function winsAt({ board, stacks }, column, player) {
  const next = new Position(board, stacks.with(column, [...stacks[column], player]));
  next.last = [column, stacks[column].length];
  return next.winning.length > 0;
}

const winning = (position) => position.legal.filter((column) => winsAt(position, column, position.turn));
const blocking = (position) => position.legal.filter((column) => winsAt(position, column, 1 - position.turn));

/** Whether a column does not lose immediately, if the side to move has no immediate win. */
function safe(position) {
  const blocks = blocking(position);
  if (blocks.length > 1) return [];
  const opensNone = (column) => position.height(column) + 1 === position.board.rows
    || !winsAt(position.play(column), column, 1 - position.turn);
  return (blocks.length ? blocks : position.legal).filter(opensNone);
}

/** Return the proven tree of a position that the options decide without a search, else null. */
export function immediateTree(position, { decisive_moves: decisive }) {
  if (decisive === "off") return null;
  const wins = winning(position);
  if (!wins.length && (decisive !== "tree" || safe(position).length)) return null;
  const node = (column, proof = UNPROVEN, distance = 0, children = []) => ({ column, visits: 0, total: 0, proof, distance, children });
  const children = position.legal.map((column) => {
    if (wins.length) return node(column, wins.includes(column) ? WON : UNPROVEN);
    return node(column, LOST, 1, winning(position.play(column)).map((reply) => node(reply, WON)));
  });
  return wins.length ? node(0, LOST, 1, children) : node(0, WON, 2, children);
}

/** Return the next moves that need no search: immediate wins, and blocks in lost positions. */
function immediateMoves(position) {
  const columns = [];
  while (!position.isOver) {
    let candidates = winning(position);
    if (!candidates.length && !safe(position).length) candidates = [...blocking(position), ...position.legal];
    if (!candidates.length) break;
    columns.push(candidates[0]);
    position = position.play(candidates[0]);
  }
  return columns;
}
