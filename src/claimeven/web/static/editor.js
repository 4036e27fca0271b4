// Set up a position: put discs on columns, take them off, and begin from there.

import { BoardView } from "./board.js";
import { get } from "./api.js";
import { h } from "./dom.js";
import { Position } from "./rules.js";

/** Let people change a position; return the new start, null if they gave up. */
export function editPosition(from) {
  const board = new BoardView("Position to set up");
  let stacks = from.stacks.map((stack) => stack.slice());
  let brush = "0";
  const problem = h("p", { class: "problem", role: "status" });
  const shown = () => new Position(from.board, stacks.map((stack) => stack.slice()));
  const draw = () => board.show(shown());
  board.addEventListener("column", ({ detail: column }) => {
    const stack = stacks[column];
    if (brush === "off") stack.pop();
    else if (stack.length < from.board.rows) stack.push(Number(brush));
    problem.textContent = "";
    draw();
  });
  const choice = (value, text) => h("label", {}, h("input", {
    type: "radio", name: "brush", value, checked: value === brush, onchange: () => { brush = value; },
  }), text);
  const dialog = h("dialog", { class: "editor", "aria-label": "Set up a position" });
  return new Promise((resolve) => {
    const end = (position) => { dialog.close(); dialog.remove(); resolve(position); };
    const use = async () => {
      const position = shown();
      try {
        await get("/api/position", { board: position.board.size, connect: position.board.connect, position: position.rows });
        end(position);
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    const button = (text, onclick, properties = {}) => h("button", { type: "button", onclick, ...properties }, text);
    dialog.append(
      h("h2", {}, "Set up a position"),
      h("div", { class: "row", role: "radiogroup", "aria-label": "What a click does" },
        choice("0", "first player's disc"), choice("1", "second player's disc"), choice("off", "take off")),
      board.element, problem,
      h("div", { class: "row" },
        button("Empty", () => { stacks = stacks.map(() => []); draw(); }),
        button("Cancel", () => end(null)), button("Begin from here", use, { class: "primary" })),
    );
    dialog.addEventListener("cancel", () => end(null));
    document.body.append(dialog);
    draw();
    dialog.showModal();
  });
}
