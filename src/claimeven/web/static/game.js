// A game with its variations: a tree of positions, with a current place.

import { columnsOf } from "./rules.js";
import { text } from "./texts.js";

/** A place in the game: the position, the column that led to it, and the moves played from it. */
class Place {
  children = [];
  next = null; // the child that "forward" goes to

  constructor(position, parent = null, column = null) {
    Object.assign(this, { position, parent, column });
  }
}

export class Game extends EventTarget {
  constructor(start) {
    super();
    this.begin(start);
  }

  /** Start a new game from a position. */
  begin(start) {
    this.start = start;
    this.root = this.here = new Place(start);
    this.#changed();
  }

  get board() {
    return this.start.board;
  }

  get position() {
    return this.here.position;
  }

  /** Places from the start to the current one. */
  get path() {
    const places = [];
    for (let place = this.here; place; place = place.parent) places.unshift(place);
    return places;
  }

  /** Places from the start through the current one to the end of this line. */
  get line() {
    const places = this.path;
    for (let place = this.here.next; place; place = place.next) places.push(place);
    return places;
  }

  /** The moves to a place, as a string. */
  moves(place = this.here) {
    let moves = "";
    for (let at = place; at.parent; at = at.parent) moves = this.board.name(at.column) + moves;
    return moves;
  }

  /** Every line to its end, as strings, the main one first. */
  get lines() {
    const endsOf = (place) => (place.children.length ? place.children.flatMap(endsOf) : [this.moves(place)]);
    return endsOf(this.root);
  }

  /** Return the parameters of a request about a place. */
  query(place = this.here) {
    const { size, connect } = this.board;
    const query = { board: size, connect, moves: this.moves(place) };
    if (this.start.ply) query.position = this.start.rows;
    return query;
  }

  /** Play a column: follow a known move, or start a variation. */
  play(column) {
    if (!this.#enter(column)) return false;
    this.#changed("drop");
    return true;
  }

  /**
   * Play a string of moves from the start, and go to the place after `at` moves. `lines` are the
   * lines of the game in order, if it has variations.
   */
  replay(moves, at = Infinity, lines = []) {
    for (const line of [...lines, moves]) {
      this.here = this.root;
      for (const [number, column] of columnsOf(line, this.board).entries()) {
        if (!this.#enter(column)) throw new Error(text("rules.move", { number: number + 1 }));
      }
    }
    const places = this.path;
    this.here = places[Math.min(at, places.length - 1)];
    this.#changed();
  }

  #enter(column) {
    if (!this.position.isLegal(column)) return false;
    const known = this.here.children.find((child) => child.column === column);
    const child = known ?? new Place(this.position.play(column), this.here, column);
    if (!known) this.here.children.push(child);
    this.here = this.here.next = child;
    return true;
  }

  goTo(place) {
    if (!place || place === this.here) return false;
    for (let at = place; at.parent; at = at.parent) at.parent.next = at;
    const isDrop = place.parent === this.here;
    this.here = place;
    this.#changed(isDrop ? "drop" : "jump");
    return true;
  }

  /** Return the place of a step: "back", "forward", "toStart" or "toEnd". */
  target(step) {
    return { back: this.here.parent, forward: this.here.next, toStart: this.root, toEnd: this.line.at(-1) }[step];
  }

  /** Take a step; return whether it was possible. */
  step(how) {
    return this.goTo(this.target(how));
  }

  /** Delete a variation that the current place is not part of. */
  drop(place) {
    const { parent } = place;
    parent.children = parent.children.filter((child) => child !== place);
    if (parent.next === place) parent.next = parent.children[0] ?? null;
    this.#changed();
  }

  #changed(how = "jump") {
    this.dispatchEvent(new CustomEvent("change", { detail: how }));
  }
}
