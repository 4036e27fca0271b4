// A whole game judged: its mistakes, the way from one to the next, and another try at each.

import { events } from "./api.js";
import { h, say } from "./dom.js";
import { TOO_LARGE } from "./scores.js";
import { inWords } from "./words.js";

const MISTAKES = ["blunder", "inaccurate"];

export class Review {
  #judged = new WeakMap(); // place -> how the move that led there was judged
  #current = null;
  #control = null;
  #trying = null; // the place from which another move is tried

  /** `view` shows the game: it has `game`, `scores`, `graph`, `tell`, and is told where to stand. */
  constructor(view) {
    this.view = view;
    const button = (text, onclick) => h("button", { type: "button", onclick }, text);
    this.button = button("Judge the game", () => this.judge());
    this.text = h("p", { class: "judgement" });
    this.steps = h("div", { class: "row", hidden: true },
      button("Next mistake", () => this.nextMistake()), button("Try again from here", () => this.tryAgain()));
    this.element = h("div", {}, this.text, this.steps);
  }

  /** How the move that led to a place was judged, null where it was not. */
  judged(place) {
    return this.#judged.get(place) ?? null;
  }

  /** Whether the line was judged, or is now. */
  get hasScores() {
    return this.button.disabled || this.#isCurrent;
  }

  /** Whether the line is the one that was judged. */
  get #isCurrent() {
    const { line } = this.view.game;
    return this.#current !== null && line.length === this.#current.line.length
      && line.every((place, index) => place === this.#current.line[index]);
  }

  /** Have the server judge the line. */
  async judge() {
    const { game, scores, graph } = this.view;
    const { line } = game;
    const sentence = line.length < 2 ? "There is no move to judge yet." : game.board.isSolvable ? null : TOO_LARGE;
    if (sentence) {
      this.text.textContent = sentence;
      say(sentence);
      return;
    }
    this.#control?.abort();
    const control = new AbortController();
    this.#control = control;
    this.button.disabled = true;
    this.text.textContent = "Solving the game …";
    try {
      const found = await events("/api/review/events", game.query(line.at(-1)), (name, data) => {
        const place = line[data.ply - game.start.ply];
        if (name !== "scores" || !place) return;
        scores.keep(game, place, data.scores);
        graph.draw();
      }, control.signal);
      for (const judged of found.judged) {
        const index = judged.ply - game.start.ply;
        this.#judged.set(line[index + 1], judged);
        scores.keep(game, line[index], judged.scores);
      }
      this.#current = { line, found };
    } catch (error) {
      if (this.#control !== control) return;
      if (error.name !== "AbortError") this.text.textContent = error.message;
      this.button.disabled = false;
      return;
    }
    if (this.#control !== control) return;
    this.button.disabled = false;
    this.view.draw();
    say(this.text.textContent);
  }

  /** Give up judging: people went on to something else. */
  stop() {
    this.#control?.abort();
    this.#control = null;
    this.button.disabled = false;
    this.draw();
  }

  /** Go to the next move of the line that gave something away. */
  nextMistake() {
    const { game } = this.view;
    const line = this.#attempt ? this.#current.line : game.line;
    const at = this.#attempt ? line.indexOf(this.#trying) + 1 : line.indexOf(game.here);
    const isMistake = (place) => MISTAKES.includes(this.judged(place)?.judgement);
    const found = line.slice(at + 1).find(isMistake) ?? line.find(isMistake);
    if (!found) {
      this.view.tell(this.#isCurrent ? "No mistakes in this line." : "Let the game be judged first.");
      return;
    }
    this.view.goTo(found);
  }

  /** Take the move back that led here, to try another one. */
  tryAgain() {
    if (!this.#attempt) this.#trying = this.view.game.here.parent;
    this.view.goTo(this.#trying);
    this.view.tell("Try another column.");
  }

  /** The move tried instead of the one that was judged, null for none. */
  get #attempt() {
    const { path } = this.view.game;
    const tried = this.#trying === null ? null : path[path.indexOf(this.#trying) + 1];
    return tried?.parent === this.#trying && !this.#judged.has(tried) ? tried : null;
  }

  /** Whether the move tried is the right one. */
  #tried({ column, parent }) {
    const { game, scores } = this.view;
    const known = scores.of(game, parent);
    const worth = `olumn ${game.board.name(column)} ${known.words[column]}`;
    return known.scores[column] === known.score ? `Right: c${worth}.` : `C${worth}: that is not it either.`;
  }

  draw() {
    const attempt = this.#attempt;
    this.steps.hidden = !attempt && !this.#isCurrent;
    if (attempt) {
      const text = this.#tried(attempt);
      if (this.text.textContent !== text) say(text, "worth");
      this.text.textContent = text;
      return;
    }
    if (this.steps.hidden) {
      if (!this.button.disabled) this.text.textContent = "";
      return;
    }
    const share = (value) => (value === null ? "–" : `${Math.round(value)} %`);
    const [first, second] = this.#current.found.accuracy;
    this.text.textContent = `Accuracy: first player ${share(first)}, second player ${share(second)}.${this.#here()}`;
  }

  /** What was wrong with the move that led here. */
  #here() {
    const { game } = this.view;
    const judged = this.judged(game.here);
    if (!judged || judged.after >= judged.before) return "";
    const before = game.here.parent.position;
    const right = judged.best.map((column) => game.board.name(column - 1)).join(" or ");
    return ` Here column ${game.board.name(judged.column - 1)} ${inWords(before, judged.after)};`
      + ` right was ${right}, which ${inWords(before, judged.before)}.`;
  }
}
