// The steps of searches: each event of a minimax search, each iteration of a Monte Carlo search.

import { agentData, agentOf } from "./agents.js";
import { MinimaxSearch, pliesTo } from "./minimax.js";
import { immediate, MonteCarloSearch, PROOF_NAMES, Stream } from "./montecarlo.js";
import { ongoing } from "./positions.js";
import { FLAT, MINIMAX, MONTECARLO } from "./slots.js";

const KINDS = ["enter", "return", "cut"];
/** Nodes or iterations between two pauses. */
const CHUNK = 200;
/** Recorded steps of that many nodes, each with up to three, and of returns from the nodes before. */
const ROOM = 3 * CHUNK + 256;

/** Return the agent of a request and the position; throw a sentence for an agent of another family. */
async function asked({ agent: spec, ...query }, family, examples) {
  const position = ongoing(query);
  const agent = await agentOf(spec, position.board);
  if (agent.family !== family) throw new Error(`agent must be a ${examples}, got ${agent.text}`);
  return { position, agent, limits: (await agentData()).trace };
}

/** Return steps of a minimax search, from `first_step` (0-based), for the side to move at the root. */
async function minimax({ depth = null, first_step: first = 0, steps: most = 2000, ...query }, job) {
  const { position, agent, limits } = await asked({ agent: "alphabeta", ...query }, "minimax", "minimax search such as minimax, alphabeta or negamax");
  const [{ algorithm, options }, { board, turn, ply: discs }] = [agent, position];
  const { evaluations, depth: usual } = await agentData();
  const empty = board.cells - discs;
  const deepest = Math.min(empty, Number(depth) || (options.depth === "full" ? empty : options.depth ?? usual));
  const search = await MinimaxSearch.load(board, algorithm, options, ROOM);
  const counters = { nodes: 0, evaluations: 0, cutoffs: 0, table_hits: 0 };
  const [path, steps] = [[], []];
  let count = 0;
  const record = (numbers) => {
    const [ply, skipped, low, high, worth] = ["STEP_PLY", "SKIPPED", "LOW", "HIGH", "VALUE"].map((field) => boundOf(numbers[MINIMAX[field]]));
    const kind = KINDS[numbers[MINIMAX.KIND]];
    const [alpha, beta] = ply % 2 ? [0 - high, 0 - low] : [low, high]; // for the side to move at the root
    const value = kind === "enter" ? null : ply % 2 ? 0 - worth : worth;
    const reason = kind === "enter" ? "" : reasonOf(kind, ply, skipped, Number(numbers[MINIMAX.REASON]), algorithm, turn);
    const counted = kind === "return" ? { [MINIMAX.EVALUATED]: "evaluations", [MINIMAX.FROM_TABLE]: "table_hits" }[reason] : { enter: "nodes", cut: "cutoffs" }[kind];
    if (counted) counters[counted] += 1;
    if (ply) path.splice(ply - 1, path.length, board.name(numbers[MINIMAX.COLUMN]));
    else path.length = 0;
    if (count >= first && count < Number(first) + Number(most)) {
      steps.push({
        step: count, kind, moves: path.join(""), depth: deepest - ply, alpha: finite(alpha), beta: finite(beta), window: [valueText(alpha), valueText(beta)],
        value, words: value === null ? null : valueText(value), plies_to_end: value === null ? null : pliesTo(value), reason, skipped, ...counters,
      });
    }
    count += 1;
  };
  search.start(position, deepest);
  for (let isDone = false; !isDone;) {
    isDone = search.slice(counters.nodes + CHUNK);
    search.takeSteps().forEach(record);
    if (counters.nodes > limits.max_positions) throw new Error(`the search visits more than ${limits.max_positions.toLocaleString("en")} positions: choose a lower depth`);
    await job.pause();
  }
  return {
    agent: agent.text, algorithm, evaluation: options.eval, evaluation_description: evaluations[options.eval][board.connect],
    depth: deepest, first_step: Number(first), total_steps: count, steps, counters,
  };
}

/** Return the reason of a value or a cut, as the textbook searches give it. */
function reasonOf(kind, ply, skipped, reason, algorithm, turn) {
  if (kind === "cut") {
    const why = algorithm === "negamax" ? "the opponent has better elsewhere"
      : ply % 2 ? "the root's side can already get alpha" : "the opponent can already get beta";
    return `${skipped} column${skipped > 1 ? "s" : ""} skipped: ${why}`;
  }
  const winner = ["Yellow", "Red"][(turn + ply + 1) % 2];
  return {
    [MINIMAX.BY_WIN]: `${winner} wins`, [MINIMAX.BY_DRAW]: "draw", [MINIMAX.BY_EVALUATION]: MINIMAX.EVALUATED, [MINIMAX.BY_TABLE]: MINIMAX.FROM_TABLE,
  }[reason] ?? (algorithm === "minimax" ? "best of all columns" : "best of the columns tried");
}

const boundOf = (word) => (word >= MINIMAX.INFINITY ? Infinity : word <= -MINIMAX.INFINITY ? -Infinity : Number(word));
const finite = (number) => (Number.isFinite(number) ? number : null);

/** Return a value in words: a proven result as the plies to the winning disc. */
function valueText(value) {
  if (!Number.isFinite(value)) return value > 0 ? "+inf" : "-inf";
  return pliesTo(value) === null ? String(value) : `${value > 0 ? "win" : "loss"} in ${pliesTo(value)}`;
}

/** Return iterations of a Monte Carlo search, phase by phase, from `first_step` (1-based), and its tree. */
async function montecarlo(query, job) {
  const { position, agent, limits } = await asked({ agent: "uct", ...query }, "montecarlo", "Monte Carlo search such as uct, flat or breadth");
  const { options } = agent;
  const [seed, first, most, depth, nodes] = [["seed", 0], ["first_step", 1], ["steps", 200], ["tree_depth", 8], ["tree_nodes", 200]].map(([name, usual]) => Number(query[name] ?? usual));
  const hasTrees = String(query.trees) === "true";
  const wanted = Number(query.iterations ?? options.iterations ?? limits.iterations);
  if (wanted > limits.max_iterations) throw new Error(`iterations must be at most ${limits.max_iterations.toLocaleString("en")}, got ${wanted.toLocaleString("en")}`);
  const requested = Math.max(0, Math.min(most, wanted + 1 - first));
  if (hasTrees && requested * nodes > limits.max_nodes) throw new Error(`trees of ${requested} iterations with ${nodes} nodes each are too large: ask for at most ${Math.floor(limits.max_nodes / nodes)} iterations, or for smaller trees`);
  const capacity = Math.min(options.capacity, 300 + wanted * position.board.columns); // all that it can use
  const search = await MonteCarloSearch.load(position.board, { ...options, capacity }, true);
  search.start(position, new Stream(seed).word());
  const obvious = immediate(position, options);
  const steps = [];
  let count = 0;
  while (!obvious && count < wanted) {
    const isShown = count + 1 >= first && count + 1 < first + most;
    const { path, ...step } = (isShown && stepOf(search, count + 1, position)) || {};
    const made = isShown ? Number(path !== undefined) : search.run(Math.min(CHUNK, (count + 1 < first ? first - 1 : wanted) - count));
    if (!made) break;
    count += made;
    if (isShown) steps.push(hasTrees ? { ...step, tree: treeOf(search, search.node(0), position, depth, nodes, path) } : step);
    await job.pause();
  }
  return {
    agent: agent.text, seed, method: options.method, c: options.c, scale: options.scale, first_step: first, total_steps: count, steps,
    tree: treeOf(search, obvious ?? search.node(0), position, depth, nodes),
  };
}

/** Make one iteration; return its phases and its `path` of columns, or null if the search is complete. */
function stepOf(search, iteration, position) {
  const { board } = position;
  const { state, board: playout, options } = search;
  const [before, used] = [search.node(0), search.used];
  const isFull = state.items[FLAT.CURSOR] === state.items[MONTECARLO.USED];
  state.items[MONTECARLO.DEPTH] = 0n;
  playout.items[MONTECARLO.MOVE_COUNT] = 0n;
  if (!search.run(1)) return null;
  const places = options.method === "uct" ? [...search.path.items.slice(0, Number(state.items[MONTECARLO.DEPTH]) + 1)].map(Number) : [];
  if (!places.length) {
    const leafAt = state.items[options.method === "flat" || isFull ? FLAT.LEAF : FLAT.CURSOR];
    for (let index = Number(leafAt) - 1; index >= 0; index = search.parents.items[index]) places.unshift(index);
  }
  const nodes = places.map((index) => search.node(index));
  const [leaf, level, path] = [nodes.at(-1), nodes.length - 1, nodes.slice(1).map((node) => node.column)];
  const change = search.node(0).total - before.total;
  const result = leaf.proof ? MONTECARLO.PROOF_RESULTS[leaf.proof] : level % 2 ? 0 - change : change;
  const proven = [];
  for (let at = level; options.solver && at >= 0 && nodes[at].proof; at--) proven.push(at);
  const expanded = Array.from({ length: search.used - used }, (_, child) => search.node(used + child).column + 1).sort((a, b) => a - b);
  const cells = playout.items.slice(MONTECARLO.MOVES, MONTECARLO.MOVES + Number(playout.items[MONTECARLO.MOVE_COUNT]));
  const simulated = [...cells].map((cell) => board.name(Math.floor((cell.toString(2).length - 1) / (board.rows + 1)))).join("");
  const selected = path.map((column) => board.name(column)).join("");
  return { path, iteration, selected, expanded, simulated, result: level % 2 ? result : 0 - result, from_model: false, proven }; // the result for the side to move at the root
}

/** Return the tree to a depth, with the most visited nodes and those next to a path: see `Forest.branch`. */
function treeOf(search, root, { board }, depth, limit, path = []) {
  const top = { node: root, depth: 0, isOnPath: path.length > 0, children: [], left: 0 };
  const waiting = [{ rank: 0, shown: top, parent: null }];
  for (let room = limit; waiting.length && room > 0; room--) {
    const least = waiting.reduce((best, { rank }, place) => (rank < waiting[best].rank ? place : best), 0);
    const [{ shown, parent }] = waiting.splice(least, 1);
    parent?.children.push(shown);
    if (parent) parent.left -= 1;
    if (shown.depth >= depth && !shown.isOnPath) continue;
    for (const node of shown.node.children) {
      shown.left += 1; // until it is shown
      if (!node.visits && !node.proof) continue;
      const isOnPath = shown.isOnPath && node.column === path[shown.depth] && shown.depth + 1 < path.length;
      const below = { node, depth: shown.depth + 1, isOnPath, children: [], left: 0 };
      waiting.push({ rank: shown.isOnPath ? -Infinity : -node.visits, shown: below, parent: shown });
    }
  }
  const data = ({ node, children, left }, parent, siblings) => {
    const { column, visits, total, mean, bonus, selection, share, proof, distance } = search.branch(node, parent, siblings);
    const all = children.length ? node.children.reduce((sum, child) => sum + child.visits, 0) : 0;
    return {
      move: parent ? board.name(column) : null, visits, total, mean, bonus: finite(bonus), selection: finite(selection), share,
      proof: PROOF_NAMES[proof], distance: proof ? distance : null, left_out: left,
      children: children.map((child) => data(child, node, all)).sort((a, b) => board.column(a.move) - board.column(b.move)),
    };
  };
  return data(top, null, 0);
}

export const routes = { "api/search/minimax": minimax, "api/search/montecarlo": montecarlo };
