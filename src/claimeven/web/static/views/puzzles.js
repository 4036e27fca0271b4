// Puzzles: a puzzle on the board, with only one right column; reasons, hints, rating and streak.

import { get, wait } from "../api.js";
import { BoardView, discIcon } from "../board.js";
import { claimSentence } from "../claim_sentence.js";
import { button, h, announce } from "../dom.js";
import { listenToKeys } from "../keys.js";
import { countMistake, hintsFor, mistakeCounts, nextMistake, resultOf } from "../mistakes.js";
import { PuzzleProgress, today } from "../puzzle_progress.js";
import { Board, columnsOf, played, Position } from "../rules.js";
import { text } from "../texts.js";
import { updateAddress } from "../address.js";
import { capital, withShownColors, playerName } from "../words.js";

/** Properties of puzzles to choose by, and the values of each; "" is any. */
const PROPERTIES = {
  difficulty: ["", "beginner", "easy", "medium", "hard", "expert"],
  motif: ["", "win-in-1", "block", "double-threat", "forcing", "defense", "zugzwang"],
  length: ["", "1", "2", "3", "4", "5", "6"],
  kind: ["", "win", "hold"],
};
/** Milliseconds before the other side replies, longer than a repeated input of one gesture. */
const PAUSE = 450;

export class View {
  constructor(shared) {
    this.shared = shared;
    this.progress = new PuzzleProgress(() => this.#score());
    this.board = new BoardView(text("puzzles.puzzle"));
    this.task = h("p", { class: "status" });
    this.about = h("p", { class: "hint-text puzzle-about" });
    this.message = h("div", { class: "puzzle-message" });
    this.hintList = h("ol", { class: "puzzle-hints" });
    this.score = h("dl", { class: "puzzle-progress" });
    this.curve = h("figure", { class: "rating-curve" });
    this.choices = Object.entries(PROPERTIES).map(([name, values]) => h("select", {
      name, "aria-label": text(`puzzles.choose.${name}`), onchange: () => this.next(),
    }, values.map((value) => h("option", { value }, text(`puzzles.${name}.${value || "any"}`, { count: Number(value) })))));
    this.hintButton = button(text("puzzles.hint"), () => this.hint());
    this.showButton = button(text("puzzles.show"), () => this.showSolution());
    this.againButton = button(text("puzzles.again"), () => this.#again(), { class: "primary" });
    this.nextButton = button(text("puzzles.next"), () => (this.own ? this.mistake() : this.next()));
    this.analyze = h("a", { class: "button-link", hidden: true }, text("puzzles.analyze"));
    this.mistakes = h("p", { class: "hint-text" });
    this.mistakeButton = button(text("puzzles.practice"), () => this.mistake());
    const card = (key, ...content) => h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, text(`puzzles.${key}`))), content);
    this.element = h("div", { class: "play puzzles-view" },
      h("section", { class: "stage", "aria-label": text("puzzles.puzzle") }, this.task,
        h("div", { class: "board-with-bar" }, h("div", { class: "column-stack" }, this.board.element)),
        h("div", { class: "row controls" }, this.againButton, this.hintButton, this.showButton, this.nextButton, this.analyze)),
      h("section", { class: "panels", "aria-label": text("puzzles.information") },
        card("puzzle", this.about, this.message, this.hintList),
        card("which", h("div", { class: "row" }, this.choices, button(text("puzzles.daily"), () => this.daily()))),
        card("yourMistakes", this.mistakes, h("div", { class: "row" }, this.mistakeButton)),
        card("yourResults", this.score, this.curve)));
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    listenToKeys(this, {
      h: () => this.hint(), n: () => this.nextButton.click(), s: () => this.showSolution(), t: () => this.isWrong && this.#again(),
    });
  }

  async enter() {
    this.isHere = true;
    const search = new URLSearchParams(location.search);
    for (const choice of this.choices) {
      if (PROPERTIES[choice.name].includes(search.get(choice.name))) choice.value = search.get(choice.name);
    }
    if (search.has("mistakes") && mistakeCounts().count) this.mistake();
    else if (this.puzzle) this.#address();
    else if (search.has("daily")) await this.daily(search.get("daily") || today());
    else await this.next(search.get("puzzle"));
  }

  leave() {
    this.isHere = false;
  }

  // Actions

  /** The chosen properties by name, null for any. */
  get #chosen() {
    return Object.fromEntries(this.choices.map(({ name, value }) => [name, value || null]));
  }

  /** Show another puzzle, or the one of a number. */
  async next(number = null) {
    const { rating, met } = this.progress.state;
    const query = number ? { number } : { ...this.#chosen, rating: this.#chosen.difficulty ? null : rating, exclude: met.join(",") };
    await this.#load("api/puzzles", query, null);
  }

  /** Show the puzzle of a day such as 2026-01-31, by default today. */
  async daily(day = today()) {
    await this.#load("api/puzzles/daily", { date: day }, day);
  }

  /** Show the mistake of the user that is due first. */
  mistake() {
    const own = nextMistake(this.own?.key);
    if (!own) {
      this.next();
      return;
    }
    Object.assign(this, { asked: null, day: null });
    const { position: { board, turn }, right, rating, length } = own;
    const task = text(`puzzles.tasks.${own.task}`, { name: playerName(turn), count: length });
    this.#present({ columns_to_find: 1, rating }, own.position, [right[0]], task, text("puzzles.aboutOwn", { rating: `${rating}` }), own);
    this.analyze.href = `./?board=${board.size}&connect=${board.connect}&position=${own.rows}&first=human&second=human&analysis=on`;
    this.#address();
  }

  choose(column) {
    if (!this.puzzle || this.isWaiting || this.isOver || this.isWrong) return;
    if (!this.position.isLegal(column)) {
      this.#showMessage([text("puzzles.full", { column: this.board.board.name(column) })]);
      return;
    }
    this.#drop(column);
    if (this.own?.right.includes(column) ?? column === this.solution[2 * this.found]) this.#right(column);
    else this.#wrong(column);
  }

  #drop(column) {
    this.position = this.position.play(column);
    this.board.show(this.position, { drop: true });
  }

  /** Show the next of three hints: the idea, the cells, the column. */
  async hint() {
    if (!this.puzzle || this.isOver || this.isWrong || this.isWaiting) return;
    this.#helped();
    const { puzzle, found } = this;
    const { hints, error } = this.hints ? this : await this.#ask("hints", found);
    if (this.puzzle !== puzzle || this.found !== found || this.isWrong || this.isOver) return;
    if (error) {
      this.#showMessage([error], "problem");
      return;
    }
    this.hints = hints;
    const hint = this.hints[this.hinted];
    if (!hint) return;
    this.hinted += 1;
    this.hintButton.disabled = this.hinted === this.hints.length;
    this.hintList.append(h("li", {}, this.#sentence(hint)));
    this.board.light(hint.cells.map(([column, row]) => [column - 1, row - 1]));
    if (hint.step === "column") this.board.best(hint.columns.map((column) => column - 1));
    announce(`${this.message.textContent} ${withShownColors(hint.text)}`);
  }

  /** Count a puzzle as not solved because of help, and show that once. */
  #helped() {
    const change = this.#count(false);
    if (change) this.#showMessage([text("puzzles.helped", { count: -change })]);
  }

  async showSolution() {
    if (!this.puzzle || this.isOver || this.isWaiting) return;
    const change = this.#count(false);
    if (this.isWrong) this.#again();
    const { puzzle } = this;
    this.isWaiting = true;
    for (let place = 2 * this.found; place < this.solution.length; place++) {
      this.#drop(this.solution[place]);
      if (place < this.solution.length - 1) await wait(PAUSE);
      if (this.puzzle !== puzzle) return;
    }
    this.isWaiting = false;
    const columns = this.solution.slice(2 * this.found).map((column) => this.board.board.name(column)).join(" ");
    await this.#end(text("puzzles.solution", { columns }) + rated(change));
  }

  // Results

  async #right(column) {
    this.#find(this.found + 1);
    const { puzzle } = this;
    if (this.found === puzzle.columns_to_find) {
      const change = this.#count(true);
      await this.#end(text(this.isClean ? "puzzles.solvedFirst" : "puzzles.solved") + rated(change));
      return;
    }
    const answer = this.solution[2 * this.found - 1];
    this.isWaiting = true;
    this.hintList.replaceChildren();
    const right = text("puzzles.right", { column: this.board.board.name(column) });
    this.#showMessage([right], "good");
    await wait(PAUSE);
    if (this.puzzle !== puzzle) return;
    this.isWaiting = false;
    this.#showMessage([`${right} ${this.#reply(answer)} ${text("puzzles.findNext")}`], "good");
  }

  /** Play the reply of the other side; return it as a sentence. */
  #reply(column) {
    this.#drop(column);
    return text("puzzles.replies", { name: playerName(1 - this.position.turn), column: this.board.board.name(column) });
  }

  /** Ask for the column after some that are found. */
  #find(found) {
    Object.assign(this, { found, hints: null, hinted: 0 });
    this.hintButton.disabled = false;
  }

  async #wrong(column) {
    const change = this.#count(false);
    this.isWrong = true;
    this.#open();
    const { puzzle, position } = this;
    const name = this.board.board.name(column);
    const result = text("puzzles.wrong", { column: name }) + rated(change);
    this.#showMessage([`${result} ${text("puzzles.looking")}`], "bad");
    this.againButton.focus();
    const attempt = await this.#ask("attempt", this.found, { column: name });
    if (this.puzzle !== puzzle || this.position !== position) return; // the user has tried again
    const reply = attempt.error || attempt.reply === null ? [] : [this.#reply(attempt.reply - 1)];
    this.#showMessage([result, ...reasons(attempt), ...(this.position.isOver ? [] : reply)], "bad");
  }

  #again() {
    this.isWrong = false;
    this.position = this.#after(2 * this.found);
    this.board.show(this.position);
    this.#open();
    this.#showMessage([text("puzzles.another")]);
    this.board.focus();
  }

  /** End the puzzle with the reason for its last column. */
  async #end(result) {
    this.isOver = true;
    this.#open();
    this.#showMessage([result], "good");
    const { puzzle } = this;
    const column = this.board.board.name(this.position.last[0]);
    this.nextButton.focus();
    const attempt = await this.#ask("attempt", puzzle.columns_to_find - 1, { column });
    if (this.puzzle === puzzle) this.#showMessage([result, ...reasons(attempt)], "good");
  }

  /** Store the first result of a puzzle; return the change of the rating, 0 for later results. */
  #count(isSolved) {
    if (!isSolved) this.isClean = false;
    if (this.isCounted) return 0;
    this.isCounted = true;
    if (this.own) countMistake(this.own.key, isSolved);
    const change = this.own?.due ? 0 : this.progress.count(this.puzzle, isSolved, this.day); // the first result only
    this.#score();
    return change;
  }

  async #load(path, query, day) {
    this.message.replaceChildren();
    const asked = {};
    this.asked = asked;
    let found;
    try {
      found = await get(path, query);
      if (this.asked !== asked) return; // another puzzle was requested
    } catch (error) {
      if (this.asked !== asked) return;
      this.#showMessage([capital(error.message).replace(/[^.?!]$/, "$&.")], "problem");
      if (!this.puzzle) this.#missing();
      return;
    }
    this.progress.use(found.set);
    this.day = day;
    const { puzzle } = found;
    const { number, difficulty, rating, kind, columns_to_find: count, moves } = puzzle;
    const start = played(new Position(new Board()), moves);
    const when = day ? text("puzzles.ofDay", { day }) : text("puzzles.number", { number: `${number}` });
    const again = this.progress.hasResult(puzzle) ? ` ${text("puzzles.before")}` : "";
    const about = text("puzzles.about", { when, difficulty: text(`puzzles.difficulty.${difficulty}`), rating: `${rating}`, count });
    this.#present(puzzle, start, columnsOf(puzzle.solution, start.board), text(`puzzles.tasks.one-${kind}`, { name: playerName(start.turn) }), about + again);
    this.analyze.href = `./?moves=${moves}&first=human&second=human&analysis=on`;
    this.#address();
  }

  /** Show a puzzle, `own` for a mistake of the user. */
  #present(puzzle, start, solution, task, about, own = null) {
    Object.assign(this, { puzzle, start, position: start, solution, own, isOver: false, isWrong: false, isWaiting: false, isClean: true });
    this.#find(0);
    this.hintList.replaceChildren();
    this.message.replaceChildren();
    this.isCounted = this.progress.hasResult(puzzle);
    this.board.show(start);
    this.task.replaceChildren(discIcon(start.turn), task);
    this.about.textContent = about;
    this.#open();
    this.#score();
    announce(`${about} ${task}`);
  }

  // Drawing

  #after(plies) {
    return this.solution.slice(0, plies).reduce((position, column) => position.play(column), this.start);
  }

  #open() {
    this.board.open = !this.isOver && !this.isWrong;
    this.againButton.hidden = !this.isWrong;
    this.hintButton.hidden = this.isOver || this.isWrong;
    this.showButton.hidden = this.isOver;
    this.analyze.hidden = !this.isOver;
    this.nextButton.classList.toggle("primary", this.isOver);
    this.element.dataset.state = this.isOver ? "over" : this.isWrong ? "wrong" : "asked";
  }

  /** Show that there is no puzzle. */
  #missing() {
    for (const each of [this.againButton, this.hintButton, this.showButton]) each.hidden = true;
    this.nextButton.classList.add("primary");
    this.#score();
  }

  /** Ask for the hints or the judgement of an attempt; return also the sentence of a failure, as `error`. */
  async #ask(what, found, more = {}) {
    const query = { number: this.puzzle.number, columns_found: found, ...more };
    const own = () => (what === "hints" ? hintsFor(this.own) : resultOf(this.own, this.start.board.column(more.column)));
    return (this.own ? own() : get(`api/puzzles/${what}`, query)).catch((error) => ({ error: error.message }));
  }

  #score() {
    this.score.replaceChildren(...this.progress.words.flatMap(([what, value]) => [h("dt", {}, what), h("dd", {}, String(value))]));
    const isDone = this.progress.state.daily[today()];
    if (isDone !== undefined) this.score.append(h("dt", {}, text("puzzles.ofToday")), h("dd", {}, text(isDone ? "puzzles.dayDone" : "puzzles.dayTried")));
    this.curve.replaceChildren(...this.progress.curve);
    const { count, due, next } = mistakeCounts();
    const day = new Date(next).toLocaleDateString(document.documentElement.lang);
    this.mistakes.textContent = !count ? text("puzzles.noMistakes") : due ? text("puzzles.due", { count, due }) : text("puzzles.later", { count, day });
    this.mistakeButton.hidden = !count;
  }

  #address() {
    if (!this.isHere || !this.puzzle) return;
    const more = this.own ? { mistakes: "yes" } : this.day ? { daily: this.day } : { puzzle: this.puzzle.number, ...this.#chosen };
    updateAddress({ view: "puzzles", game: this.shared.game, sides: this.shared.sides, more });
  }

  /** Show and announce sentences: texts, or claims whose cells light up on hover. */
  #showMessage(parts, tone = "") {
    const claims = parts.map((part) => (typeof part === "string" ? { text: part, cells: [] } : part));
    this.message.className = `puzzle-message ${tone}`;
    this.message.replaceChildren(...claims.map((claim) => this.#sentence(claim)));
    announce(claims.map((claim) => withShownColors(claim.text)).join(" "));
  }

  #sentence(claim) {
    return claimSentence(claim, (cells) => this.board.light(cells));
  }
}

/** The reasons for the result of a column, or its score in words, or why there is none. */
const reasons = ({ claims, text: sentence, error }) => (error ? [error] : claims.length ? claims : [sentence]);

/** The change of the rating as a sentence after another one. */
const rated = (change) => (change ? ` ${text(change > 0 ? "puzzles.rises" : "puzzles.falls", { count: Math.abs(change) })}` : "");
