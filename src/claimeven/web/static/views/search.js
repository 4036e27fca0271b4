// Watch a search: minimax searches step by step, Monte Carlo searches by their four phases.
// A slider and buttons change the step, and a click on a node goes to it.

import { BOTS, can, get } from "../api.js";
import { BoardView } from "../board.js";
import { breakable, button, h, icon, prefersReducedMotion } from "../dom.js";
import { listenToKeys } from "../keys.js";
import { EVALUATIONS } from "../local/slots.js";
import { Board, played, Position } from "../rules.js";
import { parseSpec } from "../sides.js";
import { LeafTree } from "../search_leaves.js";
import { MinimaxSteps } from "../search_minimax.js";
import { MonteCarloSteps } from "../search_montecarlo.js";
import { drawTree, drawWholeTree, nodesToOpen, rowsOf } from "../search_tree.js";
import { updateAddress } from "../address.js";
import { text } from "../texts.js";

const ALGORITHMS = Object.entries({
  minimax: MinimaxSteps, alphabeta: MinimaxSteps, negamax: MinimaxSteps, uct: MonteCarloSteps, flat: MonteCarloSteps, puct: MonteCarloSteps,
}).filter(([name]) => can(name));
/** Maximum number of nodes of a whole tree: the rest opens on demand. */
const MAX_NODES_SHOWN = 160;
const BOARDS = [["4x4", 3], ["5x4", 4], ["7x6", 4]];
/** The choice of a tree by its leaves, the tree at first, and the evaluation and depth at first: with small numbers. */
const [LEAVES, FIRST_LEAVES] = ["leaves", "3 12 8 | 2 4 6 | 14 5 2"];
const [AGENTS_EVALUATION, FIRST_EVALUATION, FIRST_DEPTH] = ["windows", "windows-symmetric", 2];
/** Sizes of the text, in percent. */
const SIZES = ["100", "125", "150", "200"];
/** Milliseconds at a step before the address is updated: browsers limit the number of updates. */
const REST = 400;
/** Milliseconds for a step in autoplay, and the minimum with reduced motion. */
const STEPS = [3000, 1500, 700, 250];
const STILL = 1500;

// Its styles are loaded with it; without them it is still complete.
await new Promise((resolve) => {
  document.head.append(h("link", { rel: "stylesheet", href: new URL("../search.css", import.meta.url).href, onload: resolve, onerror: resolve }));
});

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
    const [agent, given] = parseSpec(search.get("agent") ?? "");
    if (agent) search.set("agent", agent);
    const isKnown = Object.hasOwn(EVALUATIONS, given.eval);
    if (agent) Object.assign(this.depth, { value: 3 });
    this.evaluation.value = isKnown ? given.eval : agent ? AGENTS_EVALUATION : FIRST_EVALUATION;
    if (search.has("leaves")) this.leaves.value = search.get("leaves");
    const fields = { agent: this.algorithm, on: this.where, depth: this.depth, iterations: this.iterations, c: this.c, text: this.size };
    const left = [];
    for (const [name, field] of Object.entries(fields)) {
      const value = name === "on" ? search.get(name)?.replace(",", " ") : search.get(name) ?? given[name];
      const fits = field.options ? [...field.options].some((option) => option.value === value)
        : Number(value) >= Number(field.min) && Number(value) <= Number(field.max);
      if (fits) field.value = value;
      else if (value !== undefined) left.push(text(field.options ? "search.invalid" : "search.invalidRange", { name, value, min: field.min, max: field.max }));
    }
    const on = this.where.value;
    this.whole.checked = search.get("tree") === "whole";
    this.#sized();
    this.#algorithmChosen();
    const options = Object.entries(given).filter(([name]) => !(name in fields || (name === "eval" && isKnown)));
    if (agent === this.algorithm.value) this.options.textContent = options.map((option) => option.join("=")).join(",");
    if (search.has("on") && this.where.value !== on) left.push(text("search.boardFor", { board: on.replace(" ", ","), algorithm: this.algorithm.value }));
    this.problem.textContent = left.length ? text("search.invalidLink", { values: left.join(", ") }) : "";
    return Number.parseInt(search.get("step") ?? "1", 10) - 1 || 0;
  }

  /** Update the address, so that a link or a reload shows the search and the step. */
  #updateAddress() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.isHere) return;
      const more = { ...this.asked, on: this.on.replace(" ", ","), step: this.at + 1, tree: this.whole.checked ? "whole" : null, text: this.size.value === SIZES[0] ? null : this.size.value };
      updateAddress({ view: "search", game: this.shared, sides: this.sides, more });
    }, REST);
  }

  #build() {
    const label = (name, ...parts) => h("label", {}, text(`search.${name}`), " ", ...parts);
    const step = (how, name, symbol) => button(icon(symbol), () => this.step(how), { "aria-label": text(`search.${name}`) });
    const option = (value, name = value) => h("option", { value }, name);
    this.algorithm = h("select", { onchange: () => this.#algorithmChosen() }, ALGORITHMS.map(([name]) => option(name, text(`search.algorithms.${name}`))), [...new Set(BOTS)].map((spec) => option(spec)));
    this.algorithm.value = "alphabeta";
    this.where = h("select", { onchange: () => this.#algorithmChosen(false) },
      BOARDS.map(([size, connect]) => option(`${size} ${connect}`, text("search.boards.size", { size, connect }))),
      option("game", text("search.boards.game")), option(LEAVES, text("search.boards.leaves")));
    this.leaves = h("input", { class: "leaves", value: FIRST_LEAVES, spellcheck: "false", autocomplete: "off", title: text("search.leavesTitle") });
    this.evaluation = h("select", {}, Object.keys(EVALUATIONS).map((name) => option(name, text(`search.evaluations.${name}`, {}, name))));
    this.depth = h("input", { type: "number", min: 1, max: 12, value: FIRST_DEPTH });
    this.iterations = h("input", { type: "number", min: 1, max: 5000, value: 100 });
    this.c = h("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "0.7", title: text("search.cTitle") });
    this.options = h("span", { class: "options-text" }); // of an agent in the address, such as order=left
    this.labels = Object.fromEntries(["leaves", "depth", "evaluation", "iterations", "c"].map((name) => [name, label(name, this[name])]));
    this.board = new BoardView(text("search.position"));
    this.board.open = false;
    this.words = h("p", { class: "step-words", role: "status" });
    this.counters = h("p", { class: "hint-text" });
    this.about = h("p", { class: "hint-text" });
    this.code = h("section", { class: "code", "aria-label": text("search.codeOf") });
    this.hasCode = h("input", { type: "checkbox", checked: true, onchange: () => { this.code.hidden = !this.hasCode.checked; this.#showCurrent(); } });
    this.size = h("select", { onchange: () => this.#sized() }, SIZES.map((size) => option(size, text("search.percent", { size }))));
    this.jumps = h("span", { class: "row jumps" });
    this.playButton = button(text("search.autoplay"), () => this.#play(!this.isPlaying));
    this.speed = h("input", { type: "range", min: 0, max: STEPS.length - 1, step: 1, value: 1 });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": text("search.step"), oninput: () => this.#goTo(Number(this.slider.value)) });
    this.tree = h("div", { class: "tree", tabindex: 0, role: "group", "aria-label": text("search.tree") });
    this.whole = h("input", { type: "checkbox", onchange: () => this.shown && this.#draw() });
    this.note = h("p", { class: "hint-text" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.boardSection = h("section", { class: "looked-at", "aria-label": text("search.board") }, this.board.element);
    const fill = text("search.fill");
    this.element = h("div", { class: "search-view" },
      h("form", { class: "card row", onsubmit: (event) => { event.preventDefault(); this.problem.textContent = ""; this.#run(); } },
        label("algorithm", this.algorithm), label("board", this.where), Object.values(this.labels), this.options,
        h("button", { class: "primary" }, text("search.search"))),
      h("div", { class: "row stepper" },
        step("toStart", "first", "first"), step("back", "back", "back"), this.slider, step("forward", "on", "on"), step("toEnd", "last", "last"),
        this.jumps, this.playButton, h("label", { class: "speed" }, text("search.speed"), " ", this.speed),
        h("label", {}, this.whole, " ", text("search.whole")), h("label", {}, this.hasCode, " ", text("search.code")), label("textSize", this.size),
        button(icon("whole"), () => this.#fill(), { "aria-label": fill, title: fill, class: "fill" })),
      this.problem, this.words, this.counters,
      h("div", { class: "search-stage" }, this.boardSection, h("div", { class: "grown" }, this.tree, this.note, this.about), this.code));
    this.#algorithmChosen();
    document.addEventListener("fullscreenchange", () => this.#showCurrent());
    listenToKeys(this, { w: () => this.whole.click(), c: () => this.#jump("cut"), l: () => this.#jump("leaf"), i: () => this.#jump("iteration"), " ": () => this.#play(!this.isPlaying) });
  }

  step(how) {
    this.#goTo({ back: this.at - 1, forward: this.at + 1, toStart: 0, toEnd: Infinity }[how]);
  }

  /** Start or stop autoplay. */
  #play(isOn) {
    clearTimeout(this.playing);
    this.isPlaying = isOn && Boolean(this.steps) && this.at < this.steps.count - 1;
    this.playButton.textContent = text(this.isPlaying ? "search.stop" : "search.autoplay");
    if (!this.isPlaying) return;
    const rest = STEPS[this.speed.value];
    this.playing = setTimeout(async () => {
      await this.#goTo(this.at + 1, true);
      this.#play(this.isPlaying);
    }, prefersReducedMotion() ? Math.max(STILL, rest) : rest);
  }

  /** Go to the next step of a kind. */
  async #jump(kind) {
    const { steps, at } = this;
    if (!steps?.jumps.includes(kind)) return;
    this.#play(false);
    const next = await steps.next(kind, at).catch((error) => { if (error.name !== "AbortError") this.words.textContent = error.message; });
    if (this.steps !== steps || this.at !== at || next === undefined) return;
    if (next === null) this.words.textContent = text(`search.noJump.${kind}`);
    else await this.#goTo(next);
  }

  /** Show all text in the chosen size. */
  #sized() {
    this.element.dataset.text = this.size.value;
    this.#showCurrent();
    if (this.shown) this.#updateAddress();
  }

  /** Switch full screen on or off. */
  async #fill() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await this.element.requestFullscreen?.();
  }

  /** Show the fields of the chosen algorithm and board; without `isNew` the options of the agent stay. */
  #algorithmChosen(isNew = true) {
    if (isNew) this.options.textContent = "";
    const [isGrown, isBot] = [this.#isGrown(), BOTS.includes(this.algorithm.value)];
    // The model supports only the standard board, and playouts need a board.
    if (this.algorithm.value === "puct" && this.where.value !== "game") this.where.value = "7x6 4";
    else if ((isGrown || isBot) && this.where.value === LEAVES) this.where.value = BOARDS[0].join(" ");
    const isTyped = this.where.value === LEAVES;
    const hasDepth = !isGrown && !isTyped && !isBot;
    const hasField = { leaves: isTyped, depth: hasDepth, evaluation: hasDepth, iterations: isGrown, c: ["uct", "puct"].includes(this.algorithm.value) };
    for (const [name, label] of Object.entries(this.labels)) label.hidden = !hasField[name];
  }

  /** Whether the chosen search has iterations. */
  #isGrown() {
    return this.#kind() === MonteCarloSteps;
  }

  #kind() {
    return ALGORITHMS.find(([name]) => name === this.algorithm.value)?.[1] ?? MinimaxSteps; // of a bot
  }

  async #run(step = 0) {
    this.control?.abort();
    this.control = new AbortController();
    const { value } = this.where;
    this.words.textContent = text("search.searching");
    this.on = value;
    this.#askedFor(value);
    this.at = Math.max(0, step); // for the address, if the page is reloaded while it loads
    this.#updateAddress();
    try {
      this.start = this.#startOf(value);
    } catch (error) {
      this.#clear();
      this.words.textContent = error.message;
      return;
    }
    this.#clear();
    if (this.start.isTyped) {
      await this.#show(await MinimaxSteps.load({}, this.start, () => this.start.search(this.algorithm.value)), step);
      return;
    }
    const { board } = this.start;
    const { agent } = this.asked;
    const query = { board: board.size, connect: board.connect, position: this.start.ply ? this.start.rows : undefined, ...this.asked };
    if (query.c) query.agent += `${agent.includes(":") ? "," : ":"}c=${query.c}`;
    delete query.c;
    try {
      await this.#show(await this.#kind().load(query, this.start, (path, asked) => get(path, asked, this.control.signal)), step);
    } catch (error) {
      if (error.name !== "AbortError") this.words.textContent = error.message;
    }
  }

  /** Store the request of the form, as it is in the address. */
  #askedFor(value) {
    const isTyped = value === LEAVES;
    const evaluation = this.labels.evaluation.hidden || this.evaluation.value === AGENTS_EVALUATION ? "" : `eval=${this.evaluation.value}`;
    const options = [evaluation, this.options.textContent].filter(Boolean).join(",");
    this.asked = {
      agent: [this.algorithm.value, options].filter(Boolean).join(":"),
      ...(isTyped ? { leaves: this.leaves.value } : this.#isGrown() ? { iterations: this.iterations.value } : { depth: this.labels.depth.hidden ? undefined : this.depth.value }),
      c: this.labels.c.hidden ? "" : this.c.value,
    };
  }

  /** Return the start of a search: a position, or a tree of leaves. Throws a sentence. */
  #startOf(value) {
    if (value === LEAVES) return new LeafTree(this.leaves.value);
    const [size, connect] = value.split(" ");
    return value === "game" ? this.shared.position : new Position(Board.parse(size, Number(connect)));
  }

  /** Show the steps of a search. */
  async #show(steps, step) {
    this.steps = steps;
    this.slider.max = steps.count - 1;
    if (steps.c) this.c.placeholder = steps.c;
    this.jumps.replaceChildren(...steps.jumps.map((kind) => button(text(`search.jumps.${kind}`), () => this.#jump(kind))));
    await this.#goTo(step);
  }

  /** Show only the position until the steps are loaded. */
  #clear() {
    this.steps = this.shown = null;
    this.opened.clear();
    this.tree.replaceChildren();
    this.#play(false);
    for (const each of [this.counters, this.about, this.code, this.note, this.jumps]) each.textContent = "";
    this.slider.value = this.slider.max = 0;
    this.boardSection.hidden = this.on === LEAVES;
    if (this.start && !this.start.isTyped) this.board.show(this.start);
  }

  /** Show a step, after loading it if necessary. */
  async #goTo(wanted, isByItself = false) {
    const { steps } = this;
    if (!steps) return;
    if (!isByItself) this.#play(false);
    const at = this.at = this.slider.value = Math.max(0, Math.min(wanted, steps.count - 1));
    if (!steps.has(at)) {
      this.words.textContent = text("search.loading");
      try {
        await steps.ready(at);
      } catch (error) {
        if (error.name !== "AbortError" && this.steps === steps && this.at === at) this.words.textContent = error.message;
        return;
      }
      if (this.at !== at || this.steps !== steps) return;
    }
    this.shown = steps.at(at);
    const { words, counters, about, estimates = "", code, moves } = this.shown;
    this.slider.setAttribute("aria-valuetext", words);
    this.words.textContent = words;
    this.counters.textContent = counters;
    this.about.replaceChildren(about, " ", h("span", { class: "estimates" }, estimates));
    this.#showCode(code);
    if (!this.start.isTyped) this.board.show(played(this.start, moves));
    this.#draw();
  }

  /** Show the functions of the search with the current lines marked, and the deepest of them in sight. */
  #showCode(code) {
    const rows = code?.lines.map(({ text: line, isCurrent }) => {
      const row = h("code", { class: isCurrent ? "code-row current" : "code-row", "aria-current": isCurrent ? "step" : null }, breakable(line.trim()));
      row.style.setProperty("--indent", line.length - line.trimStart().length);
      return row;
    }) ?? [];
    this.hasCode.parentElement.hidden = !code;
    this.code.replaceChildren(...(code ? [h("p", { class: "hint-text" }, code.file), h("div", { class: "code-rows", tabindex: 0 }, rows)] : []));
    this.#showCurrent();
  }

  /** Scroll the code to the last current line. */
  #showCurrent() {
    const [list, here] = [this.code.querySelector(".code-rows"), [...this.code.querySelectorAll(".current")].at(-1)];
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
  }

  #draw() {
    this.#updateAddress();
    const { root, childrenOf, isOpen } = this.shown;
    const isWhole = this.whole.checked;
    const seen = (moves) => childrenOf(moves).filter((node) => !isWhole || node.isHere || node.state !== "unseen");
    const whole = isWhole ? nodesToOpen(root, seen, MAX_NODES_SHOWN, this.steps.isBroad) : null;
    const rows = rowsOf(root, seen, (node) => isOpen(node) || this.#openedFrom(node).length || whole?.open.has(node.moves));
    const focused = document.activeElement?.dataset?.moves;
    this.tree.replaceChildren((isWhole ? drawWholeTree : drawTree)(rows, (node) => this.#chosen(node), this.steps.levels, this.steps.isTyped));
    this.note.textContent = !isWhole || whole.isAll ? ""
      : text(this.steps.isBroad ? "search.upperPart" : "search.visitedPart");
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
