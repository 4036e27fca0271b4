// The review of a game: mistakes with reasons, steps between them, and another try at each.

import { events } from "./api.js";
import { claimSentence } from "./claim_sentence.js";
import { button, h, announce } from "./dom.js";
import { isSolvable, tooLarge } from "./scores.js";
import { inWords, playerName } from "./words.js";

const SERIOUS = ["?", "??"];

export class Review {
  #judged = new WeakMap(); // place -> the judgement of the move that led there
  #current = null;
  #control = null;
  #trying = null; // the place from which another move is tried
  #tried = null; // and the move played there
  #shown = null; // the place whose best columns are shown

  /** `view` shows the game: it has `game`, `sides`, `scores`, `graph`, `board`, `showMessage` and `goTo`. */
  constructor(view) {
    this.view = view;
    this.button = button("Review the game", () => this.judge());
    this.text = h("p", { class: "judgement" });
    this.why = h("div", { class: "why" });
    this.again = button("Try again from here", () => this.tryAgain());
    this.better = button("Show a better column", () => { this.#shown = view.game.here; this.draw(); });
    this.next = button("Next mistake", () => this.nextMistake());
    this.steps = h("div", { class: "row", hidden: true }, this.next, this.again, this.better);
    this.element = h("div", { class: "review" }, this.text, this.why, this.steps);
  }

  /** Return the judgement of the move that led to a place, or null. */
  judged(place) {
    return this.#judged.get(place) ?? null;
  }

  /** The player whose mistakes are shown: the only human, null for both players. */
  get own() {
    const humans = this.view.sides.filter((side) => side.isHuman);
    return humans.length === 1 ? humans[0].player : null;
  }

  /** Whether the line has a review, or its review is running. */
  get hasScores() {
    return this.button.disabled || this.#isCurrent;
  }

  /** Whether the line is the reviewed one. */
  get #isCurrent() {
    const { line } = this.view.game;
    return this.#current !== null && line.length === this.#current.line.length
      && line.every((place, index) => place === this.#current.line[index]);
  }

  /** Places after mistakes and blunders, or else after inaccurate moves. */
  get #mistakes() {
    const marked = this.#current.line.filter((place) => {
      const judged = this.judged(place);
      return judged?.mark && (this.own === null || judged.player === this.own + 1);
    });
    const grave = marked.filter((place) => SERIOUS.includes(this.judged(place).mark));
    return grave.length ? grave : marked;
  }

  /** Request the review of the line. */
  async judge() {
    const { game, scores, graph } = this.view;
    const { line } = game;
    const sentence = line.length < 2 ? "There are no moves to review yet." : isSolvable(game.board) ? null : tooLarge();
    if (sentence) {
      this.text.textContent = sentence;
      announce(sentence);
      return;
    }
    this.#control?.abort();
    const control = this.#control = new AbortController();
    this.button.disabled = true;
    this.text.textContent = "Solving the game …";
    try {
      const found = await events("api/review/events", game.query(line.at(-1)), (name, data) => {
        const place = line[data.ply - game.start.ply];
        if (name !== "scores" || !place) return;
        scores.store(game, place, data.scores);
        graph.draw();
      }, control.signal);
      for (const judged of found.judged_moves) {
        const index = judged.ply - game.start.ply;
        this.#judged.set(line[index + 1], judged);
        scores.store(game, line[index], judged.scores);
      }
      this.#current = { line, found };
    } catch (error) {
      if (this.#control === control) this.text.textContent = error.message;
      return;
    } finally {
      if (this.#control === control) this.button.disabled = false;
    }
    if (this.#control !== control) return;
    this.view.draw();
    announce(this.text.textContent);
  }

  /** Cancel the review. */
  stop() {
    this.#control?.abort();
    this.#control = null;
    this.button.disabled = false;
    this.draw();
  }

  /** Go to the next mistake of the line, or to its first one; review the line if necessary. */
  async nextMistake(isFirst = false) {
    const { game } = this.view;
    if (!this.#attempt && !this.#isCurrent) {
      await this.judge();
      if (!this.#isCurrent) return;
    }
    const { line } = this.#current;
    const at = isFirst ? 0 : line.indexOf(this.#attempt || game.here === this.#trying ? this.#tried : game.here);
    const mistakes = this.#mistakes;
    const found = mistakes.find((place) => line.indexOf(place) > at) ?? mistakes[0];
    if (found) {
      this.view.goTo(found);
      this.draw();
      this.steps.scrollIntoView({ block: "nearest" });
    } else this.view.showMessage(this.own === null ? "No mistakes in this line." : "You made no mistakes in this line.");
  }

  /** Take back the last move to try another one, with hidden scores. */
  tryAgain() {
    const { view } = this;
    if (!this.#attempt && view.game.here !== this.#trying) {
      this.#trying = view.game.here.parent;
      this.#tried = view.game.here;
    }
    view.goTo(this.#trying);
    if (view.isAnalyzing) view.analyze(false);
  }

  /** The move tried instead of the reviewed one, or null. */
  get #attempt() {
    const { path } = this.view.game;
    const attempt = this.#trying === null ? null : path[path.indexOf(this.#trying) + 1];
    return attempt?.parent === this.#trying && !this.#judged.has(attempt) ? attempt : null;
  }

  /** Return whether the move tried is right, as a sentence. */
  #attemptText({ column, parent }) {
    const { game, scores } = this.view;
    const known = scores.of(game, parent);
    const worth = `olumn ${game.board.name(column)} ${known.words[column]}`;
    return known.scores[column] === known.score ? `Right: c${worth}.` : `C${worth}: not the best column either.`;
  }

  draw() {
    const { game } = this.view;
    const attempt = this.#attempt;
    const isAsked = game.here === this.#trying;
    if (!attempt && !isAsked) this.#trying = null;
    this.steps.hidden = !attempt && !isAsked && !this.#isCurrent;
    this.next.hidden = this.#isCurrent && !this.#mistakes.length;
    const judged = attempt || isAsked ? null : this.judged(game.here);
    const isMarked = !this.steps.hidden && Boolean(judged?.mark);
    this.why.replaceChildren(...(isMarked ? [h("p", { class: "which" }, this.#mistake(judged)), ...this.#reasons(judged)] : []));
    this.again.hidden = !isMarked && !attempt;
    this.better.hidden = !isMarked || this.#shown === game.here;
    if (attempt || isAsked) {
      const text = attempt ? this.#attemptText(attempt) : `Find a better column than ${game.board.name(this.#tried.column)}.`;
      if (this.text.textContent !== text) announce(text, "score-announcements");
      this.text.textContent = text;
    } else if (!this.steps.hidden) this.text.textContent = this.#accuracy();
    else if (!this.button.disabled) this.text.textContent = "";
  }

  #name(player) {
    return player === this.own ? "You" : playerName(player);
  }

  #accuracy() {
    const share = (value) => (value === null ? "–" : `${Math.round(value)} %`);
    const accuracies = this.#current.found.accuracy.map((value, player) => `${this.#name(player)} ${share(value)}`);
    return `Accuracy: ${accuracies.join(", ")}.`;
  }

  /** Describe the mistake that led here. */
  #mistake({ player, column, judgement, mark }) {
    const { game } = this.view;
    const at = this.#mistakes.indexOf(game.here);
    const which = at < 0 ? "" : `Mistake ${at + 1} of ${this.#mistakes.length}. `;
    const name = this.#name(player - 1);
    const article = judgement === "inaccurate" ? "" : "a ";
    return `${which}${name} ${name === "You" ? "play" : "plays"} column ${game.board.name(column - 1)}: ${article}${judgement} ${mark}`;
  }

  /** Return the reasons of a mistake, and the best columns if they were requested. */
  #reasons({ claims, column, best, before, after }) {
    const { game, board } = this.view;
    const { position } = game.here.parent;
    const scored = (columns, score) => {
      const names = columns.map((each) => game.board.name(each - 1)).join(" or ");
      return [{ text: `Column ${names} ${inWords(position, score)}.`, cells: [] }];
    };
    return [...(claims.length ? claims : scored([column], after)), ...(this.#shown === game.here ? scored(best, before) : [])]
      .map((claim) => claimSentence(claim, (cells) => board.light(cells)));
  }
}
