// Routes of the worker: exact scores, the opening book, the state of the page.

import { kept } from "../kept.js";
import { inWords, outcomeOf, pliesToEnd } from "../words.js";
import { bookOf } from "./book.js";
import { centerOrder, lineOf, ongoing } from "./positions.js";
import { Solver } from "./solver.js";

/** Boards with a solver in memory. */
const MAX_SOLVERS = 2;
/** The table in MB, if the address of the worker has it. */
const megabytes = Number(new URL(globalThis.location).searchParams.get("megabytes")) || undefined;
const solvers = new Map();

/** Return the solver of a board. */
export function solverOf(board) {
  return kept(solvers, `${board.size} ${board.connect}`, () => Solver.load(board, megabytes, () => bookOf(board)), MAX_SOLVERS);
}

/** Return the columns, from 1, that keep the score of a position, the most central one first. */
export function bestColumns({ board }, score, scores) {
  return score === null ? [] : centerOrder(board).filter((column) => scores[column] === score).map((column) => column + 1);
}

/** Return the fields of scores that all answers have. */
function described(query, position, score, scores) {
  const words = scores.map((each) => inWords(position, each));
  return { moves: query.moves ?? "", score, scores, words, best: bestColumns(position, score, scores) };
}

async function scores(query, job) {
  const position = ongoing(query);
  const solver = await solverOf(position.board);
  const before = solver.nodes;
  const found = await solver.scores(position, job, (column, score) => job.send("column", {
    column: column + 1, score, words: inWords(position, score),
  }));
  const score = found.complete ? Math.max(...position.legal.map((column) => found.scores[column])) : null;
  return {
    ...described(query, position, score, found.scores),
    outcome: outcomeOf(score) || null,
    plies_to_end: score === null ? null : pliesToEnd(position, score),
    complete: found.complete, from_book: found.fromBook, nodes: solver.nodes - before, seconds: job.elapsed,
  };
}

async function book(query) {
  const { position } = lineOf(query);
  const opened = await bookOf(position.board);
  const known = (at) => (at.isOver ? at.finalScore : opened?.lookUp(at) ?? null);
  const score = known(position);
  const columns = position.stacks.map((_, column) => (position.isLegal(column) ? known(position.play(column)) : null));
  const answer = described(query, position, score, columns.map((each) => each && 0 - each));
  return { ...answer, book_plies: opened?.plies ?? null, in_book: score !== null };
}

/** Return the score of a position, also of a finished game, without the scores of its columns. */
async function score(query, job) {
  const { position } = lineOf(query);
  const solver = await solverOf(position.board);
  const before = solver.nodes;
  return { score: await solver.score(position, job), nodes: solver.nodes - before };
}

export const routes = {
  "api/scores": scores, "api/scores/events": scores, "api/book": book, "api/score": score,
  "api/load": async (query) => (await solverOf(lineOf(query).start.board)).board.size,
  "api/status": async () => ({ ready: true, compiling: false, store: null }),
};
