// The games of a tournament on a board: the running one, and the newest ones move by move.

import { BoardView, discIcon } from "./board.js";
import { button, h, icon, prefersReducedMotion } from "./dom.js";
import { Board, Position, positionsFrom } from "./rules.js";
import { text } from "./texts.js";

/** Milliseconds of a move, and after the last one until a newer game follows. */
const MOVE_MS = 700, END_MS = 4000;

export class Replay {
  #timer = 0;

  constructor() {
    this.games = [];
    this.board = new BoardView(text("tournament.board"));
    this.board.open = false;
    this.choice = h("select", { "aria-label": text("tournament.choose"), onchange: () => this.#begin() });
    this.players = h("p", { class: "players" });
    this.result = h("p", { class: "hint-text" });
    this.pause = button("", () => {
      if (!this.isRunning && this.#isOver) this.#show(this.game.opening.length);
      this.#run(!this.isRunning);
    });
    const step = (to, symbol, label) => button(icon(symbol), () => { this.#run(false); this.#show(to()); }, { "aria-label": label, title: label });
    const [first, back, on, last] = text("tournament.steps");
    this.element = h("section", { class: "card", hidden: true, "aria-label": text("tournament.games") },
      h("div", { class: "card-head" }, h("h2", {}, text("tournament.games"))), this.choice, this.players,
      h("div", { class: "board-with-bar" }, h("div", { class: "column-stack" }, this.board.element)), this.result,
      h("div", { class: "row controls" }, step(() => 0, "first", first), step(() => this.ply - 1, "back", back), this.pause,
        step(() => this.ply + 1, "on", on), step(() => Infinity, "last", last)));
    this.isRunning = !prefersReducedMotion();
  }

  /**
   * Show the running game, otherwise the newest games, the newest first; a game being replayed is
   * replayed to its end unless a game is running.
   */
  update({ newest = [], running, board, connect, start }) {
    const live = running && !newest.some(({ game }) => game === running.game) ? { ...running, isLive: true } : null;
    const games = live ? [live, ...newest] : newest;
    this.element.hidden = !games.length;
    if (!games.length) return;
    if (this.start !== `${board} ${connect} ${start}`) {
      this.start = `${board} ${connect} ${start}`;
      this.after = positionsFrom(Position.fromRows(start, Board.parse(board, connect)));
      this.game = null;
    }
    const chosen = this.choice.value;
    this.games = games;
    if (chosen && !games.some(({ game }) => String(game) === chosen)) this.games = [...games, this.game];
    const option = (game) => h("option", { value: game.game }, text(`tournament.${game.isLive ? "running" : "game"}`, { game: game.game, first: brief(game.first), second: brief(game.second) }));
    if (document.activeElement !== this.choice) { // an open list would close
      this.choice.replaceChildren(h("option", { value: "" }, text("tournament.follow")), ...this.games.map(option));
      this.choice.value = chosen;
    }
    const known = this.game?.isLive && games.find(({ game }) => game === this.game.game);
    if (known) { // it has new moves, or is over
      const isAtEnd = this.#isOver;
      this.game = known;
      if (isAtEnd) this.#show(Infinity);
      if (isAtEnd) this.#run(this.isRunning);
    } else if (live && !chosen && this.game && this.isRunning && !this.#isOver) this.#begin();
    if (!this.game || (!this.#timer && (this.isRunning || (!chosen && this.#isOver)))) this.#begin();
  }

  /** Stop until the next `update`. */
  leave() {
    this.#timer = clearTimeout(this.#timer);
  }

  get #isOver() {
    return this.ply === this.game.moves.length;
  }

  /** Show the chosen game, or the newest one, from its start; or as it ended. */
  #begin() {
    const game = this.games.find((each) => String(each.game) === this.choice.value) ?? this.games[0];
    const isNew = game.game !== this.game?.game;
    if (!isNew && this.#isOver) return;
    this.game = game;
    this.players.replaceChildren(discIcon(0), h("span", {}, game.first), discIcon(1), h("span", {}, game.second));
    if (isNew) this.#show(this.isRunning && !game.isLive ? game.opening.length : Infinity);
    this.#run(this.isRunning);
  }

  #run(isRunning) {
    this.isRunning = isRunning;
    this.pause.textContent = text(isRunning ? "autoplay.pause" : "autoplay.resume");
    this.leave();
    if (!isRunning) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#isOver) return this.#begin();
      if (!document.hidden) this.#show(this.ply + 1);
      return this.#run(true);
    }, this.#isOver ? END_MS : MOVE_MS);
  }

  #show(ply) {
    const { game } = this;
    this.ply = Math.max(0, Math.min(ply, game.moves.length));
    this.board.show(this.after(game.moves.slice(0, this.ply)), { drop: true });
    const kind = game.fault ? "forfeits" : game.winner ? "wins" : game.result === "draw" ? "draw" : "unfinished";
    if (this.#isOver && game.isLive) this.result.textContent = text("tournament.toMove", { move: this.ply, name: game.to_move });
    else this.result.textContent = this.#isOver
      ? text(`tournament.results.${kind}`, { name: game.fault_by ?? game.winner, fault: faultName(game.fault) })
      : text("tournament.move", { move: this.ply, count: game.moves.length });
  }
}

/** Return a kind of fault in words. */
export const faultName = (kind) => (kind ? text(`tournament.faults.${kind}`, {}, kind) : "");

/** Return a name in at most 40 characters. */
const brief = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
