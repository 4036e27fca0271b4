// The state of a game in a sentence.

import { inWords, playerName } from "./words.js";

/** Return the sentence; `score` is the score of the position, null if unknown. */
export function statusText(position, sides, { isThinking = false, score = null } = {}) {
  if (position.isOver) {
    if (position.winner === null) return "A draw.";
    return isYou(sides, position.winner) ? "You win!" : `${nameOf(sides, position.winner)} wins.`;
  }
  const mover = nameOf(sides, position.turn);
  if (isThinking) return `${mover} is thinking …`;
  const worth = score === null ? "" : inWords(position, score);
  if (!isYou(sides, position.turn)) return `${mover} to move${worth && ` and ${worth}`}.`;
  return worth ? `Your turn: you ${worth.replace(/^(win|lose|draw)s/, "$1")}.` : "Your turn.";
}

/** Return a change of a game for screen readers: a move, or a step to another place. */
export function changeText(how, { position, board, path }) {
  if (path.length === 1) return "At the start.";
  const name = playerName(position.at(...position.last));
  const column = `column ${board.name(position.last[0])}.`;
  return how === "drop" ? `${name} plays ${column}` : `At ${name}'s move ${Math.ceil(position.ply / 2)}: ${column}`;
}

/** Whether a player is a human against an agent. */
export function isYou(sides, player) {
  return sides[player].isHuman && !sides[1 - player].isHuman;
}

function nameOf(sides, player) {
  const side = sides[player];
  return side.isHuman ? playerName(player) : `${playerName(player)} (${side.name})`;
}
