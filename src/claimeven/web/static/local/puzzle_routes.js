// Routes of the worker: the bundled puzzles, attempts and hints by exact scores.

import { Board, played, Position } from "../rules.js";
import { inWords } from "../words.js";
import { fileOf } from "./kernels.js";
import { solverOf } from "./score_routes.js";

const DAY = 86_400_000;
/** Of the puzzles near a rating, one in this many is chosen from, but at least `LEAST`. */
const [SHARE, LEAST] = [20, 10];
let loading = null;

/** Return the set of puzzles, see `claimeven.web.site`. */
function bundled() {
  loading ??= fileOf(new URL("../../data/puzzles.json", import.meta.url)).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  loading.catch(() => { loading = null; });
  return loading;
}

const answer = ({ set, digest }, count, puzzle) => ({ set, digest, count, puzzle });

async function puzzles({ difficulty, kind, rating, number, exclude }) {
  const all = await bundled();
  const chosen = all.puzzles.filter((puzzle) => [puzzle.difficulty, null].includes(difficulty || null) && [puzzle.kind, null].includes(kind || null));
  if (number) return answer(all, chosen.length, byNumber(all, number));
  if (!chosen.length) throw new Error("The set has no puzzle of this difficulty and kind.");
  const excluded = new Set(String(exclude ?? "").split(","));
  let fresh = chosen.filter((puzzle) => !excluded.has(String(puzzle.number)));
  if (!fresh.length) fresh = chosen;
  if (rating !== undefined && rating !== null) {
    fresh = fresh.toSorted((a, b) => Math.abs(a.rating - rating) - Math.abs(b.rating - rating));
    fresh.length = Math.min(fresh.length, Math.max(LEAST, Math.floor(fresh.length / SHARE)));
  }
  return answer(all, chosen.length, fresh[Math.floor(Math.random() * fresh.length)]);
}

/** Return the puzzle of a day, as `claimeven.puzzles.sets.daily_puzzle`: the week starts easy and ends hard. */
async function daily({ date }) {
  const all = await bundled();
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  const days = Math.round((day - Date.parse(all.first_day)) / DAY);
  if (Number.isNaN(days)) throw new Error(`A day must be a date such as 2026-01-31, got “${date}”.`);
  const [week, weekday] = [Math.floor(days / all.week.length), modulo(days, all.week.length)];
  const difficulty = all.week[weekday];
  const count = (part) => part.filter((each) => each === difficulty).length;
  const chosen = all.puzzles.filter((puzzle) => puzzle.difficulty === difficulty);
  const turn = week * count(all.week) + count(all.week.slice(0, weekday));
  return answer(all, all.puzzles.length, chosen[modulo(turn, chosen.length)]);
}

const modulo = (number, divisor) => ((number % divisor) + divisor) % divisor;

function byNumber({ puzzles: all }, number) {
  if (!all[number - 1]) throw new Error(`The number of a puzzle must be 1 to ${all.length}, got ${number}.`);
  return all[number - 1];
}

/** Return a puzzle, the position after the columns found, and the next column. */
async function stateOf({ number, columns_found: found = 0 }) {
  const all = await bundled();
  const puzzle = byNumber(all, number);
  if (!(found >= 0 && found < puzzle.length)) throw new Error(`Puzzle ${number} has ${puzzle.length} columns to find: the number found so far must be 0 to ${puzzle.length - 1}, got ${found}.`);
  const position = played(new Position(new Board()), puzzle.moves + puzzle.solution.slice(0, 2 * found));
  return { all, puzzle, position, column: position.board.column(puzzle.solution[2 * found]) };
}

/** Return a sentence for a column by the score after it: "Column 4 wins in 5 moves." */
async function sentence(position, column, job) {
  const score = await (await solverOf(position.board)).score(position.play(column), job);
  return `Column ${position.board.name(column)} ${inWords(position, 0 - score)}.`;
}

async function attempt({ column: name, ...query }, job) {
  const { puzzle, position, column: right } = await stateOf(query);
  const { board } = position;
  const column = board.column(String(name));
  const after = played(position, String(name));
  const correct = column === right;
  const reply = puzzle.solution[2 * Number(query.columns_found ?? 0) + 1];
  const solved = correct && !reply;
  const defense = async () => (after.isOver ? null : (await (await solverOf(board)).best(after, job)).column + 1);
  return {
    column: column + 1,
    correct,
    solved,
    reply: solved ? null : correct ? board.column(reply) + 1 : await defense(),
    text: await sentence(position, column, job),
    claims: [],
  };
}

async function hints(query, job) {
  const { all, puzzle, position, column } = await stateOf(query);
  const idea = all.ideas[puzzle.idea];
  const others = position.legal.filter((other) => other !== column);
  const wrong = others.slice(0, Math.ceil(others.length / 2));
  const names = wrong.map((other) => position.board.name(other));
  const listed = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  const hint = (step, text, columns = []) => ({ step, text, cells: [], columns: columns.map((each) => each + 1) });
  return {
    hints: [
      hint("idea", `${idea[0].toUpperCase()}${idea.slice(1)}.`),
      hint("cells", `It is not in column${names.length > 1 ? "s" : ""} ${listed}.`, wrong),
      hint("column", await sentence(position, column, job), [column]),
    ],
  };
}

export const routes = {
  "api/puzzles": puzzles, "api/puzzles/daily": daily, "api/puzzles/attempt": attempt, "api/puzzles/hints": hints,
};
