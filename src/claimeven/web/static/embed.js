// Boards on other pages. Each link of this kind gets the page that it leads to below it, in a frame:
//
//   <a class="claimeven-board" href="board/?moves=4455&analysis=on">Choose a column for Yellow</a>
//   <script src="board/static/embed.js" data-full-page="full page" defer></script>
//
// `board/` is a folder written by `claimeven site`. A frame is loaded when the reader comes near. The
// text of the link is its title, and the link still opens the full page, as `data-full-page` says. Without JavaScript only the
// link remains.
"use strict";

{
  /** Distance at which a frame is loaded, and its maximum height in pixels. */
  const [NEAR, MAX_HEIGHT] = ["200px", 3000];
  const frames = [];
  const { fullPage = "full page" } = document.currentScript.dataset;

  const show = (link) => {
    const address = new URL(link.href);
    link.href = link.href.replace(/(?<=[?&])embed=\w*&?/, "");
    if (!address.searchParams.has("embed")) address.searchParams.set("embed", "1");
    const frame = document.createElement("iframe");
    Object.assign(frame, { src: address.href, title: link.textContent.trim(), loading: "lazy", className: "claimeven-frame", allow: "fullscreen" });
    Object.assign(frame.style, { display: "block", width: "100%", height: "34rem", border: "0", borderRadius: "0.5rem" });
    frames.push(frame);
    link.append(` (${fullPage})`);
    link.after(frame);
  };

  const near = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
    if (!isIntersecting) return;
    near.unobserve(target);
    show(target);
  }), { rootMargin: NEAR });

  addEventListener("message", ({ source, data }) => {
    const frame = frames.find(({ contentWindow }) => contentWindow === source);
    if (!frame || !(data?.claimeven > 0)) return;
    // A frame shrinks only with its width, so that the text below does not move at each step.
    const isSame = frame.dataset.width === String(frame.clientWidth);
    const height = Math.min(MAX_HEIGHT, Math.max(data.claimeven, isSame ? parseFloat(frame.style.height) : 0));
    frame.style.height = `${height}px`;
    frame.dataset.width = frame.clientWidth;
  });

  // Browsers load modules and workers only from a web server.
  if (location.protocol !== "file:") document.querySelectorAll("a.claimeven-board").forEach((link) => near.observe(link));
}
