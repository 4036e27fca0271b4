// The moves of a game with its variations, and the score over the game.

import { announce, button, h, s } from "./dom.js";
import { text } from "./texts.js";
import { playerName, signed } from "./words.js";

const SERIOUS = new Set(["mistake", "blunder"]);

/** The move list. `view` shows the game: it has `game`, `review` and `goTo`. */
export class MoveList {
  constructor(view) {
    this.view = view;
    this.element = h("div", { class: "moves", role: "group", "aria-label": text("moves.name") });
  }

  draw() {
    const { game } = this.view;
    this.element.dataset.moves = game.moves();
    const main = this.#main();
    if (main.length < 2) {
      this.element.replaceChildren(h("p", { class: "hint-text" }, text("moves.none")));
      return;
    }
    const isFocused = this.element.contains(document.activeElement);
    this.element.replaceChildren(this.#line(game.root, game.root.position.ply));
    if (isFocused) (this.element.querySelector("[aria-current]") ?? this.element.querySelector(".move")).focus({ preventScroll: true });
    this.#showCurrent();
  }

  /** Scroll the list to the current move, without scrolling the page. */
  #showCurrent() {
    const current = this.element.querySelector("[aria-current]");
    if (!current) return;
    const [box, list] = [current.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (box.top < list.top) this.element.scrollTop -= list.top - box.top;
    else if (box.bottom > list.bottom) this.element.scrollTop += box.bottom - list.bottom;
  }

  #main() {
    const places = [this.view.game.root];
    while (places.at(-1).children.length) places.push(places.at(-1).children[0]);
    return places;
  }

  /** Return the line from a place: its first children; other children are nested variations. */
  #line(from, ply) {
    const row = h("span", { class: "line" });
    let place = from;
    for (let number = ply; place.children.length; number++) {
      const [first, ...others] = place.children;
      const label = h("span", { class: "number" }, `${Math.floor(number / 2) + 1}.${number % 2 ? "…" : ""}`);
      const isNumbered = number % 2 === 0 || place === from;
      row.append(isNumbered ? h("span", { class: "numbered" }, label, this.#move(first)) : this.#move(first));
      for (const other of others) {
        const drop = () => { this.view.drop(other); announce(text("moves.deleted")); };
        row.append(h("span", { class: "variation" }, "(", this.#move(other), this.#line(other, number + 1),
          button("×", drop, { class: "quiet", "aria-label": text("moves.delete"), title: text("moves.delete") }), ")"));
      }
      place = first;
    }
    return row;
  }

  #move(place) {
    const { judgement, mark = "" } = this.view.review.judged(place) ?? {};
    const name = this.view.game.board.name(place.column);
    return button(`${name}${mark}`, () => this.view.goTo(place), {
      class: `move ${judgement ?? ""}`, "aria-current": place === this.view.game.here ? "step" : null,
      title: text(judgement ? "moves.judged" : "moves.column", { column: name, judgement: text(`judgements.${judgement}`) }),
    });
  }
}

/** The score for Yellow after each move of the line; a click goes to the move. */
export class ScoreGraph {
  constructor(view, scoreOf) {
    this.view = view;
    this.scoreOf = scoreOf;
    this.element = h("div", { class: "graph" });
  }

  draw() {
    const { line, here, board } = this.view.game;
    const points = line.map((place) => ({ place, score: this.scoreOf(place) }));
    const known = points.filter(({ score }) => score !== null);
    this.element.hidden = known.length < 2;
    if (this.element.hidden) return;
    const [width, height] = [600, 120];
    const most = board.cells / 2;
    const x = (index) => (line.length > 1 ? (index / (line.length - 1)) * (width - 20) + 10 : width / 2);
    // Every win is far from a draw, a quick win a little farther.
    const y = (score) => height / 2 - Math.sign(score) * (22 + 32 * (Math.abs(score) / most));
    const pieces = [];
    points.forEach(({ score, place }, index) => {
      const before = points[index - 1];
      if (score === null) return;
      if (before && before.score !== null) {
        const [left, right] = [x(index - 1), x(index)];
        pieces.unshift(s("polygon", { class: "area", points: `${left},${height / 2} ${left},${y(before.score)} ${right},${y(score)} ${right},${height / 2}` }));
        pieces.push(s("line", { class: "course", x1: left, y1: y(before.score), x2: right, y2: y(score) }));
      }
      const judgement = this.view.review.judged(place)?.judgement;
      const isHere = place === here;
      pieces.push(s("circle", {
        class: `point ${judgement ?? ""} ${isHere ? "here" : ""}`, cx: x(index), cy: y(score),
        r: isHere ? 7 : SERIOUS.has(judgement) ? 6 : 3,
      }));
    });
    const drawing = s("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": text("moves.graph", { name: playerName(0), scores: known.map(({ score }) => signed(score)).join(", ") }),
      onclick: (event) => this.#clicked(event, line, x),
    }, s("line", { class: "even", x1: 0, y1: height / 2, x2: width, y2: height / 2 }), pieces);
    this.element.replaceChildren(drawing);
  }

  #clicked(event, line, x) {
    const box = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * 600;
    const distances = line.map((_, index) => Math.abs(x(index) - at));
    this.view.goTo(line[distances.indexOf(Math.min(...distances))]);
  }
}
