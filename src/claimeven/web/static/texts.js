// All texts of the page in English, by view, and the language that the page shows.
//
// A translation is a file `texts.xx.js` next to this one, with `xx` for the language, and with the
// keys of ENGLISH: `export default { play: { newGame: "…" } }`. Missing keys are shown in English.
// `LANGUAGES` lists it, so that browsers with this language choose it. `{name}` is replaced by a value. A
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
  },
  levels: {
    newcomer: { name: "newcomer" }, beginner: { name: "beginner" }, casual: { name: "casual" }, regular: { name: "regular" },
    strong: { name: "strong" }, expert: { name: "expert" }, perfect: { name: "perfect" },
    top: "Plays perfectly.",
    sees: "Sees {wins} % of wins in one move, {blocks} % of threats to block and {double_threats} % of double threats; {perfect} % of its columns are perfect.",
    higher: "You won {count} games in a row at this level.", lower: "You lost {count} games in a row at this level.",
    play: "Play the {level} level",
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
    plays: "{name} played column {column} after {time} ms",
    facts: {
      value: "value {number}", score: "score {number}", depth: "depth {number}", nodes: { one: "{count} node", other: "{count} nodes" },
      iterations: { one: "{count} iteration", other: "{count} iterations" }, line: "line {number}",
    },
    rows: { value: "value", visits: "visits", prior: "prior", policy: "policy" },
    fault: "{name} {reason}.", forfeit: "{name} {reason}. In a match it would lose the game.",
    remedy: "A changed file is read again: edit it, and let it move again.",
  },

  review: {
    button: "Review the game", next: "Next mistake", again: "Try again from here", better: "Show a better column", practice: "Practice as puzzles",
    empty: "There are no moves to review yet.", solving: "Solving the game …",
    none: "No mistakes in this line.", youNone: "You made no mistakes in this line.",
    find: "Find a better column than {column}.",
    right: "Right: column {column} {worth}.", wrong: "Column {column} {worth}: not the best column either.",
    you: "You", share: "{name} {percent} %", accuracy: "Accuracy: {first}, {second}.",
    which: "Mistake {number} of {count}.", move: "Move {number}: column {column} {mark}",
    youPlay: "You play column {column}: {judgement} {mark}", plays: "{name} plays column {column}: {judgement} {mark}",
    judgements: { inaccurate: "inaccurate", mistake: "a mistake", blunder: "a blunder" },
  },

  puzzles: {
    puzzle: "Puzzle", information: "Information", which: "Which puzzles", yourMistakes: "Your mistakes", yourResults: "Your results",
    hint: "Hint", show: "Show the solution", again: "Try again", next: "Next puzzle", analyze: "Analyze", daily: "Puzzle of the day",
    choose: { difficulty: "How hard", motif: "Which motif", length: "How long", kind: "Which kind" },
    difficulty: { any: "my rating", beginner: "beginner", easy: "easy", medium: "medium", hard: "hard", expert: "expert" },
    motif: {
      any: "any motif", "win-in-1": "win in 1", block: "block", "double-threat": "double threat", forcing: "threat after threat",
      defense: "defense", zugzwang: "zugzwang",
    },
    length: { any: "any length", 1: "1 move", 2: "2 moves", 3: "3 moves", 4: "4 moves", 5: "5 moves", 6: "6 moves" },
    kind: { any: "win or hold", win: "one column wins", hold: "one column holds the draw" },
    tasks: {
      "one-win": "{name} to move: one column wins, no other does.",
      "one-hold": "{name} to move: one column holds the draw, every other loses.",
      win: "{name} to move: find a column that wins.", fastest: "{name} to move: find the fastest win.",
      hold: "{name} to move: find a column that holds the draw.",
      delay: { one: "{name} to move: find a column that does not lose at once.", other: "{name} to move: find a column that does not lose in {count} moves." },
    },
    number: "Puzzle {number}", ofDay: "Puzzle of {day}", before: "You had it before: it does not count again.",
    about: {
      one: "{when}: {difficulty}, rating {rating}, one column to find.",
      other: "{when}: {difficulty}, rating {rating}, {count} columns to find.",
    },
    aboutOwn: "A position of your game, rating {rating}.",
    full: "Column {column} is full.", right: "Right: column {column}.", wrong: "Column {column} is wrong.", another: "Try another column.",
    replies: "{name} replies in column {column}.", findNext: "Find the next column.", looking: "Looking for the reason …",
    solved: "Solved.", solvedFirst: "Solved at first try.", solution: "The solution is {columns}.",
    helped: "With a hint it does not count as solved: your rating falls by {count}.",
    rises: "Your rating rises by {count}.", falls: "Your rating falls by {count}.",
    lookAt: "Look at the marked cells.", notIn: "It is not in one of these columns: {columns}.",
    noMistakes: "Play a game, then “See your mistakes”: they come back here as puzzles.",
    practice: "Practice your mistakes",
    due: {
      one: "{count} position of your games in which another column was right: {due} to solve now.",
      other: "{count} positions of your games in which another column was right: {due} to solve now.",
    },
    later: {
      one: "{count} position of your games in which another column was right. It comes again on {day}.",
      other: "{count} positions of your games in which another column was right. The next one comes again on {day}.",
    },
    results: { rating: "Your rating", streak: "Streak", best: "Best streak", solved: "Solved at first try" },
    solvedOf: "{solved} of {tried}", ofToday: "Puzzle of today", dayDone: "solved at first try", dayTried: "tried",
    curveLabel: "Your rating after each puzzle",
    curveOfDay: "Your rating over the last {count} puzzles, on {to}: {first} to {last}, at most {high}.",
    curve: "Your rating over the last {count} puzzles, from {from} to {to}: {first} to {last}, at most {high}.",
  },

  search: {
    algorithms: {
      minimax: "Minimax", alphabeta: "Alpha-beta", negamax: "Negamax with a table", uct: "UCT", flat: "Flat Monte Carlo", puct: "PUCT with a model",
    },
    algorithm: "Algorithm", board: "Board", leaves: "Leaves", depth: "Depth", evaluation: "Evaluation", iterations: "Iterations", c: "c",
    cTitle: "How much the bonus for few visits counts", leavesTitle: "Numbers, in groups: bars between them or brackets around them",
    evaluations: { sequences: "sequences", windows: "windows", "windows-symmetric": "windows, symmetric", streaks: "streaks", triples: "triples" },
    boards: { size: "{size}, connect {connect}", game: "current game", leaves: "a tree of leaves" },
    search: "Search", searching: "Searching …", loading: "Loading these steps …",
    first: "First step", back: "Step back", on: "Step on", last: "Last step", step: "Step", autoplay: "Autoplay", stop: "Stop",
    speed: "Speed", whole: "Whole tree", code: "Code", textSize: "Text", percent: "{size} %", fill: "Fill the screen",
    position: "Position looked at", tree: "Search tree", codeOf: "Code of the search",
    jumps: { cut: "Next cutoff", leaf: "Next leaf", iteration: "Next iteration" },
    noJump: { cut: "This search has no further cutoff.", leaf: "This search has no further leaf.", iteration: "This search has no further iteration." },
    invalidLink: "This link cannot be shown as it is, because of invalid values: {values}.",
    invalid: "{name} {value}", invalidRange: "{name} {value} ({min} to {max})", boardFor: "board {board} for {algorithm}",
    upperPart: "The tree is too large: this is its upper part. Click a marked node to open it.",
    visitedPart: "The tree is too large: this is its most visited part. Click a marked node to open it.",
    root: "root", theRoot: "the root", column: "column {moves}", move: "move {moves}", then: ", then ", levels: { max: "MAX", min: "MIN" },
    notYet: "not yet", cutAway: "cut away",
    visit: "Visit {place}.", note: "{place}: {reason}", visitWindow: "Visit {place} with the window {window}.",
    worth: "{place} is worth {value}.", worthBecause: "{place} is worth {value}: {reason}.", cut: "Cut at {place}: {reason}.",
    sameAs: "{reason}: the same discs as after {moves} in step {step}",
    wins: "{name} wins",
    skipped: { one: "{count} column skipped: {why}", other: "{count} columns skipped: {why}" },
    skippedMoves: { one: "{count} move skipped: {why}", other: "{count} moves skipped: {why}" },
    reasons: {
      evaluated: "evaluated", draw: "draw", "found in the transposition table": "found in the transposition table",
      "best of all columns": "best of all columns", "best of the columns tried": "best of the columns tried",
      "the opponent has better elsewhere": "the opponent has better elsewhere", "the root's side can already get alpha": "the root's side can already get alpha",
      "the opponent can already get beta": "the opponent can already get beta",
    },
    best: { all: "best of all moves", tried: "best of the moves tried" },
    win: "win in {count}", loss: "loss in {count}",
    counters: {
      step: "step {count} of {total}", nodes: { one: "{count} node", other: "{count} nodes" }, evaluations: { one: "{count} evaluation", other: "{count} evaluations" },
      cuts: { one: "{count} cut", other: "{count} cuts" }, found: "{count} found in the table (≡)",
    },
    values: "Values as the side to move at the root sees them: MAX takes the greatest, MIN the least.",
    valuesAndWindows: "Values and windows as the side to move at the root sees them: MAX takes the greatest, MIN the least.",
    estimates: "At the depth limit values are estimates: {evaluation}.",
    obvious: "No search is needed here: the move is obvious.",
    iteration: "Iteration {number}. {phase}",
    select: {
      turn: "Select: {place} has its turn.",
      sum: "Select: go down by the greatest sum of Q and bonus, unvisited columns first, to {place}.",
      model: "Select: go down by the greatest sum of Q and bonus, to {place}.",
    },
    expand: { none: "Expand: no children are added.", some: "Expand: {place} gets its children, columns {columns}." },
    simulate: {
      over: "Simulate: the game is over here.",
      moves: { one: "Simulate: play on at random, {count} move, to the end.", other: "Simulate: play on at random, {count} moves, to the end." },
    },
    evaluate: {
      decided: "Evaluate: the position is decided, without the model.",
      model: "Evaluate: the model gives a prior to each child, and to the position the value {value} for the side to move at the root.",
    },
    backUp: "Back up: {result} for the side to move at the root is counted along the path.",
    results: { win: "a win", draw: "a draw", loss: "a loss" },
    greatest: "The column with the greatest sum is selected (max); c = {c}: the larger it is, the larger the bonus for few visits.",
    counted: "iteration {number} of {total} · N: visits, Q: mean result for the side that chose the move. Edges as wide as their share of visits.",
    countedSum: "iteration {number} of {total} · N: visits, Q: mean result for the side that chose the move, Q + bonus for few visits = sum. Edges as wide as their share of visits.",
    countedPrior: "iteration {number} of {total} · N: visits, Q: mean result for the side that chose the move, Q + bonus for few visits and a good prior = sum. Edges as wide as their share of visits.",
    max: "{title} · max", notShown: "not shown", notVisited: "not visited", provenLoss: "proven loss", visits: "N {count}", visitsAndMean: "N {count}  Q {mean}", sum: "+ {bonus} = {sum}",
    leafErrors: {
      levels: "The tree may have at most {most} levels of brackets.", open: "The leaves end without {bracket}: a bracket is open.",
      unopened: "The leaves have {bracket} without the bracket that opens it.",
      number: "A leaf must be a number of up to six digits, such as 3 12 8 | 2 4 6 | 14 5 2, got {leaf}.",
      empty: "Each group must have a leaf, such as 3 12 8 | 2 4 6 | 14 5 2.", children: "A node may have at most {most} children.",
      leaves: "A tree must have 2 to {most} leaves, got {count}.",
    },
  },

  tournament: {
    ladder: "Ladder", heads: ["#", "Agent", "Elo", "95 %", "Games", "Won", "Drawn", "Lost", "Points"], interval: "{low} to {high}",
    report: "Full report: cross table and games",
    asking: "Asking the server …", none: "This server was started without a tournament.", reading: "{store}: reading the games …",
    how: "This view shows a tournament, during the games and afterwards. Play one on the command line, and start this server with its file:",
    commands: "claimeven tournament uct alphabeta greedy --out games.db\nclaimeven serve --store games.db",
    progress: "Games played", empty: "{store}: no game is finished yet.",
    read: "{store}: {read} of {stored} games read. Intervals follow.",
    soFar: { one: "{store}: {count} game so far.", other: "{store}: {count} games so far." },
    of: "{store}: {count} of {planned} games.", over: "{store}: all {count} games are played.",
    left: "{store}: {count} of {planned} games, about {time} left.",
    stalled: "{store}: {count} of {planned} games, and no new one for {time}.",
    first: "{name} is first.", tied: { other: "{count} agents share first place: the games do not decide between them." },
    up: { one: "up {count} place since round {round} began", other: "up {count} places since round {round} began" },
    down: { one: "down {count} place since round {round} began", other: "down {count} places since round {round} began" },
    games: "Games", choose: "Game", board: "Board of the game", follow: "The running or the newest game", game: "{game}: {first} – {second}",
    steps: ["To the start", "Back", "Forward", "To the end"], move: "Move {move} of {count}.",
    running: "{game}, in progress: {first} – {second}", toMove: "In progress: move {move}, {name} to move.",
    results: { wins: "{name} wins.", draw: "A draw.", unfinished: "Left unfinished.", forfeits: "{name} forfeits: {fault}." },
    forfeits: "Forfeits", reason: "Game {game}: {reason}",
    faults: { crash: "crash", illegal: "illegal answer", time: "late answer", stall: "no answer", memory: "out of memory" },
  },
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
  if (known === null || Array.isArray(known)) return known;
  if (typeof known === "object") known = known[language.plurals.select(values.count)] ?? known.other;
  const written = (value) => (typeof value === "number" ? language.numbers.format(value) : value);
  return known.replace(/\{(\w+)\}/g, (all, name) => (name in values ? written(values[name]) : all));
}

/** Return texts as alternatives: "1, 2, or 3". */
export const either = (texts) => chosen.lists.format(texts);
