// Watch a search: minimax searches step by step, Monte Carlo searches by their four phases.
// A slider and buttons change the step, and a click on a node goes to it.

import { can, get } from "../api.js";
import { BoardView } from "../board.js";
import { button, h, icon, prefersReducedMotion } from "../dom.js";
import { listenToKeys } from "../keys.js";
import { Board, played, Position } from "../rules.js";
import { MinimaxSteps } from "../search_minimax.js";
import { MonteCarloSteps } from "../search_montecarlo.js";
import { drawTree, drawWholeTree, nodesToOpen, rowsOf } from "../search_tree.js";
import { updateAddress } from "../address.js";

const ALGORITHMS = [
  ["minimax", "Minimax", MinimaxSteps],
  ["alphabeta", "Alpha-beta", MinimaxSteps],
  ["negamax", "Negamax with a table", MinimaxSteps],
  ["uct", "UCT", MonteCarloSteps],
  ["flat", "Flat Monte Carlo", MonteCarloSteps],
  ["puct", "PUCT with a model", MonteCarloSteps],
].filter(([name]) => can(name));
/** Maximum number of nodes of a whole tree: the rest opens on demand. */
const MAX_NODES_SHOWN = 160;
const BOARDS = [["4x4", 3], ["5x4", 4], ["7x6", 4]];
/** Milliseconds at a step before the address is updated: browsers limit the number of updates. */
const REST = 400;
/** Milliseconds for a step in autoplay, and the minimum with reduced motion. */
const STEPS = [3000, 1500, 700, 250];
const STILL = 1500;

export class View {
  constructor({ game, sides }) {
    this.shared = game;
    this.sides = sides;
    this.start = new Position(new Board(4, 4, 3));
    this.steps = this.shown = null;
    this.at = 0;
    this.opened = new Set(); // nodes that the user opened
    this.#build();
  }

  enter() {
    this.isHere = true;
    const { position, board } = this.shared;
    const isOutdated = this.on === "game" && !(this.start.rows === position.rows && this.start.board.equals(board));
    if (!this.steps) this.#run(this.#wanted());
    else if (isOutdated) this.#run();
    else {
      if (this.control.signal.aborted) this.control = new AbortController(); // further steps may be requested
      this.#goTo(this.at);
    }
  }

  leave() {
    this.isHere = false;
    this.#play(false);
    this.control?.abort();
    clearTimeout(this.resting);
  }

  /** Set the form from the address; return its step. */
  #wanted() {
    const search = new URLSearchParams(location.search);
    const [agent, options] = search.get("agent")?.split(/:(.*)/s) ?? [];
    if (options) search.set("agent", agent);
    const fields = { agent: this.algorithm, on: this.where, depth: this.depth, iterations: this.iterations, c: this.c };
    const left = [];
    for (const [name, field] of Object.entries(fields)) {
      const value = search.get(name)?.replace(",", " ");
      const fits = field.options ? [...field.options].some((option) => option.value === value)
        : Number(value) >= Number(field.min) && Number(value) <= Number(field.max);
      if (fits) field.value = value;
      else if (value !== undefined) left.push(`${name} ${value}${field.options ? "" : ` (${field.min} to ${field.max})`}`);
    }
    const on = this.where.value;
    this.whole.checked = search.get("tree") === "whole";
    this.#algorithmChosen();
    if (agent === this.algorithm.value) this.options.textContent = options ?? "";
    if (this.where.value !== on) left.push(`board ${on.replace(" ", ",")} for ${this.algorithm.value}`);
    this.problem.textContent = left.length ? `This link cannot be shown as it is, because of invalid values: ${left.join(", ")}.` : "";
    return Number.parseInt(search.get("step") ?? "1", 10) - 1 || 0;
  }

  /** Update the address, so that a link or a reload shows the search and the step. */
  #updateAddress() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.isHere) return;
      const more = { ...this.asked, on: this.on.replace(" ", ","), step: this.at + 1, tree: this.whole.checked ? "whole" : null };
      updateAddress({ view: "search", game: this.shared, sides: this.sides, more });
    }, REST);
  }

  #build() {
    const option = ([value, text]) => h("option", { value }, text);
    this.algorithm = h("select", { onchange: () => this.#algorithmChosen() }, ALGORITHMS.map(option));
    this.algorithm.value = "alphabeta";
    this.where = h("select", {}, BOARDS.map(([size, connect]) => h("option", { value: `${size} ${connect}` }, `${size}, connect ${connect}`)),
      h("option", { value: "game" }, "current game"));
    this.depth = h("input", { type: "number", min: 1, max: 12, value: 3 });
    this.iterations = h("input", { type: "number", min: 1, max: 5000, value: 100 });
    this.c = h("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "0.7" });
    this.cLabel = h("label", { hidden: true, title: "How much the bonus for few visits counts" }, "c ", this.c);
    this.options = h("span", { class: "options-text" }); // of an agent in the address, such as order=left
    this.depthLabel = h("label", {}, "Depth ", this.depth);
    this.iterationsLabel = h("label", { hidden: true }, "Iterations ", this.iterations);
    this.board = new BoardView("Position looked at");
    this.board.open = false;
    this.words = h("p", { class: "step-words", role: "status" });
    this.counters = h("p", { class: "hint-text" });
    this.about = h("p", { class: "hint-text" });
    this.code = h("p", { class: "code-line" });
    this.playButton = button("Autoplay", () => this.#play(!this.isPlaying));
    this.speed = h("input", { type: "range", min: 0, max: STEPS.length - 1, step: 1, value: 1, title: "Speed" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => this.#goTo(Number(this.slider.value)) });
    this.tree = h("div", { class: "tree", tabindex: 0, role: "group", "aria-label": "Search tree" });
    this.whole = h("input", { type: "checkbox", onchange: () => this.shown && this.#draw() });
    this.note = h("p", { class: "hint-text" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.element = h("div", { class: "search-view" },
      h("form", { class: "card row", onsubmit: (event) => { event.preventDefault(); this.problem.textContent = ""; this.#run(); } },
        h("label", {}, "Algorithm ", this.algorithm), h("label", {}, "Board ", this.where), this.depthLabel, this.iterationsLabel, this.cLabel, this.options,
        h("button", { class: "primary" }, "Search")),
      h("div", { class: "row stepper" },
        button(icon("first"), () => this.step("toStart"), { "aria-label": "First step" }), button(icon("back"), () => this.step("back"), { "aria-label": "Step back" }),
        this.slider,
        button(icon("on"), () => this.step("forward"), { "aria-label": "Step on" }), button(icon("last"), () => this.step("toEnd"), { "aria-label": "Last step" }),
        this.playButton, h("label", { class: "speed" }, "Speed ", this.speed), h("label", {}, this.whole, " Whole tree"), button(icon("whole"), () => this.#fill(), { "aria-label": "Fill the screen", title: "Fill the screen" })),
      this.problem, this.words, this.code, this.counters,
      h("div", { class: "search-stage" }, h("section", { "aria-label": "Board" }, this.board.element), h("div", {}, this.tree, this.note, this.about)));
    listenToKeys(this, { w: () => this.whole.click() });
  }

  step(how) {
    this.#goTo({ back: this.at - 1, forward: this.at + 1, toStart: 0, toEnd: Infinity }[how]);
  }

  /** Start or stop autoplay. */
  #play(isOn) {
    clearTimeout(this.playing);
    this.isPlaying = isOn && Boolean(this.steps) && this.at < this.steps.count - 1;
    this.playButton.textContent = this.isPlaying ? "Stop" : "Autoplay";
    if (!this.isPlaying) return;
    const rest = STEPS[this.speed.value];
    this.playing = setTimeout(async () => {
      await this.#goTo(this.at + 1, true);
      this.#play(this.isPlaying);
    }, prefersReducedMotion() ? Math.max(STILL, rest) : rest);
  }

  /** Switch full screen on or off. */
  async #fill() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await this.element.requestFullscreen?.();
  }

  #algorithmChosen() {
    this.options.textContent = "";
    this.depthLabel.hidden = this.#isGrown();
    this.iterationsLabel.hidden = !this.#isGrown();
    this.cLabel.hidden = this.algorithm.value !== "uct";
    // The model supports only the standard board.
    if (this.algorithm.value === "puct" && this.where.value !== "game") this.where.value = "7x6 4";
  }

  /** Whether the chosen search has iterations. */
  #isGrown() {
    return this.#kind() === MonteCarloSteps;
  }

  #kind() {
    return ALGORITHMS.find(([name]) => name === this.algorithm.value)[2];
  }

  async #run(step = 0) {
    this.control?.abort();
    this.control = new AbortController();
    const { value } = this.where;
    const [size, connect] = value.split(" ");
    this.start = value === "game" ? this.shared.position : new Position(Board.parse(size, Number(connect)));
    this.words.textContent = "Searching …";
    this.#clear();
    this.on = value;
    const c = this.cLabel.hidden ? "" : this.c.value;
    const agent = [this.algorithm.value, this.options.textContent].filter(Boolean).join(":");
    this.asked = { agent, ...(this.#isGrown() ? { iterations: this.iterations.value } : { depth: this.depth.value }), c };
    this.at = Math.max(0, step); // for the address, if the page is reloaded while it loads
    this.#updateAddress();
    const { board } = this.start;
    const query = { board: board.size, connect: board.connect, position: this.start.ply ? this.start.rows : undefined, ...this.asked };
    if (query.c) query.agent += `${agent.includes(":") ? "," : ":"}c=${query.c}`;
    delete query.c;
    try {
      this.steps = await this.#kind().load(query, this.start, (path, asked) => get(path, asked, this.control.signal));
    } catch (error) {
      if (error.name !== "AbortError") this.words.textContent = error.message;
      return;
    }
    this.slider.max = this.steps.count - 1;
    if (this.steps.c) this.c.placeholder = this.steps.c;
    await this.#goTo(step);
  }

  /** Show only the position until the steps are loaded. */
  #clear() {
    this.steps = this.shown = null;
    this.opened.clear();
    this.tree.replaceChildren();
    this.#play(false);
    for (const text of [this.counters, this.about, this.code, this.note]) text.textContent = "";
    this.slider.value = this.slider.max = 0;
    this.board.show(this.start);
  }

  /** Show a step, after loading it if necessary. */
  async #goTo(wanted, isByItself = false) {
    const { steps } = this;
    if (!steps) return;
    if (!isByItself) this.#play(false);
    const at = this.at = this.slider.value = Math.max(0, Math.min(wanted, steps.count - 1));
    if (!steps.has(at)) {
      this.words.textContent = "Loading these steps …";
      try {
        await steps.ready(at);
      } catch (error) {
        if (error.name !== "AbortError" && this.steps === steps && this.at === at) this.words.textContent = error.message;
        return;
      }
      if (this.at !== at || this.steps !== steps) return;
    }
    this.shown = steps.at(at);
    const { words, counters, about, code, moves } = this.shown;
    this.slider.setAttribute("aria-valuetext", words);
    this.words.textContent = words;
    this.counters.textContent = counters;
    this.about.textContent = about;
    this.code.replaceChildren(...(code ? [`${code.file}: `, h("code", {}, code.line)] : []));
    this.board.show(played(this.start, moves));
    this.#draw();
  }

  #draw() {
    this.#updateAddress();
    const { root, childrenOf, isOpen } = this.shown;
    const isWhole = this.whole.checked;
    const seen = (moves) => childrenOf(moves).filter((node) => !isWhole || node.isHere || node.state !== "unseen");
    const whole = isWhole ? nodesToOpen(root, seen, MAX_NODES_SHOWN, this.steps.isBroad) : null;
    const rows = rowsOf(root, seen, (node) => isOpen(node) || this.#openedFrom(node).length || whole?.open.has(node.moves));
    const focused = document.activeElement?.dataset?.moves;
    this.tree.replaceChildren((isWhole ? drawWholeTree : drawTree)(rows, (node) => this.#chosen(node), this.steps.levels));
    this.note.textContent = !isWhole || whole.isAll ? ""
      : `The tree is too large: this is its ${this.steps.isBroad ? "upper" : "most visited"} part. Click a marked node to open it.`;
    if (focused !== undefined) this.tree.querySelector(`[data-moves="${focused}"]`)?.focus();
    this.#showHere();
  }

  /** Keep the current node in sight if the tree is wider than the page. */
  #showHere() {
    const here = [...this.tree.querySelectorAll(".node.here")].at(-1)?.getBoundingClientRect();
    const frame = this.tree.getBoundingClientRect();
    if (!here || (here.left >= frame.left && here.right <= frame.right)) return;
    this.tree.scrollLeft += (here.left + here.right - frame.left - frame.right) / 2;
  }

  /** The nodes that the user opened, from a node down: it is open while there are any. */
  #openedFrom(node) {
    return [...this.opened].filter((moves) => moves.startsWith(node.moves));
  }

  /** Open or close a node; in a minimax search also go to its step. */
  #chosen(node) {
    const below = this.#openedFrom(node);
    below.forEach((moves) => this.opened.delete(moves));
    if (node.opens && !below.length) this.opened.add(node.moves);
    const step = below.length ? null : this.steps.stepOf(node.moves, this.at);
    if (step !== null && step !== this.at) this.#goTo(step);
    else this.#draw();
  }
}
