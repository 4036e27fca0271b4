// The board: discs behind a panel with holes, below a grid of cells for mouse, touch, keys and
// screen readers. It draws positions and sends the chosen column; it does not know the rules.
// Columns and rows count from 0, row 0 at the bottom.

import { h, isFirstClick, s, prefersReducedMotion } from "./dom.js";
import { text } from "./texts.js";
import { playerName } from "./words.js";

const CELL = 100;
const HOLE = 41;
/** Slightly smaller than the hole, so that a margin separates it from the panel. */
const DISC = 37;

export class BoardView extends EventTarget {
  /** `label` names the board for screen readers. Events: `column` and `hover`, detail the column. */
  constructor(label = text("board.name")) {
    super();
    this.label = label;
    this.element = h("div", { class: "board-view" });
    this.board = null;
    this.position = null;
    this.discs = new Map();
    this.isFlipped = false;
    this.isOpen = true;
    this.takesAll = false; // whether the second click of a double click chooses again
  }

  /** Whether columns may be chosen. */
  set open(isOpen) {
    this.isOpen = isOpen;
    this.element.classList.toggle("closed", !isOpen);
  }

  /** Swap the players' colors. */
  set flipped(isFlipped) {
    this.isFlipped = isFlipped;
    this.element.classList.toggle("flipped", isFlipped);
    if (this.position) this.#name(this.position);
  }

  /** Show a position without marks; with `drop` the last disc falls. */
  show(position, { drop = false } = {}) {
    if (!this.board?.equals(position.board)) this.#build(position.board);
    const before = this.position;
    this.position = position;
    const falls = drop && position.last && before && before.ply < position.ply && !prefersReducedMotion();
    for (const [key, disc] of this.discs) {
      if (position.at(...key.split(",")) === disc.player) continue;
      disc.element.remove();
      this.discs.delete(key);
    }
    position.stacks.forEach((stack, column) => stack.forEach((player, row) => {
      const key = `${column},${row}`;
      if (this.discs.has(key)) return;
      const element = disc(player, this.#x(column), this.#y(row));
      this.layers.discs.append(element);
      this.discs.set(key, { player, element });
      if (falls && key === String(position.last)) this.#fall(element, row);
    }));
    this.#mark(position);
    this.light();
    this.#name(position);
    this.best([]);
    this.#preview(null);
  }

  /** Light up these cells only. */
  light(cells = []) {
    this.layers.lit.replaceChildren(...cells.map(([column, row]) => s("rect", {
      class: "lit", x: this.#x(column) - 46, y: this.#y(row) - 46, width: 92, height: 92, rx: 22,
    })));
  }

  /** Mark the best columns. */
  best(columns) {
    this.names.forEach((name, column) => name.classList.toggle("best", columns.includes(column)));
  }

  /** Add the score of each column in words, for screen readers, to the cell where a disc would land. */
  worth(words) {
    const { position } = this;
    for (const column of position.legal) {
      const cell = this.cells.get(`${column},${position.height(column)}`);
      const [name] = cell.getAttribute("aria-label").split("; ");
      cell.setAttribute("aria-label", words[column] ? `${name}; ${words[column]}` : name);
    }
  }

  #x(column) {
    return (column + 0.5) * CELL;
  }

  #y(row) {
    return (this.board.rows - row - 0.5) * CELL;
  }

  #build(board) {
    this.board = board;
    this.position = null;
    this.discs.clear();
    const [width, height] = [board.columns * CELL, board.rows * CELL];
    const layers = ["ghost", "discs", "panel", "marks", "lit"];
    this.layers = Object.fromEntries(layers.map((name) => [name, s("g", { class: name })]));
    this.layers.panel.append(panel(board, width, height));
    const drawing = s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      s("rect", { class: "behind", x: 5, y: 5, width: width - 10, height: height - 10 }), ...layers.map((name) => this.layers[name]));
    this.cells = new Map();
    const rows = Array.from({ length: board.rows }, (_, i) => this.#row(board, board.rows - 1 - i));
    this.grid = h("div", { class: "cells", role: "grid", "aria-label": this.label }, rows);
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("pointerleave", () => this.#hover(null));
    // A click leaves the keys to the page, so that arrows step through the game.
    this.grid.addEventListener("mousedown", (event) => {
      event.preventDefault();
      document.activeElement?.blur();
    });
    this.names = Array.from({ length: board.columns }, (_, column) => h("span", {}, board.name(column)));
    this.element.replaceChildren(
      h("div", { class: "panel-frame" }, drawing, this.grid),
      h("div", { class: "names", "aria-hidden": "true" }, this.names),
    );
    // If its height is limited by the window, its width follows from its shape.
    this.element.closest(".board-with-bar")?.style.setProperty("--ratio", (board.columns / board.rows) * 0.95);
    this.element.classList.toggle("lettered", board.hasLetters);
    this.element.style.setProperty("--columns", board.columns);
    this.element.style.setProperty("--rows", board.rows);
    this.cells.get(`${Math.floor((board.columns - 1) / 2)},0`).tabIndex = 0;
  }

  #row(board, row) {
    const cells = Array.from({ length: board.columns }, (_, column) => {
      const cell = h("div", {
        role: "gridcell", tabindex: -1,
        onclick: (event) => (this.takesAll || isFirstClick(event)) && this.#choose(column),
        onpointerenter: (event) => event.pointerType === "mouse" && this.#hover(column),
        onfocus: () => this.#hover(column),
      });
      cell.dataset.cell = `${column + 1},${row + 1}`;
      this.cells.set(`${column},${row}`, cell);
      return cell;
    });
    return h("div", { role: "row" }, cells);
  }

  #choose(column) {
    if (this.isOpen) this.dispatchEvent(new CustomEvent("column", { detail: column }));
  }

  #hover(column) {
    this.#preview(column);
    this.dispatchEvent(new CustomEvent("hover", { detail: column }));
  }

  #preview(column) {
    const { position } = this;
    const shows = column !== null && this.isOpen && position?.isLegal(column);
    this.layers.ghost.replaceChildren(...(shows ? [disc(position.turn, this.#x(column), this.#y(position.height(column)))] : []));
  }

  #key(event) {
    const cell = event.target.closest("[role=gridcell]");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const [column, row] = cell.dataset.cell.split(",").map((number) => number - 1);
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key in moves) {
      const [right, up] = moves[event.key];
      this.#focusOn(this.cells.get(`${column + right},${row + up}`) ?? cell);
    } else if (event.key !== "Enter") {
      return;
    } else if (!event.repeat) this.#choose(column);
    event.preventDefault();
    event.stopPropagation();
  }

  /** Give the focus to the board. */
  focus() {
    this.element.querySelector("[role=gridcell][tabindex='0']")?.focus({ preventScroll: true });
  }

  #focusOn(cell) {
    for (const each of this.cells.values()) each.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  #fall(element, row) {
    const height = (this.board.rows - row) * CELL;
    const duration = 110 * Math.sqrt(this.board.rows - row + 1);
    element.animate([
      { transform: `translateY(${-height}px)`, easing: "cubic-bezier(.55,0,1,.65)" },
      { transform: "translateY(0)", offset: 0.8, easing: "ease-out" },
      { transform: `translateY(${-height * 0.05}px)`, offset: 0.9, easing: "ease-in" },
      { transform: "translateY(0)" },
    ], { duration });
  }

  #mark(position) {
    const marks = [];
    if (position.last && !position.winning.length) {
      const [column, row] = position.last;
      const ring = { cx: this.#x(column), cy: this.#y(row), r: DISC - 3 };
      marks.push(s("circle", { class: "last under", ...ring }), s("circle", { class: "last", ...ring }));
    }
    for (const line of position.winning) {
      const [from, to] = [line[0], line.at(-1)];
      const ends = { x1: this.#x(from[0]), y1: this.#y(from[1]), x2: this.#x(to[0]), y2: this.#y(to[1]) };
      marks.push(s("line", { class: "win under", ...ends }), s("line", { class: "win", ...ends }));
    }
    this.layers.marks.replaceChildren(...marks);
  }

  #name(position) {
    for (const [key, cell] of this.cells) {
      const [column, row] = key.split(",").map(Number);
      const player = position.at(column, row);
      const content = player === null ? text("board.empty") : playerName(player, this.isFlipped || undefined);
      const wins = position.winning.flat().some((each) => String(each) === key);
      const name = text(wins ? "board.winningCell" : "board.cell", { column: this.board.name(column), row: row + 1, content });
      if (cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
      const shown = player === null ? "" : String(player + 1);
      if (cell.dataset.player !== shown) cell.dataset.player = shown;
    }
  }
}

/** A disc: Yellow's has a ring, Red's a dot, so that they differ without color. */
function disc(player, x, y) {
  const circle = (name, r) => s("circle", { class: name, cx: x, cy: y, r });
  return s("g", { class: `disc player-${player + 1}` }, circle("body", DISC), circle("mark", player === 0 ? 21 : 10));
}

/** A small disc for texts. */
export function discIcon(player) {
  return s("svg", { class: "disc-icon", viewBox: "10 10 80 80", "aria-hidden": "true" }, disc(player, 50, 50));
}

/** The panel: a surface with a hole for each cell. */
function panel(board, width, height) {
  const holes = Array.from({ length: board.cells }, (_, at) => {
    const [x, y] = [(at % board.columns + 0.5) * CELL, (Math.floor(at / board.columns) + 0.5) * CELL];
    return `M${x - HOLE},${y}a${HOLE},${HOLE} 0 1 0 ${2 * HOLE},0a${HOLE},${HOLE} 0 1 0 ${-2 * HOLE},0Z`;
  });
  return s("path", { class: "panel-face", "fill-rule": "evenodd", d: `M0,0H${width}V${height}H0Z${holes.join("")}` });
}
