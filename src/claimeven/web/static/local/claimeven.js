// The exact solver for other pages: a small interface of the worker, with types in claimeven.d.ts.

import { Client } from "./client.js";

/** Exact scores of the positions of a board. Moves are a string of columns from 1, such as "4455". */
export class Solver {
  #client;
  #board;

  /**
   * Start a worker and load the solver. `base` is the address of the folder of worker.js, by default of
   * this file; `megabytes` is the size of the table, `seconds` the time limit of a call.
   */
  static async load({ base = import.meta.url, board = "7x6", connect = 4, ...settings } = {}) {
    const address = new URL("worker.js", new URL(base, location.href));
    address.search = new URLSearchParams(settings);
    const solver = new Solver();
    solver.#client = new Client(address);
    solver.#board = { board, connect };
    await solver.#client.request("api/load", solver.#board).catch((error) => {
      solver.close();
      throw error;
    });
    return solver;
  }

  #ask(path, moves, signal) {
    return this.#client.request(path, { ...this.#board, moves }, undefined, signal);
  }

  /** Return the score for the side to move: above 0 it wins, below 0 it loses, sooner at a greater distance from 0. */
  async score(moves, signal = undefined) {
    return (await this.#ask("api/score", moves, signal)).score;
  }

  /** Return the score of each column for the side to move, null for full columns. */
  async scores(moves, signal = undefined) {
    const { complete, scores } = await this.#ask("api/scores", moves, signal);
    if (!complete) throw new Error("The position was not solved within the time limit.");
    return scores;
  }

  /** Return the best column, from 1: the most central of equally good ones. */
  async bestMove(moves, signal = undefined) {
    return (await this.#ask("api/best", moves, signal)).column;
  }

  /** Stop the worker and free its memory. */
  close() {
    this.#client.close();
  }
}
