// Players and scores in words.

import { text } from "./texts.js";

/** Return the color of a player's discs, which the user may have swapped. */
export function playerName(player, isFlipped = globalThis.document?.documentElement.classList.contains("flipped")) {
  return text((player === 0) === !isFlipped ? "players.yellow" : "players.red");
}

/** Return a sentence of the server, in English, with the players' names as the page shows them. */
export function withShownColors(sentence) {
  return sentence.replace(/\b(Yellow|Red)\b/g, (name) => playerName(name === "Yellow" ? 0 : 1));
}

/** Return a column's score in words: "wins in 5 moves", for the side to move; `group` has the texts. */
export function inWords(position, score, group = "worth") {
  if (score === null) return null;
  if (score === 0) return text(`${group}.draws`);
  const count = Math.ceil(pliesToEnd(position, score) / 2);
  return text(`${group}.${score > 0 ? "wins" : "loses"}${count === 1 ? "Now" : ""}`, { count });
}

/** Return how many discs both sides still play with best play, by the score for the side to move. */
export function pliesToEnd({ board, ply }, score) {
  if (score === 0) return board.cells - ply;
  // A side with a score of s has s - 1 discs left after its last one; the side to move plays an odd number of plies.
  const least = board.cells + 1 - ply - 2 * Math.abs(score);
  return least + Math.abs((least + (score > 0 ? 1 : 0)) % 2);
}

/** Return a text with a capital letter. */
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** Return "win", "draw" or "loss" for a score, or an empty string if it is unknown. */
export const outcomeOf = (score) => (score === null ? "" : ["loss", "draw", "win"][Math.sign(score) + 1]);

/** Return a score with its sign, with a typographic minus. */
export function signed(score) {
  if (score === 0) return "0";
  return score > 0 ? `+${score}` : `\u2212${-score}`;
}
