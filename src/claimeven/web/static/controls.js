// The buttons below the board: steps through the game, hint, agent's move, new game.

import { button, h, icon } from "./dom.js";
import { letterKey } from "./keys.js";
import { isSolvable } from "./scores.js";

export class Controls {
  /** `view` shows the game and has the actions of the buttons. */
  constructor(view) {
    this.view = view;
    const step = (how, symbol, label) => button(symbol, () => view.step(how), { "aria-label": label, title: label });
    this.hint = button("Hint", () => view.hint());
    this.moveNow = button("Let it move", () => view.resume());
    this.mistakes = button("", () => view.review.nextMistake(true));
    this.again = button("Play again", () => view.newGame(), { class: "primary" });
    this.element = h("div", { class: "row controls" },
      step("toStart", icon("first"), "To the start (Home)"), step("back", icon("back"), "Back (left arrow)"),
      step("forward", icon("on"), "Forward (right arrow)"), step("toEnd", icon("last"), "To the end (End)"),
      button("Undo", () => view.undo(), { title: "Take back (u)" }), button("Redo", () => view.redo(), { title: "Play again (r)" }),
      this.hint, this.moveNow, this.mistakes, this.again);
  }

  /** Show the possible actions; `isWaiting`: an agent waits for permission to move. */
  show({ board, position }, isWaiting) {
    this.hint.title = `Show the best column (${letterKey("h", board)})`;
    this.#hide(this.again, !position.isOver);
    this.mistakes.textContent = this.view.review.own === null ? "See the mistakes" : "See your mistakes";
    this.#hide(this.mistakes, !position.isOver || !isSolvable(board) || !position.last);
    this.#hide(this.moveNow, !isWaiting);
  }

  /** Hide a button; its focus goes to the board. */
  #hide(one, isHidden) {
    const isFocused = document.activeElement === one;
    one.hidden = isHidden;
    if (isHidden && isFocused) this.view.board.focus();
  }
}
