// Agents by their specs, and their decisions, in the shapes of the server.

import { kept } from "../kept.js";
import { Board } from "../rules.js";
import { dataOf } from "./kernels.js";
import { MinimaxSearch } from "./minimax.js";
import { MonteCarloSearch, Stream } from "./montecarlo.js";
import { perfectMove } from "./perfect.js";
import { centerOrder, oneHot, ongoing } from "./positions.js";

const FLAGS = { yes: true, true: true, 1: true, no: false, false: false, 0: false };
/** Limits of a decision that an agent supports, by its family. */
const LIMITS = { minimax: ["seconds", "depth", "nodes"], montecarlo: ["seconds", "iterations"], perfect: ["seconds"] };
const FAMILIES = { minimax: "minimax", alphabeta: "minimax", negamax: "minimax", uct: "montecarlo", flat: "montecarlo", breadth: "montecarlo" };
/** Searches in memory: the last ones. */
const MAX_SEARCHES = 2;

/** The agents of the page with their options, levels and caps. */
export const agentData = () => dataOf("agents");

/** Return the agent of a spec, which must play on a board: its text, family, algorithm and options; throw a sentence. */
export async function agentOf(spec, board) {
  const { agents } = await agentData();
  const text = spec.trim();
  const [name, ...rest] = text.split(":");
  const agent = agents.find((known) => known.name === name);
  if (!agent) throw new Error(`there is no agent '${name}' on this page: choose from ${agents.map((known) => known.name).join(", ")}`);
  const reason = unsupported(name, board);
  if (reason) throw new Error(`${text} cannot play here: ${reason}`);
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
  return { text, algorithm, family: FAMILIES[algorithm] ?? algorithm, options, budget: agent.defaults };
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
function unsupported(name, { isSolvable, size, connect, columns, rows }) {
  if (isSolvable || name === "random" || name === "greedy") return null;
  return `this page searches boards of columns * (rows + 1) <= 64 bits; ${size} connect ${connect} takes ${columns * (rows + 1)}`;
}

/** Return the limits of a decision by name, each the smaller of the agent's and the asked one, or null. */
const boundsOf = (names, ...limits) => Object.fromEntries(names.map((name) => {
  const known = limits.map((limit) => limit[name]).filter(Number.isFinite);
  return [name, known.length ? Math.min(...known) : null];
}));

/** Searches by spec and board, each used by one request at a time. */
const searches = new Map();

/** Return the result of `use(search)` with the search of an agent, once no other request uses it. */
function withSearch({ text }, board, load, use) {
  const known = kept(searches, `${text} ${board.size} ${board.connect}`, load, MAX_SEARCHES);
  known.last = Promise.allSettled([known.last]).then(async () => use(await known)); // the last use of a search
  return known.last;
}

const PLAYERS = {
  async random({ position, random }) {
    const { legal } = position;
    return { column: legal[random.below(legal.length)], policy: position.stacks.map((_, column) => (legal.includes(column) ? 1 / legal.length : 0)) };
  },

  async greedy({ position, options }) {
    const runs = position.stacks.map((_, column) => (position.isLegal(column) ? longestRun(position.play(column)) : null));
    const [wins, blocks] = [options.win ? position.wins() : [], options.block ? position.wins(1 - position.turn) : []];
    const column = [...wins, ...blocks][0] ?? runs.indexOf(Math.max(...runs.filter((run) => run !== null)));
    return { column, policy: oneHot(column, position), depth: 1, nodes: position.legal.length, details: { values: runs, values_are: "run" } };
  },

  async minimax({ position, agent, options, limit, job }) {
    const { depth, opening_discs: discs } = await agentData();
    const [center] = centerOrder(position.board);
    if (options.start === "center" && position.ply < discs && position.isLegal(center)) {
      return { column: center, value: 0, policy: oneHot(center, position), details: { reason: "opens in the center" } };
    }
    const bounds = boundsOf(LIMITS.minimax, options, limit);
    if (options.depth !== "full" && Object.values(bounds).every((bound) => bound === null)) bounds.depth = depth;
    return withSearch(agent, position.board, () => MinimaxSearch.load(position.board, agent.algorithm, options), (search) => {
      if (!options.keep) search.clear();
      return search.search(position, bounds, job);
    });
  },

  async montecarlo({ position, agent, options, limit, random, job }) {
    let bounds = boundsOf(LIMITS.montecarlo, options, limit);
    if (bounds.iterations === null && bounds.seconds === null) bounds = boundsOf(LIMITS.montecarlo, agent.budget);
    return withSearch(agent, position.board, () => MonteCarloSearch.load(position.board, options), (search) => search.search(position, bounds, random, job));
  },

  perfect({ position, options, limit, random, job }) {
    return perfectMove(position, options, limit.seconds ?? null, () => random.share(), job);
  },
};

/** Return the length of the longest run through the last disc. */
const longestRun = (position) => Math.max(...position.runs(...position.last).map((run) => run.length));

/** Return the decision of an agent, as the server does. */
async function move({ agent: spec = "alphabeta:depth=4", limit: asked = {}, seed = null, ...query }, job) {
  const position = ongoing(query);
  const agent = await agentOf(spec, position.board);
  const { caps } = await agentData();
  const supported = LIMITS[agent.family] ?? [];
  const other = Object.keys(asked).find((name) => Number.isFinite(asked[name]) && !supported.includes(name));
  if (other) throw new Error(`${agent.text} cannot be limited by ${other}: it supports ${supported.join(", ") || "no limit"}`);
  const limit = Object.fromEntries(supported.flatMap((name) => (Number.isFinite(asked[name]) ? [[name, Math.min(asked[name], caps[name] ?? Infinity)]] : [])));
  const used = Number(seed ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
  const start = performance.now();
  job.seconds = caps.seconds;
  const decision = await PLAYERS[agent.family]({ position, agent, options: agent.options, limit, random: new Stream(used), job });
  const { column, line, details: { visits, ...details } = {}, ...others } = decision;
  return {
    agent: agent.text, seed: used, value: null, policy: null, score: null, depth: null, nodes: null, iterations: null, tree: null, ...others,
    column: column + 1, visits: visits ?? null, seconds: (performance.now() - start) / 1000, line: line ? line.map((each) => position.board.name(each)).join("") : null, details,
  };
}

export const routes = {
  "api/agents": async ({ board = "7x6", connect = 4 }) => {
    const size = Board.parse(board, Number(connect));
    const { agents, levels, caps } = await agentData();
    const answer = ({ defaults, ...agent }) => {
      const reason = unsupported(agent.name, size);
      return { ...agent, plays: reason === null, unsupported_reason: reason };
    };
    return { agents: agents.map(answer), levels, caps };
  },
  "api/move": move,
};
