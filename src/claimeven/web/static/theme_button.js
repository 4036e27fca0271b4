// The button for the theme: as the system, light, dark. `theme.js` sets the stored one at the next load.

import { announce, icon } from "./dom.js";
import { text } from "./texts.js";

const KEY = "claimeven.theme";
const THEMES = ["system", "light", "dark"];

/** Let a button switch between the themes; its name is the current one. */
export function themeButton(button) {
  const { dataset } = document.documentElement;
  const draw = () => {
    const theme = dataset.theme ?? "system";
    button.replaceChildren(icon(theme));
    button.title = text(`page.themes.${theme}`);
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(dataset.theme ?? "system") + 1) % THEMES.length];
    if (next === "system") delete dataset.theme;
    else dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // storage is switched off: the theme holds until the page is closed
    }
    draw();
    announce(button.title);
  });
  draw();
}
