// Agents by their specs, and their decisions, in the shapes of the server.

import { Board } from "../rules.js";
import { fileOf } from "./kernels.js";
import { MinimaxSearch, minimaxDecision } from "./minimax.js";
import { MonteCarloSearch, Stream } from "./montecarlo.js";
import { perfectMove } from "./perfect.js";
import { centerOrder, ongoing } from "./positions.js";

const FLAGS = { yes: true, true: true, 1: true, no: false, false: false, 0: false };
/** Limits of a decision that an agent supports, by its family. */
const LIMITS = { minimax: ["seconds", "depth", "nodes"], montecarlo: ["seconds", "iterations"], perfect: ["seconds"] };
const FAMILIES = { minimax: "minimax", alphabeta: "minimax", negamax: "minimax", uct: "montecarlo", flat: "montecarlo", breadth: "montecarlo" };
/** Searches in memory: the last ones. */
const MAX_SEARCHES = 2;

let data = null;

/** Return the agents of the page with their options, levels and caps. */
export function agentData() {
  data ??= fileOf(new URL("../../data/agents.json", import.meta.url)).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  data.catch(() => { data = null; });
  return data;
}

/** Return the agent of a spec: its name, family, algorithm and all its options; throw a sentence. */
export async function agentOf(spec) {
  const { agents } = await agentData();
  const text = spec.trim();
  const [name, ...rest] = text.split(":");
  const agent = agents.find((known) => known.name === name);
  if (!agent) throw new Error(`there is no agent '${name}' on this page: choose from ${agents.map((known) => known.name).join(", ")}`);
  const given = {};
  for (const part of rest.length && rest.join(":") ? rest.join(":").split(",") : []) {
    const [option, value] = part.split(/=(.*)/s).map((word) => word.trim());
    if (!option || !value) throw new Error(`'${part}' in '${text}' is not of the form option=value`);
    if (option in given) throw new Error(`'${text}' has ${option} twice`);
    given[option] = value;
  }
  const names = agent.options.map((option) => option.name);
  const unknown = Object.keys(given).find((option) => !names.includes(option));
  if (unknown) throw new Error(`${name} has no option '${unknown}': it takes ${names.join(", ") || "none"}`);
  const options = { ...agent.defaults };
  for (const option of agent.options) options[option.name] = option.name in given ? parsed(option, given[option.name], name) : option.default;
  const algorithm = name.split("-")[0];
  return { name, text, algorithm, family: FAMILIES[algorithm] ?? algorithm, options, budget: agent.defaults };
}

function parsed({ name, type, takes, low, high, choices }, text, agent) {
  const readers = { flag: () => FLAGS[text.toLowerCase()], int: whole, float: Number, depth: () => (text === "full" ? text : whole(text)) };
  const value = (readers[type] ?? String)(text);
  const fits = typeof value !== "number" || (value >= (low ?? -Infinity) && value <= (high ?? Infinity));
  if (value === undefined || !fits || (choices.length && !choices.includes(value))) throw new Error(`${name}=${text} of ${agent}: ${name} takes ${takes}`);
  return value;
}

const whole = (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : NaN);

/** Return the reason why an agent does not play on a board, or null. */
function unsupported(family, board) {
  if (board.isSolvable || family === "random" || family === "greedy") return null;
  return `this page searches boards of columns * (rows + 1) <= 64 bits; ${board.size} connect ${board.connect} takes ${board.columns * (board.rows + 1)}`;
}

/** Return the limits of a decision: the smaller of two. */
function least(first, second) {
  const limits = { ...first };
  for (const [name, value] of Object.entries(second)) if (value !== null) limits[name] = Math.min(value, limits[name] ?? Infinity);
  return limits;
}

const given = (options, names) => Object.fromEntries(names.map((name) => [name, options[name] === "full" ? null : options[name] ?? null]));

/** Searches by spec and board, each used by one request at a time. */
const searches = new Map();

/** Call a function with the search of an agent, made by `load`, once no other request uses it. */
async function withSearch({ text }, board, load, use) {
  const key = `${text} ${board.size} ${board.connect}`;
  const known = searches.get(key) ?? { search: load(), last: Promise.resolve() };
  searches.delete(key);
  searches.set(key, known);
  if (searches.size > MAX_SEARCHES) searches.delete(searches.keys().next().value);
  const result = known.last.then(async () => use(await known.search));
  known.last = result.catch(() => searches.delete(key));
  return result;
}

const PLAYERS = {
  async random({ position, random }) {
    const { legal, board } = position;
    const policy = Array.from({ length: board.columns }, (_, column) => (position.isLegal(column) ? 1 / legal.length : 0));
    return { column: legal[random.below(legal.length)], policy };
  },

  async greedy({ position, options }) {
    const runs = Array.from({ length: position.board.columns }, (_, column) => (position.isLegal(column) ? longestRun(position, column, position.turn) : null));
    const wins = (player) => position.legal.find((column) => longestRun(position, column, player) >= position.board.connect);
    const column = (options.win ? wins(position.turn) : undefined) ?? (options.block ? wins(1 - position.turn) : undefined)
      ?? runs.indexOf(Math.max(...runs.filter((run) => run !== null)));
    return { column, policy: oneHot(column, position), depth: 1, nodes: position.legal.length, details: { values: runs, values_are: "run" } };
  },

  async minimax({ position, agent, options, limit, job }) {
    const { depth, opening_discs: discs } = await agentData();
    const [center] = centerOrder(position.board);
    if (options.start === "center" && position.ply < discs && position.isLegal(center)) {
      return { column: center, value: 0, policy: oneHot(center, position), details: { reason: "opens in the center" } };
    }
    const bounds = least(given(options, LIMITS.minimax), limit);
    if (options.depth !== "full" && Object.values(bounds).every((bound) => bound === null)) bounds.depth = depth;
    return withSearch(agent, position.board, () => MinimaxSearch.load(position.board, agent.algorithm, options), async (search) => {
      if (!options.keep) search.clear();
      return minimaxDecision(await search.search(position, bounds, job), position, options);
    });
  },

  async montecarlo({ position, agent, options, limit, random, job }) {
    let bounds = least(given(options, LIMITS.montecarlo), limit);
    if (bounds.iterations === null && bounds.seconds === null) bounds = given(agent.budget, LIMITS.montecarlo);
    return withSearch(agent, position.board, () => MonteCarloSearch.load(position.board, options), (search) => search.search(position, bounds, random, job));
  },

  perfect({ position, options, limit, random, job }) {
    return perfectMove(position, options, limit.seconds ?? null, () => random.share(), job);
  },
};

const oneHot = (column, { board }) => Array.from({ length: board.columns }, (_, each) => Number(each === column));

/** Return the length of a player's longest run through the next disc of a column. */
function longestRun(position, column, player) {
  const row = position.height(column);
  const along = (right, up) => {
    let length = 0;
    while (position.at(column + (length + 1) * right, row + (length + 1) * up) === player) length += 1;
    return length;
  };
  return Math.max(...[[1, 0], [0, 1], [1, 1], [1, -1]].map(([right, up]) => 1 + along(right, up) + along(-right, -up)));
}

/** Return the decision of an agent, as the server does. */
async function move({ agent: spec = "alphabeta:depth=4", limit: asked = {}, seed = null, ...query }, job) {
  const position = ongoing(query);
  const agent = await agentOf(spec);
  const { caps } = await agentData();
  const reason = unsupported(agent.family, position.board);
  if (reason) throw new Error(`${agent.text} cannot play here: ${reason}`);
  const limit = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null).map(([name, value]) => [name, Math.min(value, caps[name] ?? Infinity)]));
  const supported = LIMITS[agent.family] ?? [];
  const other = Object.keys(limit).find((name) => !supported.includes(name));
  if (other) throw new Error(`${agent.text} cannot be limited by ${other}: it supports ${supported.join(", ") || "no limit"}`);
  const used = seed === null ? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) : Number(seed);
  const start = performance.now();
  job.seconds = caps.seconds + 1;
  const timed = {
    get left() { return job.left; },
    pause: async () => {
      await job.pause();
      if (job.isLate) throw new Error(`the request took more than ${caps.seconds} s, the limit of this page: ask for less`);
    },
  };
  const decision = await PLAYERS[agent.family]({ position, agent, options: agent.options, limit, random: new Stream(used), job: agent.family === "perfect" ? job : timed });
  const { column, value = null, policy = null, score = null, depth = null, nodes = null, iterations = null, line = null, details: { visits = null, ...details } = {} } = decision;
  return {
    agent: agent.text, seed: used, column: column + 1, value, policy, score, depth, nodes, visits, iterations,
    seconds: (performance.now() - start) / 1000, line: line && line.map((each) => position.board.name(each)).join(""), tree: null, details,
  };
}

export const routes = {
  "api/agents": async ({ board = "7x6", connect = 4 }) => {
    const size = Board.parse(board, Number(connect));
    const { agents, levels, caps } = await agentData();
    const answer = ({ defaults, ...agent }) => {
      const algorithm = agent.name.split("-")[0];
      const reason = unsupported(algorithm, size);
      return { ...agent, plays: reason === null, unsupported_reason: reason };
    };
    return { agents: agents.map(answer), levels, caps };
  },
  "api/move": move,
};
