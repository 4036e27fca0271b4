/** Where the solver runs, and the board. */
export interface Options {
  /** Address of the folder with worker.js, on the same origin; by default the folder of claimeven.js. */
  base?: string | URL;
  /** Size of the table: by default 16 to 64, by the memory of the device. */
  megabytes?: number;
  /** Time limit of a call; by default 60. A call that takes longer throws an error. */
  seconds?: number;
  /** Columns x rows, at most 64 for columns x (rows + 1); by default "7x6". */
  board?: string;
  /** Discs in a line that win, 2 to 8; by default 4. */
  connect?: number;
}

/** Exact scores of the positions of a board. Moves are a string of columns from 1, such as "4455". */
export class Solver {
  /** Start a worker and load the solver. Throws an error with a sentence if that fails. */
  static load(options?: Options): Promise<Solver>;
  /**
   * The score for the side to move. 0 is a draw. A side that wins with its last disc but n has the score
   * n + 1; the other side has minus that score.
   */
  score(moves: string, signal?: AbortSignal): Promise<number>;
  /** The score of each column for the side to move, null for full columns. */
  scores(moves: string, signal?: AbortSignal): Promise<(number | null)[]>;
  /** The best column, from 1: the most central of equally good ones. */
  bestMove(moves: string, signal?: AbortSignal): Promise<number>;
  /** Stop the worker and free its memory. */
  close(): void;
}
