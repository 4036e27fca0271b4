// Keys of the play view, and the help that lists them.

const KEYS = [
  ["1–9, a–p", "drop a disc in that column (letters on more than nine columns)"],
  ["← → ↑ ↓, Enter", "on the board: walk over the cells, drop in this column"],
  ["← →", "elsewhere: back and forward through the game"],
  ["Home, End", "to the start, to the end"],
  ["Space", "play the best column"],
  ["u, r", "undo, redo"],
  ["h", "a hint"],
  ["f", "swap the colours"],
  ["a", "analysis on and off"],
  ["n", "a new game"],
  ["?", "this help"],
];

export function keyList(h) {
  return h("dl", { class: "keys" }, KEYS.map(([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)]));
}

/** Let keys do what they do; `help` shows the help. */
export function listenToKeys(view, help) {
  const steps = { ArrowLeft: "back", ArrowRight: "forward", Home: "toStart", End: "toEnd" };
  const verbs = {
    " ": () => view.best(), u: () => view.undo(), r: () => view.redo(), h: () => view.hint(),
    f: () => view.flip(), a: () => view.analyse(), n: () => view.newGame(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog[open]")) return;
    if (event.key === "?") {
      help();
      event.preventDefault();
      return;
    }
    if (!view.isHere) return;
    if (event.key === " " && event.target.closest("button, summary, a")) return;
    const { board } = view.game;
    const isWide = board.columns > 9;
    const column = isWide || /^[1-9]$/.test(event.key) ? board.column(event.key) : -1;
    if (event.key in steps) view.step(steps[event.key]);
    else if (event.key.length === 1 && column >= 0) view.choose(column);
    else if (event.key in verbs) verbs[event.key]();
    else return;
    event.preventDefault();
  });
}
