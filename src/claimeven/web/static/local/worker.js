// The worker of a page without a server: it answers the requests of `api.js` with the compiled
// kernels, in the shapes of the server.
//
// The page sends `{id, path, query}` or `{id, cancel: true}`. The worker sends `{id, event, data}`; the
// last event is `done` or `error`. Jobs run in slices, so that a long one delays no other.

import { kept } from "../kept.js";

/** The modules of the routes, loaded at the first request of one. Each exports `routes`. */
const MODULES = {
  "./score_routes.js": ["api/scores", "api/scores/events", "api/book", "api/status", "api/load", "api/score"],
  "./review_routes.js": ["api/review", "api/review/events", "api/explanation"],
  "./puzzle_routes.js": ["api/puzzles", "api/puzzles/daily", "api/puzzles/attempt", "api/puzzles/hints"],
  "./agents.js": ["api/agents", "api/move"],
  "./traces.js": ["api/search/minimax", "api/search/montecarlo"],
};
/** Milliseconds of a slice, and the time limit of a job in seconds, which the address may have. */
const SLICE = 15;
const SECONDS = Number(new URL(location).searchParams.get("seconds")) || 60;
/** Errors of the program, not of a request. */
const FAULTS = [TypeError, ReferenceError, RangeError, WebAssembly.RuntimeError, WebAssembly.LinkError];

const loaded = new Map(); // modules by file
const jobs = new Map();
const paused = []; // functions that resume jobs
const bell = new MessageChannel();
let resumedAt = performance.now(); // when messages were last let in
bell.port2.onmessage = () => {
  resumedAt = performance.now();
  paused.shift()();
};

/** A request in progress. A route may change `seconds`, its time limit. */
class Job {
  seconds = SECONDS;
  isCancelled = false;
  #start = performance.now();

  constructor(id) {
    this.id = id;
  }

  get elapsed() {
    return (performance.now() - this.#start) / 1000;
  }

  get isLate() {
    return this.elapsed >= this.seconds;
  }

  /** Milliseconds until the next pause. */
  get left() {
    return Math.max(0, resumedAt + SLICE - performance.now());
  }

  send(event, data) {
    if (!this.isCancelled) postMessage({ id: this.id, event, data });
  }

  /** Let messages and other jobs in, if the slice is over; throw if the job was cancelled. */
  async pause() {
    if (!this.left) {
      await new Promise((resume) => {
        paused.push(resume);
        bell.port1.postMessage(null);
      });
    }
    if (this.isCancelled) throw new DOMException("cancelled", "AbortError");
  }
}

function problem(sentence, status) {
  return Object.assign(new Error(sentence), { status });
}

async function routeOf(path) {
  const file = Object.keys(MODULES).find((each) => MODULES[each].includes(path));
  if (!file) throw problem(`This page has no server for ${path}.`, 404);
  const module = kept(loaded, file, () => import(file).catch(() => {
    throw problem(`The file ${file.slice(2)} cannot be loaded. Are you offline?`, 503);
  }));
  return (await module).routes[path];
}

async function answer({ id, path, query }) {
  const job = new Job(id);
  jobs.set(id, job);
  try {
    job.send("done", await (await routeOf(path))(query, job));
  } catch (error) {
    const isFault = FAULTS.some((Kind) => error instanceof Kind);
    if (isFault) console.error(error);
    const sentence = isFault ? `The page failed at this request: ${error.message}` : error.message;
    job.send("error", { error: sentence, status: error.status ?? (isFault ? 500 : 422) });
  } finally {
    jobs.delete(id);
  }
}

onmessage = ({ data }) => {
  if (!data.cancel) answer(data);
  else if (jobs.has(data.id)) jobs.get(data.id).isCancelled = true;
};
routeOf("api/scores").catch(() => {}); // the most frequent one, before its first request
