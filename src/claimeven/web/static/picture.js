// The board as a picture with its frame and the columns' names, with explicit colors.

import { h, s } from "./dom.js";

/** Space around the cells, and below them for the names. */
const [MARGIN, BELOW] = [30, 58];
const STYLES = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "opacity"];

/** Return the board of a view as an SVG blob. */
export function svgOf(view) {
  const drawing = view.element.querySelector("svg");
  const cells = drawing.cloneNode(true);
  const [from, to] = [drawing, cells].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[index].setAttribute(name, style.getPropertyValue(name));
    to[index].removeAttribute("class");
  });
  const { width, height } = drawing.viewBox.baseVal;
  const frame = getComputedStyle(view.element.querySelector(".panel-frame"));
  const names = view.board ? Array.from({ length: view.board.columns }, (_, column) => s("text", {
    x: (column + 0.5) * (width / view.board.columns), y: height + MARGIN + 40, "text-anchor": "middle",
    "font-family": "system-ui, sans-serif", "font-size": 34, fill: getComputedStyle(view.names[column]).color,
  }, view.board.name(column))) : [];
  const [wide, high] = [width + 2 * MARGIN, height + 2 * MARGIN + BELOW];
  const picture = s("svg", { viewBox: `${-MARGIN} ${-MARGIN} ${wide} ${high}`, width: wide, height: high },
    s("rect", { x: -MARGIN, y: -MARGIN, width: wide, height: high, fill: getComputedStyle(document.body).backgroundColor }),
    s("rect", { x: 2 - MARGIN, y: 2 - MARGIN, width: wide - 4, height: height + 2 * MARGIN - 4, rx: 32, fill: frame.backgroundColor, stroke: frame.borderTopColor, "stroke-width": 4 }),
    [...cells.childNodes], names);
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

/** Return the board of a view as a PNG blob. */
export async function pngOf(view) {
  const image = new Image();
  image.src = URL.createObjectURL(svgOf(view));
  await image.decode();
  const canvas = h("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** Save a blob as a file. */
export function saveAs(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
