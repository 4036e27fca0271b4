// A Monte Carlo search, iteration by iteration, each in its four phases.

import { played } from "./rules.js";

const CHUNK = 100;
const PHASES = ["select", "expand", "simulate", "back up"];
const EMPTY = { move: null, visits: 0, total: 0, mean: null, bonus: null, selection: null, share: 1, children: [] };

export class MonteCarloSteps {
  static async load(query, start, ask) {
    const { depth, ...rest } = query;
    const steps = new MonteCarloSteps();
    steps.start = start;
    steps.ask = (first) => ask("/api/search/montecarlo", { ...rest, first, steps: CHUNK, trees: true, tree_nodes: 300 });
    steps.answer = await steps.ask(1);
    steps.iterations = steps.answer.steps;
    if (!steps.iterations.length) throw new Error("No search was needed here: the move is evident.");
    return steps;
  }

  get count() {
    return this.iterations.length * PHASES.length;
  }

  get hasMore() {
    return this.iterations.length < this.answer.total;
  }

  async more() {
    const { steps } = await this.ask(this.iterations.length + 1);
    this.iterations.push(...steps);
  }

  at(index) {
    const number = Math.floor(index / PHASES.length);
    const phase = index % PHASES.length;
    const step = this.iterations[number];
    const before = this.iterations[number - 1]?.tree ?? EMPTY;
    const tree = phase === 3 ? step.tree : before;
    const result = { 1: "a win", 0: "a draw", [-1]: "a loss" }[step.result];
    const name = named(step.selected);
    const isGuided = step.tree.children.some((child) => child.bonus !== null);
    const said = [
      isGuided ? `Select: go down by the greatest sum of Q and bonus, unvisited columns first, to ${name}.` : `Select: ${name} has its turn.`,
      step.expanded.length
        ? `Expand: ${named(step.selected.slice(0, -1))} is given its children, columns ${step.expanded.join(", ")}.`
        : "Expand: no leaf was met again, so nothing is added.",
      step.simulated ? `Simulate: play on at random, ${step.simulated.length} moves, to the end.` : "Simulate: the game is over here, nothing to play.",
      `Back up: ${result} for the side to move at the root is counted along the path.`,
    ];
    return {
      words: `Iteration ${step.iteration}, ${PHASES[phase]}. ${said[phase]}`,
      counters: `iteration ${step.iteration} of ${this.answer.total} · N: visits, Q: mean result for the side that chose the move, +: bonus for few visits. Edges as wide as their share of visits.`,
      moves: phase === 2 ? step.selected + step.simulated : step.selected,
      levels: this.#levels(tree, step.selected, phase),
    };
  }

  /** Nodes are not gone to: every iteration begins at the root. */
  stepOf() {
    return null;
  }

  #levels(tree, selected, phase) {
    const levels = [[{ ...words(tree, "root"), moves: "", isHere: true, state: "done" }]];
    let node = tree;
    for (let length = 0; length <= selected.length && node; length++) {
      const path = selected.slice(0, length);
      const position = played(this.start, path);
      if (position.isOver || (!node.children.length && length === selected.length)) break;
      const chosen = selected[length];
      levels.push(position.legal.map((column) => {
        const name = position.board.name(column);
        const child = node.children.find((each) => each.move === name);
        const isHere = name === chosen;
        const state = child ? "done" : isHere && phase > 0 ? "open" : "unseen";
        return { ...words(child, `column ${name}`), moves: path + name, isHere, state, weight: child?.share ?? 0 };
      }));
      node = node.children.find((each) => each.move === chosen);
    }
    return levels;
  }
}

function words(node, title) {
  if (!node || !node.visits) return { title, lines: ["not visited"] };
  const mean = node.mean === null ? "" : `Q ${signed(node.mean)}`;
  const bonus = node.bonus === null ? "" : `+ ${node.bonus.toFixed(2)}`;
  return { title: `${title}`, lines: [`N ${node.visits}`, [mean, bonus].filter(Boolean).join(" ")] };
}

const named = (moves) => (moves ? `column ${[...moves].join(", then ")}` : "the root");
const signed = (number) => (number < 0 ? `−${(-number).toFixed(2)}` : number.toFixed(2));
