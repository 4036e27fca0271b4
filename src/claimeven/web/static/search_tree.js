// Drawings of a search tree: the part around a path from the top down, or the whole from left to right.

import { s } from "./dom.js";
import { text } from "./texts.js";

const WIDE = { width: 130, height: 64, gap: 12, row: 118, text: 14, line: 17 };
const NARROW = { width: 58, height: 42, gap: 6, row: 84, text: 12, line: 15 };
const TYPED = { width: 84, height: 74, gap: 8, row: 112, text: 17, line: 20 };
const FLAT = { width: 104, height: 24, gap: 5, row: 156, text: 13, line: 15 };
/** Width of the names of the levels. */
const LEVEL = 74;
/** Maximum number of nodes in a row with their full texts. */
const MAX_WIDE_NODES = 12;

/** Return the name of the node after moves, in long and in short. */
export function titleOf(moves, noun = "column") {
  return moves ? { title: text(`search.${noun}`, { moves: moves.at(-1) }), short: moves.at(-1) } : { title: text("search.root"), short: text("search.root") };
}

/** Return moves in words. */
export const namedMoves = (moves, noun = "column") => (moves ? text(`search.${noun}`, { moves: [...moves].join(text("search.then")) }) : text("search.theRoot"));

/**
 * Return the open nodes as rows, from the root down. A node has `moves` (its name), `title`,
 * `short` (both for narrow boxes), `lines` of text, `state` (a class), `isHere` (on the path),
 * `weight` (of the edge from above, 0 to 1), `opens` (whether there is anything below).
 * `isOpen(node)` says which nodes show their children, `childrenOf(moves)` gives them.
 */
export function rowsOf(root, childrenOf, isOpen) {
  const rows = [[root]];
  for (let row = rows[0]; row.length;) {
    row = row.flatMap((node) => {
      node.below = isOpen(node) ? childrenOf(node.moves) : [];
      node.below.forEach((child) => { child.above = node; });
      return node.below;
    });
    if (row.length) rows.push(row);
  }
  return rows;
}

/**
 * Return the names of the nodes to open so that about `most` nodes are shown: the heaviest first, or
 * with `isBroad` row by row; also whether this is the whole tree.
 */
export function nodesToOpen(root, childrenOf, most, isBroad) {
  const open = new Set();
  const waiting = [root];
  let shown = 1;
  while (waiting.length) {
    const next = isBroad ? 0 : waiting.reduce((best, node, at) => ((node.weight ?? 1) > (waiting[best].weight ?? 1) ? at : best), 0);
    const [node] = waiting.splice(next, 1);
    const children = childrenOf(node.moves);
    if (shown + children.length > most) return { open, isAll: false };
    open.add(node.moves);
    shown += children.length;
    // The weight of an edge is a share of its parent; the product is the share of all visits.
    waiting.push(...children.filter((child) => child.opens).map((child) => ({ ...child, weight: (child.weight ?? 1) * (node.weight ?? 1) })));
  }
  return { open, isAll: true };
}

/**
 * Draw rows from the top down. `chosen(node)` is called for a click; `levels` name the rows in turn:
 * their `name` and the `player` to move. With `isTidy` each node is above the middle of its children.
 */
export function drawTree(rows, chosen, levels = null, isTidy = false) {
  if (isTidy) placeLeaves(rows[0][0]);
  const most = isTidy ? rows.flat().filter((node) => !node.below.length).length : Math.max(...rows.map((row) => row.length));
  const size = most > MAX_WIDE_NODES ? NARROW : isTidy ? TYPED : WIDE;
  const step = size.width + size.gap;
  const textOf = (node) => (size === NARROW ? [node.short, node.brief ?? node.lines.at(-1)] : [node.title, ...node.lines]);
  const room = levels ? LEVEL : 0;
  const width = room + most * step + size.gap;
  const pieces = (levels ? rows : []).flatMap((_, depth) => levelOf(levels, depth, { left: 0, top: size.gap + depth * size.row, width, height: size.height }));
  rows.forEach((row, depth) => row.forEach((node, index) => {
    const place = isTidy ? node.place : most / 2 + index - row.length / 2;
    node.x = room + (place + 0.5) * step + size.gap / 2;
    node.y = size.gap + depth * size.row;
    if (depth) pieces.push(edge(node, [node.above.x, node.above.y + size.height], [0, 30], [node.x, node.y]));
  }));
  const boxes = rows.flat().map((node) => box(node, node.x - size.width / 2, node.y, size, textOf(node), chosen));
  const drawing = frame(width, (rows.length - 1) * size.row + size.height + 2 * size.gap, size, [...pieces, ...boxes]);
  drawing.style.setProperty("--least", Math.min(width, room + most * step * 0.78));
  return drawing;
}

/** Give the leaves below a node consecutive places, and each other node the middle of its children's. */
function placeLeaves(node, next = 0) {
  if (!node.below.length) {
    node.place = next;
    return next + 1;
  }
  const end = node.below.reduce((at, child) => placeLeaves(child, at), next);
  node.place = (node.below[0].place + node.below.at(-1).place) / 2;
  return end;
}

/** Draw rows from left to right, with one line of text for each node. */
export function drawWholeTree(rows, chosen, levels = null) {
  const size = FLAT;
  const room = levels ? 2 * size.height : 0;
  let leaves = 0;
  const place = (node) => {
    node.below.forEach(place);
    node.y = node.below.length ? node.below[0].y : room + size.gap + leaves++ * (size.height + size.gap);
  };
  place(rows[0][0]);
  rows.forEach((row, depth) => row.forEach((node) => { node.x = size.gap + depth * size.row; }));
  const middle = size.height / 2;
  const edgeOf = (node, above) => edge(node, [above.x + size.width, above.y + middle], [26, 0], [node.x, node.y + middle], 0.6);
  const edges = rows.slice(1).flat().map((node) => edgeOf(node, node.above));
  const boxes = rows.flat().map((node) => box(node, node.x, node.y, size, [`${node.short}: ${node.brief ?? node.lines.at(-1)}`], chosen));
  const width = (rows.length - 1) * size.row + size.width + 3 * size.gap;
  const names = (levels ? rows : []).flatMap((_, depth) => levelOf(levels, depth, { left: size.gap / 2 + depth * size.row, top: 0, width: size.width + size.gap, height: room + leaves * (size.height + size.gap) }, 6));
  const drawing = frame(width, room + leaves * (size.height + size.gap) + size.gap, size, [...names, ...edges, ...boxes]);
  drawing.classList.add("whole");
  return drawing;
}

/** Return the band of a level, starting at the root, with its name and the disc of the player to move. */
function levelOf(levels, depth, { left, top, width, height }, above = height / 2 - 18) {
  const { name, player } = levels[depth % levels.length];
  const [x, y, kind] = [left + 16, top + above + 18, `player-${player + 1}`];
  return [
    s("rect", { class: `band ${kind}`, x: left, y: top - 4, width, height: height + 8, rx: 8 }),
    s("g", { class: kind }, s("circle", { class: "body", cx: x, cy: y, r: 11 }), s("circle", { class: "mark", cx: x, cy: y, r: player ? 3 : 6 })),
    s("text", { class: "level", x: x + 16, y: y + 5 }, name),
  ];
}

function frame(width, height, size, pieces) {
  const drawing = s("svg", { class: "search-tree", viewBox: `0 0 ${width} ${height}` }, pieces);
  drawing.style.setProperty("--width", width);
  drawing.style.setProperty("--height", height);
  drawing.style.setProperty("--text", `${size.text}px`);
  return drawing;
}

function edge(node, from, bend, to, scale = 1) {
  const [right, down] = bend;
  return s("path", {
    class: `edge ${node.state} ${node.isHere ? "here" : ""}`,
    d: `M${from}C${from[0] + right},${from[1] + down} ${to[0] - right},${to[1] - down} ${to}`,
    "stroke-width": 1.5 + 12 * scale * (node.weight ?? 0),
  });
}

function box(node, left, top, size, lines, chosen) {
  const middle = left + size.width / 2;
  const mayOpen = node.opens && !node.isHere;
  const name = [node.title, ...node.lines].filter(Boolean).join(" ");
  const element = s("g", {
    class: `node ${node.state} ${node.isHere ? "here" : ""} ${node.isMost ? "most" : ""}`,
    role: "button", tabindex: mayOpen ? 0 : -1,
    "aria-expanded": mayOpen ? String(node.below.length > 0) : null, "data-moves": node.moves,
    onclick: () => chosen(node),
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      chosen(node);
    },
  }, s("title", {}, name), s("rect", { x: left, y: top, width: size.width, height: size.height, rx: size.height / 6 }),
  lines.map((line, index) => s("text", {
    class: index ? "" : "title", x: middle, y: top + size.line + 1 + index * size.line, "text-anchor": "middle",
  }, line)));
  if (node.opens && !node.below.length) {
    const [x, y] = size === FLAT ? [left + size.width + 4, top + size.height / 2] : [middle, top + size.height + 4];
    element.append(s("path", { class: "more", d: size === FLAT ? `M${x},${y - 6}v12l7,-6Z` : `M${x - 6},${y}h12l-6,7Z` }));
  }
  return element;
}
