// Controls for two agents against each other: pause, single moves, speed.

import { button, h } from "./dom.js";

const MILLISECONDS = [2000, 1000, 400, 0];
const NAMES = ["slow", "medium", "fast", "immediate"];

/** The controls. `changed` is called on pause and resume, `step` for a single move. */
export class AutoplayControls {
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
    this.element = h("div", { class: "row controls autoplay", hidden: true }, this.pause,
      button("One move", () => { this.#isPaused = true; step(); }), h("label", { class: "speed" }, "Speed", speed));
  }

  /** Whether the agents are paused. */
  get isPaused() {
    return this.#isPaused && !this.element.hidden;
  }

  show(isWanted) {
    this.element.hidden = !isWanted;
    if (!isWanted) this.#isPaused = false;
    this.pause.textContent = this.isPaused ? "Resume" : "Pause";
  }
}
