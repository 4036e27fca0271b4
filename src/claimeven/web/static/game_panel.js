// Share, load and save: links, move strings, files, pictures, another board.

import { can, post } from "./api.js";
import { button, h, announce } from "./dom.js";
import { Board } from "./rules.js";
import { text } from "./texts.js";
import { playerName } from "./words.js";

/** Maximum size of a file in bytes. */
const MAX_BYTES = 2_000_000;
const pictures = () => import("./picture.js");

export function gamePanel(view) {
  const message = h("p", { class: "hint-text", role: "status" });
  const showMessage = (sentence) => { message.textContent = sentence; announce(sentence); };
  const moves = h("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: text("game.example"), "aria-label": text("moves.name") });
  /** Show the sentence that an action returns, or why it fails. */
  const attempt = async (action, name = null) => {
    try {
      const sentence = await action();
      if (sentence) showMessage(sentence);
    } catch (error) {
      showMessage(name ? text("game.fileProblem", { name, problem: error.message }) : error.message);
    }
  };
  const load = (board, line, message) => attempt(() => {
    view.load(board, line);
    return message ?? text("game.loaded", { count: view.game.line.length - 1 });
  });
  const loadTyped = (line) => {
    if (!line) showMessage(text("game.typeFirst"));
    else load(view.game.board, line, view.game.start.ply ? text("game.loadedFromEmpty") : undefined);
  };
  const games = new Games((game, message) => load(Board.parse(game.board, game.connect), game.moves, message));
  const open = (found) => attempt(async () => {
    if (found.size > MAX_BYTES) throw new Error(text("game.tooLarge"));
    const { size: board, connect } = view.game.board;
    games.show(await post("api/records", { text: await found.text(), name: found.name, board, connect }));
  }, found.name);
  const file = h("input", {
    type: "file", hidden: true, "aria-label": text("game.file"),
    accept: ".txt,.csv,.json,.jsonl,.openspiel,.data,text/plain",
    onchange: async () => { if (file.files[0]) await open(file.files[0]); file.value = ""; },
  });
  const copy = async (copied, sentence) => {
    try {
      await navigator.clipboard.writeText(copied);
      showMessage(sentence);
    } catch {
      moves.value = copied;
      moves.select();
      showMessage(text("game.selected"));
    }
  };
  const save = (kind) => attempt(async () => {
    const { pngOf, saveAs, svgOf } = await pictures();
    saveAs(await { svg: svgOf, png: pngOf }[kind](view.board), `connect-four-${view.game.moves() || "empty"}.${kind}`);
  });
  const copyPicture = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": pictures().then(({ pngOf }) => pngOf(view.board)) })]);
      showMessage(text("game.pictureCopied"));
    } catch {
      showMessage(text("game.savePicture"));
    }
  };
  const size = h("input", { type: "text", value: view.game.board.size, "aria-label": text("game.size"), size: 5 });
  const connect = h("input", { type: "number", min: 2, max: 8, value: view.game.board.connect, "aria-label": text("game.connectName") });
  view.game.addEventListener("change", () => {
    size.value = view.game.board.size;
    connect.value = view.game.board.connect;
  });
  return h("details", { class: "card" }, h("summary", {}, h("h2", {}, text("game.share"))),
    h("div", { class: "row" }, button(text("game.copyLink"), () => copy(view.address, text("game.linkCopied"))),
      button(text("game.copyMoves"), () => copy(view.game.moves(view.game.line.at(-1)), text("game.movesCopied"))),
      button(text("game.copyPicture"), copyPicture), button(text("game.saveSvg"), () => save("svg")),
      button(text("game.savePng"), () => save("png"))),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); loadTyped(moves.value.trim()); } },
      moves, h("button", {}, text("game.load")), can("files") ? [button(text("game.open"), () => file.click()), file] : []),
    games.element,
    h("form", {
      class: "row", onsubmit: (event) => {
        event.preventDefault();
        attempt(() => view.setBoard(size.value, Number(connect.value)).then(() => text("game.newBoard")));
      },
    }, h("label", {}, text("game.board"), " ", size), h("label", {}, text("game.connect"), " ", connect), h("button", {}, text("game.use")),
    button(text("editor.title"), () => attempt(() => view.edit()))),
    message);
}

/** The games of a file: the first one is shown, the others can be chosen. */
class Games {
  /** `choose(game, message)` shows a game; `message` describes it. */
  constructor(choose) {
    this.choose = choose;
    this.list = h("select", { "aria-label": text("game.ofFile"), onchange: () => this.#chosen() });
    this.element = h("label", { class: "row", hidden: true }, text("game.one"), " ", this.list);
  }

  show({ games, unreadable, first_error: firstError, truncated }) {
    this.games = games;
    this.list.replaceChildren(...games.map((game, at) => h("option", { value: at }, `${at + 1}: ${about(game)}`)));
    this.element.hidden = games.length < 2;
    const others = [
      truncated ? text("game.truncated") : "",
      unreadable ? text("game.unreadable", { count: unreadable, problem: firstError }) : "",
    ].filter(Boolean);
    this.#chosen(others);
  }

  #chosen(others = []) {
    const at = Number(this.list.value);
    const game = this.games[at];
    const values = { number: at + 1, count: this.games.length, about: about(game) };
    const order = game.has_move_order ? [] : [text("game.noOrder")];
    this.choose(game, [text(this.games.length > 1 ? "game.oneOf" : "game.only", values), ...order, ...others].join(" "));
  }
}

function about({ first, second, moves, result, fault }) {
  const players = { first: first || playerName(0), second: second || playerName(1) };
  const named = first || second ? [text("game.against", players)] : [];
  const end = text(`game.results.${result}`, { name: playerName(result === "first" ? 0 : 1) });
  return [...named, text("game.discs", { count: moves.length }), fault ? text("game.byFault", { end, fault }) : end].join(", ");
}
