// The exact solver for other pages; claimeven.d.ts has its types and their descriptions.

import { Client } from "./client.js";

export class Solver {
  #client;
  #board;

  static async load({ base = import.meta.url, board = "7x6", connect = 4, ...settings } = {}) {
    const address = new URL("worker.js", new URL(base, location.href));
    address.search = new URLSearchParams(settings);
    const solver = new Solver();
    solver.#client = new Client(address);
    solver.#board = { board, connect };
    await solver.#ask("api/load").catch((error) => {
      solver.close();
      throw error;
    });
    return solver;
  }

  #ask(path, moves = "", signal = undefined) {
    return this.#client.request(path, { ...this.#board, moves }, undefined, signal);
  }

  async score(moves, signal) {
    return (await this.#ask("api/score", moves, signal)).score;
  }

  async scores(moves, signal) {
    return (await this.#columns(moves, signal)).scores;
  }

  async bestMove(moves, signal) {
    return (await this.#columns(moves, signal)).best[0];
  }

  async #columns(moves, signal) {
    const answer = await this.#ask("api/scores", moves, signal);
    if (!answer.complete) throw new Error("The position was not solved within the time limit.");
    return answer;
  }

  close() {
    this.#client.close();
  }
}
