// The rules, in the browser, so that a disc drops immediately.
// Columns and rows count from 0, row 0 at the bottom; player 0 (Yellow) moves first.

import { text } from "./texts.js";
import { playerName } from "./words.js";

const DIGITS = "123456789";
const LETTERS = "abcdefghijklmnop";

/** A board: columns x rows, and how many discs in a line win. */
export class Board {
  constructor(columns = 7, rows = 6, connect = 4) {
    Object.assign(this, { columns, rows, connect });
  }

  /** Return the board of a text such as 7x6; throw a sentence if it is invalid. */
  static parse(size, connect = 4) {
    const found = /^(\d{1,2})x(\d{1,2})$/i.exec(size.trim());
    const [columns, rows] = found ? [Number(found[1]), Number(found[2])] : [0, 0];
    const fits = [columns, rows].every((size) => size >= 1 && size <= 16);
    if (!fits) throw new Error(text("rules.board", { size }));
    if (!(Number.isInteger(connect) && connect >= 2 && connect <= 8)) throw new Error(text("rules.connect"));
    return new Board(columns, rows, Number(connect));
  }

  get size() {
    return `${this.columns}x${this.rows}`;
  }

  get cells() {
    return this.columns * this.rows;
  }

  /** The bits of a position, with one more row. */
  get bits() {
    return this.columns * (this.rows + 1);
  }

  /** Whether the kernels of the page support this board. */
  get isSolvable() {
    return this.bits <= 64;
  }

  /** Whether the columns have letters instead of digits. */
  get hasLetters() {
    return this.columns > DIGITS.length;
  }

  /** Return the score of a side that completes a line with the disc after `ply` discs. */
  winScore(ply) {
    return Math.floor((this.cells + 1 - ply) / 2);
  }

  equals(other) {
    return this.size === other.size && this.connect === other.connect;
  }

  /** Return the character of a column: a digit, or a letter on more than nine columns. */
  name(column) {
    return (this.hasLetters ? LETTERS : DIGITS)[column];
  }

  /** Return the column of a character, or -1. */
  column(character) {
    const lower = character.toLowerCase();
    const column = Math.max(DIGITS.indexOf(lower), LETTERS.indexOf(lower));
    return column < this.columns ? column : -1;
  }
}

const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

/** A position; `play` returns a new one. `stacks` holds the players of a column's discs, upwards. */
export class Position {
  constructor(board, stacks = Array.from({ length: board.columns }, () => [])) {
    Object.assign(this, { board, stacks, last: null, lines: null });
    this.ply = stacks.reduce((sum, stack) => sum + stack.length, 0);
  }

  /**
   * Return the position of rows from the top (X Yellow, O Red, dots), separated by "/"; throw a
   * sentence for an obviously impossible position.
   */
  static fromRows(drawn, board) {
    const rows = drawn.split("/").reverse();
    if (rows.length !== board.rows || rows.some((row) => row.length !== board.columns)) {
      throw new Error(text("rules.drawing", { rows: board.rows, columns: board.columns }));
    }
    const stacks = Array.from({ length: board.columns }, () => []);
    rows.forEach((row, at) => [...row].forEach((cell, column) => {
      const player = { X: 0, O: 1, ".": null }[cell.toUpperCase()];
      if (player === undefined) throw new Error(text("rules.cell", { cell }));
      if (player === null) return;
      if (stacks[column].length < at) throw new Error(text("rules.floats", { column: board.name(column) }));
      stacks[column].push(player);
    }));
    const position = new Position(board, stacks);
    if (position.problem) throw new Error(position.problem);
    return position;
  }

  /** The reason why the position is impossible, or null. */
  get problem() {
    const [first, second] = [0, 1].map((player) => this.stacks.flat().filter((disc) => disc === player).length);
    if (first !== second && first !== second + 1) {
      return text("rules.turns", { first: playerName(0), second: playerName(1), discs: first, others: second });
    }
    const isLate = this.winning.some(([cell]) => this.at(...cell) === this.turn);
    return isLate ? text("rules.late") : null;
  }

  /** Rows from the top, separated by "/". */
  get rows() {
    const row = (r) => this.stacks.map((stack) => ".XO"[(stack[r] ?? -1) + 1]).join("");
    return Array.from({ length: this.board.rows }, (_, i) => row(this.board.rows - 1 - i)).join("/");
  }

  /** The player to move. */
  get turn() {
    const second = this.stacks.flat().filter((player) => player === 1).length;
    return this.ply - second > second ? 1 : 0;
  }

  /** Return the player of a cell, null if it is empty. */
  at(column, row) {
    return this.stacks[column]?.[row] ?? null;
  }

  height(column) {
    return this.stacks[column].length;
  }

  isLegal(column) {
    return !this.isOver && column >= 0 && column < this.board.columns && this.height(column) < this.board.rows;
  }

  get legal() {
    return this.stacks.map((_, column) => column).filter((column) => this.isLegal(column));
  }

  /** Return the position after a move; it must be legal. */
  play(column, player = this.turn) {
    const stacks = this.stacks.slice();
    stacks[column] = [...stacks[column], player];
    const next = new Position(this.board, stacks);
    next.last = [column, stacks[column].length - 1];
    return next;
  }

  /** Return the columns where a player's disc completes a line. */
  wins(player = this.turn) {
    return this.legal.filter((column) => this.play(column, player).winner !== null);
  }

  /** The winning lines, each a list of [column, row]. */
  get winning() {
    if (this.lines === null) this.lines = this.last ? this.#through(...this.last) : this.#all();
    return this.lines;
  }

  /** The winner, or null. */
  get winner() {
    return this.winning.length ? this.at(...this.winning[0][0]) : null;
  }

  get isOver() {
    return this.ply === this.board.cells || this.winning.length > 0;
  }

  /** The score of a finished game for the side that would be to move. */
  get finalScore() {
    return this.winner === null ? 0 : -this.board.winScore(this.ply - 1);
  }

  #all() {
    const lines = this.stacks.flatMap((stack, column) => stack.flatMap((_, row) => this.#through(column, row)));
    return [...new Map(lines.map((line) => [String(line), line])).values()];
  }

  #through(column, row) {
    return this.runs(column, row).filter((run) => run.length >= this.board.connect);
  }

  /** Return the run of equal discs through a disc in each direction. */
  runs(column, row) {
    const player = this.at(column, row);
    return DIRECTIONS.map(([right, up]) => {
      const run = [];
      let [c, r] = [column, row];
      while (this.at(c - right, r - up) === player) [c, r] = [c - right, r - up];
      for (; this.at(c, r) === player; [c, r] = [c + right, r + up]) run.push([c, r]);
      return run;
    });
  }
}

/** Return the position after a string of moves; throw a sentence for an illegal move. */
export function played(start, moves) {
  let position = start;
  for (const [number, column] of columnsOf(moves, start.board).entries()) {
    if (!position.isLegal(column)) {
      throw new Error(text(position.isOver ? "rules.over" : "rules.full", { number: number + 1, column: start.board.name(column) }));
    }
    position = position.play(column);
  }
  return position;
}

/** Return the columns of a string of moves; throw a sentence for an invalid column. */
export function columnsOf(moves, board) {
  return [...moves.replace(/\s+/g, "")].map((character) => {
    const column = board.column(character);
    if (column < 0) {
      const [first, last] = [board.name(0), board.name(board.columns - 1)];
      throw new Error(text("rules.column", { first, last, character }));
    }
    return column;
  });
}

/** Return a function from moves to the position after them, with a cache. */
export function positionsFrom(start) {
  const known = new Map([["", start]]);
  const after = (moves) => {
    if (!known.has(moves)) known.set(moves, after(moves.slice(0, -1)).play(start.board.column(moves.at(-1))));
    return known.get(moves);
  };
  return after;
}
