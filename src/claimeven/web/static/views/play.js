// Play and analyze: the board, who plays, the game line, scores and explanations.

import { Explanation, finalScore, ScoreBar } from "../analysis.js";
import { post, wait } from "../api.js";
import { BoardView, discIcon } from "../board.js";
import { Controls } from "../controls.js";
import { AfterPaint, button, h, SAME_GESTURE, say } from "../dom.js";
import { editPosition } from "../editor.js";
import { MoveList, ScoreGraph } from "../line.js";
import { Review } from "../review.js";
import { Board, played, Position } from "../rules.js";
import { Pace } from "../pace.js";
import { ScoreRow } from "../score_row.js";
import { addressOf, keepAddress } from "../share.js";
import { gamePanel } from "../game_panel.js";
import { Side } from "../sides.js";
import { happened, isYou, standing } from "../standing.js";

export class PlayView {
  constructor({ game, scores, wanted }) {
    this.game = game;
    this.scores = scores;
    // Agents move by themselves until somebody goes back in the game. A game that a link brings waits.
    this.isGoing = !wanted.moves;
    this.sides = [0, 1].map((player) => new Side(
      player, wanted.sides[player], wanted.seconds[player],
    ));
    this.isAnalyzing = wanted.analysis === "on";
    this.afterBoard = new AfterPaint();
    this.#build();
    this.#listen();
  }

  /** Show this view. */
  async enter() {
    this.isHere = true;
    this.draw();
    await this.#offer();
    this.#goOn();
  }

  leave() {
    this.isHere = false;
    this.review.stop();
    this.#stopThinking();
    this.scores.giveUp();
    this.explanation.clear();
  }

  // What people do

  choose(column) {
    const { position } = this.game;
    if (this.#thinker()) {
      say("It is not your turn.");
      return;
    }
    if (!position.isLegal(column)) {
      const why = position.isOver ? "The game is over." : `Column ${this.game.board.name(column)} is full.`;
      this.tell(why);
      return;
    }
    this.isGoing = true;
    this.game.play(column);
  }

  undo() {
    this.#walk(() => this.game.step("back"));
  }

  redo() {
    this.#walk(() => this.game.step("forward"));
  }

  step(how) {
    this.goTo(this.game.target(how));
  }

  /** Look at another place of the game: agents wait there until somebody lets them move. */
  goTo(place) {
    if (!place || place === this.game.here) return;
    this.isGoing = false;
    this.#stopThinking();
    this.game.goTo(place);
  }

  /** Forget a variation; who stands in it goes back to where it began. */
  drop(place) {
    if (this.game.path.includes(place)) this.goTo(place.parent);
    this.game.drop(place);
  }

  newGame(start = new Position(this.game.board)) {
    this.#leaveGame();
    this.isGoing = true;
    this.game.begin(start);
    say("A new game.");
  }

  /** Another game comes: this one stays where the browser's way back leads. */
  #leaveGame() {
    this.review.stop();
    this.#stopThinking();
    if (this.game.root.children.length) history.pushState(null, "", this.address);
  }

  /** Each plays the other's side from here on. */
  async swap() {
    this.#stopThinking();
    const [first, second] = this.sides.map(({ spec, seconds }) => ({ spec, seconds }));
    this.sides[0].become(second);
    this.sides[1].become(first);
    this.resume();
  }

  flip() {
    this.board.flipped = !this.board.isFlipped;
    document.documentElement.classList.toggle("flipped", this.board.isFlipped);
    this.draw();
    if (this.isAnalyzing) this.explanation.ask(this.game);
  }

  analyze(isOn = !this.isAnalyzing) {
    this.isAnalyzing = isOn;
    if (!isOn) this.scores.giveUp();
    this.draw();
    say(isOn ? "Analysis on." : "Analysis off.");
  }

  async best() {
    if (this.#thinker()) return;
    const known = await this.#solved();
    if (known) this.choose(known.central);
  }

  /** What is known of where the game stands once it is solved; null, and a sentence, if it is not. */
  async #solved() {
    const { game, scores } = this;
    const place = game.here;
    if (!place.position.isOver && !scores.of(game)?.done) this.tell("Solving …");
    await scores.ask(game);
    if (game.here !== place) return null;
    const known = scores.of(game);
    if (known?.best.length) return known;
    this.tell(known?.error ?? this.#standing());
    return null;
  }

  async hint() {
    const known = await this.#solved();
    if (!known) return;
    this.board.best(known.best);
    const { position, board } = this.game;
    const columns = known.best.map((column) => board.name(column)).join(" or ");
    const which = known.best.length > 1 && known.best.length === position.legal.length ? "Every column" : `Column ${columns}`;
    this.tell(`${which} ${known.words[known.best[0]]}.`);
  }

  // How it looks

  #build() {
    this.board = new BoardView("Board");
    this.row = new ScoreRow((column) => this.choose(column));
    this.bar = new ScoreBar();
    this.status = h("p", { class: "status" });
    this.explanation = new Explanation((cells) => this.board.light(cells));
    this.moves = new MoveList(this);
    this.graph = new ScoreGraph(this, (place) => this.#firstScore(place));
    this.review = new Review(this);
    this.switch = h("input", { type: "checkbox", id: "analysis", role: "switch", onchange: () => this.analyze(this.switch.checked) });
    this.pace = new Pace(() => this.#paused(), () => this.#oneMove());
    this.controls = new Controls(this);
    this.element = h("div", { class: "play" },
      h("section", { class: "stage", "aria-label": "Board" },
        this.status,
        h("div", { class: "board-with-bar" }, this.bar.element, h("div", { class: "column-stack" }, this.row.element, this.board.element)),
        this.controls.element, this.pace.element),
      h("section", { class: "panels" },
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, "Players"), button("Swap", () => this.swap(), { title: "Each plays the other's side" }),
            button("New game", () => this.newGame())),
          h("div", { class: "sides" }, this.sides.map((side) => side.element))),
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, h("label", { for: "analysis" }, "Analysis")), this.switch),
          this.explanation.element),
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, "Game"), this.review.button),
          this.moves.element, this.graph.element, this.review.element),
        gamePanel(this)),
    );
  }

  #listen() {
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    this.board.addEventListener("hover", ({ detail }) => this.row.point(detail));
    this.game.addEventListener("change", ({ detail }) => {
      if (!this.isHere) return;
      const isDrop = detail === "drop";
      this.#drawBoard(isDrop);
      // A disc that drops is seen first: all that follows from it has the time until the next frame.
      this.afterBoard[isDrop ? "soon" : "now"](() => this.isHere && this.#follow(detail));
    });
    this.scores.addEventListener("change", () => this.isHere && this.#drawScores());
    for (const side of this.sides) {
      side.addEventListener("change", () => {
        this.#stopThinking();
        this.resume();
      });
    }
  }

  async #offer() {
    try {
      const told = await Promise.all(this.sides.map((side) => side.offer(this.game.board)));
      if (told.some(Boolean)) this.tell(told.filter(Boolean).join(" "));
    } catch (error) {
      this.tell(error.message);
    }
  }

  /** Another board was chosen. */
  async setBoard(size, connect) {
    this.newGame(new Position(Board.parse(size, connect)));
    await this.#offer();
    this.#goOn();
  }

  /** Show a game; agents wait until somebody lets them move. Throws a sentence if it cannot be. */
  load(board, moves) {
    played(new Position(board), moves);
    this.#leaveGame();
    this.isGoing = false;
    const isOther = !board.equals(this.game.board);
    this.game.begin(new Position(board));
    this.game.replay(moves);
    if (isOther) this.#offer();
  }

  /** Show what an address asks for, where something else is here: the browser went back to it. */
  restore(asked) {
    if (asked.problem || addressOf(this.#shown) === location.pathname + location.search) return;
    this.review.stop();
    this.#stopThinking();
    this.sides.forEach((side, player) => side.become({ spec: asked.sides[player], seconds: asked.seconds[player] }));
    this.isAnalyzing = asked.analysis === "on";
    this.isGoing = !asked.moves;
    this.game.begin(asked.start);
    this.game.replay(asked.moves, asked.at, asked.lines);
  }

  async edit() {
    const start = await editPosition(this.game.position);
    if (start) this.newGame(start);
  }

  draw() {
    this.#drawBoard();
    this.#drawRest();
  }

  #drawBoard(drop = false) {
    const { position } = this.game;
    this.board.show(position, { drop });
    this.board.open = !position.isOver && !this.#thinker();
  }

  /** Draw, tell and do what follows from a change of the game. */
  #follow(how) {
    this.#drawRest();
    say(`${happened(how, this.game)} ${this.#standing()}`);
    this.#goOn();
  }

  #drawRest() {
    const { game } = this;
    this.switch.checked = this.isAnalyzing;
    this.sides.forEach((side) => side.call(isYou(this.sides, side.player)));
    this.element.classList.toggle("analyzing", this.isAnalyzing);
    this.moves.draw();
    this.pace.show(this.sides.every((side) => !side.isHuman));
    // Two agents that are paused go on by buttons of their own.
    this.controls.show(game, this.#agentToMove() && !this.isGoing && !this.pace.isPaused);
    this.#drawStatus();
    if (this.isAnalyzing) {
      this.scores.ask(game);
      this.explanation.ask(game);
    } else {
      this.explanation.offer(game.board);
    }
    this.#drawScores();
    this.review.draw();
    keepAddress(this.#shown);
  }

  #drawScores() {
    const known = this.isAnalyzing ? this.scores.of(this.game) : null;
    const isMeasured = this.isAnalyzing && this.game.board.isSolvable;
    for (const { element } of [this.row, this.bar]) {
      element.hidden = !this.game.board.isSolvable;
      element.classList.toggle("off", !this.isAnalyzing); // where there is room it stays empty: the board does not move
    }
    this.row.show(this.game, known);
    this.bar.show(this.game, known);
    this.board.best(known?.best ?? []);
    this.board.worth(known?.words ?? []);
    this.#drawGraph();
    if (isMeasured && known?.error) this.tell(known.error);
    else this.#drawStatus();
  }

  /** The scores over the game belong to the analysis, and to a game that was judged. */
  #drawGraph() {
    if (this.isAnalyzing || this.review.hasScores) this.graph.draw();
    else this.graph.element.hidden = true;
  }

  /** The score of a place for the first player, null where it is not known. */
  #firstScore(place) {
    if (place.position.isOver) return finalScore(place.position);
    const score = this.scores.of(this.game, place)?.score ?? null;
    return score === null ? null : place.position.turn === 0 ? score : -score;
  }

  #drawStatus() {
    const { position } = this.game;
    const icon = discIcon(position.isOver && position.winner !== null ? position.winner : position.turn);
    this.status.replaceChildren(...(position.isOver && position.winner === null ? [] : [icon]), this.#standing());
  }

  #standing() {
    const score = this.isAnalyzing ? this.scores.of(this.game)?.score ?? null : null;
    return standing(this.game.position, this.sides, { isThinking: Boolean(this.thinking), score });
  }

  /** Say a sentence where the state of the game stands. */
  tell(sentence) {
    this.status.textContent = sentence;
    say(sentence);
  }

  // Agents

  #agentToMove() {
    const { position } = this.game;
    return !position.isOver && !this.sides[position.turn].isHuman;
  }

  /** Whether an agent is about to move, so that nobody else may. */
  #thinker() {
    return this.#agentToMove() && this.isGoing && !this.pace.isPaused;
  }

  #goOn() {
    if (this.thinking || !this.isHere || !this.#thinker()) return;
    this.#think();
  }

  #oneMove() {
    this.isGoing = true;
    this.draw();
    if (this.#agentToMove() && !this.thinking) this.#think();
  }

  #paused() {
    if (this.pace.isPaused) this.#stopThinking();
    this.resume();
  }

  /** Go on from here, whoever is to move. */
  resume() {
    this.isGoing = true;
    this.draw();
    this.#goOn();
  }

  async #think() {
    const { game } = this;
    const place = game.here;
    const side = this.sides[place.position.turn];
    const control = new AbortController();
    this.thinking = control;
    this.#drawStatus();
    const bots = this.sides.every((each) => !each.isHuman);
    try {
      const [decision] = await Promise.all([
        post("/api/move", { ...game.query(place), agent: side.spec, limit: side.limit }, control.signal),
        wait(bots ? this.pace.milliseconds : SAME_GESTURE, control.signal),
      ]);
      this.thinking = null;
      if (game.here === place) game.play(decision.column - 1);
    } catch (error) {
      if (this.thinking === control) this.thinking = null;
      if (error.name === "AbortError") return;
      this.isGoing = false;
      this.draw();
      this.tell(error.message);
    }
  }

  #stopThinking() {
    this.thinking?.abort();
    this.thinking = null;
  }

  /** Go back or forth to where a human is to move. */
  #walk(go) {
    this.#stopThinking();
    this.isGoing = false;
    const hasHuman = this.sides.some((side) => side.isHuman);
    let moved = go();
    while (moved && hasHuman && !this.game.position.isOver && !this.sides[this.game.position.turn].isHuman) moved = go();
    this.draw();
    this.#goOn();
  }

  /** What an address says of this view. */
  get #shown() {
    return { game: this.game, sides: this.sides, analysis: this.isAnalyzing ? "on" : null };
  }

  /** The address that shows this game. */
  get address() {
    return new URL(addressOf(this.#shown), location.href).href;
  }
}
