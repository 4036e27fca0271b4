// The line of the textbook search that does a step: its file in the package, and the line.

const MINIMAX = "minimax/textbook.py";
const [TREE, SIMPLE, PUCT] = ["montecarlo/tree/textbook.py", "montecarlo/flat/textbook.py", "montecarlo/puct/textbook.py"];
const REST = "known = _value_at_rest(position, depth, context, len(path))";

const BEST = "if turn * child.value > turn * best.value:";
const [SIMULATE, COUNT] = ["result, moves = self.simulate(path[-1])", "node.total += result"];

/** By algorithm; for minimax searches by event, for the others by phase. */
const CODE = {
  minimax: [MINIMAX, { enter: "child = yield from minimax(", rest: REST, best: BEST }],
  alphabeta: [MINIMAX, { enter: "child = yield from alphabeta(", rest: REST, best: BEST, cut: "if alpha >= beta and place < len(columns):" }],
  negamax: [MINIMAX, {
    enter: "child = yield from negamax(", rest: "value = context.evaluate(position, len(path))",
    found: "value = entry.value_at(len(path))", over: "value, reason = _finished_value(position, len(path))",
    best: "if -child.value > best.value:", cut: "if lower >= upper and place < len(columns):",
  }],
  tree: [TREE, ["path, expanded = self.select()", "expanded = self.expand(node)", SIMULATE, COUNT]],
  flat: [SIMPLE, ["return self.simulate_and_back_up(self.next_leaf(), ())", "self.expand(path)", SIMULATE, COUNT]],
  puct: [PUCT, ["path = self.select()", "expanded = self.expand(leaf)", "result = -self.evaluate(leaf)", "proofs = self.back_up(path, result)"]],
};

/** Return the file and the line of a step, or null. */
export function codeOf(algorithm, step) {
  const [file, lines] = CODE[algorithm] ?? CODE.tree;
  const line = lines[step] ?? (step === "over" || step === "found" ? lines.rest : null);
  return line ? { file, line } : null;
}
