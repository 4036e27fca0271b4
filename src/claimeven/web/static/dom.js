// Short functions for elements. The page's policy forbids inline styles and scripts.

const SVG = "http://www.w3.org/2000/svg";
/** Milliseconds within which a repeated input belongs to the same gesture. */
export const SAME_GESTURE = 400;

/** Return an HTML element: properties (on... are listeners, others attributes) and children. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

let tapped = -Infinity;

/** Whether a click starts a gesture: the second one of a double click or double tap does not. */
export function isFirstClick({ detail, pointerType, timeStamp }) {
  const isTapped = pointerType === "touch" && timeStamp - tapped < SAME_GESTURE;
  if (pointerType === "touch") tapped = timeStamp;
  return detail < 2 && !isTapped;
}

/** Return a button. */
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}

/** Return a text that breaks after its signs rather than inside its words. */
export const breakable = (text) => text.split(/(?<=[(,:]|\.(?!\d))/).flatMap((part) => [part, h("wbr")]);

/** Return an SVG element. */
export function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** Paths in a box of 16 by 16. */
const ICONS = {
  first: "M3 3h2v10H3ZM13 3v10L6 8Z",
  back: "M12 3v10L4 8Z",
  on: "M4 3v10l8-5Z",
  last: "M11 3h2v10h-2ZM3 3v10l7-5Z",
  system: "M8 1a7 7 0 1 0 0 14A7 7 0 1 0 8 1ZM8 3v10A5 5 0 1 1 8 3Z",
  light: "M8 5a3 3 0 1 0 0 6A3 3 0 1 0 8 5ZM7 0h2v3H7ZM7 13h2v3H7ZM0 7h3v2H0ZM13 7h3v2h-3ZM2 3.4 3.4 2l2 2L4 5.4ZM10.6 12 12 10.6l2 2-1.4 1.4ZM2 12.6l2-2L5.4 12l-2 2ZM10.6 4l2-2L14 3.4l-2 2Z",
  dark: "M6 1a7 7 0 1 0 9 9A6 6 0 0 1 6 1Z",
  whole: "M2 2h5v2H4v3H2ZM9 2h5v5h-2V4H9ZM2 9h2v3h3v2H2ZM12 9h2v5H9v-2h3Z",
};

/** Return an icon in the size and color of the text, hidden from screen readers. */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Runs an action after the next paint, or immediately. */
export class AfterPaint {
  #next = null;

  /** Run an action after the next frame, instead of a pending one. */
  soon(action) {
    this.#next = action;
    const now = () => this.#next === action && this.now(action);
    requestAnimationFrame(() => setTimeout(now));
    setTimeout(now, 100); // a hidden page has no frames
  }

  /** Run an action immediately, and drop a pending one. */
  now(action) {
    this.#next = null;
    action();
  }
}

/** Whether the user prefers reduced motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Announce a text to screen readers, in the region for events or the region for scores. */
export function announce(text, where = "announcements") {
  const region = document.getElementById(where);
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
