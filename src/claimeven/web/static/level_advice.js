// The level to play next, by the results of the user's own games, which this browser stores.

import { announce, button, h } from "./dom.js";
import { store, stored } from "./storage.js";
import { text } from "./texts.js";

const KEY = "claimeven.levels";
/** Results in a row at a level after which another level is offered. */
const [WINS, LOSSES] = [2, 3];

/** The results by level, the last ones: "W", "L" and "D" in a string. */
const results = () => stored(KEY) ?? {};

/** The row below the board that offers another level after a game. */
export class LevelAdvice {
  #next = null;
  #counted = new WeakSet(); // places at the end of games

  /** `view` shows the game: it has `game`, `sides`, `isHelped` and `newGame`. */
  constructor(view) {
    this.view = view;
    this.message = h("span", { class: "hint-text" });
    this.accept = button("", () => this.#accept());
    this.element = h("div", { class: "row controls level-advice", hidden: true }, this.message, this.accept);
  }

  /** Count the game that a move has just ended, if one human without help has played against a level. */
  count() {
    const { game, sides, isHelped } = this.view;
    const rival = sides.find((side) => side.isAgent);
    const levels = rival?.levels ?? [];
    const at = levels.findIndex(({ agent }) => agent === rival.spec);
    this.#next = null;
    const isOwn = at >= 0 && sides[1 - rival.player].isHuman && !isHelped && !game.start.ply && game.lines.length === 1;
    if (!game.position.isOver || !isOwn || this.#counted.has(game.here)) return;
    this.#counted.add(game.here);
    const { winner } = game.position;
    const { agent } = levels[at];
    const known = results();
    const row = `${known[agent] ?? ""}${winner === null ? "D" : winner === rival.player ? "L" : "W"}`.slice(-LOSSES);
    const change = row.endsWith("W".repeat(WINS)) ? 1 : row === "L".repeat(LOSSES) ? -1 : 0;
    this.#next = change ? levels[at + change] ?? null : null;
    store(KEY, { ...known, [agent]: this.#next ? "" : row });
    if (!this.#next) return;
    const level = text(`levels.${this.#next.name}.name`, {}, this.#next.name);
    this.message.textContent = text(change > 0 ? "levels.higher" : "levels.lower", { count: change > 0 ? WINS : LOSSES });
    this.accept.textContent = text("levels.play", { level });
    announce(this.message.textContent, "score-announcements");
  }

  draw() {
    this.element.hidden = !this.#next || !this.view.game.position.isOver;
  }

  #accept() {
    const { view } = this;
    view.sides.find((side) => side.isAgent).choose(this.#next.agent);
    this.#next = null;
    view.newGame();
  }
}
