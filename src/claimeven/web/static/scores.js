// Exact scores of positions, requested once and cached.

import { events, isLocal } from "./api.js";
import { text } from "./texts.js";
import { inWords } from "./words.js";

const MAX_BITS = isLocal ? 64 : 128;
/** Return the message for boards beyond the solver's limit. */
export const tooLarge = () => text("scores.tooLarge", { most: MAX_BITS });

/** Whether the backend has exact scores for a board. */
export const isSolvable = (board) => board.bits <= MAX_BITS;

/** Scores and words of a position by column (null if unknown or illegal). */
class Known {
  constructor(columns) {
    this.scores = Array(columns).fill(null);
    this.words = Array(columns).fill(null);
    this.done = false;
    this.error = null;
  }

  /** The score of the position for the side to move, null until all columns are known. */
  get score() {
    const known = this.scores.filter((score) => score !== null);
    return this.done && known.length ? Math.max(...known) : null;
  }

  get best() {
    const { score } = this;
    return score === null ? [] : this.scores.flatMap((known, column) => (known === score ? [column] : []));
  }

  /** The best column nearest to the center. */
  get central() {
    const aside = (column) => Math.abs(column - (this.scores.length - 1) / 2);
    return this.best.toSorted((a, b) => aside(a) - aside(b))[0];
  }
}

const wordsOf = ({ position }, scores) => scores.map((score) => inWords(position, score));

export class Scores extends EventTarget {
  #known = new Map();
  #asking = null;

  static #key(game, place) {
    return `${game.board.size} ${game.board.connect} ${place.position.rows}`;
  }

  /** Return the known scores of a place, or null. */
  of(game, place = game.here) {
    return this.#known.get(Scores.#key(game, place)) ?? null;
  }

  /**
   * Request the scores of a place, and cancel the previous request. Sends `change` for new scores;
   * returns when the request is complete.
   */
  ask(game, place = game.here) {
    const key = Scores.#key(game, place);
    if (this.#known.get(key)?.done || place.position.isOver) return Promise.resolve();
    if (this.#asking?.key === key) return this.#asking.answer;
    this.cancel();
    const asking = this.#asking = { key, control: new AbortController() };
    asking.answer = this.#ask(game, place, asking);
    return asking.answer;
  }

  async #ask(game, place, asking) {
    const { key } = asking;
    const known = this.#known.get(key) ?? new Known(game.board.columns);
    this.#known.set(key, Object.assign(known, { error: null }));
    const onEvent = (name, data) => {
      if (name !== "column") return;
      known.scores[data.column - 1] = data.score;
      known.words[data.column - 1] = inWords(place.position, data.score);
      this.#changed(key);
    };
    try {
      if (!isSolvable(game.board)) throw new Error(tooLarge());
      const all = await events("api/scores/events", game.query(place), onEvent, asking.control.signal);
      Object.assign(known, { scores: all.scores, words: wordsOf(place, all.scores), done: all.complete });
      if (!all.complete) known.error = text("scores.late");
    } catch (error) {
      if (error.name !== "AbortError") known.error = error.message;
    }
    if (this.#asking === asking) this.#asking = null;
    this.#changed(key);
  }

  /** Store scores from another request, such as a review. */
  store(game, place, scores) {
    const key = Scores.#key(game, place);
    if (this.#known.get(key)?.done || place.position.legal.some((column) => scores[column] === null)) return;
    const known = { scores, words: wordsOf(place, scores), done: true };
    this.#known.set(key, Object.assign(new Known(game.board.columns), known));
  }

  cancel() {
    this.#asking?.control.abort();
    this.#asking = null;
  }

  #changed(key) {
    this.dispatchEvent(new CustomEvent("change", { detail: key }));
  }
}
