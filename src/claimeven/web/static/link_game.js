// A game by link: after each move a player sends the link of the game to the other one.

import { button, h, announce } from "./dom.js";
import { text } from "./texts.js";
import { playerName } from "./words.js";

/** The row below the board that offers the link. */
export class LinkGame {
  /** `view` shows the game: it has `game`, `sides` and `address`. */
  constructor(view) {
    this.view = view;
    this.message = h("span", { class: "hint-text" });
    this.send = button(text("link.send"), () => this.#send(), { class: "primary" });
    this.element = h("div", { class: "row controls link-game", hidden: true }, this.message, this.send);
  }

  draw() {
    const { game, sides } = this.view;
    const { position } = game;
    const friend = sides.find((side) => side.isFriend);
    const isTheirs = position.turn === friend?.player;
    this.element.hidden = !friend || game.here.next !== null || (position.isOver && !isTheirs);
    this.send.hidden = !isTheirs;
    this.#show(text(!isTheirs ? "link.yours" : position.isOver ? "link.over" : "link.theirs", { name: playerName(position.turn) }));
  }

  #show(sentence) {
    if (this.message.textContent === sentence) return;
    this.message.textContent = sentence;
    if (!this.element.hidden) announce(sentence, "score-announcements");
  }

  async #send() {
    const { address } = this.view;
    try {
      if (navigator.share) await navigator.share({ title: text("page.titles.play"), url: address });
      else {
        await navigator.clipboard.writeText(address);
        this.#show(text("link.copied"));
      }
    } catch (error) {
      if (error.name !== "AbortError") this.#show(text("link.copyYourself"));
    }
  }
}
