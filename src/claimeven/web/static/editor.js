// Set up a position: add and remove discs, and start from there.

import { BoardView } from "./board.js";
import { button, h } from "./dom.js";
import { Position } from "./rules.js";
import { playerName } from "./words.js";

/** Edit a position; return the new start, or null if it was cancelled. */
export function editPosition(from) {
  const board = new BoardView("Position to set up");
  board.takesAll = true; // two quick clicks are two discs
  let stacks = from.stacks.map((stack) => stack.slice());
  let brush = "0";
  const message = h("p", { role: "status" });
  let shown = null;
  const draw = () => {
    shown = new Position(from.board, stacks.map((stack) => stack.slice()));
    board.show(shown);
    const mover = `${playerName(shown.turn)} to move.`;
    message.className = shown.problem ? "problem" : "hint-text";
    message.textContent = shown.problem ?? (shown.isOver ? "The game is over here." : mover);
  };
  board.addEventListener("column", ({ detail: column }) => {
    const stack = stacks[column];
    if (brush === "off") stack.pop();
    else if (stack.length < from.board.rows) stack.push(Number(brush));
    draw();
  });
  const choice = (value, text) => h("label", {}, h("input", {
    type: "radio", name: "brush", value, checked: value === brush, onchange: () => { brush = value; },
  }), text);
  const dialog = h("dialog", { class: "editor", "aria-label": "Set up a position" });
  return new Promise((resolve) => {
    const end = (position) => { dialog.close(); dialog.remove(); resolve(position); };
    const use = () => {
      if (shown.problem) draw(); // shows the problem again
      else end(shown);
    };
    dialog.append(
      h("h2", {}, "Set up a position"),
      h("div", { class: "row", role: "radiogroup", "aria-label": "Effect of a click" },
        choice("0", `a ${playerName(0).toLowerCase()} disc`), choice("1", `a ${playerName(1).toLowerCase()} disc`), choice("off", "remove")),
      board.element, message,
      h("div", { class: "row" },
        button("Empty", () => { stacks = stacks.map(() => []); draw(); }),
        button("Cancel", () => end(null)), button("Start from here", use, { class: "primary" })),
    );
    dialog.addEventListener("cancel", () => end(null));
    document.body.append(dialog);
    draw();
    dialog.showModal();
  });
}
