// Share, load and save: links, move strings, files, pictures, another board.

import { h, say } from "./dom.js";
import { columnsOf, Position } from "./rules.js";

export function gamePanel(view) {
  const told = h("p", { class: "hint-text", role: "status" });
  const tell = (text) => { told.textContent = text; say(text); };
  const moves = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "such as 4455", "aria-label": "Moves" });
  const load = (text) => {
    try {
      const line = movesIn(text);
      const { board } = view.game;
      columnsOf(line, board);
      view.newGame(new Position(board));
      view.isGoing = false;
      view.game.replay(line);
      tell(`${line.length} moves loaded.`);
    } catch (error) {
      tell(error.message);
    }
  };
  const file = h("input", {
    type: "file", accept: ".txt,.csv,.json,.jsonl,text/plain", hidden: true,
    onchange: async () => { if (file.files[0]) load(await file.files[0].text()); file.value = ""; },
  });
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`${what} copied.`);
    } catch {
      moves.value = text;
      moves.select();
      tell("Copying is not allowed here: it stands in the field, selected.");
    }
  };
  const button = (text, onclick) => h("button", { type: "button", onclick }, text);
  const size = h("input", { type: "text", value: view.game.board.size, "aria-label": "Board, columns x rows", size: 5 });
  const connect = h("input", { type: "number", min: 2, max: 8, value: view.game.board.connect, "aria-label": "Discs in a line that win" });
  view.game.addEventListener("change", () => {
    size.value = view.game.board.size;
    connect.value = view.game.board.connect;
  });
  return h("details", { class: "card" }, h("summary", {}, h("h2", {}, "Share, load, board")),
    h("div", { class: "row" }, button("Copy link", () => copy(view.address, "The link")),
      button("Copy moves", () => copy(view.game.moves(view.game.line.at(-1)), "The moves")),
      button("Save SVG", () => savePicture(view, "svg")), button("Save PNG", () => savePicture(view, "png"))),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); load(moves.value); } },
      moves, h("button", {}, "Load moves"), button("Open a file", () => file.click()), file),
    h("form", {
      class: "row", onsubmit: async (event) => {
        event.preventDefault();
        try { await view.setBoard(size.value, Number(connect.value)); tell("A new board."); } catch (error) { tell(error.message); }
      },
    }, h("label", {}, "Board ", size), h("label", {}, "connect ", connect), h("button", {}, "Use"),
    button("Set up a position", () => view.edit())),
    told);
}

/** Return the first string of moves in a text: a line of columns, or the moves of a JSON game. */
function movesIn(text) {
  const found = /"moves"\s*:\s*"([^"]*)"/.exec(text);
  if (found) return found[1];
  const line = text.split("\n").map((each) => each.trim()).find((each) => each && !each.startsWith("#"));
  if (!line) throw new Error("There are no moves in it.");
  return line.split(/[\s,;]+/)[0];
}

/** Save the board as a picture, its colours written out. */
async function savePicture(view, kind) {
  const drawing = view.board.element.querySelector("svg");
  const copy = drawing.cloneNode(true);
  const [from, to] = [drawing, copy].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "opacity"]) {
      to[index].setAttribute(name, style.getPropertyValue(name));
    }
    to[index].removeAttribute("class");
  });
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const svg = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const name = `connect-four-${view.game.moves() || "empty"}.${kind}`;
  if (kind === "svg") {
    saveAs(svg, name);
    return;
  }
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  const canvas = h("canvas", { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => saveAs(blob, name), "image/png");
}

function saveAs(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
