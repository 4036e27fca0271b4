// A tree given by its leaves, such as "3 12 8 | 2 4 6 | 14 5 2" or "[[3 17] [2 12]] [15 [25 0]]", and its
// search by minimax, alpha-beta or negamax, with the steps of the textbook searches.

import { text } from "./texts.js";

/** Names of the children of a node. */
const NAMES = "123456789abcdefghijklmnopqrstuvwxyz";
const [MAX_LEAVES, MAX_DEPTH] = [200, 8];

const problem = (name, values) => new Error(text(`search.leafErrors.${name}`, values));

/** Return the tree of a text: a leaf is a number, another node a list. Throws a sentence. */
export function parseLeaves(typed) {
  const tokens = typed.replaceAll("\u2212", "-").match(/[-+]?\d+(\.\d+)?(?![\w.])|[[\]()|;]|[^\s,[\]()|;]+/g) ?? [];
  let leaves = 0;
  const group = (depth, closing) => {
    if (depth > MAX_DEPTH) throw problem("levels", { most: MAX_DEPTH });
    const groups = [[]];
    for (;;) {
      const token = tokens.shift();
      if (token === closing) break;
      if (token === undefined) throw problem("open", { bracket: closing });
      if (token === "[" || token === "(") groups.at(-1).push(group(depth + 1, token === "[" ? "]" : ")"));
      else if (token === "|" || token === ";") groups.push([]);
      else if (token === "]" || token === ")") throw problem("unopened", { bracket: token });
      else if (!/^[-+]?\d/.test(token) || !(Math.abs(Number(token)) < 1e6)) throw problem("number", { leaf: token });
      else leaves += groups.at(-1).push(Number(token)) > 0;
    }
    if (groups.some((each) => !each.length)) throw problem("empty");
    if (Math.max(groups.length, ...groups.map((each) => each.length)) > NAMES.length) throw problem("children", { most: NAMES.length });
    return groups.length > 1 ? groups : groups[0];
  };
  let tree = group(1, undefined);
  while (tree.length === 1 && Array.isArray(tree[0])) [tree] = tree; // brackets around the whole
  if (leaves < 2 || leaves > MAX_LEAVES) throw problem("leaves", { most: MAX_LEAVES, count: leaves });
  return tree;
}

/** The places of a tree, as the positions of a game are to a search on a board. */
export class LeafTree {
  isTyped = true;
  turn = 0;

  constructor(typed) {
    this.tree = parseLeaves(typed);
  }

  /** Return the node after moves. */
  after = (moves) => {
    const node = this.nodeAt(moves);
    const legal = Array.isArray(node) ? [...node.keys()] : [];
    return { isOver: !legal.length, legal, rows: moves, board: { name: (child) => NAMES[child] }, value: legal.length ? null : node };
  };

  nodeAt(moves) {
    return [...moves].reduce((node, name) => node[NAMES.indexOf(name)], this.tree);
  }

  /** Return all steps of a search, in the form of the server's. */
  search(algorithm) {
    const steps = [];
    const counters = { nodes: 0, evaluations: 0, cutoffs: 0, table_hits: 0 };
    const isMinimax = algorithm === "minimax";
    const record = (kind, moves, node, alpha, beta, value = null, reason = "", skipped = 0) => {
      steps.push({
        step: steps.length, kind, moves, depth: heightOf(node), alpha: finite(alpha), beta: finite(beta), window: [textOf(alpha), textOf(beta)],
        value, words: value === null ? null : textOf(value), plies_to_end: null, reason, skipped, ...counters,
      });
    };
    const visit = (moves, turn, alpha, beta) => {
      const node = this.nodeAt(moves);
      const asked = [alpha, beta];
      counters.nodes += 1;
      record("enter", moves, node, ...asked);
      if (!Array.isArray(node)) {
        counters.evaluations += 1;
        record("return", moves, node, ...asked, node, "evaluated");
        return node;
      }
      let best = -turn * Infinity;
      for (const child of node.keys()) {
        const value = visit(moves + NAMES[child], -turn, alpha, beta);
        if (turn * value > turn * best) best = value;
        if (isMinimax) continue;
        if (turn === 1) alpha = Math.max(alpha, best);
        else beta = Math.min(beta, best);
        const skipped = node.length - 1 - child;
        if (alpha < beta || !skipped) continue;
        counters.cutoffs += 1;
        const why = algorithm === "negamax" ? "the opponent has better elsewhere"
          : turn === 1 ? "the opponent can already get beta" : "the root's side can already get alpha";
        record("cut", moves, node, alpha, beta, best, `${skipped} column${skipped > 1 ? "s" : ""} skipped: ${why}`, skipped);
        break;
      }
      record("return", moves, node, ...(algorithm === "negamax" ? asked : [alpha, beta]), best, isMinimax ? "best of all columns" : "best of the columns tried");
      return best;
    };
    visit("", 1, -Infinity, Infinity);
    return { algorithm, evaluation_description: null, total_steps: steps.length, steps };
  }
}

const heightOf = (node) => (Array.isArray(node) ? 1 + Math.max(...node.map(heightOf)) : 0);
const finite = (number) => (Number.isFinite(number) ? number : null);
const textOf = (number) => (Number.isFinite(number) ? String(number) : number > 0 ? "+inf" : "-inf");
