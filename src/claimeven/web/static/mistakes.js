// The user's mistakes as puzzles, stored in this browser and repeated until they are learned.

import { get } from "./api.js";
import { Board, Position } from "./rules.js";
import { store, stored } from "./storage.js";
import { text } from "./texts.js";
import { pliesToEnd } from "./words.js";

const KEY = "claimeven.mistakes";
const MAX_MISTAKES = 60;
const DAY = 86_400_000;
/** Days until a puzzle that was solved 1, 2, 3 times in a row comes again; after the next time it is learned. */
const DAYS = [1, 3, 7];

const moves = (position, score) => Math.ceil(pliesToEnd(position, score) / 2);
const keyOf = ({ connect, rows }) => `${connect} ${rows}`;

/** Return the rating of a puzzle by the moves to foresee, close to `rate` of `claimeven.puzzles`. */
const ratingOf = (length) => [600, 1000, 1200][length - 1] ?? Math.min(900 + 100 * length, 2200);

/** Return a mistake as plain data: the position, the column played and the right ones, from 0. */
function mistakeOf(position, { column, before, after, scores }) {
  const task = before < 0 ? "delay" : before === 0 ? "hold" : after > 0 ? "fastest" : "win";
  const isRight = {
    win: (score) => score > 0, hold: (score) => score === 0, fastest: (score) => score === before,
    delay: (score) => moves(position, score) > moves(position, after),
  }[task];
  const right = scores.flatMap((score, each) => (score !== null && isRight(score) ? [each] : []))
    .sort((a, b) => scores[b] - scores[a]);
  const lost = scores.filter((score) => score !== null && score < 0).map((score) => moves(position, score));
  const length = { hold: Math.max(...lost), delay: moves(position, after) }[task] ?? moves(position, before);
  const { board: { size, connect }, rows } = position;
  return { size, connect, rows, played: column - 1, right, task, length, times: 0, due: 0 };
}

/** Return the position of stored data, or null if the data are invalid. */
function positionOf(stored) {
  try {
    const position = Position.fromRows(stored.rows, Board.parse(stored.size, stored.connect));
    const { right, played, times, due, length, task } = stored;
    const isValid = ["win", "fastest", "hold", "delay"].includes(task) && position.isLegal(played)
      && right.length > 0 && right.every((column) => position.isLegal(column) && column !== played)
      && [times, length].every(Number.isInteger) && times >= 0 && times <= DAYS.length && length > 0 && Number.isFinite(due);
    return isValid ? position : null;
  } catch {
    return null;
  }
}

/** The stored mistakes, valid ones only: none without storage. */
function mistakes() {
  const found = stored(KEY);
  return Array.isArray(found) ? found.filter(positionOf).slice(0, MAX_MISTAKES) : [];
}

/** Store mistakes of a game: pairs of the position and its judged move; drop the oldest ones. Return whether it succeeds. */
export function addMistakes(judged) {
  const added = judged.map((each) => mistakeOf(...each)).filter(positionOf);
  const known = mistakes();
  const news = added.filter((each) => !known.some((other) => keyOf(other) === keyOf(each)));
  return store(KEY, [...news, ...known].slice(0, MAX_MISTAKES));
}

/** The numbers of stored mistakes and of due ones, and when the next one is due. */
export function mistakeCounts(now = Date.now()) {
  const all = mistakes();
  return { count: all.length, due: all.filter(({ due }) => due <= now).length, next: Math.min(...all.map(({ due }) => due)) };
}

/** Return the puzzle of the mistake that is due first, another one than `last` if there is one; or null. */
export function nextMistake(last = null) {
  const all = mistakes().sort((a, b) => a.due - b.due);
  const found = all.find((each) => keyOf(each) !== last) ?? all[0];
  return found ? { ...found, key: keyOf(found), position: positionOf(found), rating: ratingOf(found.length) } : null;
}

/** Store the result of a puzzle: it comes again later, or now if it was not solved. */
export function countMistake(key, isSolved, now = Date.now()) {
  store(KEY, mistakes().flatMap((each) => {
    if (keyOf(each) !== key || (isSolved && each.due > now)) return [each];
    if (!isSolved) return [{ ...each, times: 0, due: now }];
    return each.times < DAYS.length ? [{ ...each, times: each.times + 1, due: now + DAYS[each.times] * DAY }] : [];
  }));
}

/** Return a function from columns of a mistake to the claims about them; the answer is kept. */
async function claimsAt(own) {
  own.asked ??= get("api/explanation", { board: own.size, connect: own.connect, position: own.rows });
  own.asked.catch(() => delete own.asked);
  const { columns } = await own.asked;
  return (column) => columns.find((each) => each.column === column + 1).claims;
}

/** Return the claims about a column, and the best reply to a wrong one, from 1. */
export async function resultOf(own, column) {
  const claims = (await claimsAt(own))(column);
  const after = own.position.play(column);
  if (own.right.includes(column) || after.isOver) return { claims, reply: null };
  const { best } = await get("api/scores", { board: own.size, connect: own.connect, position: after.rows });
  return { claims, reply: best[0] };
}

/** Return three hints: the reasons against the column played, the cells to look at, the right column. */
export async function hintsFor(own) {
  const claimsOf = await claimsAt(own);
  const [column] = own.right;
  const against = claimsOf(own.played);
  const reasons = claimsOf(column);
  const cells = reasons.flatMap((claim) => claim.cells).filter(([each]) => each !== column + 1).slice(0, 3);
  const others = own.position.legal.filter((each) => !own.right.includes(each));
  const wrong = others.slice(0, Math.ceil(others.length / 2)).map((each) => own.position.board.name(each));
  const hint = (step, claims, lit, columns = []) => ({ step, text: claims.map((claim) => claim.text).join(" "), cells: lit, columns });
  return { hints: [
    hint("idea", against, against.flatMap((claim) => claim.cells)),
    hint("cells", [{ text: text(cells.length ? "puzzles.lookAt" : "puzzles.notIn", { columns: wrong.join(" ") }) }], cells),
    hint("column", reasons, [], [column + 1]),
  ] };
}
