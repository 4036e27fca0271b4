// The user's progress with puzzles, stored in this browser: rating, streak, recent puzzles.

const KEY = "claimeven.practise"; // the name of the first version, so that stored progress remains
const INITIAL_STATE = { rating: 1200, streak: 0, best: 0, solved: 0, tried: 0, met: [], daily: {} };
/** Numbers of stored recent puzzles, which are not chosen again, and of stored days. */
const MAX_SEEN = 100;
const MAX_DAYS = 60;
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

  /** Read the stored progress, which other tabs change too. */
  #read() {
    this.state ??= { ...INITIAL_STATE };
    if (this.isUnstored) return;
    try {
      const stored = JSON.parse(localStorage.getItem(KEY)) ?? {};
      const state = { ...INITIAL_STATE };
      const isValid = ([name, value]) => stored[name] !== null && typeof stored[name] === typeof value
        && Array.isArray(stored[name]) === Array.isArray(value);
      for (const [name] of Object.entries(INITIAL_STATE).filter(isValid)) state[name] = stored[name];
      this.state = state;
    } catch {
      // Storage may be disabled, or its content invalid: start from the initial state.
    }
  }

  /** Whether a recent puzzle has a result already. */
  hasResult(puzzle) {
    return this.state.met.includes(puzzle.number);
  }

  /** Count the first result of a puzzle; return the change of the rating. */
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
    state.met = [puzzle.number, ...state.met.filter((number) => number !== puzzle.number)].slice(0, MAX_SEEN);
    if (day) state.daily = Object.fromEntries(Object.entries({ ...state.daily, [day]: isSolved }).sort().slice(-MAX_DAYS));
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      this.isUnstored = true; // this tab continues with its own state
    }
    return change;
  }

  get words() {
    const { rating, streak, best, solved, tried } = this.state;
    return [["Your rating", rating], ["Streak", streak], ["Best streak", best], ["Solved at first try", `${solved} of ${tried}`]];
  }
}

/** Return today's date of the browser, as 2026-01-31. */
export function today() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
