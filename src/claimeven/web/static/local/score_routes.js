// Routes of the worker: exact scores, the opening book, the state of the page.

import { inWords, pliesToEnd } from "../words.js";
import { bookOf } from "./book.js";
import { centerOrder, lineOf, ongoing } from "./positions.js";
import { finalScore, Solver } from "./solver.js";

/** Boards with a solver in memory. */
const MAX_SOLVERS = 2;
/** The table in MB, if the address of the worker has it. */
const megabytes = Number(new URL(globalThis.location).searchParams.get("megabytes")) || undefined;
const solvers = new Map();

/** Return the solver of a board. */
export function solverOf(board) {
  const key = `${board.size} ${board.connect}`;
  const known = solvers.get(key) ?? Solver.load(board, megabytes, bookOf(board));
  solvers.delete(key);
  solvers.set(key, known); // the last one was used last
  known.catch(() => solvers.delete(key));
  if (solvers.size > MAX_SOLVERS) solvers.delete(solvers.keys().next().value);
  return known;
}

/** Return the columns, from 1, that keep the score of a position, the most central one first. */
export function bestColumns({ board }, score, scores) {
  return score === null ? [] : centerOrder(board).filter((column) => scores[column] === score).map((column) => column + 1);
}

const wordsOf = (position, scores) => scores.map((score) => inWords(position, score));

async function scores(query, job) {
  const position = ongoing(query);
  const solver = await solverOf(position.board);
  const before = solver.nodes;
  const found = await solver.scores(position, job, (column, score) => job.send("column", {
    column: column + 1, score, words: inWords(position, score),
  }));
  const score = found.complete ? Math.max(...position.legal.map((column) => found.scores[column])) : null;
  return {
    moves: query.moves ?? "",
    score,
    scores: found.scores,
    words: wordsOf(position, found.scores),
    best: bestColumns(position, score, found.scores),
    outcome: score === null ? null : ["loss", "draw", "win"][Math.sign(score) + 1],
    plies_to_end: score === null ? null : pliesToEnd(position, score),
    complete: found.complete,
    from_book: found.fromBook,
    nodes: solver.nodes - before,
    seconds: job.elapsed,
  };
}

export const routes = {
  "api/scores": scores,
  "api/scores/events": scores,

  /** Load the solver of a board. */
  "api/load": async (query) => {
    await solverOf(lineOf(query).position.board);
    return {};
  },

  /** The score of a position, also of a finished game, without the scores of its columns. */
  "api/score": async (query, job) => {
    const { position } = lineOf(query);
    const solver = await solverOf(position.board);
    const before = solver.nodes;
    return { score: await solver.score(position, job), nodes: solver.nodes - before, seconds: job.elapsed };
  },

  /** The most central column that keeps the score of a position. */
  "api/best": async (query, job) => {
    const position = ongoing(query);
    const { column, score } = await (await solverOf(position.board)).best(position, job);
    return { column: column + 1, score };
  },

  "api/book": async (query) => {
    const { position } = lineOf(query);
    const book = await bookOf(position.board);
    const known = (at) => (at.isOver ? finalScore(at) : book?.lookUp(at) ?? null);
    const found = Array(position.board.columns).fill(null);
    for (const column of position.legal) {
      const score = known(position.play(column));
      found[column] = score === null ? null : 0 - score;
    }
    const score = known(position);
    return {
      moves: query.moves ?? "",
      book_plies: book?.plies ?? null,
      in_book: score !== null,
      score,
      scores: found,
      words: wordsOf(position, found),
      best: bestColumns(position, score, found),
    };
  },

  "api/status": async () => ({ ready: true, compiling: false, store: null }),
};
