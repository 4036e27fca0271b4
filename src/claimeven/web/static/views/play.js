// Play and analyze: the board, the players, the moves, scores and explanations.

import { Explanation, ScoreBar, yellowScore } from "../analysis.js";
import { BOTS, post, wait } from "../api.js";
import { BoardView, discIcon } from "../board.js";
import { Controls } from "../controls.js";
import { AfterPaint, button, h, SAME_GESTURE, announce } from "../dom.js";
import { listenToKeys } from "../keys.js";
import { MoveList, ScoreGraph } from "../move_list.js";
import { Review } from "../review.js";
import { Board, played, Position } from "../rules.js";
import { AutoplayControls } from "../autoplay.js";
import { either, text } from "../texts.js";
import { ScoreRow } from "../score_row.js";
import { isSolvable } from "../scores.js";
import { addressOf, updateAddress } from "../address.js";
import { gamePanel } from "../game_panel.js";
import { LevelAdvice } from "../level_advice.js";
import { LinkGame } from "../link_game.js";
import { Side } from "../sides.js";
import { changeText, isYou, statusText } from "../status_text.js";

const { BotPanel } = BOTS.length ? await import("../bot_panel.js") : {};

export class PlayView {
  constructor({ game, scores, wanted }) {
    this.game = game;
    this.scores = scores;
    // Agents move until the user goes back in the game. A game from a link waits.
    this.agentsMayMove = !wanted.moves;
    this.sides = [0, 1].map((player) => new Side(player, wanted.sides[player], wanted.seconds[player]));
    this.isAnalyzing = wanted.analysis === "on";
    this.isHelped = this.isAnalyzing || Boolean(wanted.moves); // whether the game does not count for the levels
    this.afterBoard = new AfterPaint();
    this.#build();
    this.#listen();
  }

  /** Show this view. */
  async enter() {
    this.isHere = true;
    this.draw();
    await this.#offer();
    this.#continue();
  }

  leave() {
    this.isHere = false;
    this.review.stop();
    this.#stopThinking();
    this.scores.cancel();
    this.explanation.clear();
  }

  // Actions

  choose(column) {
    const { position } = this.game;
    if (this.#isAgentsTurn()) {
      announce(text("play.notYourTurn"));
      return;
    }
    const why = position.isOver ? text("analysis.over")
      : this.sides[position.turn].isFriend ? text("play.friendsTurn")
        : position.isLegal(column) ? null : text("play.full", { column: this.game.board.name(column) });
    if (why) {
      this.showMessage(why);
      return;
    }
    this.agentsMayMove = true;
    this.#play(column);
  }

  #play(column) {
    this.game.play(column);
    this.levelAdvice.count();
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

  /** Go to another place of the game, where agents wait for permission to move. */
  goTo(place) {
    if (!place || place === this.game.here) return;
    this.agentsMayMove = false;
    this.#stopThinking();
    this.game.goTo(place);
  }

  /** Delete a variation, and leave it if it is the current one. */
  drop(place) {
    if (this.game.path.includes(place)) this.goTo(place.parent);
    this.game.drop(place);
  }

  newGame(start = new Position(this.game.board)) {
    this.#leaveGame();
    this.agentsMayMove = true;
    this.isHelped = this.isAnalyzing;
    this.game.begin(start);
    announce(text("play.isNew"));
  }

  /** Leave the game; the browser's back button returns to it. */
  #leaveGame() {
    this.review.stop();
    this.#stopThinking();
    if (this.game.root.children.length) history.pushState(null, "", this.address);
  }

  /** Swap the players of the two sides. */
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
    this.isHelped ||= isOn && !this.game.position.isOver;
    if (!isOn) this.scores.cancel();
    this.draw();
    announce(text(isOn ? "analysis.on" : "analysis.off"));
  }

  async best() {
    if (this.#isAgentsTurn()) return;
    const known = await this.#solved();
    if (known) this.choose(known.central);
  }

  /** Solve the current position; return its scores, or show a sentence and return null. */
  async #solved() {
    const { game, scores } = this;
    this.isHelped = true;
    const place = game.here;
    if (!place.position.isOver && !scores.of(game)?.done) this.showMessage(text("play.solving"));
    await scores.ask(game);
    if (game.here !== place) return null;
    const known = scores.of(game);
    if (known?.best.length) return known;
    this.showMessage(known?.error ?? this.#statusText());
    return null;
  }

  async hint() {
    const known = await this.#solved();
    if (!known) return;
    this.board.best(known.best);
    const { position, board } = this.game;
    const column = either(known.best.map((each) => board.name(each)));
    const isEvery = known.best.length > 1 && known.best.length === position.legal.length;
    this.showMessage(text(isEvery ? "worth.every" : "worth.column", { column, worth: known.words[known.best[0]] }));
  }

  // Drawing

  #build() {
    this.board = new BoardView();
    this.row = new ScoreRow((column) => this.choose(column));
    this.bar = new ScoreBar();
    this.status = h("p", { class: "status" });
    this.explanation = new Explanation((cells) => this.board.light(cells));
    this.moves = new MoveList(this);
    this.graph = new ScoreGraph(this, (place) => yellowScore(place.position, this.scores.of(this.game, place)?.score));
    this.review = new Review(this);
    this.switch = h("input", { type: "checkbox", id: "analysis", role: "switch", onchange: () => this.analyze(this.switch.checked) });
    this.autoplay = new AutoplayControls(() => this.#paused(), () => this.#playOneMove());
    this.controls = new Controls(this);
    this.linkGame = new LinkGame(this);
    this.levelAdvice = new LevelAdvice(this);
    this.bots = BotPanel && new BotPanel(this);
    this.element = h("div", { class: "play" },
      h("section", { class: "stage", "aria-label": text("board.name") },
        this.status,
        h("div", { class: "board-with-bar" }, this.bar.element, h("div", { class: "column-stack" }, this.row.element, this.board.element)),
        this.controls.element, this.linkGame.element, this.levelAdvice.element, this.autoplay.element),
      h("section", { class: "panels" },
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, text("play.players")), button(text("play.swap"), () => this.swap(), { title: text("play.swapTitle") }),
            button(text("play.newGame"), () => this.newGame())),
          h("div", { class: "sides" }, this.sides.map((side) => side.element))),
        this.bots?.element,
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, h("label", { for: "analysis" }, text("analysis.title"))), this.switch),
          this.explanation.element),
        h("div", { class: "card" },
          h("div", { class: "card-head" }, h("h2", {}, text("game.one")), this.review.button),
          this.moves.element, this.graph.element, this.review.element),
        gamePanel(this)),
    );
  }

  #listen() {
    listenToKeys(this, {
      " ": () => this.best(), u: () => this.undo(), r: () => this.redo(), h: () => this.hint(),
      f: () => this.flip(), a: () => this.analyze(), n: () => this.newGame(), m: () => this.review.nextMistake(),
    });
    this.board.addEventListener("column", ({ detail }) => this.choose(detail));
    this.board.addEventListener("hover", ({ detail }) => this.row.point(detail));
    this.game.addEventListener("change", ({ detail }) => {
      if (!this.isHere) return;
      const isDrop = detail === "drop";
      this.#drawBoard(isDrop);
      // The dropping disc is drawn first, all other changes after the next frame.
      this.afterBoard[isDrop ? "soon" : "now"](() => this.isHere && this.#follow(detail));
    });
    this.scores.addEventListener("change", () => this.isHere && this.#drawScores());
    for (const side of this.sides) {
      side.addEventListener("change", () => {
        const other = this.sides[1 - side.player];
        if (side.isFriend && other.isFriend) other.become({ spec: "human", seconds: "" });
        this.isHelped ||= this.game.line.length > 1;
        this.#stopThinking();
        this.resume();
      });
    }
  }

  async #offer() {
    try {
      const messages = await Promise.all(this.sides.map((side) => side.offer(this.game.board)));
      if (messages.some(Boolean)) this.showMessage(messages.filter(Boolean).join(" "));
    } catch (error) {
      this.showMessage(error.message);
    }
  }

  /** Start a game on another board. */
  async setBoard(size, connect) {
    this.newGame(new Position(Board.parse(size, connect)));
    await this.#offer();
    this.#continue();
  }

  /** Show a game, in which agents wait for permission to move. Throws a sentence if it is invalid. */
  load(board, moves) {
    played(new Position(board), moves);
    this.#leaveGame();
    this.agentsMayMove = false;
    this.isHelped = true;
    const isOther = !board.equals(this.game.board);
    this.game.begin(new Position(board));
    this.game.replay(moves);
    if (isOther) this.#offer();
  }

  /** Show the content of an address after a step back in the browser. */
  restore(asked) {
    if (asked.problem || addressOf(this.#shown) === location.pathname + location.search) return;
    this.review.stop();
    this.#stopThinking();
    this.sides.forEach((side, player) => side.become({ spec: asked.sides[player], seconds: asked.seconds[player] }));
    this.isAnalyzing = asked.analysis === "on";
    this.isHelped = true; // whether it was is unknown
    this.agentsMayMove = !asked.moves;
    this.game.begin(asked.start);
    this.game.replay(asked.moves, asked.at, asked.lines);
  }

  async edit() {
    const { editPosition } = await import("../editor.js");
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
    this.board.open = !position.isOver && !this.#isAgentsTurn();
  }

  /** Draw, announce and continue after a change of the game. */
  #follow(how) {
    this.#drawRest();
    announce(`${changeText(how, this.game)} ${this.#statusText()}`);
    this.#continue();
  }

  #drawRest() {
    const { game } = this;
    this.switch.checked = this.isAnalyzing;
    this.sides.forEach((side) => side.call(isYou(this.sides, side.player)));
    this.element.classList.toggle("analyzing", this.isAnalyzing);
    this.moves.draw();
    this.autoplay.show(this.sides.every((side) => side.isAgent));
    this.linkGame.draw();
    this.levelAdvice.draw();
    this.bots?.draw();
    // Two paused agents have their own buttons.
    this.controls.show(game, this.#agentToMove() && !this.agentsMayMove && !this.autoplay.isPaused);
    this.#drawStatus();
    if (this.isAnalyzing) {
      this.scores.ask(game);
      this.explanation.ask(game);
    } else {
      this.explanation.offer(game.board);
    }
    this.#drawScores();
    this.review.draw();
    updateAddress(this.#shown);
  }

  #drawScores() {
    const known = this.isAnalyzing ? this.scores.of(this.game) : null;
    for (const { element } of [this.row, this.bar]) {
      element.hidden = !isSolvable(this.game.board);
      element.classList.toggle("off", !this.isAnalyzing); // hidden elements keep their space, so that the board does not move
    }
    this.row.show(this.game, known);
    this.bar.show(this.game, known);
    this.explanation.showScores(this.game, known);
    this.board.best(known?.best ?? []);
    this.board.worth(known?.words ?? []);
    // The graph belongs to the analysis and to a reviewed game.
    if (this.isAnalyzing || this.review.hasScores) this.graph.draw();
    else this.graph.element.hidden = true;
    if (known?.error && isSolvable(this.game.board)) this.showMessage(known.error);
    else this.#drawStatus();
  }

  #drawStatus() {
    const { position } = this.game;
    const icon = discIcon(position.isOver && position.winner !== null ? position.winner : position.turn);
    this.status.replaceChildren(...(position.isOver && position.winner === null ? [] : [icon]), this.#statusText());
  }

  #statusText() {
    const score = this.isAnalyzing ? this.scores.of(this.game)?.score ?? null : null;
    return statusText(this.game.position, this.sides, { isThinking: Boolean(this.thinking), score });
  }

  /** Show a sentence instead of the state of the game. */
  showMessage(sentence) {
    this.status.textContent = sentence;
    announce(sentence);
  }

  // Agents

  #agentToMove() {
    const { position } = this.game;
    return !position.isOver && this.sides[position.turn].isAgent;
  }

  /** Whether an agent is on turn and may move. */
  #isAgentsTurn() {
    return this.#agentToMove() && this.agentsMayMove && !this.autoplay.isPaused;
  }

  #continue() {
    if (this.thinking || !this.isHere || !this.#isAgentsTurn()) return;
    this.#think();
  }

  #playOneMove() {
    this.agentsMayMove = true;
    this.draw();
    if (this.#agentToMove() && !this.thinking) this.#think();
  }

  #paused() {
    if (this.autoplay.isPaused) this.#stopThinking();
    this.resume();
  }

  /** Continue from here. */
  resume() {
    this.agentsMayMove = true;
    this.draw();
    this.#continue();
  }

  async #think() {
    const { game } = this;
    const place = game.here;
    const side = this.sides[place.position.turn];
    const control = this.thinking = new AbortController();
    this.#drawStatus();
    const bots = this.sides.every((each) => each.isAgent);
    try {
      const [decision] = await Promise.all([
        post("api/move", { ...game.query(place), agent: side.spec, limit: side.limit }, control.signal),
        wait(bots ? this.autoplay.milliseconds : SAME_GESTURE, control.signal),
      ]);
      this.thinking = null;
      if (game.here !== place) return;
      if (side.isBot) this.bots.show(side, decision, place);
      this.#play(decision.column - 1);
    } catch (error) {
      if (this.thinking === control) this.thinking = null;
      if (error.name === "AbortError") return;
      this.agentsMayMove = false;
      this.draw();
      this.showMessage(this.bots?.fail(side, error) ?? error.message);
    }
  }

  #stopThinking() {
    this.thinking?.abort();
    this.thinking = null;
  }

  /** Go back or forward to a move of a human. */
  #walk(go) {
    this.#stopThinking();
    this.agentsMayMove = false;
    const hasHuman = this.sides.some((side) => side.isHuman);
    let moved = go();
    while (moved && hasHuman && !this.game.position.isOver && !this.sides[this.game.position.turn].isHuman) moved = go();
    this.draw();
    this.#continue();
  }

  /** The content of the address of this view. */
  get #shown() {
    return { game: this.game, sides: this.sides, analysis: this.isAnalyzing ? "on" : null };
  }

  /** The address that shows this game. */
  get address() {
    return new URL(addressOf(this.#shown), location.href).href;
  }
}
