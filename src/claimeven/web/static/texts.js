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
      ["Watch a search", [["← →", "a step back or forward"], ["Home, End", "the first step, the last one"], ["w", "the whole tree"], ["Space", "autoplay"], ["c, l, i", "the next cutoff, leaf, iteration"]]],
      ["Look up", [["1–9, a–p", "follow that column"], ["← →, Home", "back, forward, to the start"]]],
    ],
  },
  players: { yellow: "Yellow", red: "Red" },
  /** After "Column 4", or a name. */
  worth: {
    draws: "draws", winsNow: "wins immediately", losesNow: "loses to the next move",
    wins: { one: "wins in {count} move", other: "wins in {count} moves" },
    loses: { one: "loses in {count} move", other: "loses in {count} moves" },
    column: "Column {column} {worth}.", every: "Every column {worth}.",
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

  api: {
    cannotCompute: "This browser cannot run the solver and the agents: it lacks BigInt, WebAssembly or newer array methods. Two people can play here.",
    noFile: "A file of the page cannot be loaded: is there a network?", noServer: "The server does not answer. Is it still running?",
    status: "The server answered {status}.", stopped: "The server stopped the search.", closed: "The worker was closed.",
    lost: "The part of the page that computes has stopped: try again, or reload the page. The game is kept.",
    notStored: "The page works, but not without a network: its files could not be stored. The storage of the browser may be full or switched off.",
  },
  compile: {
    first: "Compiling, once after an installation: {step} ({number} of {steps}). The page works after it.",
    rest: "Compiling, once after an installation: {step} ({number} of {steps}). Everything else works already.",
  },
  rules: {
    board: "A board must be columns x rows, each 1 to 16, such as 7x6, got {size}.", connect: "Connect must be 2 to 8 discs.",
    drawing: "A drawing of this board has {rows} rows of {columns} cells.", cell: "A cell must be X, O or a dot, got “{cell}”.",
    floats: "A disc floats in column {column}.", column: "A column must be {first} to {last}, got “{character}”.",
    turns: "{first} has {discs} discs and {second} {others}: players take turns.",
    late: "The side to move already has a line: the game was over before.",
    move: "Move {number} of the game cannot be played.", over: "Move {number} cannot be played: the game is over.",
    full: "Move {number} cannot be played: column {column} is full.", link: "This link cannot be shown: {problem}",
  },
  board: {
    name: "Board", empty: "empty", cell: "column {column}, row {row}, {content}",
    winningCell: "column {column}, row {row}, {content}, winning",
  },
  scores: {
    name: "Score of each column", column: "column {column}", known: "{score}: column {column} {worth}",
    best: "{score}: column {column} {worth}, best", late: "The position was not solved within the time limit.",
    tooLarge: "This board is too large for exact scores: columns × (rows + 1) may be at most {most}.",
  },
  play: {
    notYourTurn: "It is not your turn.", friendsTurn: "Your friend moves next: send the link.", full: "Column {column} is full.",
    isNew: "A new game.", solving: "Solving …", players: "Players", swap: "Swap", swapTitle: "Each plays the other's side",
    newGame: "New game",
  },
  controls: {
    toStart: "To the start (Home)", back: "Back (left arrow)", forward: "Forward (right arrow)", toEnd: "To the end (End)",
    undo: "Undo", undoTitle: "Take back (u)", redo: "Redo", redoTitle: "Play again (r)", hint: "Hint",
    hintTitle: "Show the best column ({key})", moveNow: "Let it move", again: "Play again",
    mistakes: "See the mistakes", yourMistakes: "See your mistakes",
  },
  sides: {
    human: "Human", friend: "your friend", byLink: "A friend, by link", byLinkTitle: "You send each other a link after each move",
    you: "You ({name})", is: "{name} is", levels: "Perfect play, by level", agents: "Agents", presets: "Published players",
    levelName: "{level} level", options: "Options", seconds: "seconds a move", secondsTitle: "at most {seconds} s",
    default: "default", defaultIs: "default: {standard}", yes: "yes", no: "no",
    unsupported: "{name} does not play on this board: {other} plays instead.",
    unknown: "There is no agent “{name}”: a human plays instead.",
    perfect: "Plays perfectly.", level: "Level {level} of {highest}: plays perfectly except for deliberate mistakes.",
  },
  levels: {
    newcomer: { name: "newcomer" }, beginner: { name: "beginner" }, casual: { name: "casual" }, regular: { name: "regular" },
    strong: { name: "strong" }, expert: { name: "expert" }, perfect: { name: "perfect" },
  },
  link: {
    send: "Send link", yours: "Drop a disc, then send the new link to your friend.",
    over: "Send this link to your friend: the game is over.", theirs: "Send this link to your friend: it is {name}'s turn.",
    copied: "Link copied: send it to your friend.", copyYourself: "Copy the address of this page and send it to your friend.",
  },
  analysis: {
    title: "Analysis", on: "Analysis on.", off: "Analysis off.", over: "The game is over.", looking: "Looking for reasons …",
    unknown: "Score not known yet", scoreFor: "{score}: score for {name}", best: "Best: column {column}, {worth}.",
    offer: "Exact scores of all columns. Press {key} or use the switch.",
    offerReasons: "Exact scores of all columns, with reasons. Press {key} or use the switch.",
  },
  moves: {
    name: "Moves", none: "No moves yet: choose a column.", column: "Column {column}", judged: "Column {column}: {judgement}",
    delete: "Delete this variation", deleted: "Variation deleted.", graph: "Score over the game for {name}: {scores}",
  },
  /** Judgements of moves by the server's names. */
  judgements: { perfect: "perfect", good: "good", inaccurate: "inaccurate", mistake: "mistake", blunder: "blunder" },
  game: {
    one: "Game", share: "Share, load, board", example: "such as 4455", typeFirst: "Type moves first, such as 4455.",
    loaded: { one: "{count} move loaded.", other: "{count} moves loaded." }, loadedFromEmpty: "Moves loaded, from the empty board.",
    load: "Load moves", open: "Open a file", file: "File of games", ofFile: "Game of the file",
    tooLarge: "A file may have at most 2 MB.", fileProblem: "{name}: {problem}",
    copyLink: "Copy link", linkCopied: "Link copied.", copyMoves: "Copy moves", movesCopied: "Moves copied.",
    copyPicture: "Copy picture", pictureCopied: "Picture copied.", saveSvg: "Save SVG", savePng: "Save PNG",
    selected: "Copying is not allowed here: the text is selected in the field.",
    savePicture: "Copying pictures is not allowed here: save the picture instead.",
    board: "Board", size: "Board, columns x rows", connect: "connect", connectName: "Discs in a line that win", use: "Use",
    newBoard: "New board.", truncated: "The file has more games, which are not shown.",
    unreadable: "{count} cannot be read ({problem}).", only: "{about}.", oneOf: "Game {number} of {count}: {about}.",
    noOrder: "The file has only a position: the order of the discs is made up.", against: "{first} against {second}",
    discs: { one: "{count} disc", other: "{count} discs" }, byFault: "{end} by a fault ({fault})",
    results: { first: "{name} won", second: "{name} won", draw: "a draw", unfinished: "not finished" },
  },
  editor: {
    title: "Set up a position", board: "Position to set up", effect: "Effect of a click", disc: "a {color} disc", remove: "remove",
    empty: "Empty", cancel: "Cancel", use: "Start from here",
  },
  book: {
    board: "Board of the book", path: "Moves so far", toStart: "To the start", back: "Back", playOn: "Play on from here",
    start: "start", over: "The game is over here.", looking: "Looking it up …", best: "best",
    inside: "In the book of {count} discs.", none: "There is no book for this board: the solver computes the scores.",
    atEnd: "At the end of the book of {count} discs: the solver computes the scores.",
    beyond: "Beyond the book of {count} discs: the solver computes the scores.",
  },

  bot: {
    title: "Your bot", again: "Reload and move again", summary: "your own code", group: "Your bots",
    traceback: "Traceback", column: "column", watch: "Watch the search of {name}",
    plays: "{name} played column {column} after {seconds} s",
    facts: {
      value: "value {number}", score: "score {number}", depth: "depth {number}", nodes: "{number} nodes",
      iterations: "{number} iterations", line: "line {number}",
    },
    rows: { value: "value", visits: "visits", prior: "prior", policy: "policy" },
    fault: "{name} {reason}.", forfeit: "{name} {reason}. In a match it would lose the game.",
    remedy: "A changed file is read again: edit it, and let it move again.",
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
  if (Array.isArray(known)) return known;
  if (typeof known === "object") known = known[language.plurals.select(values.count)] ?? known.other;
  const written = (value) => (typeof value === "number" ? language.numbers.format(value) : value);
  return known.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all));
}

/** Return texts as alternatives: "1, 2, or 3". */
export const either = (texts) => chosen.lists.format(texts);
