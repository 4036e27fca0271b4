// The address of the page: a link to its current content.

import { BOTS } from "./api.js";
import { frameParameters } from "./embedded.js";
import { Board, Position, played } from "./rules.js";
import { text } from "./texts.js";

const SIDES = ["first", "second"];
/** Default players. */
const DEFAULT_SIDES = BOTS.length ? ["human", ...BOTS.slice(0, 2)].slice(-2) : ["human", "perfect:level=4"];
/** The player of a side who gets the game by link. */
export const FRIEND = "friend";
/** Maximum number of lines in an address. */
const MAX_LINES = 150;

/** Names of views in links of earlier versions. */
const OLD_VIEWS = { practise: "puzzles", live: "tournament" };

/**
 * Whether a friend moves next: the link is for the friend then, with the players the other way
 * round. The browser's history notes that, so that a reload does not swap them.
 */
function isForFriend({ game, sides = [] }) {
  return Boolean(game) && sides[game.line.at(-1).position.turn]?.spec === FRIEND;
}

/** Return the content of the page's address; `problem` is a sentence if it is invalid. */
export function readAddress(given = location.search) {
  const search = new URLSearchParams(given);
  const view = search.get("view") ?? "play";
  const wanted = { view: OLD_VIEWS[view] ?? view, problem: null, analysis: search.get("analysis") };
  Object.assign(wanted, { start: new Position(new Board()), moves: "", lines: [], at: Infinity });
  wanted.sides = SIDES.map((side, player) => search.get(side) ?? DEFAULT_SIDES[player]);
  // Seconds for a move of an agent; empty if missing or invalid.
  wanted.seconds = SIDES.map((side) => (Number(search.get(`${side}-seconds`)) > 0 ? search.get(`${side}-seconds`) : ""));
  if (history.state?.isForFriend) for (const each of [wanted.sides, wanted.seconds]) each.reverse();
  try {
    const board = Board.parse(search.get("board") ?? "7x6", Number(search.get("connect") ?? 4));
    const drawn = search.get("position");
    const start = drawn ? Position.fromRows(drawn, board) : new Position(board);
    const moves = search.get("moves") ?? search.get("pos") ?? "";
    const lines = (search.get("lines") ?? "").split(".").filter(Boolean).slice(0, MAX_LINES);
    for (const line of [moves, ...lines]) played(start, line);
    const at = Number.parseInt(search.get("at") ?? "", 10);
    return { ...wanted, start, moves, lines, at: at >= 0 ? at : Infinity };
  } catch (error) {
    return { ...wanted, problem: text("rules.link", { problem: error.message }) };
  }
}

/** Return the address of a game; `more` has further parameters of a view. */
export function addressOf({ view = "play", game, sides = [], analysis = null, more = {} }) {
  const search = new URLSearchParams();
  if (view !== "play") search.set("view", view);
  if (game) {
    const { board, start, path, line, lines } = game;
    if (board.size !== "7x6") search.set("board", board.size);
    if (board.connect !== 4) search.set("connect", board.connect);
    if (start.ply) search.set("position", start.rows);
    const moves = game.moves(line.at(-1));
    if (moves) search.set("moves", moves);
    if (path.length < line.length) search.set("at", path.length - 1);
    if (lines.length > 1) search.set("lines", lines.slice(0, MAX_LINES).join("."));
  }
  const players = isForFriend({ game, sides }) ? [...sides].reverse() : sides;
  SIDES.forEach((side, player) => {
    const { spec, seconds } = players[player] ?? {};
    if (!spec) return;
    if (spec !== DEFAULT_SIDES[player]) search.set(side, spec);
    if (seconds && spec !== "human" && spec !== FRIEND) search.set(`${side}-seconds`, seconds);
  });
  if (analysis) search.set("analysis", analysis);
  for (const [name, value] of Object.entries(more)) {
    if (value) search.set(name, value);
  }
  for (const [name, value] of frameParameters) search.set(name, value);
  const query = search.toString().replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",");
  return `${location.pathname}${query ? `?${query}` : ""}`;
}

/** Update the page's address without a step in the browser's history. */
export function updateAddress(state) {
  const address = addressOf(state);
  const kept = isForFriend(state) ? { isForFriend: true } : null;
  if (address === location.pathname + location.search && Boolean(kept) === Boolean(history.state?.isForFriend)) return;
  try {
    history.replaceState(kept, "", address);
  } catch {
    // Browsers limit the number of updates; the next change tries again.
  }
}
