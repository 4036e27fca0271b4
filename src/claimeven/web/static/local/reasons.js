// Reasons for the score of a column that the next discs show, in the sentences of `claimeven.review`.

import { pliesToEnd } from "../words.js";

const NAMES = ["Yellow", "Red"];

/** Return the claims about a column, its score first; `before` is the score of the position, `after` of the column. */
export function claimsOf(position, column, before, after) {
  return [{ kind: "column_score", text: scoreText(position, column, before, after), cells: [] }, ...tactics(position, column)];
}

function scoreText(position, column, before, after) {
  const moves = (score) => Math.ceil(pliesToEnd(position, score) / 2);
  const when = (score) => (score > 0 && moves(score) === 1 ? "immediately" : `in ${moves(score)} move${moves(score) > 1 ? "s" : ""}`);
  const name = `Column ${position.board.name(column)}`;
  if (after === before) {
    if (after === 0) return `${name} holds the draw.`;
    return after < 0 ? `${name} loses, but no column holds out longer.` : `${name} wins ${when(after)}.`;
  }
  if (after > 0) return `${name} still wins, but ${when(after)} instead of ${moves(before)}.`;
  if (after === 0) return `${name} gives the win away: best play now ends in a draw.`;
  if (before < 0) return `${name} loses ${when(after)} instead of ${moves(before)}.`;
  return `${name} ${before > 0 ? "turns the win into a loss" : "gives the draw away"}: ${NAMES[1 - position.turn]} wins ${when(after)}.`;
}

/** Return claims by the rules: lines to complete and to block, and double threats. */
function tactics(position, column) {
  const { board, turn } = position;
  const row = position.height(column);
  const after = position.play(column);
  if (after.winner !== null) return [claim("wins", `It completes a line of ${board.connect}.`, inOrder(after.winning.flat()))];
  const other = NAMES[1 - turn];
  const wins = (columns) => `${columns.length > 1 ? "immediate wins" : "an immediate win"} in ${listed(board, columns)}`;
  const missed = position.wins();
  const open = position.wins(1 - turn);
  const left = open.filter((each) => each !== column);
  const found = [];
  if (missed.length) found.push(claim("misses", `It misses ${wins(missed)}.`, cellsOf(position, missed)));
  const isLost = after.wins().length > 0;
  if (missed.length && !isLost) return found;
  if (open.includes(column)) found.push(claim("blocks", `It blocks ${other}, who would win there immediately.`, [[column, row]]));
  if (left.length) found.push(claim("ignores", `It leaves ${other} ${wins(left)}.`, cellsOf(position, left)));
  else if (after.wins().includes(column)) found.push(claim("opens", `${other} then wins on top of it, in row ${row + 2}.`, [[column, row + 1]]));
  if (isLost || after.isOver) return found;
  const threats = after.wins(turn);
  const only = "only one can be blocked.";
  if (threats.length > 1) return [...found, claim("double", `It threatens to win in ${listed(board, threats)}: ${only}`, cellsOf(after, threats))];
  for (const answer of threats.length ? threats : after.legal) {
    const next = after.play(answer);
    const double = next.wins(1 - turn);
    if (double.length < 2 || next.wins().length) continue;
    const text = `${other} answers in column ${board.name(answer)} and threatens to win in ${listed(board, double)}: ${only}`;
    return [...found, claim("double", text, cellsOf(next, double))];
  }
  return found;
}

const claim = (kind, text, cells) => ({ kind, text, cells: cells.map((cell) => cell.map((each) => each + 1)) });
const inOrder = (cells) => [...new Map(cells.map((cell) => [String(cell), cell])).values()].sort(([a, b], [c, d]) => a - c || b - d);
const cellsOf = (position, columns) => columns.map((column) => [column, position.height(column)]);

/** Return columns as words: "columns 1, 2 and 3". */
function listed(board, columns) {
  const names = columns.map((column) => board.name(column));
  const last = names.pop();
  return names.length ? `columns ${names.join(", ")} and ${last}` : `column ${last}`;
}
