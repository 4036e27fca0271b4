// The page's side of the worker: requests, their events, and cancellation.

const LOST = "The part of the page that computes has stopped. Try again, or reload the page: the game is in its address.";

let worker = null;
let last = 0;
const requests = new Map(); // number -> the functions that settle a request

/** Return the worker; a new one after the last has stopped. */
function running() {
  if (worker) return worker;
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, event, data } }) => requests.get(id)?.(event, data);
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    worker = null;
    for (const receive of [...requests.values()]) receive("error", { error: LOST, status: 503 });
  };
  return worker;
}

/**
 * Send a request; `onEvent(name, data)` is called for each event. Returns the data of `done`; throws
 * an error with a `status` for `error`, and an `AbortError` after cancellation.
 */
export function request(path, query, onEvent = () => {}, signal = undefined) {
  return new Promise((resolve, reject) => {
    last += 1;
    const id = last;
    const settle = (how, value) => {
      requests.delete(id);
      signal?.removeEventListener("abort", cancel);
      how(value);
    };
    const cancel = () => {
      worker?.postMessage({ id, cancel: true });
      settle(reject, new DOMException("cancelled", "AbortError"));
    };
    if (signal?.aborted) {
      reject(new DOMException("cancelled", "AbortError"));
      return;
    }
    signal?.addEventListener("abort", cancel);
    requests.set(id, (event, data) => {
      if (event === "done") settle(resolve, data);
      else if (event === "error") settle(reject, Object.assign(new Error(data.error), { status: data.status }));
      else onEvent(event, data);
    });
    running().postMessage({ id, path, query });
  });
}
