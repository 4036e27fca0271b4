// The user's progress with puzzles, stored in this browser: rating and its course, streak, recent puzzles.

import { h, s } from "./dom.js";
import { store, stored } from "./storage.js";
import { text } from "./texts.js";

const KEY = "claimeven.practise"; // the name of the first version, so that stored progress remains
const INITIAL_STATE = { set: "", rating: 1000, streak: 0, best: 0, solved: 0, tried: 0, met: [], daily: {}, course: [] };
/** Numbers of stored recent puzzles, which are not chosen again, of stored days, and of stored ratings. */
const MAX_SEEN = 100;
const MAX_DAYS = 60;
const MAX_RATINGS = 200;
/** Maximum change of the rating by a result; greater for the first results. */
const STEP = 32;
const FIRST = { step: 64, results: 20 };

export class PuzzleProgress {
  /** `changed` is called when another tab has stored a result. */
  constructor(changed = () => {}) {
    this.#read();
    addEventListener("storage", ({ key }) => {
      if (key !== KEY && key !== null) return;
      this.#read();
      changed();
    });
  }

  /** Read the stored progress, which other tabs change too; missing and invalid parts are initial. */
  #read() {
    if (this.isUnstored) return;
    const found = stored(KEY) ?? {};
    const state = this.state = { ...INITIAL_STATE };
    const isValid = ([name, value]) => found[name] !== null && typeof found[name] === typeof value
      && Array.isArray(found[name]) === Array.isArray(value) && (typeof value !== "number" || Number.isFinite(found[name]));
    for (const [name] of Object.entries(INITIAL_STATE).filter(isValid)) state[name] = found[name];
    state.met = state.met.filter(Number.isInteger);
    state.course = state.course.filter((point) => Array.isArray(point) && typeof point[0] === "string" && Number.isFinite(point[1]));
  }

  /** Forget the recent puzzles of other sets than this one. */
  use(set) {
    this.#read();
    if (this.state.set === set) return;
    Object.assign(this.state, { set, met: [] });
    this.#store();
  }

  /** Whether a recent puzzle has a result already. */
  hasResult(puzzle) {
    return this.state.met.includes(puzzle.number);
  }

  /** Count the first result of a puzzle, which has no number if it is the user's own; return the change of the rating. */
  count(puzzle, isSolved, day = null) {
    this.#read();
    if (this.hasResult(puzzle)) return 0; // in another tab
    const { state } = this;
    const expected = 1 / (1 + 10 ** ((puzzle.rating - state.rating) / 400));
    const step = state.tried < FIRST.results ? FIRST.step : STEP;
    const change = Math.round(step * ((isSolved ? 1 : 0) - expected));
    state.rating = Math.max(100, state.rating + change);
    state.tried += 1;
    state.solved += isSolved ? 1 : 0;
    state.streak = isSolved ? state.streak + 1 : 0;
    state.best = Math.max(state.best, state.streak);
    state.course = [...state.course, [today(), state.rating]].slice(-MAX_RATINGS);
    if (puzzle.number) state.met = [puzzle.number, ...state.met.filter((number) => number !== puzzle.number)].slice(0, MAX_SEEN);
    if (day) state.daily = Object.fromEntries(Object.entries({ ...state.daily, [day]: isSolved }).sort().slice(-MAX_DAYS));
    this.#store();
    return change;
  }

  #store() {
    this.isUnstored = !store(KEY, this.state); // this tab continues with its own state then
  }

  get words() {
    const { rating, streak, best, solved, tried } = this.state;
    const solvedOf = text("puzzles.solvedOf", { solved, tried });
    return [["rating", rating], ["streak", streak], ["best", best], ["solved", solvedOf]].map(([key, value]) => [text(`puzzles.results.${key}`), value]);
  }

  /** Return the course of the rating as a drawing and a sentence, or nothing for fewer than two results. */
  get curve() {
    const { course } = this.state;
    if (course.length < 2) return [];
    const ratings = course.map(([, rating]) => rating);
    const [low, high] = [Math.min(...ratings), Math.max(...ratings)];
    const [width, height, edge] = [600, 120, 10];
    const x = (index) => edge + (index / (course.length - 1)) * (width - 2 * edge);
    const y = (rating) => height - edge - ((rating - low) / (high - low || 1)) * (height - 2 * edge);
    const last = course.length - 1;
    const values = { count: course.length, first: `${ratings[0]}`, last: `${ratings[last]}`, high: `${high}`, from: course[0][0], to: course[last][0] };
    const caption = text(values.from === values.to ? "puzzles.curveOfDay" : "puzzles.curve", values);
    return [
      s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text("puzzles.curveLabel") },
        s("polyline", { class: "course", points: ratings.map((rating, index) => `${x(index)},${y(rating)}`).join(" ") }),
        s("circle", { class: "point", cx: x(last), cy: y(ratings[last]), r: 6 })),
      h("figcaption", {}, caption),
    ];
  }
}

/** Return today's date of the browser, as 2026-01-31. */
export function today() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
