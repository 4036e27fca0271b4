// How a person does at puzzles, kept in this browser: rating, streak, puzzles met lately.

const KEY = "claimeven.practise";
const BEGIN = { rating: 1200, streak: 0, best: 0, solved: 0, tried: 0, met: [], daily: {} };
/** Puzzles that are not drawn again, and days whose results are kept. */
const MOST_MET = 100;
const MOST_DAYS = 60;
/** Points a result is worth at most; the first ones more, so that the rating finds its place. */
const STEP = 32;
const FIRST = { step: 64, results: 20 };

export class Progress {
  /** `changed` is called when another tab has counted a puzzle. */
  constructor(changed = () => {}) {
    this.#read();
    addEventListener("storage", ({ key }) => {
      if (key !== KEY && key !== null) return;
      this.#read();
      changed();
    });
  }

  /** Read what is kept: other tabs count too. */
  #read() {
    this.state ??= { ...BEGIN };
    if (this.isAlone) return;
    try {
      const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
      const state = { ...BEGIN };
      const isWhole = ([name, value]) => kept[name] !== null && typeof kept[name] === typeof value
        && Array.isArray(kept[name]) === Array.isArray(value);
      for (const [name] of Object.entries(BEGIN).filter(isWhole)) state[name] = kept[name];
      this.state = state;
    } catch {
      // Private windows may keep nothing, and what is kept may be damaged: begin anew.
    }
  }

  /** Whether a puzzle has been counted, as far back as that is kept: a second time it is not. */
  hasCounted(puzzle) {
    return this.state.met.includes(puzzle.number);
  }

  /** Count a puzzle, solved at once or not; return by how much the rating changed. */
  count(puzzle, isSolved, day = null) {
    this.#read();
    if (this.hasCounted(puzzle)) return 0; // in another tab
    const { state } = this;
    const expected = 1 / (1 + 10 ** ((puzzle.rating - state.rating) / 400));
    const step = state.tried < FIRST.results ? FIRST.step : STEP;
    const change = Math.round(step * ((isSolved ? 1 : 0) - expected));
    state.rating = Math.max(100, state.rating + change);
    state.tried += 1;
    state.solved += isSolved ? 1 : 0;
    state.streak = isSolved ? state.streak + 1 : 0;
    state.best = Math.max(state.best, state.streak);
    state.met = [puzzle.number, ...state.met.filter((number) => number !== puzzle.number)].slice(0, MOST_MET);
    if (day) {
      const days = Object.entries({ ...state.daily, [day]: isSolved }).sort().slice(-MOST_DAYS);
      state.daily = Object.fromEntries(days);
    }
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      this.isAlone = true; // nothing can be kept: what this tab knows goes on
    }
    return change;
  }

  get words() {
    const { rating, streak, best, solved, tried } = this.state;
    const parts = [["Your rating", rating], ["Streak", streak], ["Best streak", best], ["Solved at once", `${solved} of ${tried}`]];
    return parts;
  }
}

/** Today where the browser is, as 2026-01-31. */
export function today() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
