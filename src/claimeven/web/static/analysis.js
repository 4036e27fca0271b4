// The analysis of a position: the evaluation bar, and sentences whose cells light up.

import { can, get } from "./api.js";
import { claimSentence } from "./claim_sentence.js";
import { h, announce } from "./dom.js";
import { letterKey } from "./keys.js";
import { isSolvable, tooLarge } from "./scores.js";
import { either, text } from "./texts.js";
import { outcomeOf, playerName, signed } from "./words.js";

/** The evaluation bar, with Yellow's share at the bottom. */
export class ScoreBar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    this.fill.style.setProperty("height", "50%");
    this.text = h("span", {});
    this.element = h("div", { class: "bar", role: "img" }, this.fill, this.text);
  }

  /** `known` are the scores of the current place, or null. */
  show(game, known) {
    const { position, board } = game;
    this.#announceBest(game, known);
    const first = yellowScore(position, known?.score);
    this.element.classList.toggle("unknown", first === null);
    // Until the score is known the bar stays in place, faintly, instead of jumping to the middle.
    if (first === null) {
      this.text.textContent = "";
      this.element.setAttribute("aria-label", text("analysis.unknown"));
      return;
    }
    const share = 0.5 + Math.sign(first) * (0.25 + 0.22 * (Math.abs(first) / (board.cells / 2)));
    this.element.classList.toggle("second", first < 0);
    this.fill.style.setProperty("height", `${100 * share}%`);
    this.text.textContent = signed(first);
    this.element.setAttribute("aria-label", text("analysis.scoreFor", { score: signed(first), name: playerName(0) }));
  }

  /** Announce the best columns to screen readers, once for each place. */
  #announceBest({ here, board }, known) {
    if (known === null) this.announcedPlace = null;
    if (here === this.announcedPlace || !known?.best.length) return;
    this.announcedPlace = here;
    const column = either(known.best.map((each) => board.name(each)));
    announce(text("analysis.best", { column, worth: known.words[known.best[0]] }), "score-announcements");
  }
}

/** Return a score for the side to move, or of a finished game, for Yellow. */
export function yellowScore(position, score) {
  const known = position.isOver ? position.finalScore : score ?? null;
  return known === null || position.turn === 0 ? known : 0 - known;
}

/** The explanation in sentences. `light` receives cells to light up ([column, row] from 0). */
export class Explanation {
  #control = null;
  #waiting = null;
  #cached = new Map();

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

  /** Show a sentence instead of an explanation. */
  showMessage(sentence) {
    this.clear();
    this.element.style.removeProperty("min-height");
    this.element.replaceChildren(h("p", { class: "hint-text" }, sentence));
  }

  /** Describe the analysis while it is switched off. */
  offer(board) {
    const key = can("reasons") ? "analysis.offerReasons" : "analysis.offer";
    this.showMessage(isSolvable(board) ? text(key, { key: letterKey("a", board) }) : tooLarge());
  }

  /** Explain the current position after a short delay. */
  ask(game) {
    const sentence = game.position.isOver ? text("analysis.over") : isSolvable(game.board) ? null : tooLarge();
    if (sentence) {
      this.showMessage(sentence);
      return;
    }
    if (!can("reasons")) return;
    // The elements below do not jump while the next sentences are loading.
    this.element.style.setProperty("min-height", `${this.element.offsetHeight}px`);
    this.clear();
    const key = `${game.board.connect} ${game.position.rows}`;
    if (this.#cached.has(key)) {
      this.#show(game, this.#cached.get(key));
      return;
    }
    this.element.replaceChildren(h("p", { class: "hint-text" }, text("analysis.looking")));
    this.#waiting = setTimeout(() => this.#ask(game, key), 200);
  }

  async #ask(game, key) {
    const control = this.#control = new AbortController();
    try {
      const found = await get("api/explanation", game.query(), control.signal);
      this.#cached.set(key, found);
      if (!control.signal.aborted) this.#show(game, found);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.element.replaceChildren(h("p", { class: "problem" }, error.message));
    }
  }

  /** Show the known scores in words, if the page has no reasons. */
  showScores({ board, position }, known) {
    if (can("reasons") || !known) return;
    const columns = position.legal.filter((column) => known.scores[column] !== null);
    columns.sort((a, b) => known.scores[b] - known.scores[a]);
    this.element.replaceChildren(...columns.map((column) => h("p", { class: "column" },
      ...heading(board, column, known.scores[column]), ` ${known.words[column]}`)));
  }

  #show(game, found) {
    this.element.style.removeProperty("min-height");
    const claims = (list) => list.map((claim) => claimSentence(claim, this.light));
    const columns = found.columns.map(({ column, score, best, claims: sentences }) => h("details", {
      class: best ? "column best" : "column", open: best && found.best[0] === column,
    }, h("summary", {}, ...heading(game.board, column - 1, score)),
    h("div", {}, claims(sentences))));
    this.element.replaceChildren(h("div", { class: "position-claims" }, claims(found.claims)), ...columns);
  }
}

/** Return the name of a column, and its score. */
function heading(board, column, score) {
  return [h("b", {}, text("moves.column", { column: board.name(column) })), " ", h("span", { class: outcomeOf(score) }, signed(score))];
}
