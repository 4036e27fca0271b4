// Two agents against each other: go on or pause, one move at a time, how fast.

import { button, h } from "./dom.js";

const MILLISECONDS = [2000, 1000, 400, 0];
const NAMES = ["slow", "calm", "quick", "at once"];

/** The controls. `changed` is told of pause and going on, `step` of a single move asked for. */
export class Pace {
  #isPaused = false;
  milliseconds = MILLISECONDS[2];

  constructor(changed, step) {
    this.pause = button("Pause", () => { this.#isPaused = !this.#isPaused; changed(); });
    const speed = h("input", {
      type: "range", min: 0, max: 3, step: 1, value: 2, "aria-label": "Speed", "aria-valuetext": NAMES[2],
      oninput: () => {
        this.milliseconds = MILLISECONDS[speed.value];
        speed.setAttribute("aria-valuetext", NAMES[speed.value]);
      },
    });
    this.element = h("div", { class: "row controls pace", hidden: true }, this.pause,
      button("One move", () => { this.#isPaused = true; step(); }), h("label", { class: "speed" }, "Speed", speed));
  }

  /** Whether the agents wait; where a person plays they never do. */
  get isPaused() {
    return this.#isPaused && !this.element.hidden;
  }

  show(isWanted) {
    this.element.hidden = !isWanted;
    if (!isWanted) this.#isPaused = false;
    this.pause.textContent = this.isPaused ? "Go on" : "Pause";
  }
}
