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
