// A minimax search step by step, with the state of each node after every step.

import { positionsFrom } from "./rules.js";
import { codeOf } from "./search_code.js";
import { namedMoves, titleOf } from "./search_tree.js";
import { capital, withShownColors } from "./words.js";

/** Number of steps of the first request, and of later ones. */
const [FIRST, CHUNK] = [5000, 20000];
/** The reason of a value from the transposition table. */
const FOUND = "found in the transposition table";

export class MinimaxSteps {
  /** Whether the most important nodes of a tree are those nearest to its root. */
  isBroad = true;
  /** The player of each depth, with values for the side to move at the root. */
  levels = ["MAX", "MIN"];

  /** Request a search. `ask(path, query)` returns the response. */
  static async load(query, start, ask) {
    const { iterations, ...rest } = query;
    const search = new MinimaxSteps();
    search.after = positionsFrom(start);
    search.ask = (first, steps) => ask("api/search/minimax", { ...rest, first_step: first, steps, tree_nodes: 1 });
    search.steps = [];
    search.stepsAt = new Map(); // moves -> numbers of the steps at that node
    search.total = Infinity;
    await search.ready(0);
    return search;
  }

  get count() {
    return this.total;
  }

  /** Load all steps up to one. */
  async ready(index) {
    while (this.steps.length <= Math.min(index, this.total - 1)) {
      const { steps, total_steps: total, algorithm, evaluation_description: about } = await this.ask(this.steps.length, this.steps.length ? CHUNK : FIRST);
      Object.assign(this, { total, algorithm, about, hasWindows: algorithm !== "minimax" });
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

  /** Return the content of a step. */
  at(index) {
    const step = this.steps[index];
    const name = namedMoves(step.moves);
    const sentence = {
      enter: `Visit ${name}${this.hasWindows ? ` with the window ${windowText(step)}` : ""}.`,
      return: `${capital(name)} is worth ${valueText(step)}: ${withShownColors(step.reason)}${this.#sameAs(step, index)}.`,
      cut: `Cut at ${name}: ${step.reason}.`,
    }[step.kind];
    const counted = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
    const counters = [
      `step ${(index + 1).toLocaleString("en")} of ${this.total.toLocaleString("en")}`, counted(step.nodes, "node"),
      counted(step.evaluations, "evaluation"), ...(this.hasWindows ? [counted(step.cutoffs, "cut")] : []),
      ...(step.table_hits ? [`${step.table_hits.toLocaleString("en")} found in the table (≡)`] : []),
    ];
    const deepest = step.depth > 0 ? step.moves.length : step.moves.length - 1;
    return {
      words: sentence, counters: `${counters.join(" · ")}.`,
      about: `${this.hasWindows ? "Values and windows" : "Values"} as the side to move at the root sees them: MAX takes the greatest, MIN the least. At the depth limit values are estimates: ${this.about}.`, code: codeOf(this.algorithm, eventOf(step)),
      moves: step.moves, root: this.#node("", index, true),
      childrenOf: (moves) => this.#children(moves, index, step.moves),
      isOpen: (node) => node.isHere && node.moves.length <= deepest,
    };
  }

  /** Return the earlier moves to the position of a table entry, with their step. */
  #sameAs(step, index) {
    if (step.reason !== FOUND) return "";
    const { rows } = this.after(step.moves);
    const isSame = ({ kind, reason, moves }) => kind === "return" && reason !== FOUND
      && moves.length === step.moves.length && this.after(moves).rows === rows;
    const before = this.steps.slice(0, index).findLastIndex(isSame);
    if (before < 0) return "";
    return `: the same discs as after ${[...this.steps[before].moves].join(", ")} in step ${(before + 1).toLocaleString("en")}`;
  }

  /** Return the last step at a node up to `index`, or its first one after. */
  stepOf(moves, index) {
    const all = this.stepsAt.get(moves) ?? [];
    return all.findLast((at) => at <= index) ?? all[0] ?? null;
  }

  #children(moves, index, here) {
    const position = this.after(moves);
    if (position.isOver || !this.#opens(moves, position, index)) return [];
    const isCut = this.#known(moves, index)?.isCut;
    return position.legal.map((column) => {
      const child = moves + position.board.name(column);
      return this.#node(child, index, here.startsWith(child), isCut);
    });
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
      node.window = windowText(step);
      if (step.kind === "enter") Object.assign(node, { state: "open", value: null, isCut: false });
      else if (step.kind === "cut") Object.assign(node, { state: "cut", value: valueText(step), isCut: true });
      else Object.assign(node, { state: node.isCut ? "cut" : "done", value: valueText(step), isFound: step.reason === FOUND });
    }
    return node;
  }

  #node(moves, index, isHere, parentIsCut = false) {
    const node = this.#known(moves, index);
    const base = { moves, ...titleOf(moves), isHere: isHere && node !== null };
    if (!node && parentIsCut) return { ...base, lines: ["cut away"], brief: "✂", state: "skipped" };
    if (!node) return { ...base, lines: ["not yet"], brief: "·", state: "unseen" };
    const brief = [node.value ?? "…", ...(node.isCut ? ["✂"] : node.isFound ? ["≡"] : [])].join(" ");
    const lines = [...(this.hasWindows ? [node.window] : []), brief];
    return { ...base, lines, brief, state: node.state, opens: this.#opens(moves, this.after(moves), index) };
  }
}

/** Return the event of a step. */
function eventOf({ kind, reason, depth }) {
  if (kind !== "return") return kind;
  if (reason.startsWith("best")) return "best";
  return reason === FOUND ? "found" : depth === 0 && reason === "evaluated" ? "rest" : "over";
}

const sign = (text) => text.replace("-inf", "−∞").replace("+inf", "∞").replace("-", "−");
const windowText = (step) => `[${step.window.map(sign).join(", ")}]`;
const valueText = (step) => (step.words === null ? null : sign(step.words));
