// The server: answers, and streams of events that can be given up.

/** What the server refused or could not do; the message is a sentence for people. */
export class Refused extends Error {
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

/** Say in words that the server is gone; what was given up stays what it is. */
function translated(error) {
  if (error.name === "AbortError") throw error;
  throw new Refused("The server does not answer. Is it still running?", 0);
}

async function asked(request) {
  const response = await request.catch(translated);
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Refused(body.error ?? `The server answered ${response.status}.`, response.status);
}

export async function get(path, query = {}, signal = undefined) {
  return (await asked(fetch(address(path, query), { signal }))).json().catch(translated);
}

export async function post(path, body, signal = undefined) {
  const headers = { "content-type": "application/json" };
  return (await asked(fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal }))).json().catch(translated);
}

/**
 * Read a stream of events; `told(name, data)` is called for each. Returns the data of `done`;
 * throws `Refused` for `error`.
 */
export async function events(path, query, told, signal = undefined) {
  const response = await asked(fetch(address(path, query), { signal }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(translated);
    if (done) throw new Refused("The server ended the search.", 0);
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
      if (fields.event === "error") throw new Refused(data.error, data.status);
      if (fields.event === "done") return data;
      told(fields.event, data);
    }
  }
}

/** Wait so many milliseconds, unless it is given up, which throws as a request that is given up does. */
export function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("given up", "AbortError"));
    });
  });
}
