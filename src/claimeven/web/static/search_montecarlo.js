// A Monte Carlo search, iteration by iteration, each in its four phases.

import { positionsFrom } from "./rules.js";
import { codeOf } from "./search_code.js";
import { namedMoves, titleOf } from "./search_tree.js";

/** Iterations of a request, and nodes of the tree after each: its most visited part. */
const [CHUNK, NODES] = [40, 160];
const PHASES = 4; // select, expand, simulate, back up
const EMPTY = { move: null, visits: 0, total: 0, mean: null, bonus: null, selection: null, share: 1, left_out: 0, children: [] };

export class MonteCarloSteps {
  isBroad = false;
  jumps = [["iteration", "Next iteration"]];

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
    if (!search.total) throw new Error("No search is needed here: the move is obvious.");
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
    const result = step.from_model ? signed(step.result) : { 1: "a win", 0: "a draw", [-1]: "a loss" }[step.result];
    const name = namedMoves(step.selected);
    const isGuided = step.tree.children.some((child) => child.bonus !== null);
    const hasModel = this.method === "puct";
    const sentences = [
      isGuided || hasModel
        ? `Select: go down by the greatest sum of Q and bonus${hasModel ? "" : ", unvisited columns first"}, to ${name}.`
        : `Select: ${name} has its turn.`,
      step.expanded.length
        ? `Expand: ${namedMoves(hasModel ? step.selected : step.selected.slice(0, -1))} gets its children, columns ${step.expanded.join(", ")}.`
        : "Expand: no children are added.",
      hasModel ? this.#evaluated(step) : step.simulated ? `Simulate: play on at random, ${step.simulated.length} moves, to the end.` : "Simulate: the game is over here.",
      `Back up: ${result} for the side to move at the root is counted along the path.`,
    ];
    const shown = { trees: phase === 3 ? [step.tree] : [before, step.tree], path: step.selected, phase };
    return {
      words: `Iteration ${step.iteration.toLocaleString("en")}. ${sentences[phase]}`, code: codeOf(this.algorithm, phase),
      about: isGuided || hasModel ? `The column with the greatest sum is selected (max); c = ${Number(this.c.toFixed(3))}: the larger it is, the larger the bonus for few visits.` : "",
      counters: `iteration ${step.iteration.toLocaleString("en")} of ${this.total.toLocaleString("en")} · N: visits, Q: mean result for the side that chose the move${isGuided || hasModel ? `, Q + bonus for few visits${hasModel ? " and a good prior" : ""} = sum` : ""}. Edges as wide as their share of visits.`,
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
    if (!step.from_model) return "Evaluate: the position is decided, without the model.";
    return `Evaluate: the model gives a prior to each child, and to the position the value ${signed(step.result)} for the side to move at the root.`;
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
    if (isChosen && most) Object.assign(most, { title: `${most.title} · max`, isMost: true });
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
    const why = isLeftOut ? "not shown" : "not visited";
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
  const visits = `N ${node.visits.toLocaleString("en")}`;
  const first = node.mean === null ? visits : `${visits}  Q ${signed(node.mean)}`;
  if (node.proof === "loss") return { lines: [first, "proven loss"], brief: `N ${node.visits}`, isOut: true };
  if (node.bonus === null || node.selection === null) return { lines: [first], brief: `N ${node.visits}` };
  return { lines: [first, sumOf(node)], brief: `N ${node.visits}`, sum: node.selection };
}

const sumOf = ({ bonus, selection }) => `+ ${bonus.toFixed(2)} = ${signed(selection)}`;
const signed = (number) => (number < 0 ? `−${(-number).toFixed(2)}` : number.toFixed(2));
