// How a game stands, in a sentence for whoever sits before it.

import { inWords, signed } from "./words.js";

const NAMES = ["first player", "second player"];

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Return the sentence; `score` is what the position is worth where that is known, else null. */
export function standing(position, sides, { isThinking = false, score = null } = {}) {
  if (position.isOver) {
    if (position.winner === null) return "A draw.";
    return isYou(sides, position.winner) ? "You win!" : `${capital(who(sides, position.winner))} wins.`;
  }
  const mover = who(sides, position.turn);
  if (isThinking) return `${capital(mover)} is thinking …`;
  const worth = score === null ? "" : `${inWords(position, score)} (${signed(score)})`;
  if (!isYou(sides, position.turn)) return `${capital(mover)} to move${worth && ` and ${worth}`}.`;
  return worth ? `Your turn: you ${worth.replace(/^(win|lose|draw)s/, "$1")}.` : "Your turn.";
}

/** Return what happened to a game, for those who do not see it: a move, or a walk to another place. */
export function happened(how, { position, board, path }) {
  if (path.length === 1) return "At the start.";
  const move = `${NAMES[position.at(...position.last)]} plays column ${board.name(position.last[0])}.`;
  return how === "drop" ? capital(move) : `At move ${path.length - 1}: ${move}`;
}

/** Whether a player is the one human who plays against an agent. */
function isYou(sides, player) {
  return sides[player].isHuman && !sides[1 - player].isHuman;
}

function who(sides, player) {
  const side = sides[player];
  return side.isHuman ? NAMES[player] : `${NAMES[player]} (${side.name})`;
}
