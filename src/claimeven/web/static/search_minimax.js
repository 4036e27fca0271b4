// A minimax search, step by step: what is known of each node after any step.

import { played } from "./rules.js";

const CHUNK = 5000;

export class MinimaxSteps {
  /** Ask for a search. `ask(path, query)` returns the server's answer. */
  static async load(query, start, ask) {
    const { iterations, ...rest } = query;
    const steps = new MinimaxSteps();
    steps.start = start;
    steps.ask = (first) => ask("/api/search/minimax", { ...rest, first, steps: CHUNK, tree_nodes: 1 });
    const answer = await steps.ask(0);
    steps.answer = answer;
    steps.steps = answer.steps;
    return steps;
  }

  get count() {
    return this.steps.length;
  }

  get hasMore() {
    return this.steps.length < this.answer.total;
  }

  async more() {
    const { steps } = await this.ask(this.steps.length);
    this.steps.push(...steps);
  }

  /** What a step shows. */
  at(index) {
    const step = this.steps[index];
    const nodes = this.#nodesAfter(index);
    const name = step.moves || "the root";
    const said = {
      enter: `Look at ${name} with the window ${windowText(step)}.`,
      return: `${capital(name)} is worth ${step.words}: ${step.reason}.`,
      cut: `Cut at ${name}: ${step.reason}.`,
    }[step.kind];
    const counted = [
      `step ${index + 1} of ${this.answer.total.toLocaleString("en")}`, `${step.nodes} nodes`, `${step.evaluations} evaluations`,
      `${step.cutoffs} cuts`, ...(step.table_hits ? [`${step.table_hits} found in the table`] : []),
    ];
    return {
      words: said, counters: `${counted.join(" · ")}. Values and windows as the side to move at the root sees them.`,
      moves: step.moves, levels: this.#levels(step, nodes),
    };
  }

  /** The last step at a node up to `index`, or its first one after. */
  stepOf(moves, index) {
    const all = this.steps.flatMap((step, at) => (step.moves === moves ? [at] : []));
    const earlier = all.filter((at) => at <= index);
    return earlier.at(-1) ?? all[0] ?? null;
  }

  #nodesAfter(index) {
    const nodes = new Map();
    for (let at = 0; at <= index; at++) {
      const step = this.steps[at];
      const node = nodes.get(step.moves) ?? { state: "open" };
      node.window = windowText(step);
      if (step.kind === "enter") Object.assign(node, { state: "open", value: null });
      if (step.kind === "cut") Object.assign(node, { state: "cut", value: step.words, isCut: true });
      if (step.kind === "return") Object.assign(node, { state: node.isCut ? "cut" : "done", value: step.words, reason: step.reason });
      nodes.set(step.moves, node);
    }
    return nodes;
  }

  #levels(step, nodes) {
    const levels = [[this.#node("", nodes, true)]];
    const deepest = step.depth > 0 ? step.moves.length : step.moves.length - 1;
    for (let length = 0; length <= deepest; length++) {
      const parent = step.moves.slice(0, length);
      const position = played(this.start, parent);
      if (position.isOver || ![...nodes.keys()].some((moves) => moves.length === length + 1 && moves.startsWith(parent))) break;
      const isCut = nodes.get(parent)?.isCut;
      levels.push(position.legal.map((column) => {
        const moves = parent + position.board.name(column);
        return this.#node(moves, nodes, step.moves.startsWith(moves), isCut);
      }));
    }
    return levels;
  }

  #node(moves, nodes, isHere, parentIsCut = false) {
    const node = nodes.get(moves);
    const title = moves ? `column ${moves.at(-1)}` : "root";
    if (!node) return { moves, title, lines: [parentIsCut ? "cut away" : "not yet"], state: parentIsCut ? "skipped" : "unseen", isHere: false };
    const value = node.value === null || node.value === undefined ? "…" : node.value;
    return { moves, title, lines: [node.window, node.isCut ? `${value}  ✂` : value], state: node.state, isHere };
  }
}

const sign = (text) => text.replace("-inf", "−∞").replace("+inf", "∞").replace("-", "−");
const windowText = (step) => `[${step.window.map(sign).join(", ")}]`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
