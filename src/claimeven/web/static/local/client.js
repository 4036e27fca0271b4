// The page's side of a worker: requests, their events, and cancellation.

import { text } from "../texts.js";

/** A worker at an address, started by the first request, and again after it has stopped. */
export class Client {
  #worker = null;
  #last = 0;
  #requests = new Map(); // number -> the function that receives the events of a request

  constructor(address = new URL("./worker.js", import.meta.url)) {
    this.address = address;
  }

  /**
   * Send a request; `onEvent(name, data)` is called for each event. Returns the data of `done`; throws
   * an error with a `status` for `error`, and an `AbortError` after cancellation.
   */
  request(path, query, onEvent = () => {}, signal = undefined) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      signal?.addEventListener("abort", () => {
        if (this.#requests.delete(id)) this.#worker?.postMessage({ id, cancel: true });
        reject(signal.reason);
      });
      const ends = { done: resolve, error: ({ error, status }) => reject(Object.assign(new Error(error), { status })) };
      this.#requests.set(id, (event, data) => {
        if (!(event in ends)) return onEvent(event, data);
        this.#requests.delete(id);
        return ends[event](data);
      });
      this.#running().postMessage({ id, path, query });
    });
  }

  /** Start the worker before its first request. */
  start() {
    this.#running();
  }

  /** Stop the worker; requests in progress fail with a sentence. */
  close(sentence = text("api.closed")) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const receive of [...this.#requests.values()]) receive("error", { error: sentence, status: 503 });
  }

  #running() {
    if (!this.#worker) {
      this.#worker = new Worker(this.address, { type: "module" });
      this.#worker.onmessage = ({ data: { id, event, data } }) => this.#requests.get(id)?.(event, data);
      this.#worker.onerror = (event) => {
        event.preventDefault();
        this.close(text("api.lost"));
      };
    }
    return this.#worker;
  }
}

const client = new Client();

/** Send a request to the worker of this page, see `Client`. */
export const request = (...given) => client.request(...given);

/** Start the worker of this page early: its files load while the page draws the board. */
export const start = () => client.start();
