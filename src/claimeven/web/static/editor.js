// Set up a position: add and remove discs, and start from there.

import { BoardView } from "./board.js";
import { button, h } from "./dom.js";
import { Position } from "./rules.js";
import { text } from "./texts.js";
import { playerName } from "./words.js";

/** Edit a position; return the new start, or null if it was cancelled. */
export function editPosition(from) {
  const board = new BoardView(text("editor.board"));
  board.takesAll = true; // two quick clicks are two discs
  let stacks = from.stacks.map((stack) => stack.slice());
  let brush = "0";
  const message = h("p", { role: "status" });
  let shown = null;
  const draw = () => {
    shown = new Position(from.board, stacks.map((stack) => stack.slice()));
    board.show(shown);
    const mover = text("status.toMove", { name: playerName(shown.turn) });
    message.className = shown.problem ? "problem" : "hint-text";
    message.textContent = shown.problem ?? (shown.isOver ? text("book.over") : mover);
  };
  board.addEventListener("column", ({ detail: column }) => {
    const stack = stacks[column];
    if (brush === "off") stack.pop();
    else if (stack.length < from.board.rows) stack.push(Number(brush));
    draw();
  });
  const choice = (value, name) => h("label", {}, h("input", {
    type: "radio", name: "brush", value, checked: value === brush, onchange: () => { brush = value; },
  }), name);
  const disc = (player) => text("editor.disc", { color: playerName(player).toLowerCase() });
  const dialog = h("dialog", { class: "editor", "aria-label": text("editor.title") });
  return new Promise((resolve) => {
    const end = (position) => { dialog.close(); dialog.remove(); resolve(position); };
    const use = () => {
      if (shown.problem) draw(); // shows the problem again
      else end(shown);
    };
    dialog.append(
      h("h2", {}, text("editor.title")),
      h("div", { class: "row", role: "radiogroup", "aria-label": text("editor.effect") },
        choice("0", disc(0)), choice("1", disc(1)), choice("off", text("editor.remove"))),
      board.element, message,
      h("div", { class: "row" },
        button(text("editor.empty"), () => { stacks = stacks.map(() => []); draw(); }),
        button(text("editor.cancel"), () => end(null)), button(text("editor.use"), use, { class: "primary" })),
    );
    dialog.addEventListener("cancel", () => end(null));
    document.body.append(dialog);
    draw();
    dialog.showModal();
  });
}
