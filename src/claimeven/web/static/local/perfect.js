// The agents that know exact scores: `perfect`, also at the levels below itself, and `full`.

import { centerOrder } from "./positions.js";
import { solverOf } from "./score_routes.js";
import { PERFECT } from "./slots.js";

/**
 * Return the decision of `perfect` as plain data. `options` are its `pick` ("center" or "random"), `quick`
 * and `level`; `seconds` limits the search, null for the limit of the job; `random` returns numbers from 0 to 1.
 */
export async function perfectMove(position, { pick, quick, level }, seconds, random, job) {
  const { scores, complete, ...cost } = await solved(position, seconds, job);
  const policy = complete ? policyOf(position, scores, pick, quick, level) : null;
  const column = complete ? sampled(policy, random) : bestKnown(position, scores);
  return decision(position, column, scores, policy, complete, cost, { complete, backend: "compiled" });
}

/** Return the decision of `full` as plain data: the best column by exact scores. */
export async function fullMove(position, seconds, job) {
  const { scores, complete, ...cost } = await solved(position, seconds, job);
  const column = bestKnown(position, scores);
  return decision(position, column, scores, null, complete, cost, { engine: "solver", complete });
}

async function solved(position, seconds, job) {
  const solver = await solverOf(position.board);
  if (seconds) job.seconds = Math.min(job.seconds, seconds);
  const before = solver.nodes;
  const { scores, complete } = await solver.scores(position, job);
  return { scores, complete, nodes: solver.nodes - before, seconds: job.elapsed };
}

function decision(position, column, scores, policy, isKnown, { nodes, seconds }, details) {
  const score = isKnown ? bestOf(scores) : null;
  return {
    column: column + 1,
    value: isKnown ? Math.sign(score) : null,
    policy: policy ?? scores.map((_, at) => (at === column ? 1 : 0)),
    score,
    depth: null,
    nodes,
    visits: null,
    iterations: null,
    seconds,
    line: null,
    tree: null,
    details: { values: scores, values_are: "score", ...details },
  };
}

const bestOf = (scores) => Math.max(...scores.filter((score) => score !== null));

/** Return the probability of each column: a good one `level` times in 10, else a softmax of the scores. */
function policyOf({ board }, scores, pick, quick, level) {
  const values = quick ? scores : scores.map((score) => (score === null ? null : Math.sign(score)));
  const good = centerOrder(board).filter((column) => values[column] === bestOf(values));
  if (pick === "center") good.length = 1;
  const share = level / PERFECT.TOP_LEVEL;
  const chances = scores.map((_, column) => (good.includes(column) ? share / good.length : 0));
  if (share === 1) return chances;
  const best = bestOf(scores);
  const weights = scores.map((score) => (score === null ? 0 : Math.exp((score - best) / (PERFECT.SPREAD - level))));
  const total = weights.reduce((sum, weight) => sum + weight);
  return chances.map((chance, column) => chance + (1 - share) * (weights[column] / total));
}

/** Draw a column; `random` is not called if only one column is possible. */
function sampled(chances, random) {
  const likely = chances.flatMap((chance, column) => (chance > 0 ? [column] : []));
  let left = likely.length === 1 ? 0 : random() * chances.reduce((sum, chance) => sum + chance);
  return likely.find((column) => (left -= chances[column]) < 0) ?? likely.at(-1);
}

/** Return the best column by known scores: an unknown one counts as a draw, or as a loss if it loses immediately. */
function bestKnown(position, scores) {
  const worth = (column) => scores[column] ?? (losesImmediately(position.play(column)) ? -position.board.cells : 0);
  const legal = centerOrder(position.board).filter((column) => position.isLegal(column));
  return legal.reduce((best, column) => (worth(column) > worth(best) ? column : best));
}

const losesImmediately = (after) => after.legal.some((column) => after.play(column).winner !== null);
