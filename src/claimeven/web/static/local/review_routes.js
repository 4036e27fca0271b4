// The routes of reviews and explanations: as `claimeven.review`, with the reasons that the next discs show.

import { pliesToEnd } from "../words.js";
import { lineOf, ongoing, outcomeOf } from "./positions.js";
import { claimsOf } from "./reasons.js";
import { bestColumns, solverOf } from "./score_routes.js";
import { REVIEW } from "./slots.js";
import { SearchStopped } from "./solver.js";

/** The time limit of a review, in time limits of a position. */
const TIMES = 6;

async function review(query, job) {
  job.seconds *= TIMES;
  const { start, columns, position: final } = lineOf(query);
  const { board } = start;
  const positions = [start];
  for (const column of columns) positions.push(positions.at(-1).play(column));
  const solver = await solverOf(board);
  const score = await solver.score(final, job);
  const moves = [];
  // Late positions are quick to solve, and speed up the earlier ones.
  for (const [place, column] of [...columns.entries()].reverse()) {
    const { scores, complete } = await solver.scores(positions[place], job);
    if (!complete) throw new SearchStopped();
    job.send("scores", { ply: positions[place].ply, scores });
    moves.unshift(judged(positions[place], column, scores));
  }
  const players = [1, 2].map((player) => moves.filter((move) => move.player === player));
  const counts = (own) => REVIEW.JUDGEMENTS.map((judgement) => [judgement, own.filter((move) => move.judgement === judgement).length]);
  const history = [...moves.map(({ before, player }) => [before, player]), [score, final.turn + 1]];
  return {
    moves: columns.map((column) => board.name(column)).join(""),
    columns: board.columns, rows: board.rows, connect: board.connect, outcome: outcomeOf(final), score,
    score_history: history.map(([value, player]) => (player === 1 ? value : 0 - value)),
    accuracy: players.map(accuracy),
    judgement_counts: players.map((own) => Object.fromEntries(counts(own))),
    judged_moves: moves,
  };
}

/** Return the judgement of a move as plain data. */
function judged(position, column, scores) {
  const known = scores.filter((score) => score !== null);
  const [before, after] = [Math.max(...known), scores[column]];
  const judgement = judgementOf(position, before, after);
  const counts = known.some((score) => score !== before);
  const claims = REVIEW.MARKS[judgement] ? claimsOf(position, column, before, after) : [];
  return {
    ply: position.ply, player: position.turn + 1, column: column + 1, before, after, judgement, mark: REVIEW.MARKS[judgement],
    credit: counts ? credit(position, before, after) : null, best: bestColumns(position, before, scores), scores, reason: claims.map((each) => each.text).join(" "), claims,
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

/** Return the credit of a move, from 0 to 1. */
function credit({ board, ply }, before, after) {
  const worst = before > 0 ? 1 : -board.winScore(ply + 1);
  if (after === before) return 1;
  return REVIEW.CREDITS[Math.sign(before) - Math.sign(after)] ?? 1 - (before - after) / (2 * (before - worst));
}

/** Return the mean credit of moves in per cent, or null. */
function accuracy(moves) {
  const credits = moves.map((move) => move.credit).filter((value) => value !== null);
  return credits.length ? (100 * credits.reduce((sum, value) => sum + value)) / credits.length : null;
}

/** Return the claims about each column of a position. */
async function explanation(query, job) {
  const position = ongoing(query);
  const { scores, complete } = await (await solverOf(position.board)).scores(position, job);
  if (!complete) throw new SearchStopped();
  const score = Math.max(...position.legal.map((column) => scores[column]));
  const columns = position.legal.map((column) => ({
    column: column + 1, score: scores[column], best: scores[column] === score, claims: claimsOf(position, column, score, scores[column]),
  }));
  return { score, scores, best: bestColumns(position, score, scores), claims: [], columns: columns.toSorted((a, b) => b.score - a.score) };
}

export const routes = { "api/review": review, "api/review/events": review, "api/explanation": explanation };
