// Watch a search: minimax and its kin step by step, Monte Carlo by its four phases.
// Nothing moves by itself: a slider and buttons step; a click on a node goes there.

import { get } from "../api.js";
import { BoardView } from "../board.js";
import { h } from "../dom.js";
import { Board, played, Position } from "../rules.js";
import { MinimaxSteps } from "../search_minimax.js";
import { MonteCarloSteps } from "../search_montecarlo.js";
import { drawTree } from "../search_tree.js";

const ALGORITHMS = [
  ["minimax", "Minimax", MinimaxSteps],
  ["alphabeta", "Alpha-beta", MinimaxSteps],
  ["negamax", "Negamax with a table", MinimaxSteps],
  ["uct", "UCT", MonteCarloSteps],
  ["flat", "Flat Monte Carlo", MonteCarloSteps],
];
const BOARDS = [["4x4", 3], ["5x4", 4], ["7x6", 4]];

export class View {
  constructor({ game }) {
    this.shared = game;
    this.start = new Position(new Board(4, 4, 3));
    this.steps = null;
    this.at = 0;
    this.#build();
  }

  enter() {
    this.isHere = true;
    if (!this.steps) this.#run();
  }

  leave() {
    this.isHere = false;
    this.control?.abort();
  }

  #build() {
    const option = ([value, text]) => h("option", { value }, text);
    this.algorithm = h("select", { onchange: () => this.#algorithmChosen() }, ALGORITHMS.map(option));
    this.algorithm.value = "alphabeta";
    this.where = h("select", {}, BOARDS.map(([size, connect]) => h("option", { value: `${size} ${connect}` }, `${size}, connect ${connect}`)),
      h("option", { value: "game" }, "where the game stands"));
    this.depth = h("input", { type: "number", min: 1, max: 12, value: 3 });
    this.iterations = h("input", { type: "number", min: 1, max: 2000, value: 100 });
    this.depthLabel = h("label", {}, "Depth ", this.depth);
    this.iterationsLabel = h("label", { hidden: true }, "Iterations ", this.iterations);
    this.board = new BoardView("Position looked at");
    this.board.open = false;
    this.words = h("p", { class: "step-words", role: "status" });
    this.counters = h("p", { class: "hint-text" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => this.#goTo(Number(this.slider.value)) });
    this.tree = h("div", { class: "tree", tabindex: 0, role: "group", "aria-label": "Search tree" });
    this.more = button("More steps", () => this.#more(), { hidden: true });
    this.element = h("div", { class: "search-view" },
      h("form", { class: "card row", onsubmit: (event) => { event.preventDefault(); this.#run(); } },
        h("label", {}, "Algorithm ", this.algorithm), h("label", {}, "Board ", this.where), this.depthLabel, this.iterationsLabel,
        h("button", { class: "primary" }, "Search")),
      h("div", { class: "row stepper" },
        button("⏮", () => this.#goTo(0), { "aria-label": "First step" }), button("◀", () => this.#goTo(this.at - 1), { "aria-label": "Step back" }),
        this.slider,
        button("▶", () => this.#goTo(this.at + 1), { "aria-label": "Step on" }), button("⏭", () => this.#goTo(Infinity), { "aria-label": "Last step" }),
        this.more),
      this.words, this.counters,
      h("div", { class: "search-stage" }, h("section", { "aria-label": "Board" }, this.board.element), this.tree));
    this.element.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined || event.target.closest("input, select")) return;
      this.#goTo(this.at + by);
      event.preventDefault();
    });
  }

  #algorithmChosen() {
    const isTree = this.#kind() === MonteCarloSteps;
    this.depthLabel.hidden = isTree;
    this.iterationsLabel.hidden = !isTree;
  }

  #kind() {
    return ALGORITHMS.find(([name]) => name === this.algorithm.value)[2];
  }

  async #run() {
    this.control?.abort();
    this.control = new AbortController();
    const { value } = this.where;
    const [size, connect] = value.split(" ");
    this.start = value === "game" ? this.shared.position : new Position(Board.parse(size, Number(connect)));
    this.words.textContent = "Searching …";
    this.steps = null;
    const { board } = this.start;
    const query = {
      board: board.size, connect: board.connect, agent: this.algorithm.value,
      position: this.start.ply ? this.start.rows : undefined,
      depth: this.depth.value, iterations: this.iterations.value,
    };
    try {
      this.steps = await this.#kind().load(query, this.start, (path, asked) => get(path, asked, this.control.signal));
    } catch (error) {
      if (error.name !== "AbortError") this.words.textContent = error.message;
      return;
    }
    this.#goTo(0);
  }

  async #more() {
    this.more.disabled = true;
    try {
      await this.steps.more();
    } catch (error) {
      if (error.name !== "AbortError") this.words.textContent = error.message;
    }
    this.more.disabled = false;
    this.#goTo(this.at);
  }

  #goTo(at) {
    if (!this.steps) return;
    this.at = Math.max(0, Math.min(at, this.steps.count - 1));
    this.slider.max = this.steps.count - 1;
    this.slider.value = this.at;
    this.more.hidden = !this.steps.hasMore;
    const shown = this.steps.at(this.at);
    this.slider.setAttribute("aria-valuetext", shown.words);
    this.words.textContent = shown.words;
    this.counters.textContent = shown.counters;
    this.board.show(played(this.start, shown.moves), { lit: shown.lit ?? [] });
    this.tree.replaceChildren(drawTree(shown.levels, (node) => {
      const step = this.steps.stepOf(node, this.at);
      if (step !== null) this.#goTo(step);
    }));
  }
}

function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}
