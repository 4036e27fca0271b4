// Exact scores of positions, asked for once and kept while people move about.

import { events } from "./api.js";
import { inWords } from "./words.js";

/** Of a board that no search is asked about, since every answer would be the same. */
export const TOO_LARGE = "This board is too large to be solved: exact scores need columns × (rows + 1) of 64 at most.";

/** What is known of a position: scores and words by column (null where unknown or illegal). */
class Known {
  constructor(columns) {
    this.scores = Array(columns).fill(null);
    this.words = Array(columns).fill(null);
    this.done = false;
    this.error = null;
  }

  /** The score of the position for its side to move, null while not every column is known. */
  get score() {
    const known = this.scores.filter((score) => score !== null);
    return this.done && known.length ? Math.max(...known) : null;
  }

  get best() {
    const { score } = this;
    return score === null ? [] : this.scores.flatMap((known, column) => (known === score ? [column] : []));
  }

  /** The best column nearest to the middle. */
  get central() {
    const aside = (column) => Math.abs(column - (this.scores.length - 1) / 2);
    return this.best.toSorted((a, b) => aside(a) - aside(b))[0];
  }
}

export class Scores extends EventTarget {
  #known = new Map();
  #asking = null;

  static #key(game, place) {
    return `${game.board.size} ${game.board.connect} ${place.position.rows}`;
  }

  /** Return what is known of a place, null for nothing yet. */
  of(game, place = game.here) {
    return this.#known.get(Scores.#key(game, place)) ?? null;
  }

  /**
   * Ask for the scores of a place; what was asked before is given up. Tells `change` as they come,
   * and returns when all are there, or no more will be.
   */
  ask(game, place = game.here) {
    const key = Scores.#key(game, place);
    if (this.#known.get(key)?.done || place.position.isOver) return Promise.resolve();
    if (this.#asking?.key === key) return this.#asking.answer;
    this.giveUp();
    const asking = { key, control: new AbortController() };
    this.#asking = asking;
    asking.answer = this.#ask(game, place, asking);
    return asking.answer;
  }

  async #ask(game, place, asking) {
    const { key } = asking;
    const before = this.#known.get(key);
    const known = new Known(game.board.columns);
    if (before) {
      known.scores = before.scores;
      known.words = before.words;
    }
    this.#known.set(key, known);
    const told = (name, data) => {
      if (name !== "column") return;
      known.scores[data.column - 1] = data.score;
      known.words[data.column - 1] = data.words;
      this.#changed(key);
    };
    try {
      if (!game.board.isSolvable) throw new Error(TOO_LARGE);
      const all = await events("/api/scores/events", game.query(place), told, asking.control.signal);
      known.scores = all.scores;
      known.words = all.words;
      known.done = all.complete;
      if (!all.complete) known.error = "This position takes longer to solve than the server may think.";
    } catch (error) {
      if (error.name !== "AbortError") known.error = error.message;
    }
    if (this.#asking === asking) this.#asking = null;
    this.#changed(key);
  }

  /** Keep scores that came another way: of a review. */
  keep(game, place, scores, words = null) {
    const key = Scores.#key(game, place);
    if (this.#known.get(key)?.done || place.position.legal.some((column) => scores[column] === null)) return;
    const known = new Known(game.board.columns);
    known.scores = scores;
    known.words = words ?? scores.map((score) => inWords(place.position, score));
    known.done = true;
    this.#known.set(key, known);
  }

  giveUp() {
    this.#asking?.control.abort();
    this.#asking = null;
  }

  #changed(key) {
    this.dispatchEvent(new CustomEvent("change", { detail: key }));
  }
}
