// Embedded mode: the page in a frame of another page (see embed.js), with `embed=1` in its address.

/** Whether the page is in a frame. */
export const isEmbedded = new URLSearchParams(location.search).get("embed") === "1";

if (isEmbedded) {
  document.documentElement.classList.add("embedded");
  // The other page makes the frame as high as its content.
  new ResizeObserver(() => parent.postMessage({ claimeven: document.body.offsetHeight }, "*")).observe(document.body);
  // Links leave the frame, except links to a place on this page.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href]:not(.skip)");
    if (link) link.target = "_blank";
  }, true);
}
