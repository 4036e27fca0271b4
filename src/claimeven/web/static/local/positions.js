// Positions of requests, and their words for kernels: one bit for each cell, column by column.

import { Board, columnsOf, played, Position } from "../rules.js";
import { playerName } from "../words.js";

/** Return the `start` of a request, the `columns` from it and the `position` after them; throw a sentence if they are invalid. */
export function lineOf({ board = "7x6", connect = 4, moves = "", position = null }) {
  const size = Board.parse(board, Number(connect));
  const start = position ? Position.fromRows(position, size) : new Position(size);
  return { start, columns: columnsOf(moves, size), position: played(start, moves) };
}

/** Return the position of a request; throw a sentence if the game is over. */
export function ongoing(query) {
  const { position } = lineOf(query);
  if (position.isOver) throw new Error(`The game is over here: ${outcomeOf(position)}.`);
  return position;
}

/** Return "draw" or "Yellow wins" for a finished game, else null. */
export function outcomeOf({ isOver, winner }) {
  return !isOver ? null : winner === null ? "draw" : `${playerName(winner, false)} wins`;
}

/** Columns, the most central one first. */
export function centerOrder({ columns }) {
  const aside = (column) => Math.abs(2 * column - (columns - 1));
  return Array.from({ length: columns }, (_, column) => column).sort((a, b) => aside(a) - aside(b) || a - b);
}

/** Columns that can be played, the most central one first. */
export const playable = (position) => centerOrder(position.board).filter((column) => position.isLegal(column));

/** Return a board as words: bits a column and in all, masks of the lowest cells and of all cells. */
export function geometryOf({ columns, rows }) {
  const height = rows + 1;
  let bottom = 0n;
  for (let column = 0; column < columns; column++) bottom |= 1n << BigInt(column * height);
  return { height, bits: columns * height, bottom, cells: bottom * ((1n << BigInt(rows)) - 1n) };
}

/** Return the discs of the side to move (`mine`) and all discs (`mask`) of a position. */
export function wordsOf({ board, stacks, turn }) {
  let [mine, mask] = [0n, 0n];
  stacks.forEach((stack, column) => stack.forEach((player, row) => {
    const bit = 1n << BigInt(column * (board.rows + 1) + row);
    mask |= bit;
    if (player === turn) mine |= bit;
  }));
  return { mine, mask };
}

/** Return probabilities that choose a column. */
export const oneHot = (column, { stacks }) => stacks.map((_, each) => Number(each === column));

export const mirrorOf = ({ board, stacks }) => new Position(board, stacks.toReversed());
