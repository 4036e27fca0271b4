// The theme, set before the first paint: `theme=` in the address, or the stored choice; without
// both it follows the system. A classic script, because modules run after the first paint.
"use strict";

{
  const asked = new URLSearchParams(location.search).get("theme");
  let theme = asked;
  try {
    theme ??= localStorage.getItem("claimeven.theme");
  } catch {
    // storage is switched off
  }
  if (["light", "dark"].includes(theme)) document.documentElement.dataset.theme = theme;
}
