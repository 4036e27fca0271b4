// Progress of the first compilation after an installation, above the view.

import { get, wait } from "./api.js";
import { h } from "./dom.js";

const MILLISECONDS = 1000;

/** Show the progress above a view; return when the compilation is complete. */
export async function showCompileBanner(view) {
  const shown = h("p", { class: "hint-text banner compile-banner", role: "status", hidden: true });
  view.before(shown);
  for (;;) {
    const status = await get("api/status").catch(() => ({ ready: true }));
    if (status.ready) break;
    const left = status.steps_done ? "Everything else works already." : "The page works after it.";
    const text = `Compiling, once after an installation: ${status.preparing} (${status.steps_done + 1} of ${status.steps}). ${left}`;
    if (status.compiling && shown.textContent !== text) shown.textContent = text;
    shown.hidden = !status.compiling;
    await wait(MILLISECONDS);
  }
  shown.remove();
}
