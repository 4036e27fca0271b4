// Players and scores in words.

/** Return the color of a player's discs, which the user may have swapped. */
export function playerName(player, isFlipped = globalThis.document?.documentElement.classList.contains("flipped")) {
  return ["Yellow", "Red"][isFlipped ? 1 - player : player];
}

/** Return a sentence of the server with the players' names as the page shows them. */
export function withShownColors(sentence) {
  return sentence.replace(/\b(Yellow|Red)\b/g, (name) => playerName(name === "Yellow" ? 0 : 1));
}

/** Return a column's score in words: "wins in 5 moves", for the side to move. */
export function inWords(position, score) {
  if (score === null) return null;
  if (score === 0) return "draws";
  const moves = Math.ceil(pliesToEnd(position, score) / 2);
  if (moves === 1) return score > 0 ? "wins immediately" : "loses to the next move";
  return `${score > 0 ? "wins" : "loses"} in ${moves} moves`;
}

/** Return how many discs both sides still play with best play, by the score for the side to move. */
export function pliesToEnd({ board, ply }, score) {
  if (score === 0) return board.cells - ply;
  // A side with a score of s has s - 1 discs left after its last one; the side to move plays an odd number of plies.
  const least = board.cells + 1 - ply - 2 * Math.abs(score);
  return least + Math.abs((least + (score > 0 ? 1 : 0)) % 2);
}

/** Return a text with a capital letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Return "win", "draw" or "loss" for a score, or an empty string if it is unknown. */
export const outcomeOf = (score) => (score === null ? "" : ["loss", "draw", "win"][Math.sign(score) + 1]);

/** Return a score with its sign, with a typographic minus. */
export function signed(score) {
  if (score === 0) return "0";
  return score > 0 ? `+${score}` : `\u2212${-score}`;
}
