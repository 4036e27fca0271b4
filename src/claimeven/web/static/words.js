// Scores in words and signs.

/** Say a column's score in words, as the server does: "wins in 5 moves" of the side to move. */
export function inWords(position, score) {
  if (score === null) return null;
  if (score === 0) return "draws";
  const moves = movesToEnd(position, score);
  return `${score > 0 ? "wins" : "loses"} in ${moves} ${moves === 1 ? "move" : "moves"}`;
}

/**
 * Moves of the winner from a position until the game is over, by its score for the side to move:
 * a score of s is a win that leaves its winner s - 1 discs.
 */
function movesToEnd(position, score) {
  const { cells } = position.board;
  const mine = (ply, turn) => Math.floor((ply + 1 - turn) / 2);
  const winner = score > 0 ? position.turn : 1 - position.turn;
  const total = winner === 0 ? Math.ceil(cells / 2) : Math.floor(cells / 2);
  return total - Math.abs(score) + 1 - mine(position.ply, winner);
}

/** Show a score with its sign: a true minus, so that it is seen. */
export function signed(score) {
  if (score === 0) return "0";
  return score > 0 ? `+${score}` : `\u2212${-score}`;
}
