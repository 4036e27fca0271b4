// The buttons below the board: steps through the game, hint, agent's move, new game.

import { button, h, icon } from "./dom.js";
import { letterKey } from "./keys.js";
import { isSolvable } from "./scores.js";
import { text } from "./texts.js";

export class Controls {
  /** `view` shows the game and has the actions of the buttons. */
  constructor(view) {
    this.view = view;
    const step = (how, symbol) => button(icon(symbol), () => view.step(how), { "aria-label": text(`controls.${how}`), title: text(`controls.${how}`) });
    this.hint = button(text("controls.hint"), () => view.hint());
    this.moveNow = button(text("controls.moveNow"), () => view.resume());
    this.mistakes = button("", () => view.review.nextMistake(true));
    this.again = button(text("controls.again"), () => view.newGame(), { class: "primary" });
    this.element = h("div", { class: "row controls" },
      step("toStart", "first"), step("back", "back"), step("forward", "on"), step("toEnd", "last"),
      button(text("controls.undo"), () => view.undo(), { title: text("controls.undoTitle") }),
      button(text("controls.redo"), () => view.redo(), { title: text("controls.redoTitle") }),
      this.hint, this.moveNow, this.mistakes, this.again);
  }

  /** Show the possible actions; `isWaiting`: an agent waits for permission to move. */
  show({ board, position }, isWaiting) {
    this.hint.title = text("controls.hintTitle", { key: letterKey("h", board) });
    this.#hide(this.again, !position.isOver);
    this.mistakes.textContent = text(this.view.review.own === null ? "controls.mistakes" : "controls.yourMistakes");
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
