// Share, load and save: links, move strings, files, pictures, another board.

import { can, post } from "./api.js";
import { button, h, announce } from "./dom.js";
import { pngOf, saveAs, svgOf } from "./picture.js";
import { Board } from "./rules.js";
import { playerName } from "./words.js";

/** Maximum size of a file in bytes. */
const MAX_BYTES = 2_000_000;

export function gamePanel(view) {
  const message = h("p", { class: "hint-text", role: "status" });
  const showMessage = (text) => { message.textContent = text; announce(text); };
  const moves = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "such as 4455", "aria-label": "Moves" });
  /** Show the sentence that an action returns, or why it fails. */
  const attempt = async (action, what = "") => {
    try {
      const sentence = await action();
      if (sentence) showMessage(sentence);
    } catch (error) {
      showMessage(what + error.message);
    }
  };
  const load = (board, line, message) => attempt(() => {
    view.load(board, line);
    const count = view.game.line.length - 1;
    return message ?? `${count} move${count === 1 ? "" : "s"} loaded.`;
  });
  const loadTyped = (line) => {
    if (!line) showMessage("Type moves first, such as 4455.");
    else load(view.game.board, line, view.game.start.ply ? "Moves loaded, from the empty board." : undefined);
  };
  const games = new Games((game, message) => load(Board.parse(game.board, game.connect), game.moves, message));
  const open = (found) => attempt(async () => {
    if (found.size > MAX_BYTES) throw new Error("A file may have at most 2 MB.");
    const { size: board, connect } = view.game.board;
    games.show(await post("api/records", { text: await found.text(), name: found.name, board, connect }));
  }, `${found.name}: `);
  const file = h("input", {
    type: "file", hidden: true, "aria-label": "File of games",
    accept: ".txt,.csv,.json,.jsonl,.openspiel,.data,text/plain",
    onchange: async () => { if (file.files[0]) await open(file.files[0]); file.value = ""; },
  });
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      showMessage(`${what} copied.`);
    } catch {
      moves.value = text;
      moves.select();
      showMessage("Copying is not allowed here: the text is selected in the field.");
    }
  };
  const save = async (kind, blob) => saveAs(await blob, `connect-four-${view.game.moves() || "empty"}.${kind}`);
  const copyPicture = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(view.board) })]);
      showMessage("Picture copied.");
    } catch {
      showMessage("Copying pictures is not allowed here: save the picture instead.");
    }
  };
  const size = h("input", { type: "text", value: view.game.board.size, "aria-label": "Board, columns x rows", size: 5 });
  const connect = h("input", { type: "number", min: 2, max: 8, value: view.game.board.connect, "aria-label": "Discs in a line that win" });
  view.game.addEventListener("change", () => {
    size.value = view.game.board.size;
    connect.value = view.game.board.connect;
  });
  return h("details", { class: "card" }, h("summary", {}, h("h2", {}, "Share, load, board")),
    h("div", { class: "row" }, button("Copy link", () => copy(view.address, "Link")),
      button("Copy moves", () => copy(view.game.moves(view.game.line.at(-1)), "Moves")),
      button("Copy picture", copyPicture), button("Save SVG", () => save("svg", svgOf(view.board))),
      button("Save PNG", () => save("png", pngOf(view.board)))),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); loadTyped(moves.value.trim()); } },
      moves, h("button", {}, "Load moves"), can("files") ? [button("Open a file", () => file.click()), file] : []),
    games.element,
    h("form", {
      class: "row", onsubmit: (event) => {
        event.preventDefault();
        attempt(() => view.setBoard(size.value, Number(connect.value)).then(() => "New board."));
      },
    }, h("label", {}, "Board ", size), h("label", {}, "connect ", connect), h("button", {}, "Use"),
    button("Set up a position", () => view.edit())),
    message);
}

/** The games of a file: the first one is shown, the others can be chosen. */
class Games {
  /** `choose(game, message)` shows a game; `message` describes it. */
  constructor(choose) {
    this.choose = choose;
    this.list = h("select", { "aria-label": "Game of the file", onchange: () => this.#chosen() });
    this.element = h("label", { class: "row", hidden: true }, "Game ", this.list);
  }

  show({ games, unreadable, first_error: firstError, truncated }) {
    this.games = games;
    this.list.replaceChildren(...games.map((game, at) => h("option", { value: at }, `${at + 1}: ${about(game)}`)));
    this.element.hidden = games.length < 2;
    const others = [
      truncated ? "The file has more games, which are not shown." : "",
      unreadable ? `${unreadable} cannot be read (${firstError}).` : "",
    ].filter(Boolean);
    this.#chosen(others);
  }

  #chosen(others = []) {
    const at = Number(this.list.value);
    const game = this.games[at];
    const which = this.games.length > 1 ? `Game ${at + 1} of ${this.games.length}: ` : "";
    const order = game.has_move_order ? [] : ["The file has only a position: the order of the discs is made up."];
    this.choose(game, [`${which}${about(game)}.`, ...order, ...others].join(" "));
  }
}

function about({ first, second, moves, result, fault }) {
  const [yellow, red] = [playerName(0), playerName(1)];
  const names = first || second ? `${first || yellow} against ${second || red}, ` : "";
  const end = { first: `${yellow} won`, second: `${red} won`, draw: "a draw", unfinished: "not finished" }[result];
  return `${names}${moves.length} discs, ${end}${fault ? ` by a fault (${fault})` : ""}`;
}
