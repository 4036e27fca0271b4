// The code of the textbook search next to its tree: functions, with the current line of each.

import { LISTINGS } from "./search_listings.js";

/** By algorithm; for minimax searches by event, for the others by phase: functions, each with the start of its current line. */
const LINES = {
  minimax: { start: "def ", enter: "child = ", rest: "known = ", best: "return best" },
  alphabeta: { start: "def ", enter: "child = ", rest: "known = ", best: "return best", cut: "if alpha >= beta " },
  negamax: {
    start: "def ", enter: "child = ", over: "value, reason = _finished_value(", found: "value = entry.", rest: "value = context.evaluate(",
    best: "return best", cut: "if lower >= upper ",
  },
  tree: [
    { step: "path, expanded = self.select()", select: "node = self.best_child(", best_child: "bound = upper_bound(" },
    { step: "path, expanded = self.select()", select: "expanded = self.expand(", expand: "node.children = " },
    { step: "result, moves = self.simulate(", simulate: "result, moves = play_out(" },
    { step: "proofs = self.back_up(", back_up: "node.total += result" },
  ],
  flat: [
    { step: "return self.simulate_and_back_up(", next_leaf: "path = self.nodes[" }, { expand: "node.children = " },
    { simulate_and_back_up: "result, moves = self.simulate(", simulate: "result, moves = play_out(" }, { simulate_and_back_up: "node.total += result" },
  ],
  puct: [
    { step: "path = self.select()", select: "node = self.best_child(", best_child: "bound = value + spread " },
    { step: "expanded = self.expand(", expand: "node.children = " },
    { step: "result = -self.evaluate(", evaluate: "values, priors = " }, { step: "proofs = self.back_up(", back_up: "node.total += result" },
  ],
};

/** Return the `file` and the `lines` of a step, current ones marked, or null for a search without a textbook. */
export function codeOf(algorithm, step) {
  const marks = LINES[algorithm];
  if (!marks) return null;
  const found = marks[step] ?? marks.rest;
  const { file, ...functions } = LISTINGS[algorithm];
  const starts = typeof found === "string" ? { [algorithm]: found } : found;
  const lines = Object.entries(starts).flatMap(([name, start], at) => [
    ...(at ? [{ text: "", isCurrent: false }] : []),
    ...functions[name].split("\n").map((text) => ({ text, isCurrent: text.trim().startsWith(start) })),
  ]);
  return { file, lines };
}
