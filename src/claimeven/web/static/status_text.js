// The state of a game in a sentence.

import { text } from "./texts.js";
import { inWords, playerName } from "./words.js";

/** Return the sentence; `score` is the score of the position, null if unknown. */
export function statusText(position, sides, { isThinking = false, score = null } = {}) {
  if (position.isOver) {
    if (position.winner === null) return text("status.draw");
    return isYou(sides, position.winner) ? text("status.youWin") : text("status.wins", { name: nameOf(sides, position.winner) });
  }
  const name = nameOf(sides, position.turn);
  if (isThinking) return text("status.thinking", { name });
  const isYours = isYou(sides, position.turn);
  const worth = inWords(position, score, isYours ? "yourWorth" : "worth");
  return text(`status.${isYours ? "yourTurn" : "toMove"}${worth ? "And" : ""}`, { name, worth });
}

/** Return a change of a game for screen readers: a move, or a step to another place. */
export function changeText(how, { position, board, path }) {
  if (path.length === 1) return text("status.start");
  const values = { name: playerName(position.at(...position.last)), column: board.name(position.last[0]) };
  return text(how === "drop" ? "status.plays" : "status.at", { ...values, count: Math.ceil(position.ply / 2) });
}

/** Whether a player is a human against an agent. */
export function isYou(sides, player) {
  return sides[player].isHuman && !sides[1 - player].isHuman;
}

function nameOf(sides, player) {
  const side = sides[player];
  return side.isHuman ? playerName(player) : text("status.agent", { color: playerName(player), agent: side.name });
}
