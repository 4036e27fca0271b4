// Elements made in a line each. No inline styles or scripts: the page's policy forbids them.

const SVG = "http://www.w3.org/2000/svg";
/** Milliseconds in which a repeated input belongs to the gesture before. */
export const SAME_GESTURE = 400;

/** Return an HTML element: properties (on... are listeners, others attributes) and children. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

let tapped = -Infinity;

/** Whether a click begins a gesture: the second one of a double click or of a double tap does not. */
export function isFirstClick({ detail, pointerType, timeStamp }) {
  const isTapped = pointerType === "touch" && timeStamp - tapped < SAME_GESTURE;
  if (pointerType === "touch") tapped = timeStamp;
  return detail < 2 && !isTapped;
}

/** Return a button that does something. */
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}

/** Return an SVG element. */
export function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** Paths in a box of 16 by 16. Letters for them are missing in many fonts. */
const ICONS = {
  first: "M3 3h2v10H3ZM13 3v10L6 8Z",
  back: "M12 3v10L4 8Z",
  on: "M4 3v10l8-5Z",
  last: "M11 3h2v10h-2ZM3 3v10l7-5Z",
  whole: "M2 2h5v2H4v3H2ZM9 2h5v5h-2V4H9ZM2 9h2v3h3v2H2ZM12 9h2v5H9v-2h3Z",
};

/** Return a sign, as large as the text and of its colour; it says nothing by itself. */
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

/** What is to be done once all that was changed before has been painted, or at once. */
export class AfterPaint {
  #next = null;

  /** Do it after the next frame; what was to be done then and was not yet is left out. */
  soon(action) {
    this.#next = action;
    const now = () => this.#next === action && this.now(action);
    requestAnimationFrame(() => setTimeout(now));
    setTimeout(now, 100); // a page that is not looked at paints nothing
  }

  /** Do it at once, and nothing later. */
  now(action) {
    this.#next = null;
    action();
  }
}

/** Whether somebody asked for less motion. */
export function wantsStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Tell people who do not see the page what happened, or what it is worth: one does not cut the other off. */
export function say(text, where = "said") {
  const region = document.getElementById(where);
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
