// Keys of the views, and the help that lists them.

const COLUMNS = ["1–9, a–p", "drop a disc in that column (letters on more than nine columns)"];
const HELP = [
  ["Everywhere", [
    COLUMNS,
    ["← → ↑ ↓, Enter", "on the board: walk over the cells, drop in this column"],
    ["?", "this help"],
  ]],
  ["Play", [
    ["← →", "off the board: back and forward through the game"],
    ["Home, End", "to the start, to the end"],
    ["Space", "play the best column"],
    ["u, r", "undo, redo"],
    ["h", "a hint: the best columns"],
    ["a", "analysis on and off"],
    ["m", "to the next mistake"],
    ["f", "swap the colours"],
    ["n", "a new game"],
    ["Shift", "with a letter, where columns have letters"],
  ]],
  ["Practise", [["h", "the next hint"], ["t", "try again"], ["s", "show the solution"], ["n", "the next puzzle"]]],
  ["Watch a search", [["← →", "a step back, a step on"], ["Home, End", "the first step, the last one"], ["w", "the whole tree"]]],
  ["Look up", [["1–9, a–p", "follow that column"], ["← →, Home", "back, forward, to the start"]]],
];

export function keyList(h) {
  const line = ([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)];
  return HELP.map(([view, lines]) => [h("h3", {}, view), h("dl", { class: "keys" }, lines.map(line))]);
}

/** Whether a key is for the page: not for a field, a dialog, or the browser. */
export function isForPage(event) {
  // After a click in a dialog its keys come from the body, so where they come from does not tell.
  return !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey
    && !document.querySelector("dialog[open]") && !event.target.closest("input:not([type=checkbox]), select, textarea");
}

/** Return the column that a key names on a board, -1 for none. */
export function columnOfKey(event, board) {
  if (!board || event.key.length !== 1 || event.shiftKey) return -1;
  return board.hasLetters || /^[1-9]$/.test(event.key) ? board.column(event.key) : -1;
}

/** Return how a letter that does something is typed where columns have letters too. */
export function letterKey(letter, board) {
  return board.hasLetters && board.column(letter) >= 0 ? `Shift+${letter.toUpperCase()}` : letter;
}

/** Do what a key does, once however long it is held: discs would pour, and games begin by the dozen. */
export function once(event, action) {
  if (!event.repeat) action();
}

/** Show the help at its key. */
export function listenForHelp(help) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isForPage(event)) return;
    help();
    event.preventDefault();
  });
}

/** Let keys do what they do in the play view. */
export function listenToKeys(view) {
  const steps = { ArrowLeft: "back", ArrowRight: "forward", Home: "toStart", End: "toEnd" };
  const verbs = {
    " ": () => view.best(), u: () => view.undo(), r: () => view.redo(), h: () => view.hint(),
    f: () => view.flip(), a: () => view.analyze(), n: () => view.newGame(), m: () => view.review.nextMistake(),
  };
  document.addEventListener("keydown", (event) => {
    if (!view.isHere || !isForPage(event)) return;
    if (event.key === " " && event.target.closest("button, summary, a, input")) return;
    const column = columnOfKey(event, view.game.board);
    const verb = verbs[event.key.toLowerCase()];
    if (event.key in steps) view.step(steps[event.key]);
    else if (column >= 0) once(event, () => view.choose(column));
    else if (verb) once(event, verb);
    else return;
    event.preventDefault();
  });
}
