// Players, scores and times in words.

/** Name a player by the color of the discs, which people may have swapped. */
export function playerName(player, isFlipped = document.documentElement.classList.contains("flipped")) {
  return ["Yellow", "Red"][isFlipped ? 1 - player : player];
}

const inMoves = (plies) => {
  const moves = Math.ceil(plies / 2);
  return `${moves} ${moves === 1 ? "move" : "moves"}`;
};

/**
 * Say a sentence of the server as the page does: players by their colors, times in moves. `ply` are the
 * discs on the board that it speaks of, if they are known.
 */
export function plain(sentence, ply = null) {
  const instead = (own, best, way) => (ply === null ? `${inMoves(Math.abs(own - best))} ${way}`
    : `in ${inMoves(own - ply)} instead of ${Math.ceil((best - ply) / 2)}`);
  return sentence
    .replace(/(?:the )?(first|second) player/gi, (_, which) => playerName(which.toLowerCase() === "first" ? 0 : 1))
    .replace(/ with disc \d+, (?=in |at once)/g, " ")
    .replace(/in (\d+) plies/g, (_, plies) => `in ${inMoves(plies)}`)
    .replace(/but with disc (\d+) instead of disc (\d+)/g, (_, late, soon) => `but ${instead(late, soon, "later")}`)
    .replace(/sooner, to disc (\d+) instead of disc (\d+)/g, (_, soon, late) => instead(soon, late, "sooner"))
    .replace(/disc (\d+)/gi, (_, disc) => `${playerName((disc - 1) % 2)}'s move ${Math.ceil(disc / 2)}`);
}

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
