// Requests to the server, and streams of events; all can be cancelled. A page without a server has
// `<meta name="backend" content="worker">`: there a worker answers the same requests.

/** Whether the page has a worker instead of a server. */
export const isLocal = document.querySelector("meta[name=backend]")?.content === "worker";
const local = isLocal ? import("./local/client.js") : null;
/** Abilities that only a server has. */
const NEEDS_SERVER = ["reasons", "files", "tournament"];

/** Whether this page can do something: "reasons" for each column, "files" of games, "tournament". */
export function can(what) {
  return !isLocal || !NEEDS_SERVER.includes(what);
}

/** A request that failed; the message is a sentence for the user. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

function address(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size ? `${path}?${search}` : path;
}

/** Replace network errors by a sentence; pass cancellation on. */
function rethrow(error) {
  if (error.name === "AbortError") throw error;
  throw new RequestError("The server does not answer. Is it still running?", 0);
}

/** Return the answer of the worker. */
async function fromWorker(path, query, onEvent, signal) {
  try {
    return await (await local).request(path, query, onEvent, signal);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(error.message, error.status ?? 0);
  }
}

async function checked(request) {
  const response = await request.catch(rethrow);
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new RequestError(body.error ?? `The server answered ${response.status}.`, response.status);
}

export async function get(path, query = {}, signal = undefined) {
  if (isLocal) return fromWorker(path, query, undefined, signal);
  return (await checked(fetch(address(path, query), { signal }))).json().catch(rethrow);
}

export async function post(path, body, signal = undefined) {
  if (isLocal) return fromWorker(path, body, undefined, signal);
  const headers = { "content-type": "application/json" };
  return (await checked(fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal }))).json().catch(rethrow);
}

/**
 * Read a stream of events; `onEvent(name, data)` is called for each. Returns the data of `done`;
 * throws `RequestError` for `error`.
 */
export async function events(path, query, onEvent, signal = undefined) {
  if (isLocal) return fromWorker(path, query, onEvent, signal);
  const response = await checked(fetch(address(path, query), { signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(rethrow);
    if (done) throw new RequestError("The server stopped the search.", 0);
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(
        part.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
          const colon = line.indexOf(": ");
          return [line.slice(0, colon), line.slice(colon + 2)];
        }),
      );
      if (!fields.event) continue;
      const data = JSON.parse(fields.data);
      if (fields.event === "error") throw new RequestError(data.error, data.status);
      if (fields.event === "done") return data;
      onEvent(fields.event, data);
    }
  }
}

/** Wait; cancellation throws the same error as a cancelled request. */
export function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    });
  });
}
