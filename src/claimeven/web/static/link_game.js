// A game by link: after each move a player sends the link of the game to the other one.

import { button, h, announce } from "./dom.js";
import { playerName } from "./words.js";

/** The row below the board that offers the link. */
export class LinkGame {
  /** `view` shows the game: it has `game`, `sides` and `address`. */
  constructor(view) {
    this.view = view;
    this.text = h("span", { class: "hint-text" });
    this.send = button("Send link", () => this.#send(), { class: "primary" });
    this.element = h("div", { class: "row controls link-game", hidden: true }, this.text, this.send);
  }

  draw() {
    const { game, sides } = this.view;
    const { position } = game;
    const friend = sides.find((side) => side.isFriend);
    const isTheirs = position.turn === friend?.player;
    this.element.hidden = !friend || game.here.next !== null || (position.isOver && !isTheirs);
    this.send.hidden = !isTheirs;
    this.#show(!isTheirs ? "Drop a disc, then send the new link to your friend."
      : position.isOver ? "Send this link to your friend: the game is over."
        : `Send this link to your friend: it is ${playerName(position.turn)}'s turn.`);
  }

  #show(sentence) {
    if (this.text.textContent === sentence) return;
    this.text.textContent = sentence;
    if (!this.element.hidden) announce(sentence, "score-announcements");
  }

  async #send() {
    const { address } = this.view;
    try {
      if (navigator.share) await navigator.share({ title: "Connect Four", url: address });
      else {
        await navigator.clipboard.writeText(address);
        this.#show("Link copied: send it to your friend.");
      }
    } catch (error) {
      if (error.name !== "AbortError") this.#show("Copy the address of this page and send it to your friend.");
    }
  }
}
