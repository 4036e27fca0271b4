// The button for the theme: as the system, light, dark. Other open tabs follow,
// unless their address has a theme. `theme.js` sets the stored one at the next load.

import { announce, icon } from "./dom.js";
import { text } from "./texts.js";

const KEY = "claimeven.theme";
const THEMES = ["system", "light", "dark"];

/** Let a button switch between the themes; its name is the current one. */
export function themeButton(button) {
  const { dataset } = document.documentElement;
  const show = (theme) => {
    if (theme === "system") delete dataset.theme;
    else dataset.theme = theme;
    button.replaceChildren(icon(theme));
    button.title = text(`page.themes.${theme}`);
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(dataset.theme ?? "system") + 1) % THEMES.length];
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // storage is switched off: the theme holds until the page is closed
    }
    show(next);
    announce(button.title);
  });
  const isAsked = new URLSearchParams(location.search).has("theme");
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && !isAsked && THEMES.includes(newValue)) show(newValue);
  });
  show(dataset.theme ?? "system");
}
