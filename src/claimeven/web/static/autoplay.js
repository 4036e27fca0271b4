// Controls for two agents against each other: pause, single moves, speed.

import { button, h } from "./dom.js";
import { text } from "./texts.js";

const MILLISECONDS = [2000, 1000, 400, 0];

/** The controls. `changed` is called on pause and resume, `step` for a single move. */
export class AutoplayControls {
  #isPaused = false;
  milliseconds = MILLISECONDS[2];

  constructor(changed, step) {
    const names = text("autoplay.speeds");
    this.pause = button(text("autoplay.pause"), () => { this.#isPaused = !this.#isPaused; changed(); });
    const speed = h("input", {
      type: "range", min: 0, max: 3, step: 1, value: 2, "aria-label": text("autoplay.speed"), "aria-valuetext": names[2],
      oninput: () => {
        this.milliseconds = MILLISECONDS[speed.value];
        speed.setAttribute("aria-valuetext", names[speed.value]);
      },
    });
    this.element = h("div", { class: "row controls autoplay", hidden: true }, this.pause,
      button(text("autoplay.step"), () => { this.#isPaused = true; step(); }), h("label", { class: "speed" }, text("autoplay.speed"), speed));
  }

  /** Whether the agents are paused. */
  get isPaused() {
    return this.#isPaused && !this.element.hidden;
  }

  show(isWanted) {
    this.element.hidden = !isWanted;
    if (!isWanted) this.#isPaused = false;
    this.pause.textContent = text(this.isPaused ? "autoplay.resume" : "autoplay.pause");
  }
}
