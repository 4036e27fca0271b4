// Embedded mode: the page in a frame of another page (see embed.js), with `embed=1` in its address,
// or `embed=game` to show also the moves and the review of the game.

const search = new URLSearchParams(location.search);
/** The parameter of the address, null if the page is not in a frame. */
export const embed = search.get("embed");
/** The parameters that a frame has in each of its addresses. */
export const frameParameters = embed ? [...search].filter(([name]) => ["embed", "lang", "theme"].includes(name)) : [];

if (embed) {
  document.documentElement.classList.add("embedded");
  if (embed === "game") document.documentElement.classList.add("with-game");
  // The other page makes the frame as high as its content.
  new ResizeObserver(() => parent.postMessage({ claimeven: document.body.offsetHeight }, "*")).observe(document.body);
  // Links leave the frame, except links to a place on this page.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href]:not(.skip)");
    if (link) link.target = "_blank";
  }, true);
}
