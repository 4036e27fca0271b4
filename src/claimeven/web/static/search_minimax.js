// A minimax search step by step, with the state of each node after every step.

import { positionsFrom } from "./rules.js";
import { codeOf } from "./search_code.js";
import { namedMoves, titleOf } from "./search_tree.js";
import { text } from "./texts.js";
import { capital, playerName } from "./words.js";

/** Number of steps of the first request, and of later ones. */
const [FIRST, CHUNK] = [5000, 20000];
/** The reason of a value from the transposition table. */
const FOUND = "found in the transposition table";

export class MinimaxSteps {
  /** Whether the most important nodes of a tree are those nearest to its root. */
  isBroad = true;

  /** Request a search of a position, or of a tree of leaves. `ask(path, query)` returns the response. */
  static async load(query, start, ask) {
    const { iterations, ...rest } = query;
    const search = new MinimaxSteps();
    search.after = start.after ?? positionsFrom(start);
    search.isTyped = Boolean(start.isTyped);
    search.noun = search.isTyped ? "move" : "column";
    // The player of each depth; values are for the side to move at the root.
    search.levels = [{ name: text("search.levels.max"), player: start.turn }, { name: text("search.levels.min"), player: 1 - start.turn }];
    search.ask = (first, steps) => ask("api/search/minimax", { ...rest, first_step: first, steps, tree_nodes: 1 });
    search.steps = [];
    search.stepsAt = new Map(); // moves -> numbers of the steps at that node
    search.count = Infinity;
    await search.ready(0);
    return search;
  }

  /** Load all steps up to one. */
  async ready(index) {
    while (this.steps.length <= Math.min(index, this.count - 1)) {
      const { steps, total_steps: count, algorithm, evaluation_description: about } = await this.ask(this.steps.length, this.steps.length ? CHUNK : FIRST);
      Object.assign(this, { count, algorithm, about, hasWindows: ["alphabeta", "negamax"].includes(algorithm) });
      if (algorithm === "own") this.levels = null; // the values of a bot may be for any side
      for (const step of steps) {
        if (!this.stepsAt.has(step.moves)) this.stepsAt.set(step.moves, []);
        this.stepsAt.get(step.moves).push(this.steps.push(step) - 1);
      }
    }
  }

  /** Whether a step is loaded. */
  has(index) {
    return index < this.steps.length;
  }

  /** The kinds of steps to go to. */
  get jumps() {
    return this.hasWindows ? ["cut", "leaf"] : ["leaf"];
  }

  /** Return the next step of a kind after one, or null. */
  async next(kind, index) {
    for (let at = index + 1; at < this.count; at++) {
      if (!this.has(at)) await this.ready(at);
      const event = eventOf(this.steps[at]);
      if (kind === event || (kind === "leaf" && ["rest", "over", "found"].includes(event))) return at;
    }
    return null;
  }

  /** Return the content of a step. */
  at(index) {
    const step = this.steps[index];
    const place = namedMoves(step.moves, this.noun);
    const reason = this.#reasonOf(step, index);
    const sentence = {
      enter: () => (reason ? text("search.note", { place: capital(place), reason }) : this.hasWindows ? text("search.visitWindow", { place, window: windowText(step) }) : text("search.visit", { place })),
      return: () => text(reason ? "search.worthBecause" : "search.worth", { place: capital(place), value: valueText(step), reason }),
      cut: () => text("search.cut", { place, reason }),
    }[step.kind]();
    const counted = (name, count, more) => (count === undefined ? [] : [text(`search.counters.${name}`, { count, ...more })]);
    const counters = [
      ...counted("step", index + 1, { total: this.count }), ...counted("nodes", step.nodes), ...(this.levels ? counted("evaluations", step.evaluations) : []),
      ...(this.hasWindows ? counted("cuts", step.cutoffs) : []), ...counted("found", step.table_hits || undefined),
    ];
    const deepest = step.depth > 0 ? step.moves.length : step.moves.length - 1;
    return {
      words: sentence, counters: `${counters.join(" · ")}.`,
      about: this.levels ? text(this.hasWindows ? "search.valuesAndWindows" : "search.values") : "",
      estimates: this.about ? text("search.estimates", { evaluation: this.about.replace(/-(?=\d)/g, "−") }) : "",
      code: codeOf(this.algorithm, step.kind === "enter" && !step.moves ? "start" : eventOf(step)),
      moves: step.moves, root: this.#node("", index, true),
      childrenOf: (moves) => this.#children(moves, index, step.moves),
      isOpen: (node) => this.isTyped || (node.isHere && node.moves.length <= deepest),
    };
  }

  /** Return the reason of a step in words. */
  #reasonOf(step, index) {
    const { kind, reason = "", skipped } = step;
    const known = (name) => text(`search.reasons.${name}`, {}, name);
    if (kind === "cut") return text(this.isTyped ? "search.skippedMoves" : "search.skipped", { count: skipped, why: known(reason.replace(/^\d+ columns? skipped: /, "")) });
    if (this.isTyped && reason.startsWith("best of")) return text(`search.best.${this.hasWindows ? "tried" : "all"}`);
    const [, winner] = /^(Yellow|Red) wins$/.exec(reason) ?? [];
    if (winner) return text("search.wins", { name: playerName(winner === "Yellow" ? 0 : 1) });
    return reason === FOUND ? this.#sameAs(step, index, known(reason)) : known(reason);
  }

  /** Return the reason of a value from the table, with the earlier moves to its position and their step. */
  #sameAs(step, index, reason) {
    const { rows } = this.after(step.moves);
    const isSame = ({ kind, reason: other, moves }) => kind === "return" && other !== FOUND
      && moves.length === step.moves.length && this.after(moves).rows === rows;
    const before = this.steps.slice(0, index).findLastIndex(isSame);
    return before < 0 ? reason : text("search.sameAs", { reason, moves: [...this.steps[before].moves].join(", "), step: before + 1 });
  }

  /** Return the last step at a node up to `index`, or its first one after. */
  stepOf(moves, index) {
    const all = this.stepsAt.get(moves) ?? [];
    return all.findLast((at) => at <= index) ?? all[0] ?? null;
  }

  #children(moves, index, here) {
    const position = this.after(moves);
    const isAbove = here.startsWith(moves) && here !== moves; // the search of a bot may pass over it
    if (position.isOver || !(this.isTyped || isAbove || this.#opens(moves, position, index))) return [];
    const isCut = this.#isCutAway(moves, index);
    return position.legal.map((column) => {
      const child = moves + position.board.name(column);
      return this.#node(child, index, here.startsWith(child), isCut);
    });
  }

  /** Whether the unvisited nodes below a node are cut away. */
  #isCutAway(moves, index) {
    const known = this.#known(moves, index);
    return known ? known.isCut : Boolean(moves) && this.#isCutAway(moves.slice(0, -1), index);
  }

  #opens(moves, position, index) {
    return position.legal.some((column) => this.stepsAt.get(moves + position.board.name(column))?.[0] <= index);
  }

  /** Return the state of a node after a step. */
  #known(moves, index) {
    const all = this.stepsAt.get(moves);
    if (!all || all[0] > index) return null;
    const node = { state: "open", value: null, isCut: false };
    for (const at of all) {
      if (at > index) break;
      const step = this.steps[at];
      Object.assign(node, { step, window: step.window });
      if (step.kind === "enter") Object.assign(node, { state: "open", value: null, isCut: false });
      else if (step.kind === "cut") Object.assign(node, { state: "cut", value: valueText(step), isCut: true });
      else Object.assign(node, { state: node.isCut ? "cut" : "done", value: valueText(step), isFound: step.reason === FOUND });
    }
    if (node.state === "open" && this.levels) this.#addBest(node, moves, index);
    return node;
  }

  /** Add the best value so far to an open node, as a bound, and to its window. */
  #addBest(node, moves, index) {
    const { legal, board } = this.after(moves);
    const isMax = moves.length % 2 === 0;
    const values = legal.map((column) => this.#last(moves + board.name(column), index)).filter((step) => step?.kind === "return");
    if (!values.length) return;
    const best = values.reduce((found, step) => ((isMax ? step.value > found.value : step.value < found.value) ? step : found));
    node.value = `${isMax ? "≥" : "≤"} ${valueText(best)}`;
    const place = isMax ? 0 : 1;
    const [alpha, beta] = [node.step.alpha ?? -Infinity, node.step.beta ?? Infinity];
    if (isMax ? best.value > alpha : best.value < beta) node.window = node.window?.with(place, best.words);
  }

  /** Return the last step at a node up to `index`. */
  #last(moves, index) {
    return this.steps[this.stepsAt.get(moves)?.findLast((at) => at <= index)];
  }

  #node(moves, index, isHere, parentIsCut = false) {
    const node = this.#known(moves, index);
    const base = { moves, ...titleOf(moves, this.noun), isHere };
    if (!node) {
      const given = this.after(moves).value ?? null; // of a typed leaf
      const brief = [...(given === null ? [] : [sign(String(given))]), ...(parentIsCut ? ["✂"] : given === null ? ["·"] : [])].join(" ");
      const words = parentIsCut ? [text("search.cutAway")] : given === null && !isHere ? [text("search.notYet")] : [];
      return { ...base, lines: given === null ? words : [...words, brief], brief, state: parentIsCut ? "skipped" : "unseen" };
    }
    const bound = node.isCut && this.levels ? (moves.length % 2 ? "≤ " : "≥ ") : "";
    const brief = [bound + (node.value ?? "…"), ...(node.isCut ? ["✂"] : node.isFound ? ["≡"] : [])].join(" ");
    const lines = [...(this.hasWindows ? [windowText(node)] : []), brief];
    return { ...base, lines, brief, state: node.state, opens: this.#opens(moves, this.after(moves), index) };
  }
}

/** Return the event of a step. */
function eventOf({ kind, reason, depth }) {
  if (kind !== "return") return kind;
  if (reason.startsWith("best of")) return "best";
  return reason === FOUND ? "found" : depth === 0 && reason === "evaluated" ? "rest" : "over";
}

/** Return a value of the server as the page shows it. */
function sign(value) {
  const [, result, count] = /^(win|loss) in (\d+)$/.exec(value) ?? [];
  return result ? text(`search.${result}`, { count: Number(count) }) : value.replace("-inf", "−∞").replace("+inf", "∞").replace("-", "−");
}

const windowText = ({ window }) => `[${window.map(sign).join(", ")}]`;
const valueText = (step) => ((step.words ?? null) === null ? null : sign(step.words));
