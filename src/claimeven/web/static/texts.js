// All texts of the page in English, by view, and the language that the page shows.
//
// A translation is a file `texts.xx.js` next to this one, with `xx` for the language, and with the
// keys of ENGLISH: `export default { play: { newGame: "…" } }`. Missing keys are shown in English.
// `LANGUAGES` lists it, so that browsers with this language choose it. `{name}` stands for a value. A
// text with plural forms is an object of them by the names of `Intl.PluralRules`; `{count}` decides.

/** The languages of the page: names by codes. */
export const LANGUAGES = { en: "English" };

export const ENGLISH = {
  page: {
    skip: "To the board", views: "Views", help: "Help: keys",
    play: "Play", puzzles: "Puzzles", search: "Watch a search", searchShort: "Search", book: "Look up", tournament: "Tournament",
    titles: {
      play: "Connect Four", puzzles: "Puzzles", search: "Watch a search", book: "Opening book", tournament: "Tournament",
    },
    themes: { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  },
  help: {
    title: "Keys", close: "Close", language: "Language",
    views: [
      ["Everywhere", [
        ["1–9, a–p", "drop a disc in that column (letters on more than nine columns)"],
        ["← → ↑ ↓, Enter", "on the board: move between the cells, drop a disc"],
        ["?", "this help"],
      ]],
      ["Play", [
        ["← →", "elsewhere: back and forward through the game"],
        ["Home, End", "to the start, to the end"],
        ["Space", "play the best column"],
        ["u, r", "undo, redo"],
        ["h", "a hint: the best columns"],
        ["a", "analysis on or off"],
        ["m", "the next mistake"],
        ["f", "swap the colors"],
        ["n", "a new game"],
        ["Shift", "with a letter, if columns have letters"],
      ]],
      ["Puzzles", [["h", "the next hint"], ["t", "try again"], ["s", "show the solution"], ["n", "the next puzzle"]]],
      ["Watch a search", [["← →", "a step back or forward"], ["Home, End", "the first step, the last one"], ["w", "the whole tree"]]],
      ["Look up", [["1–9, a–p", "follow that column"], ["← →, Home", "back, forward, to the start"]]],
    ],
  },
  players: { yellow: "Yellow", red: "Red" },
  /** After "Column 4", or a name. */
  worth: {
    draws: "draws", winsNow: "wins immediately", losesNow: "loses to the next move",
    wins: { one: "wins in {count} move", other: "wins in {count} moves" },
    loses: { one: "loses in {count} move", other: "loses in {count} moves" },
    column: "Column {column} {worth}.",
  },
  /** After "Your turn: you". */
  yourWorth: {
    draws: "draw", winsNow: "win immediately", losesNow: "lose to the next move",
    wins: { one: "win in {count} move", other: "win in {count} moves" },
    loses: { one: "lose in {count} move", other: "lose in {count} moves" },
  },
  status: {
    draw: "A draw.", youWin: "You win!", wins: "{name} wins.", thinking: "{name} is thinking …",
    toMove: "{name} to move.", toMoveAnd: "{name} to move and {worth}.",
    yourTurn: "Your turn.", yourTurnAnd: "Your turn: you {worth}.",
    start: "At the start.", plays: "{name} plays column {column}.", at: "At {name}'s move {count}: column {column}.",
    agent: "{color} ({agent})",
  },
  autoplay: {
    pause: "Pause", resume: "Resume", step: "One move", speed: "Speed",
    speeds: ["slow", "medium", "fast", "immediate"],
  },

  review: {},

  puzzles: {},

  search: {},

  tournament: {},
};

const stateOf = (code, texts) => ({
  texts, plurals: new Intl.PluralRules(code), numbers: new Intl.NumberFormat(code),
  lists: new Intl.ListFormat(code, { type: "disjunction" }),
});
const english = stateOf("en", ENGLISH);
let chosen = english;

/** Show the page in a language from now on. */
export function translate(code, texts) {
  chosen = stateOf(code, texts);
}

const found = ({ texts }, key) => key.split(".").reduce((part, name) => part?.[name], texts);

/**
 * Return a text by its key, such as `play.newGame`, with values by name; numbers are written as the
 * language does. `otherwise` is returned for an unknown key, such as a name that only the server knows.
 */
export function text(key, values = {}, otherwise = key) {
  const language = found(chosen, key) === undefined ? english : chosen;
  let known = found(language, key) ?? otherwise;
  if (known.other) known = known[language.plurals.select(values.count)] ?? known.other;
  if (typeof known !== "string") return known; // a list of texts
  const written = (value) => (typeof value === "number" ? language.numbers.format(value) : value);
  return known.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all));
}

/** Return texts as alternatives: "1, 2, or 3". */
export const either = (texts) => chosen.lists.format(texts);
