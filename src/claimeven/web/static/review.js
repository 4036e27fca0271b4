// The review of a game: mistakes with reasons, steps between them, and another try at each.

import { addressOf } from "./address.js";
import { events, get } from "./api.js";
import { claimSentence } from "./claim_sentence.js";
import { button, h, announce } from "./dom.js";
import { isSolvable, tooLarge } from "./scores.js";
import { either, text } from "./texts.js";
import { inWords, playerName, withShownColors } from "./words.js";

const SERIOUS = ["?", "??"];

export class Review {
  #judged = new WeakMap(); // place -> the judgement of the move that led there
  #current = null;
  #control = null;
  #trying = null; // the place from which another move is tried
  #tried = null; // and the move played there
  #shown = null; // the place whose best columns are shown
  #why = []; // the claims about the first of them
  #isStored = false; // whether the mistakes became puzzles

  /** `view` shows the game: it has `game`, `sides`, `scores`, `graph`, `board`, `showMessage` and `goTo`. */
  constructor(view) {
    this.view = view;
    this.button = button(text("review.button"), () => this.judge());
    this.text = h("p", { class: "judgement" });
    this.why = h("div", { class: "why" });
    this.again = button(text("review.again"), () => this.tryAgain());
    this.better = button(text("review.better"), () => this.#showBetter());
    this.next = button(text("review.next"), () => this.nextMistake());
    this.practice = h("a", { class: "button-link", hidden: true }, text("review.practice"));
    this.steps = h("div", { class: "row", hidden: true }, this.next, this.again, this.better, this.practice);
    this.list = h("ol", { class: "mistakes" });
    this.element = h("div", { class: "review" }, this.text, this.why, this.steps, this.list);
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
    const sentence = line.length < 2 ? text("review.empty") : isSolvable(game.board) ? null : tooLarge();
    if (sentence) {
      this.text.textContent = sentence;
      announce(sentence);
      return;
    }
    this.#control?.abort();
    const control = this.#control = new AbortController();
    this.button.disabled = true;
    this.text.textContent = text("review.solving");
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
      const own = this.own === null ? [] : this.#mistakes.map((place) => [place.parent.position, this.judged(place)]);
      this.#isStored = own.length > 0 && (await import("./mistakes.js")).addMistakes(own);
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
    } else this.view.showMessage(text(this.own === null ? "review.none" : "review.youNone"));
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
    const isBest = known.scores[column] === known.score;
    return text(isBest ? "review.right" : "review.wrong", { column: game.board.name(column), worth: inWords(parent.position, known.scores[column]) });
  }

  /** Show the best columns at the current mistake, and the reasons for the first one. */
  async #showBetter() {
    const { game } = this.view;
    const place = this.#shown = game.here;
    this.#why = [{ text: text("puzzles.looking"), cells: [] }];
    this.draw();
    const found = await get("api/explanation", game.query(place.parent)).catch(() => null); // the score is shown already
    if (this.#shown !== place) return;
    this.#why = found?.columns.find(({ column }) => column === found.best[0]).claims.slice(1).filter(({ kind }) => kind !== "best_play") ?? [];
    this.draw();
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
    this.#drawList();
    if (attempt || isAsked) {
      const sentence = attempt ? this.#attemptText(attempt) : text("review.find", { column: game.board.name(this.#tried.column) });
      if (this.text.textContent !== sentence) announce(sentence, "score-announcements");
      this.text.textContent = sentence;
    } else if (!this.steps.hidden) this.text.textContent = this.#accuracy();
    else if (!this.button.disabled) this.text.textContent = "";
  }

  /** List the mistakes with the first reason of each, and offer the user's own as puzzles. */
  #drawList() {
    const { game, sides } = this.view;
    const mistakes = this.steps.hidden || this.#trying ? [] : this.#mistakes;
    this.practice.hidden = this.own === null || !mistakes.length || !this.#isStored;
    if (!this.practice.hidden) this.practice.href = addressOf({ view: "puzzles", game, sides, more: { mistakes: "yes" } });
    this.list.hidden = mistakes.length < 2;
    this.list.replaceChildren(...mistakes.map((place) => {
      const { ply, mark, claims, after } = this.judged(place);
      const reason = claims[0]?.text ?? this.#worth(place.parent.position, [place.column], after);
      const values = { number: Math.floor(ply / 2) + 1, column: game.board.name(place.column), mark };
      return h("li", {}, button(text("review.move", values), () => this.view.goTo(place), { "aria-current": place === game.here ? "step" : null }),
        " ", h("span", { class: "claim" }, withShownColors(reason)));
    }));
  }

  #worth(position, columns, score) {
    return text("worth.column", { column: either(columns.map((each) => position.board.name(each))), worth: inWords(position, score) });
  }

  #accuracy() {
    const [first, second] = this.#current.found.accuracy.map((value, player) => text("review.share", {
      name: player === this.own ? text("review.you") : playerName(player), percent: value === null ? "–" : Math.round(value),
    }));
    return text("review.accuracy", { first, second });
  }

  /** Describe the mistake that led here. */
  #mistake({ player, column, judgement, mark }) {
    const { game } = this.view;
    const at = this.#mistakes.indexOf(game.here);
    const which = at < 0 ? "" : `${text("review.which", { number: at + 1, count: this.#mistakes.length })} `;
    const values = { name: playerName(player - 1), column: game.board.name(column - 1), judgement: text(`review.judgements.${judgement}`), mark };
    return which + text(player - 1 === this.own ? "review.youPlay" : "review.plays", values);
  }

  /** Return the reasons of a mistake, and the best columns with reasons if they were requested. */
  #reasons({ claims, best, after, before }) {
    const { game, board } = this.view;
    const { position } = game.here.parent;
    const scored = (columns, score) => [{ text: this.#worth(position, columns, score), cells: [] }];
    const better = this.#shown === game.here ? [...scored(best.map((each) => each - 1), before), ...this.#why] : [];
    return [...(claims.length ? claims : scored([game.here.column], after)), ...better]
      .map((claim) => claimSentence(claim, (cells) => board.light(cells)));
  }
}
