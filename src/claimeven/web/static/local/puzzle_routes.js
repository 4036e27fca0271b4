// Routes of puzzles: the bundled ones, attempts and hints by exact scores.

import { Board, played, Position } from "../rules.js";
import { capital } from "../words.js";
import { dataOf } from "./kernels.js";
import { claimsOf } from "./reasons.js";
import { solverOf } from "./score_routes.js";

const DAY = 86_400_000;
/** One in `SHARE` of the puzzles near a rating is chosen from, but at least `LEAST`. */
const [SHARE, LEAST] = [20, 10];

/** The set of puzzles and their tables (`claimeven.web.site` writes it). */
const bundled = () => dataOf("puzzles");

const answer = ({ set, digest }, count, puzzle) => ({ set, digest, count, puzzle });

async function puzzles({ rating, number, exclude, ...query }) {
  const all = await bundled();
  const wanted = ["difficulty", "kind", "motif", "length"].filter((name) => query[name]);
  const chosen = all.puzzles.filter((puzzle) => wanted.every((name) => String(puzzle[name]) === String(query[name])));
  if (number) return answer(all, chosen.length, byNumber(all, number));
  if (!chosen.length) throw new Error("The set has no such puzzle: choose fewer of its properties.");
  const excluded = new Set(String(exclude ?? "").split(","));
  let fresh = chosen.filter((puzzle) => !excluded.has(String(puzzle.number)));
  if (!fresh.length) fresh = chosen;
  const near = (puzzle) => Math.abs(puzzle.rating - rating);
  if (rating) fresh = fresh.toSorted((a, b) => near(a) - near(b)).slice(0, Math.max(LEAST, Math.floor(fresh.length / SHARE)));
  return answer(all, chosen.length, fresh[Math.floor(Math.random() * fresh.length)]);
}

/** Return the puzzle of a day, as `puzzles.daily_puzzle` of the Python package. */
async function daily({ date }) {
  const all = await bundled();
  const days = Math.round((Date.parse(date) - Date.parse(all.first_day)) / DAY);
  if (Number.isNaN(days)) throw new Error(`A day must be a date such as 2026-01-31, got “${date}”.`);
  const weekday = modulo(days, all.week.length);
  const difficulty = all.week[weekday];
  const count = (part) => part.filter((each) => each === difficulty).length;
  const turn = Math.floor(days / all.week.length) * count(all.week) + count(all.week.slice(0, weekday));
  const chosen = all.puzzles.filter((puzzle) => puzzle.difficulty === difficulty);
  return answer(all, all.puzzles.length, chosen[modulo(turn, chosen.length)]);
}

const modulo = (number, divisor) => ((number % divisor) + divisor) % divisor;

function byNumber({ puzzles: all }, number) {
  if (!all[number - 1]) throw new Error(`The number of a puzzle must be 1 to ${all.length}, got ${number}.`);
  return all[number - 1];
}

/** Return the set, a puzzle, its position after the columns found, the next column, and the reply to it if it is not the last. */
async function stateOf({ number, columns_found: found = 0 }) {
  const all = await bundled();
  const puzzle = byNumber(all, number);
  const { columns_to_find: length, moves, solution } = puzzle;
  if (!(found >= 0 && found < length)) throw new Error(`Puzzle ${number} has ${length} column${length > 1 ? "s" : ""} to find: the number found so far must be 0 to ${length - 1}, got ${found}.`);
  const position = played(new Position(new Board()), moves + solution.slice(0, 2 * found));
  const [column, reply = null] = [...solution.slice(2 * found)].map((name) => position.board.column(name));
  return { all, puzzle, position, column, reply };
}

/** Return the claims about a column, its score first. */
async function claims(position, column, job) {
  const { scores } = await (await solverOf(position.board)).scores(position, job);
  return claimsOf(position, column, Math.max(...position.legal.map((each) => scores[each])), scores[column]);
}

const textOf = (found) => found.map((claim) => claim.text).join(" ");

async function attempt({ column: name, ...query }, job) {
  const { position, column: right, reply } = await stateOf(query);
  const after = played(position, String(name));
  const [column] = after.last;
  const correct = column === right;
  const defense = correct || after.isOver ? null : await (await solverOf(position.board)).best(after, job);
  const next = correct ? reply : defense;
  const found = await claims(position, column, job);
  const shown = correct && reply !== null ? found.slice(0, 1) : found;
  return {
    column: column + 1, correct, solved: correct && reply === null, reply: next === null ? null : next + 1,
    text: textOf(shown), claims: shown,
  };
}

async function hints(query, job) {
  const { all, puzzle, position, column } = await stateOf(query);
  const others = position.legal.filter((other) => other !== column);
  const wrong = others.slice(0, Math.ceil(others.length / 2));
  const names = wrong.map((other) => position.board.name(other)).join(", ");
  const hint = (step, text, columns = []) => ({ step, text, cells: [], columns: columns.map((each) => each + 1) });
  return { hints: [
    hint("idea", `${capital(all.ideas[puzzle.idea])}.`),
    hint("cells", `It is not in column${wrong.length > 1 ? "s" : ""} ${names}.`, wrong),
    hint("column", textOf(await claims(position, column, job)), [column]),
  ] };
}

export const routes = {
  "api/puzzles": puzzles, "api/puzzles/daily": daily, "api/puzzles/attempt": attempt, "api/puzzles/hints": hints,
};
