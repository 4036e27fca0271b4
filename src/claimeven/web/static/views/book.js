// Look up: the opening book as a tree, with the score of every move.

import { get } from "../api.js";
import { BoardView } from "../board.js";
import { button, h, isFirstClick, announce } from "../dom.js";
import { Game } from "../game.js";
import { listenToKeys } from "../keys.js";
import { Position } from "../rules.js";
import { text } from "../texts.js";
import { updateAddress } from "../address.js";
import { inWords, outcomeOf, signed } from "../words.js";

export class View {
  constructor({ game, scores, sides }) {
    this.shared = game;
    this.scores = scores;
    this.sides = sides;
    this.game = new Game(new Position(game.board));
    this.board = new BoardView(text("book.board"));
    this.path = h("p", { class: "path", "aria-label": text("book.path") });
    this.message = h("p", { class: "hint-text", role: "status" });
    this.list = h("ol", { class: "book-moves" });
    this.element = h("div", { class: "play look-up" },
      h("section", { class: "stage", "aria-label": text("board.name") }, this.path,
        h("div", { class: "board-with-bar" }, h("div", { class: "column-stack" }, this.board.element)),
        h("div", { class: "row controls" }, button(text("book.toStart"), () => this.step("toStart")),
          button(text("book.back"), () => this.step("back")), button(text("book.playOn"), () => this.#take()))),
      h("section", { class: "panels" }, h("div", { class: "card" },
        h("div", { class: "card-head" }, h("h2", {}, text("page.titles.book"))), this.message, this.list)));
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    this.game.addEventListener("change", ({ detail }) => this.isHere && this.#show(detail === "drop"));
    scores.addEventListener("change", () => this.isHere && this.#fill());
    listenToKeys(this);
  }

  choose(column) {
    this.game.play(column);
  }

  step(how) {
    this.game.step(how);
  }

  /** Show the shared game, or the game of the address after a reload or a step back in the browser. */
  async enter(asked = null) {
    const { start, moves, at, lines } = asked && !asked.problem ? asked
      : { start: this.shared.start, moves: this.shared.moves(this.shared.line.at(-1)), at: this.shared.path.length - 1, lines: this.shared.lines };
    this.game.begin(start);
    this.game.replay(moves, at, lines);
    this.isHere = true; // the positions before are not looked up
    await this.#show();
  }

  leave() {
    this.isHere = false;
    this.scores.cancel();
  }

  async #show(drop = false) {
    const { game } = this;
    const place = game.here;
    updateAddress({ view: "book", game, sides: this.sides });
    this.board.show(game.position, { drop });
    const steps = game.path.map((at) => button(at.parent ? game.board.name(at.column) : text("book.start"), () => game.goTo(at), {
      class: "move", "aria-current": at === place ? "step" : null,
    }));
    const isFocused = this.element.contains(document.activeElement) && !this.board.element.contains(document.activeElement);
    this.path.replaceChildren(...steps);
    this.list.replaceChildren();
    if (isFocused && !document.activeElement?.isConnected) this.path.querySelector("[aria-current]")?.focus({ preventScroll: true });
    if (game.position.isOver) {
      this.message.textContent = text("book.over");
      return;
    }
    this.message.textContent = text("book.looking");
    try {
      const found = await get("api/book", game.query(place));
      if (game.here !== place) return;
      // At the last ply of the book the moves leave it.
      const isWhole = found.in_book && place.position.legal.every((column) => found.scores[column] !== null);
      if (isWhole) this.scores.store(game, place, found.scores);
      const where = isWhole ? "inside" : found.book_plies === null ? "none" : found.in_book ? "atEnd" : "beyond";
      this.message.textContent = text(`book.${where}`, { count: found.book_plies });
      this.#fill();
      if (!isWhole) this.scores.ask(game, place);
    } catch (error) {
      this.message.textContent = error.message;
    }
  }

  #fill() {
    const { game } = this;
    const known = this.scores.of(game);
    if (!known || game.position.isOver) return;
    if (known.error) this.message.textContent = known.error;
    const rows = game.position.legal.map((column) => ({ column, score: known.scores[column] }));
    rows.sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity));
    this.list.replaceChildren(...rows.map(({ column, score }) => {
      const isBest = known.best.includes(column);
      return h("li", {}, h("button", {
        type: "button", class: isBest ? "book-move best" : "book-move", onclick: (event) => {
          if (!isFirstClick(event)) return;
          this.choose(column);
          announce(text("moves.column", { column: game.board.name(column) }));
        },
        onpointerenter: () => this.board.light([[column, game.position.height(column)]]),
        onpointerleave: () => this.board.light([]),
      }, h("b", {}, game.board.name(column)), h("span", { class: outcomeOf(score) }, score === null ? (known.error ? "" : "…") : signed(score)),
      h("span", {}, score === null ? "" : inWords(game.position, score)), isBest ? h("span", { class: "tag" }, text("book.best")) : null));
    }));
    this.board.best(known.best);
    this.board.worth(known.words);
  }

  #take() {
    const { shared } = this;
    shared.begin(this.game.start);
    shared.replay(this.game.moves(this.game.line.at(-1)), this.game.path.length - 1, this.game.lines);
    document.querySelector("nav [data-view=play]").click();
  }
}
