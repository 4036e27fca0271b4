// What is known of the position: the evaluation bar, and sentences whose cells light up.

import { get } from "./api.js";
import { claimSentence } from "./claims.js";
import { h, say } from "./dom.js";
import { letterKey } from "./keys.js";
import { TOO_LARGE } from "./scores.js";
import { withShownColors, playerName, signed } from "./words.js";

/** The evaluation bar: the first player's share at the bottom. */
export class ScoreBar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    this.fill.style.setProperty("height", "50%");
    this.text = h("span", {});
    this.element = h("div", { class: "bar", role: "img" }, this.fill, this.text);
  }

  /** `known` is what is known of where the game stands, null for nothing. */
  show(game, known) {
    const { position, board } = game;
    const score = known?.score ?? null;
    this.#tell(game, known);
    const final = position.isOver ? finalScore(position) : null;
    const first = final ?? (score === null ? null : position.turn === 0 ? score : -score);
    this.element.classList.toggle("unknown", first === null);
    // Until more is known it stays where it was, faintly: it would go to the middle and back at every move.
    if (first === null) {
      this.text.textContent = "";
      this.element.setAttribute("aria-label", "Score not known yet");
      return;
    }
    const share = 0.5 + Math.sign(first) * (0.25 + 0.22 * (Math.abs(first) / (board.cells / 2)));
    this.element.classList.toggle("second", first < 0);
    this.fill.style.setProperty("height", `${100 * share}%`);
    this.text.textContent = signed(first);
    this.element.setAttribute("aria-label", `${signed(first)}: score for ${playerName(0)}`);
  }

  /** Tell those who do not see the scores which columns are best, once for a place. */
  #tell({ here, board }, known) {
    if (known === null) this.told = null;
    if (here === this.told || !known?.best.length) return;
    this.told = here;
    const names = known.best.map((column) => board.name(column)).join(" or ");
    say(`Best: column ${names}, ${known.words[known.best[0]]}.`, "worth");
  }
}

/** The score of a finished game for the first player. */
export function finalScore(position) {
  const { winner, board } = position;
  if (winner === null) return 0;
  const own = position.stacks.flat().filter((player) => player === winner).length;
  const total = winner === 0 ? Math.ceil(board.cells / 2) : Math.floor(board.cells / 2);
  return (winner === 0 ? 1 : -1) * (total - own + 1);
}

/** The explanation in sentences. `light` is given cells ([column, row] from 0) to light up. */
export class Explanation {
  #control = null;
  #waiting = null;
  #kept = new Map();

  constructor(light) {
    this.light = light;
    this.element = h("div", { class: "explanation", "aria-live": "off" });
  }

  clear() {
    this.#control?.abort();
    clearTimeout(this.#waiting);
    this.element.replaceChildren();
    this.light([]);
  }

  /** Say a sentence in the place of an explanation. */
  tell(sentence) {
    this.clear();
    this.element.style.removeProperty("min-height");
    this.element.replaceChildren(h("p", { class: "hint-text" }, sentence));
  }

  /** Say what an explanation would tell, while none is asked for. */
  offer(board) {
    this.tell(board.isSolvable ? `Exact scores of every column, and why. Press ${letterKey("a", board)}, or switch it on.` : TOO_LARGE);
  }

  /** Explain where the game stands, once people rest there for a moment. */
  ask(game) {
    if (game.position.isOver) {
      this.tell("The game is over.");
      return;
    }
    if (!game.board.isSolvable) {
      this.tell(TOO_LARGE);
      return;
    }
    // What stands below it does not jump while the next sentences are looked for.
    this.element.style.setProperty("min-height", `${this.element.offsetHeight}px`);
    this.clear();
    const key = `${game.board.connect} ${game.position.rows}`;
    if (this.#kept.has(key)) {
      this.#show(game, this.#kept.get(key));
      return;
    }
    this.element.replaceChildren(h("p", { class: "hint-text" }, "Looking for reasons …"));
    this.#waiting = setTimeout(() => this.#ask(game, key), 200);
  }

  async #ask(game, key) {
    const control = new AbortController();
    this.#control = control;
    try {
      const found = await get("/api/explanation", game.query(), control.signal);
      this.#kept.set(key, found);
      if (!control.signal.aborted) this.#show(game, found);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.element.replaceChildren(h("p", { class: "problem" }, error.message));
    }
  }

  #show(game, found) {
    this.element.style.removeProperty("min-height");
    const claims = (list) => list.map((claim) => claimSentence(claim, this.light));
    const columns = found.columns.map(({ column, score, best, claims: said }) => h("details", {
      class: best ? "column best" : "column", open: best && found.best[0] === column,
    }, h("summary", {}, h("b", {}, `Column ${game.board.name(column - 1)}`), " ",
      h("span", { class: score > 0 ? "win" : score < 0 ? "loss" : "draw" }, signed(score))),
    h("div", {}, claims(said))));
    this.element.replaceChildren(h("div", { class: "standing" }, claims(found.claims)), ...columns);
  }
}
