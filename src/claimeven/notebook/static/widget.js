// The board in a notebook: the board of the page, and a model shared with Python. A move changes the
// model's `moves` immediately; Python adds an agent's move and scores.

import { BoardView, discIcon } from "../../web/static/board.js";
import { button, h } from "../../web/static/dom.js";
import { Board, played, Position } from "../../web/static/rules.js";
import { ScoreRow } from "../../web/static/score_row.js";
import { inWords, playerName } from "../../web/static/words.js";
import boardStyle from "../../web/static/board.css" with { type: "css" };
import ownStyle from "./widget.css" with { type: "css" };

/** The shared values that the widget shows. */
const SHARED = [
  "size", "connect", "start", "moves", "undone", "show_scores", "flipped", "theme", "width",
  "seat", "agent_name", "thinking", "known", "problem",
];

class BoardWidgetView {
  constructor(model, host) {
    this.model = model;
    this.host = host;
    this.shown = { moves: null };
    this.board = new BoardView();
    this.row = new ScoreRow((column) => this.choose(column));
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.undoButton = button("Undo", () => this.undo(), { title: "Take back (u)" });
    this.redoButton = button("Redo", () => this.redo(), { title: "Play again (r)" });
    this.newButton = button("New game", () => this.set({ moves: "", undone: "" }), { title: "Start again" });
    this.scoresButton = button("Scores", () => this.toggle("show_scores"), { title: "Exact scores of all columns (a)" });
    this.flipButton = button("Flip", () => this.toggle("flipped"), { title: "Swap the colors (f)" });
    this.moves = h("p", { class: "moves" });
    this.element = h("div", { class: "widget" }, this.status, this.problem, this.row.element,
      this.board.element,
      h("div", { class: "controls" }, this.undoButton, this.redoButton, this.newButton, this.scoresButton, this.flipButton),
      this.moves);
    const root = host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [boardStyle, ownStyle];
    root.append(this.element);
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.draw = this.draw.bind(this);
    for (const name of SHARED) model.on(`change:${name}`, this.draw);
    this.watchScheme();
    this.draw();
  }

  close() {
    for (const name of SHARED) this.model.off(`change:${name}`, this.draw);
    this.stopWatching();
  }

  get(name) {
    return this.model.get(name);
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
    this.draw();
  }

  toggle(name) {
    this.set({ [name]: !this.get(name) });
  }

  // Actions

  choose(column) {
    if (!this.board.isOpen || !this.position.isLegal(column)) return;
    const name = this.position.board.name(column);
    const undone = this.get("undone");
    this.set({ moves: this.get("moves") + name, undone: undone.startsWith(name) ? undone.slice(1) : "" });
  }

  undo() {
    const [moves, undone] = [this.get("moves"), this.get("undone")];
    const count = this.#turns(moves.length).at(-1);
    if (count !== undefined) this.set({ moves: moves.slice(0, count), undone: moves.slice(count) + undone });
  }

  redo() {
    const [moves, undone] = [this.get("moves"), this.get("undone")];
    if (!undone) return;
    const all = moves + undone;
    const end = this.#turns(all.length + 1).find((count) => count > moves.length) ?? all.length;
    this.set({ moves: all.slice(0, end), undone: all.slice(end) });
  }

  /** The counts of moves below a limit after which a human is to move. */
  #turns(limit) {
    return [...Array(limit).keys()].filter((count) => (this.origin.ply + count) % 2 !== this.get("seat"));
  }

  key(event) {
    event.stopPropagation(); // a notebook has its own keys
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return; // a held key acts once
    const { board } = this.position;
    const isName = board.columns > 9 ? event.shiftKey : /^[1-9]$/.test(event.key);
    const column = isName && event.key.length === 1 ? board.column(event.key) : -1;
    const actions = { u: () => this.undo(), r: () => this.redo(), a: () => this.toggle("show_scores"), f: () => this.toggle("flipped") };
    if (column >= 0) this.choose(column);
    else if (event.key in actions) actions[event.key]();
    else return;
    event.preventDefault();
  }

  // Drawing

  draw() {
    const moves = this.get("moves");
    this.#read(moves);
    const { position } = this;
    const isTheirs = !position.isOver && position.turn === this.get("seat");
    this.element.style.setProperty("max-width", `${this.get("width")}px`);
    this.element.classList.toggle("flipped", this.get("flipped"));
    this.board.open = !position.isOver && !isTheirs;
    if (this.shown.moves !== moves || this.shown.origin !== this.origin) {
      const drop = this.shown.origin === this.origin && moves.startsWith(this.shown.moves ?? " ");
      this.board.show(position, { drop });
      this.shown = { moves, origin: this.origin };
    }
    this.#drawScores(position, moves);
    this.#drawStatus(position, isTheirs);
    this.moves.textContent = moves ? `Moves: ${moves}` : "";
    this.undoButton.disabled = !this.#turns(moves.length).length;
    this.redoButton.disabled = !this.get("undone");
    this.newButton.disabled = !moves;
    this.scoresButton.setAttribute("aria-pressed", this.get("show_scores"));
    this.flipButton.setAttribute("aria-pressed", this.get("flipped"));
    this.#scheme();
  }

  /** Update the start and the position if they have changed. */
  #read(moves) {
    const start = `${this.get("size")} ${this.get("connect")} ${this.get("start")}`;
    if (start !== this.start) {
      const board = Board.parse(this.get("size"), this.get("connect"));
      this.origin = this.get("start") ? Position.fromRows(this.get("start"), board) : new Position(board);
      this.start = start;
    } else if (moves === this.shown.moves) return;
    try {
      this.position = played(this.origin, moves);
    } catch {
      this.position = this.origin; // moves of another board, whose size is not updated yet
    }
  }

  #drawScores(position, moves) {
    const isWanted = this.get("show_scores") && !position.isOver;
    const known = this.get("known") ?? {};
    this.known = isWanted && known.moves === moves ? known : null;
    this.row.element.hidden = !this.get("show_scores");
    const scores = this.known?.scores ?? [];
    const score = this.known?.done ? Math.max(...scores.filter((each) => each !== null)) : null;
    const best = score === null ? [] : scores.flatMap((each, column) => (each === score ? [column] : []));
    const error = this.known?.problem;
    const shown = isWanted ? { scores: [], words: [], ...this.known, best, error } : null;
    this.row.show({ board: position.board, position }, shown);
    this.row.buttons.forEach((each) => { each.disabled ||= !this.board.isOpen; });
    this.board.best(best);
    this.board.worth(this.known?.words ?? []);
    this.score = score;
  }

  #drawStatus(position, isTheirs) {
    const player = position.isOver ? position.winner : position.turn;
    this.status.replaceChildren(...(player === null ? [] : [discIcon(player)]), this.#statusText(position, isTheirs));
    this.problem.textContent = this.get("problem") || this.known?.problem || "";
  }

  #statusText(position, isTheirs) {
    const nameOf = (player) => {
      const name = playerName(player, this.get("flipped"));
      return player === this.get("seat") ? `${name} (${this.get("agent_name")})` : name;
    };
    if (position.isOver) return position.winner === null ? "A draw." : `${nameOf(position.winner)} wins.`;
    if (isTheirs && this.get("thinking")) return `${nameOf(position.turn)} is thinking …`;
    const words = this.score === null ? "" : ` and ${inWords(position, this.score)}`;
    return `${nameOf(position.turn)} to move${words}.`;
  }

  // Light and dark as in the notebook, independent of the system

  watchScheme() {
    const again = () => this.#scheme();
    const seen = new ResizeObserver(again); // first called when the board is added to the page
    const themed = new MutationObserver(again);
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    seen.observe(this.host);
    for (const element of [document.documentElement, document.body]) themed.observe(element, { attributes: true });
    preferred.addEventListener("change", again);
    this.stopWatching = () => {
      seen.disconnect();
      themed.disconnect();
      preferred.removeEventListener("change", again);
    };
  }

  #scheme() {
    const wanted = this.get("theme");
    const scheme = wanted === "auto" ? schemeAround(this.host) : wanted;
    if (this.host.style.colorScheme !== scheme) this.host.style.colorScheme = scheme;
  }
}

/** Return whether the background of an element is light or dark. */
function schemeAround(element) {
  for (let at = element; at; at = at.parentElement) {
    const [red, green, blue, alpha = 1] = channelsOf(getComputedStyle(at).backgroundColor);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Return red, green and blue of a color, 0 to 255, and its alpha, 0 to 1 (default 1). */
function channelsOf(color) {
  if (color.startsWith("rgb")) return color.match(/[\d.]+/g).map(Number);
  const pen = h("canvas", { width: 1, height: 1 }).getContext("2d"); // it accepts oklch, lab and other formats
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

function render({ model, el }) {
  const host = h("div", {});
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // otherwise JupyterLab handles the keys
  el.append(host);
  const view = new BoardWidgetView(model, host);
  return () => view.close();
}

export default { render };
