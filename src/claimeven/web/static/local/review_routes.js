// Routes of the worker: the review of a game, as `claimeven.review` judges it, without reasons.

import { pliesToEnd } from "../words.js";
import { lineOf, outcomeOf } from "./positions.js";
import { bestColumns, solverOf } from "./score_routes.js";
import { SearchStopped, winScore } from "./solver.js";
import { REVIEW } from "./slots.js";

/** The time limit of a review, in time limits of a position. */
const LIMITS = 6;

async function review(query, job) {
  const { start, columns, position: final } = lineOf(query);
  const { board } = start;
  const positions = [start];
  for (const column of columns) positions.push(positions.at(-1).play(column));
  job.seconds *= LIMITS;
  const solver = await solverOf(board);
  const score = await solver.score(final, job);
  const moves = [];
  // Late positions are quick to solve, and speed up the earlier ones.
  for (let place = columns.length - 1; place >= 0; place--) {
    const position = positions[place];
    const { scores, complete } = await solver.scores(position, job);
    if (!complete) throw new SearchStopped();
    job.send("scores", { ply: position.ply, scores });
    moves.unshift(judged(position, columns[place], scores));
  }
  const players = [1, 2].map((player) => moves.filter((move) => move.player === player));
  const forYellow = (value, turn) => (turn === 0 ? value : 0 - value);
  return {
    moves: columns.map((column) => board.name(column)).join(""),
    columns: board.columns,
    rows: board.rows,
    connect: board.connect,
    outcome: outcomeOf(final),
    score,
    score_history: [...moves.map((move) => forYellow(move.before, move.player - 1)), forYellow(score, final.turn)],
    accuracy: players.map(accuracy),
    judgement_counts: players.map((own) => Object.fromEntries(
      REVIEW.JUDGEMENTS.map((judgement) => [judgement, own.filter((move) => move.judgement === judgement).length]),
    )),
    judged_moves: moves,
  };
}

/** Return the judgement of a move as plain data. */
function judged(position, column, scores) {
  const known = scores.filter((score) => score !== null);
  const [before, after] = [Math.max(...known), scores[column]];
  const judgement = judgementOf(position, before, after);
  return {
    ply: position.ply,
    player: position.turn + 1,
    column: column + 1,
    before,
    after,
    judgement,
    mark: REVIEW.MARKS[judgement],
    credit: known.some((score) => score !== before) ? credit(position, before, after) : null,
    best: bestColumns(position, before, scores),
    scores,
    reason: "",
    claims: [],
  };
}

/** Return the expected result of the side to move, from 0 to 1 (an immediate win). */
function expectedResult(position, score) {
  const moves = Math.floor((pliesToEnd(position, score) + 1) / 2);
  return 0.5 + Math.sign(score) * 0.5 * REVIEW.DISCOUNT ** (moves - 1);
}

function judgementOf(position, before, after) {
  if (after === before) return REVIEW.JUDGEMENTS[0];
  const lost = expectedResult(position, before) - expectedResult(position, after);
  const isMissed = before > 0 && pliesToEnd(position, before) === 1;
  const least = isMissed ? 2 : Number(Math.sign(before) !== Math.sign(after));
  return REVIEW.JUDGEMENTS[1 + Math.max(least, REVIEW.LIMITS.filter((limit) => limit <= lost).length)];
}

function credit({ board, ply }, before, after) {
  const steps = Math.sign(before) - Math.sign(after);
  if (steps) return REVIEW.CREDITS[steps];
  const worst = before > 0 ? 1 : 0 - winScore(board, ply + 1);
  return before === after ? 1 : 1 - (before - after) / (2 * (before - worst));
}

/** Return the mean credit of moves in per cent, or null. */
function accuracy(moves) {
  const credits = moves.map((move) => move.credit).filter((value) => value !== null);
  return credits.length ? (100 * credits.reduce((sum, value) => sum + value)) / credits.length : null;
}

export const routes = { "api/review": review, "api/review/events": review };
