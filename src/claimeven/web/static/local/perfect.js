// The agent `perfect`, also at the levels below itself.

import { centerOrder, oneHot, playable } from "./positions.js";
import { solverOf } from "./score_routes.js";
import { PERFECT } from "./slots.js";

/**
 * Return the decision of `perfect`; its column counts from 0. `options` are `pick` ("center" or "random"),
 * `quick` and `level`; `seconds` limits the search, null for the limit of the job; `random` returns numbers
 * from 0 to 1.
 */
export async function perfectMove(position, options, seconds, random, job) {
  const solver = await solverOf(position.board);
  if (seconds) job.seconds = Math.min(job.seconds, seconds);
  const before = solver.nodes;
  const { scores, complete } = await solver.scores(position, job);
  const known = complete ? bestOf(scores) : null;
  const policy = complete ? policyOf(position, scores, options) : oneHot(bestKnown(position, scores), position);
  return {
    column: sampled(policy, random), value: complete ? Math.sign(known) : null, policy, score: known,
    nodes: solver.nodes - before, details: { values: scores, values_are: "score", complete, backend: "compiled" },
  };
}

const bestOf = (scores) => Math.max(...scores.filter((score) => score !== null));

/** Return the probability of each column: a good one `level` times in 10, else a softmax of the scores. */
function policyOf({ board }, scores, { pick, quick, level }) {
  const values = quick ? scores : scores.map((score) => (score === null ? null : Math.sign(score)));
  const good = centerOrder(board).filter((column) => values[column] === bestOf(values));
  if (pick === "center") good.length = 1;
  const share = level / PERFECT.TOP_LEVEL;
  const weights = scores.map((score) => (share === 1 || score === null ? 0 : Math.exp((score - bestOf(scores)) / (PERFECT.SPREAD - level))));
  const total = weights.reduce((sum, weight) => sum + weight) || 1;
  return weights.map((weight, column) => (good.includes(column) ? share / good.length : 0) + (1 - share) * (weight / total));
}

/** Draw a column; `random` is not called if only one column is possible. */
function sampled(chances, random) {
  const likely = chances.flatMap((chance, column) => (chance > 0 ? [column] : []));
  let left = likely.length === 1 ? 0 : random() * chances.reduce((sum, chance) => sum + chance);
  return likely.find((column) => (left -= chances[column]) < 0) ?? likely.at(-1);
}

/** Return the best column by known scores: an unknown one counts as a draw, or as the worst if it loses immediately. */
function bestKnown(position, scores) {
  const worth = (column) => scores[column] ?? (position.play(column).wins().length ? -position.board.cells : 0);
  return playable(position).reduce((best, column) => (worth(column) > worth(best) ? column : best));
}
