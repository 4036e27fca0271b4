// Keys of the views, and the help that lists them.

import { h } from "./dom.js";
import { text } from "./texts.js";

/** Return the lists of the help: a title and its keys for each view. */
export function keyList() {
  const line = ([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)];
  return text("help.views").map(([view, lines]) => [h("h3", {}, view), h("dl", { class: "keys" }, lines.map(line))]);
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
