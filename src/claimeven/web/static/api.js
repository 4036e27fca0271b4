// Requests to the server, and streams of events; all can be cancelled. A page without a server has
// `<meta name="backend" content="worker">`: there a worker answers the same requests.

import { embed } from "./embedded.js";
import { text } from "./texts.js";

/** Whether the page has a worker instead of a server. */
export const isLocal = document.querySelector("meta[name=backend]")?.content === "worker";
/** Agents with own code that the server was started with, by their specs. */
export const BOTS = JSON.parse(document.querySelector("meta[name=bots]")?.content ?? "[]");
/** Abilities that only a server has. */
const NEEDS_SERVER = ["reasons", "files", "tournament", "puct"];
const hasKernels = typeof BigInt === "function" && typeof WebAssembly === "object" && "toSorted" in Array.prototype;

/**
 * Whether this page can do something: "compute" scores and moves, give "reasons" for each column,
 * read "files" of games, show a "tournament", search by "puct".
 */
export function can(what) {
  return !isLocal || (what === "compute" ? hasKernels : !NEEDS_SERVER.includes(what));
}

/** The sentence for a server or a file that cannot be reached. */
export const unreachable = () => text(isLocal ? "api.noFile" : "api.noServer");

const local = isLocal && can("compute") ? import("./local/client.js") : null;
local?.then((client) => client.start(), () => {}); // a request reports the error
// The solver is loaded while the page loads; a failure is reported by the next request.
if (local && !embed) local.then(({ request }) => request("api/load", {})).catch(() => {});

function address(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size ? `${path}?${search}` : path;
}

/** Replace network errors by a sentence; pass cancellation on. */
function rethrow(error) {
  throw error.name === "AbortError" ? error : new Error(unreachable());
}

/** Return the answer of the worker. */
async function fromWorker(...asked) {
  if (!can("compute")) throw new Error(text("api.cannotCompute"));
  return (await local.catch(rethrow)).request(...asked);
}

async function checked(request) {
  const response = await request.catch(rethrow);
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw Object.assign(new Error(body.error ?? text("api.status", { status: String(response.status) })), body);
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
 * throws the sentence of `error`.
 */
export async function events(path, query, onEvent, signal = undefined) {
  if (isLocal) return fromWorker(path, query, onEvent, signal);
  const response = await checked(fetch(address(path, query), { signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let received = "";
  for (;;) {
    const { value, done } = await reader.read().catch(rethrow);
    if (done) throw new Error(text("api.stopped"));
    received += value;
    const parts = received.split("\n\n");
    received = parts.pop();
    for (const part of parts) {
      const [, event, content] = /^event: (.*)\ndata: (.*)$/m.exec(part) ?? [];
      if (!event) continue; // a comment that keeps the connection
      const data = JSON.parse(content);
      if (event === "error") throw new Error(data.error);
      if (event === "done") return data;
      onEvent(event, data);
    }
  }
}

/** Wait; cancellation throws the same error as a cancelled request. */
export function wait(milliseconds, signal = undefined) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    });
  });
}
