// The part of a search tree around a path: for each node of the path a row of its children.

import { s } from "./dom.js";

const [WIDTH, HEIGHT, GAP, ROW] = [108, 64, 12, 118];

/**
 * Draw levels, from the root down. A level is a list of nodes: `moves` (its name), `title`, `lines`
 * of text, `state` (a class), `isHere` (on the path), `weight` (of the edge from above, 0 to 1).
 * `chosen(moves)` is called for a click.
 */
export function drawTree(levels, chosen) {
  const most = Math.max(1, ...levels.map((level) => level.length));
  const width = most * (WIDTH + GAP) + GAP;
  const height = (levels.length - 1) * ROW + HEIGHT + 2 * GAP;
  const x = (level, index) => width / 2 + (index - (level.length - 1) / 2) * (WIDTH + GAP);
  const y = (depth) => GAP + depth * ROW;
  const edges = [];
  const boxes = [];
  levels.forEach((level, depth) => {
    const above = levels[depth - 1];
    const parent = above ? above.findIndex((node) => node.isHere) : -1;
    level.forEach((node, index) => {
      const [cx, top] = [x(level, index), y(depth)];
      if (parent >= 0) {
        const from = [x(above, parent), y(depth - 1) + HEIGHT];
        edges.push(s("path", {
          class: `edge ${node.state} ${node.isHere ? "here" : ""}`,
          d: `M${from}C${from[0]},${from[1] + 30} ${cx},${top - 30} ${cx},${top}`,
          "stroke-width": 1.5 + 12 * (node.weight ?? 0),
        }));
      }
      boxes.push(box(node, cx - WIDTH / 2, top, () => chosen(node.moves)));
    });
  });
  const drawing = s("svg", { class: "search-tree", viewBox: `0 0 ${width} ${height}` }, edges, boxes);
  drawing.style.setProperty("min-width", `${Math.min(width, most * 84)}px`);
  drawing.style.setProperty("max-width", `${width * 1.25}px`);
  return drawing;
}

function box(node, left, top, onclick) {
  const lines = [node.title, ...node.lines];
  const texts = lines.map((line, index) => s("text", {
    class: index ? "" : "title", x: left + WIDTH / 2, y: top + 18 + index * 17, "text-anchor": "middle",
  }, line));
  return s("g", {
    class: `node ${node.state} ${node.isHere ? "here" : ""}`, onclick, role: "img", "aria-label": lines.join(", "),
  }, s("rect", { x: left, y: top, width: WIDTH, height: HEIGHT, rx: 10 }), texts);
}
