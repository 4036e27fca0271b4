// Puzzles: a puzzle on the board, with only one right column; reasons, hints, rating and streak.

import { get, wait } from "../api.js";
import { BoardView, discIcon } from "../board.js";
import { claimSentence } from "../claim_sentence.js";
import { button, h, announce } from "../dom.js";
import { listenToKeys } from "../keys.js";
import { PuzzleProgress, today } from "../puzzle_progress.js";
import { Board, columnsOf, played, Position } from "../rules.js";
import { updateAddress } from "../address.js";
import { withShownColors, playerName } from "../words.js";

const DIFFICULTIES = [["", "about my rating"], ["beginner", "beginner"], ["easy", "easy"], ["medium", "medium"], ["hard", "hard"], ["expert", "expert"]];
const KINDS = [["", "win or hold"], ["win", "one column wins"], ["hold", "one column holds the draw"]];
/** Milliseconds before the other side replies, longer than a repeated input of one gesture. */
const PAUSE = 450;

export class View {
  constructor(shared) {
    this.shared = shared;
    this.progress = new PuzzleProgress(() => this.#score());
    this.board = new BoardView("Puzzle");
    this.task = h("p", { class: "status" });
    this.about = h("p", { class: "hint-text puzzle-about" });
    this.message = h("div", { class: "puzzle-message" });
    this.hintList = h("ol", { class: "puzzle-hints" });
    this.score = h("dl", { class: "puzzle-progress" });
    this.difficulty = choice(DIFFICULTIES, "How hard", () => this.next());
    this.kind = choice(KINDS, "Which kind", () => this.next());
    this.hintButton = button("Hint", () => this.hint());
    this.showButton = button("Show the solution", () => this.showSolution());
    this.againButton = button("Try again", () => this.#again(), { class: "primary" });
    this.nextButton = button("Next puzzle", () => this.next());
    this.analyze = h("a", { class: "button-link", hidden: true }, "Analyze");
    this.element = h("div", { class: "play puzzles-view" },
      h("section", { class: "stage", "aria-label": "Puzzle" }, this.task,
        h("div", { class: "board-with-bar" }, h("div", { class: "column-stack" }, this.board.element)),
        h("div", { class: "row controls" }, this.againButton, this.hintButton, this.showButton, this.nextButton, this.analyze)),
      h("section", { class: "panels", "aria-label": "Information" },
        h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Puzzle")), this.about, this.message, this.hintList),
        h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Which puzzles")),
          h("div", { class: "row" }, this.difficulty, this.kind, button("Puzzle of the day", () => this.daily()))),
        h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Your results")), this.score)));
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    listenToKeys(this, {
      h: () => this.hint(), n: () => this.next(), s: () => this.showSolution(), t: () => this.isWrong && this.#again(),
    });
  }

  async enter() {
    this.isHere = true;
    const search = new URLSearchParams(location.search);
    if (this.puzzle) this.#address();
    else if (search.has("daily")) await this.daily(search.get("daily") || today());
    else await this.next(search.get("puzzle"));
  }

  leave() {
    this.isHere = false;
  }

  // Actions

  /** Show another puzzle, or the one of a number. */
  async next(number = null) {
    const { rating, met } = this.progress.state;
    const difficulty = this.difficulty.value;
    const query = number ? { number } : {
      difficulty: difficulty || null, kind: this.kind.value || null, rating: difficulty ? null : rating, exclude: met.join(","),
    };
    await this.#load("api/puzzles", query, null);
  }

  /** Show the puzzle of a day such as 2026-01-31, by default today. */
  async daily(day = today()) {
    await this.#load("api/puzzles/daily", { date: day }, day);
  }

  choose(column) {
    if (!this.puzzle || this.isWaiting || this.isOver || this.isWrong) return;
    if (!this.position.isLegal(column)) {
      this.#showMessage([`Column ${this.board.board.name(column)} is full.`]);
      return;
    }
    this.#drop(column);
    if (column === this.solution[2 * this.found]) this.#right(column);
    else this.#wrong(column);
  }

  #drop(column) {
    this.position = this.position.play(column);
    this.board.show(this.position, { drop: true });
  }

  /** Show the next of three hints: the idea, the cells, the column. */
  async hint() {
    if (!this.puzzle || this.isOver || this.isWrong || this.isWaiting) return;
    this.#helped("a hint");
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
  #helped(by) {
    const change = this.#count(false);
    if (change) this.#showMessage([`With ${by} it does not count as solved: your rating falls by ${-change}.`]);
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
    const names = this.solution.slice(2 * this.found).map((column) => this.board.board.name(column)).join(" ");
    await this.#end(`The solution is ${names}.${fall(change)}`);
  }

  // Results

  async #right(column) {
    this.#find(this.found + 1);
    const { puzzle } = this;
    if (this.found === puzzle.length) {
      const change = this.#count(true);
      const gained = change ? ` Your rating rises by ${change}.` : "";
      await this.#end(`${this.isClean ? "Solved at first try." : "Solved."}${gained}`);
      return;
    }
    const answer = this.solution[2 * this.found - 1];
    this.isWaiting = true;
    this.hintList.replaceChildren();
    this.#showMessage([`Right: column ${this.board.board.name(column)}.`], "good");
    await wait(PAUSE);
    if (this.puzzle !== puzzle) return;
    this.isWaiting = false;
    this.#showMessage([`Right: column ${this.board.board.name(column)}. ${this.#reply(answer)} Find the next column.`], "good");
  }

  /** Play the reply of the other side; return it as a sentence. */
  #reply(column) {
    this.#drop(column);
    return `${playerName(1 - this.position.turn)} replies in column ${this.board.board.name(column)}.`;
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
    const text = `Column ${name} is wrong.${fall(change)}`;
    this.#showMessage([`${text} Looking for the reason …`], "bad");
    this.againButton.focus();
    const attempt = await this.#ask("attempt", this.found, { column: name });
    if (this.puzzle !== puzzle || this.position !== position) return; // the user has tried again
    const reply = attempt.error || attempt.reply === null ? [] : [this.#reply(attempt.reply - 1)];
    this.#showMessage([text, ...reasons(attempt), ...(this.position.isOver ? [] : reply)], "bad");
  }

  #again() {
    this.isWrong = false;
    this.position = this.#after(2 * this.found);
    this.board.show(this.position);
    this.#open();
    this.#showMessage(["Try another column."]);
    this.board.focus();
  }

  /** End the puzzle with the reason for its last column. */
  async #end(text) {
    this.isOver = true;
    this.#open();
    this.#showMessage([text], "good");
    const { puzzle } = this;
    const column = this.board.board.name(this.solution.at(-1));
    this.nextButton.focus();
    const attempt = await this.#ask("attempt", puzzle.length - 1, { column });
    if (this.puzzle === puzzle) this.#showMessage([text, ...reasons(attempt)], "good");
  }

  /** Store the first result of a puzzle; return the change of the rating, 0 for later results. */
  #count(isSolved) {
    if (!isSolved) this.isClean = false;
    if (this.isCounted) return 0;
    this.isCounted = true;
    const change = this.progress.count(this.puzzle, isSolved, this.day);
    this.#score();
    return change;
  }

  async #load(path, query, day) {
    this.message.replaceChildren();
    const asked = {};
    this.asked = asked;
    try {
      const found = await get(path, query);
      if (this.asked !== asked) return; // another puzzle was requested
      this.puzzle = found.puzzle;
    } catch (error) {
      if (this.asked !== asked) return;
      this.#showMessage([error.message], "problem");
      if (!this.puzzle) this.#missing();
      return;
    }
    const board = new Board();
    this.day = day;
    this.solution = columnsOf(this.puzzle.solution, board);
    this.#find(0);
    this.hintList.replaceChildren();
    Object.assign(this, { isOver: false, isWrong: false, isWaiting: false, isClean: true });
    this.isCounted = this.progress.hasResult(this.puzzle);
    this.start = this.position = played(new Position(board), this.puzzle.moves);
    this.board.show(this.position);
    const { number, difficulty, rating, task, length } = this.puzzle;
    this.task.replaceChildren(discIcon(this.position.turn), withShownColors(task));
    const many = length === 1 ? "one column to find" : `${length} columns to find`;
    const when = day ? `Puzzle of ${day}` : `Puzzle ${number}`;
    const again = this.isCounted ? " You had it before: it does not count again." : "";
    this.about.textContent = `${when}: ${difficulty}, rating ${rating}, ${many}.${again}`;
    this.analyze.href = `./?moves=${this.puzzle.moves}&second=human&analysis=on`;
    this.#open();
    this.#score();
    this.#address();
    announce(`${this.about.textContent} ${withShownColors(task)}`);
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
    return get(`api/puzzles/${what}`, query).catch((error) => ({ error: error.message }));
  }

  #score() {
    this.score.replaceChildren(...this.progress.words.flatMap(([what, value]) => [h("dt", {}, what), h("dd", {}, String(value))]));
    const isDone = this.progress.state.daily[today()];
    if (isDone !== undefined) this.score.append(h("dt", {}, "Puzzle of today"), h("dd", {}, isDone ? "solved at first try" : "tried"));
  }

  #address() {
    if (!this.isHere || !this.puzzle) return;
    const more = this.day ? { daily: this.day } : { puzzle: this.puzzle.number };
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
const reasons = ({ claims, text, error }) => (error ? [error] : claims.length ? claims : [text]);

const fall = (change) => (change ? ` Your rating falls by ${-change}.` : "");

function choice(options, label, onchange) {
  return h("select", { "aria-label": label, onchange }, options.map(([value, text]) => h("option", { value }, text)));
}
