// Use without a network: the service worker of a site stores its files.

import { text } from "../texts.js";

/** Store the files in the browser; `showProblem` receives a sentence if the first try fails. */
export async function store(showProblem) {
  if (!navigator.serviceWorker) return; // browsers allow it only with https, or on this machine
  try {
    const registration = await navigator.serviceWorker.register("service-worker.js");
    const { active, installing } = registration;
    if (!active) installing?.addEventListener("statechange", () => installing.state === "redundant" && showProblem(text("api.notStored")));
  } catch {
    showProblem(text("api.notStored"));
  }
}
