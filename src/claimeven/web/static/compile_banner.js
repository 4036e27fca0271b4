// Progress of the first compilation after an installation, above the view.

import { get, wait } from "./api.js";
import { h } from "./dom.js";
import { text } from "./texts.js";

const MILLISECONDS = 1000;

/** Show the progress above a view; return when the compilation is complete. */
export async function showCompileBanner(view) {
  const shown = h("p", { class: "hint-text banner compile-banner", role: "status", hidden: true });
  view.before(shown);
  for (;;) {
    const status = await get("api/status").catch(() => ({ ready: true }));
    if (status.ready) break;
    const sentence = text(status.steps_done ? "compile.rest" : "compile.first", { step: status.preparing, number: status.steps_done + 1, steps: status.steps });
    if (status.compiling && shown.textContent !== sentence) shown.textContent = sentence;
    shown.hidden = !status.compiling;
    await wait(MILLISECONDS);
  }
  shown.remove();
}
