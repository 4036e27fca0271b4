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
  const moves = movesToEnd(position, score);
  if (moves === 1) return score > 0 ? "wins immediately" : "loses to the next move";
  return `${score > 0 ? "wins" : "loses"} in ${moves} moves`;
}

/**
 * Moves of the winner from a position until the game is over, by its score for the side to move:
 * with a score of s the winner has s - 1 discs left.
 */
function movesToEnd(position, score) {
  const { cells } = position.board;
  const mine = (ply, turn) => Math.floor((ply + 1 - turn) / 2);
  const winner = score > 0 ? position.turn : 1 - position.turn;
  const total = winner === 0 ? Math.ceil(cells / 2) : Math.floor(cells / 2);
  return total - Math.abs(score) + 1 - mine(position.ply, winner);
}

/** Return how many discs both sides still play with best play, by the score for the side to move. */
export function pliesToEnd(position, score) {
  if (score === 0) return position.board.cells - position.ply;
  return 2 * movesToEnd(position, score) - (score > 0 ? 1 : 0);
}

/** Return a score with its sign, with a typographic minus. */
export function signed(score) {
  if (score === 0) return "0";
  return score > 0 ? `+${score}` : `\u2212${-score}`;
}
