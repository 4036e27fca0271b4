// The compiling of a server that was just installed: shown above the view until all is ready.

import { get } from "./api.js";
import { h } from "./dom.js";

const MILLISECONDS = 1000;

/** Show what the server compiles before a view; returns once nothing is left to compile. */
export async function showWarming(view) {
  const shown = h("p", { class: "hint-text banner warming", role: "status", hidden: true });
  view.before(shown);
  for (;;) {
    const status = await get("/api/status").catch(() => ({ ready: true }));
    if (status.ready) break;
    const left = status.steps_made ? "What does not need it answers already." : "The first answers come after it.";
    const text = `Compiling, once after an installation: ${status.waits_for} (${status.steps_made + 1} of ${status.steps}). ${left}`;
    if (status.compiling && shown.textContent !== text) shown.textContent = text;
    shown.hidden = !status.compiling;
    await new Promise((resolve) => { setTimeout(resolve, MILLISECONDS); });
  }
  shown.remove();
}
