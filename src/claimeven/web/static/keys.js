// Keys of the views, and the help that lists them.

const COLUMNS = ["1–9, a–p", "drop a disc in that column (letters on more than nine columns)"];
const HELP = [
  ["Everywhere", [
    COLUMNS,
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
];

export function keyList(h) {
  const line = ([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)];
  return HELP.map(([view, lines]) => [h("h3", {}, view), h("dl", { class: "keys" }, lines.map(line))]);
}

/** Whether a key is for the page, not for a field, a dialog, or the browser. */
function isForPage(event) {
  // After a click in a dialog the target of its keys is the body.
  return !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey
    && !document.querySelector("dialog[open]") && !event.target.closest("input:not([type=checkbox]), select, textarea");
}

/** Return the column of a key on a board, or -1. */
function columnOfKey(event, board) {
  if (!board || event.key.length !== 1 || event.shiftKey) return -1;
  return board.hasLetters || /^[1-9]$/.test(event.key) ? board.column(event.key) : -1;
}

/** Return the key for an action, with Shift if the letter is also a column. */
export function letterKey(letter, board) {
  return board.hasLetters && board.column(letter) >= 0 ? `Shift+${letter.toUpperCase()}` : letter;
}

/** Show the help on its key. */
export function listenForHelp(help) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isForPage(event)) return;
    help();
    event.preventDefault();
  });
}

const STEPS = { ArrowLeft: "back", ArrowRight: "forward", Home: "toStart", End: "toEnd" };

/** Handle the keys of a view while it `isHere`: its `step`, the columns that it can `choose`, and actions by key. */
export function listenToKeys(view, actions = {}) {
  document.addEventListener("keydown", (event) => {
    if (!view.isHere || !isForPage(event)) return;
    if (event.key === " " && event.target.closest("button, summary, a, input")) return;
    const column = view.choose ? columnOfKey(event, view.board.board) : -1;
    const action = column < 0 ? actions[event.key.toLowerCase()] : () => view.choose(column);
    if (view.step && event.key in STEPS) view.step(STEPS[event.key]);
    else if (!action) return;
    else if (!event.repeat) action();
    event.preventDefault();
  });
}
