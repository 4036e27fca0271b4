// A Monte Carlo search, iteration by iteration, each in its four phases.

import { positionsFrom } from "./rules.js";
import { codeOf } from "./search_code.js";
import { namedMoves, titleOf } from "./search_tree.js";
import { text } from "./texts.js";

/** Iterations of a request, and nodes of the tree after each: its most visited part. */
const [CHUNK, NODES] = [40, 160];
const PHASES = 4; // select, expand, simulate, back up
const EMPTY = { move: null, visits: 0, total: 0, mean: null, bonus: null, selection: null, share: 1, left_out: 0, children: [] };

export class MonteCarloSteps {
  isBroad = false;
  jumps = ["iteration"];

  static async load(query, start, ask) {
    const { depth, iterations, ...rest } = query;
    const search = Object.assign(new MonteCarloSteps(), { after: positionsFrom(start), chunks: new Map() }); // chunks: by number
    search.ask = (first, most) => ask("api/search/montecarlo", {
      ...rest, first_step: first, iterations: most, steps: CHUNK, trees: true, tree_nodes: NODES, tree_depth: 12,
    });
    const answer = await search.ask(1, iterations);
    Object.assign(search, { total: answer.total_steps, method: answer.method, c: answer.c });
    search.algorithm = query.agent.split(":")[0] === "flat" ? "flat" : answer.method === "puct" ? "puct" : "tree";
    search.chunks.set(0, answer.steps);
    if (!search.total) throw new Error(text("search.obvious"));
    return search;
  }

  get count() {
    return this.total * PHASES;
  }

  /** Load the iteration of a step and the one before. */
  async ready(index) {
    for (const number of this.#needed(index)) {
      const last = Math.min(this.total, (number + 1) * CHUNK);
      if (!this.chunks.has(number)) this.chunks.set(number, (await this.ask(number * CHUNK + 1, last)).steps);
    }
  }

  /** Return the first step of the next iteration, or null. */
  async next(kind, index) {
    const at = (Math.floor(index / PHASES) + 1) * PHASES;
    return at < this.count ? at : null;
  }

  has(index) {
    return this.#needed(index).every((number) => this.chunks.has(number));
  }

  at(index) {
    const number = Math.floor(index / PHASES);
    const phase = index % PHASES;
    const step = this.#iteration(number);
    const before = number ? this.#iteration(number - 1).tree : EMPTY;
    const result = step.from_model ? signed(step.result) : text(`search.results.${{ 1: "win", 0: "draw", [-1]: "loss" }[step.result]}`);
    const place = namedMoves(step.selected);
    const isGuided = step.tree.children.some((child) => child.bonus !== null);
    const hasModel = this.method === "puct";
    const kind = hasModel ? "model" : isGuided ? "sum" : "turn";
    const sentence = [
      () => text(`search.select.${kind}`, { place }),
      () => (step.expanded.length
        ? text("search.expand.some", { place: namedMoves(hasModel ? step.selected : step.selected.slice(0, -1)), columns: step.expanded.join(", ") })
        : text("search.expand.none")),
      () => (hasModel ? this.#evaluated(step) : step.simulated ? text("search.simulate.moves", { count: step.simulated.length }) : text("search.simulate.over")),
      () => text("search.backUp", { result }),
    ][phase];
    const shown = { trees: phase === 3 ? [step.tree] : [before, step.tree], path: step.selected, phase };
    return {
      words: text("search.iteration", { number: step.iteration, phase: sentence() }), code: codeOf(this.algorithm, phase),
      about: kind === "turn" ? "" : text("search.greatest", { c: Number(this.c.toFixed(3)) }),
      counters: text({ turn: "search.counted", sum: "search.countedSum", model: "search.countedPrior" }[kind], { number: step.iteration, total: this.total }),
      moves: phase === 2 ? step.selected + step.simulated : step.selected,
      root: this.#node("", shown), childrenOf: (moves) => this.#children(moves, shown),
      isOpen: (node) => node.isHere && (node.moves.length < step.selected.length || node.opens),
    };
  }

  /** Nodes have no step: every iteration starts at the root. */
  stepOf() {
    return null;
  }

  #evaluated(step) {
    return step.from_model ? text("search.evaluate.model", { value: signed(step.result) }) : text("search.evaluate.decided");
  }

  #needed(index) {
    const number = Math.floor(index / PHASES);
    return [...new Set([Math.max(0, number - 1), number].map((each) => Math.floor(each / CHUNK)))];
  }

  #iteration(number) {
    return this.chunks.get(Math.floor(number / CHUNK))[number % CHUNK];
  }

  #children(moves, shown) {
    const position = this.after(moves);
    if (position.isOver) return [];
    const known = found(moves, shown);
    if (!known.children.length && !(shown.path.startsWith(moves) && shown.path.length > moves.length)) return [];
    const nodes = position.legal.map((column) => this.#node(moves + position.board.name(column), shown));
    const most = nodes.reduce((best, node) => ((node.sum ?? -Infinity) > (best?.sum ?? -Infinity) ? node : best), null);
    const isChosen = shown.phase === 0 && shown.path.startsWith(moves) && nodes.every((node) => node.sum !== undefined || node.isOut);
    if (isChosen && most) Object.assign(most, { title: text("search.max", most), isMost: true });
    return nodes;
  }

  #node(moves, shown) {
    const isHere = shown.path.startsWith(moves);
    const node = found(moves, shown);
    const base = { moves, ...titleOf(moves), isHere, weight: moves ? node.share : 1, opens: node.children.length > 0 };
    if (node.visits) return { ...base, ...words(node), state: "done" };
    const isOffered = node.selection !== null && node.bonus !== null; // by a model, before any visit
    // A limit on nodes leaves some out, except next to the path.
    const isLeftOut = moves && !shown.path.startsWith(moves.slice(0, -1)) && found(moves.slice(0, -1), shown).left_out > 0;
    const why = text(isLeftOut ? "search.notShown" : "search.notVisited");
    return { ...base, lines: isOffered ? [why, sumOf(node)] : [why], sum: isOffered ? node.selection : undefined, brief: "·", state: isHere && shown.phase > 0 ? "open" : "unseen", weight: 0 };
  }
}

/** Return a node of the tree before the iteration, or else its state derived from the tree after it. */
function found(moves, { trees, path }) {
  const [first, after] = trees.map((tree) => [...moves].reduce((node, move) => node?.children.find((child) => child.move === move), tree));
  if (first) return first;
  if (!after) return EMPTY;
  const visits = after.visits - (path.startsWith(moves) ? 1 : 0);
  return { ...after, visits, mean: null, bonus: null, children: visits ? after.children : [] };
}

function words(node) {
  const brief = text("search.visits", { count: node.visits });
  const first = node.mean === null ? brief : text("search.visitsAndMean", { count: node.visits, mean: signed(node.mean) });
  if (node.proof === "loss") return { lines: [first, text("search.provenLoss")], brief, isOut: true };
  if (node.bonus === null || node.selection === null) return { lines: [first], brief };
  return { lines: [first, sumOf(node)], brief, sum: node.selection };
}

const sumOf = ({ bonus, selection }) => text("search.sum", { bonus: bonus.toFixed(2), sum: signed(selection) });
const signed = (number) => (number < 0 ? `−${(-number).toFixed(2)}` : number.toFixed(2));
