// The scores above the columns of a board.

import { h } from "./dom.js";
import { text } from "./texts.js";
import { outcomeOf, signed } from "./words.js";

/** The scores above the columns. */
export class ScoreRow {
  constructor(onchoice) {
    this.onchoice = onchoice;
    this.element = h("div", { class: "scores", role: "group", "aria-label": text("scores.name") });
  }

  show(game, known) {
    const { board, position } = game;
    if (this.buttons?.length !== board.columns) {
      this.buttons = Array.from({ length: board.columns }, (_, column) => h("button", {
        type: "button", onclick: (event) => (this.isFinger || event.detail < 2) && this.#clicked(column),
        onpointerdown: ({ pointerType }) => { this.isFinger = pointerType !== "mouse"; },
      }));
      this.element.replaceChildren(...this.buttons);
    }
    this.element.classList.toggle("lettered", board.hasLetters);
    this.element.style.setProperty("--columns", board.columns);
    if (this.position !== position) this.point(null);
    this.position = position;
    const best = known?.best ?? [];
    this.buttons.forEach((button, column) => {
      const score = known?.scores[column] ?? null;
      const isLegal = position.isLegal(column);
      const waits = isLegal && score === null && known && !known.done && !known.error;
      button.textContent = score === null ? (waits ? "…" : "\u00a0") : signed(score);
      button.className = outcomeOf(score);
      button.disabled = !isLegal;
      const words = known?.words[column];
      const isBest = best.includes(column);
      const values = { column: board.name(column), score: signed(score), worth: words };
      const key = score === null || !words ? "scores.column" : isBest ? "scores.best" : "scores.known";
      button.dataset.words = words ?? "";
      button.classList.toggle("best", isBest);
      button.setAttribute("aria-label", text(key, values));
    });
  }

  /** Show the words of a column, or hide them for null; hovering and focus show them anyway. */
  point(column) {
    this.buttons?.forEach((button, at) => button.classList.toggle("shown", at === column));
  }

  /** On a touch screen the first tap shows the words, the next one plays. */
  #clicked(column) {
    if (this.isFinger && this.buttons[column].dataset.words && !this.buttons[column].matches(".shown")) this.point(column);
    else this.onchoice(column);
  }
}
