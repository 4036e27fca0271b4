// The page: its views, the game they share, and the help.

import { languageField } from "./language.js";
import { can, isLocal, unreachable } from "./api.js";
import { button, h } from "./dom.js";
import { embed } from "./embedded.js";
import { Game } from "./game.js";
import { keyList, listenForHelp } from "./keys.js";
import { Scores } from "./scores.js";
import { text } from "./texts.js";
import { themeButton } from "./theme_button.js";
import { addressOf, FRIEND, readAddress } from "./address.js";
import { PlayView } from "./views/play.js";
import { showCompileBanner } from "./compile_banner.js";

/** Views other than play, loaded when they are first shown. Each module exports `View`. */
const OTHERS = {
  puzzles: () => import("./views/puzzles.js"),
  search: () => import("./views/search.js"),
  book: () => import("./views/book.js"),
  tournament: () => import("./views/tournament.js"),
};

const wanted = readAddress();
if (!can("compute")) wanted.sides = wanted.sides.map((spec) => (spec === FRIEND ? spec : "human"));
const game = new Game(wanted.start);
game.replay(wanted.moves, wanted.at, wanted.lines);
const shared = { game, scores: new Scores(), wanted };
const views = { play: new PlayView(shared) };
shared.sides = views.play.sides;
const stage = document.getElementById("view");
const help = document.getElementById("help");
const title = document.getElementById("title");
const problem = h("p", { class: "problem banner", role: "alert", hidden: true });
let current = null;
let goal = null;
let isTouched = false; // whether there was input since a problem was shown

/** Return the view of an address. */
function viewOf({ view }) {
  return Object.hasOwn(OTHERS, view) && can("compute") && can(view) ? view : "play";
}

/** Show a problem above the view, or hide it. */
function showProblem(sentence = "") {
  problem.textContent = sentence;
  problem.hidden = !sentence;
  isTouched = false;
}

/** Show a view, with a new `address` if it has one. `asked` is the content of the current address. */
async function go(name, address = null, asked = null) {
  goal = name;
  if (!views[name]) {
    try {
      const { View } = await OTHERS[name]();
      views[name] ??= new View(shared);
    } catch {
      if (goal === name) showProblem(unreachable());
      return; // the current view stays
    }
    if (goal !== name) return; // another view was chosen while it was loading
  }
  showProblem(can("compute") ? current ? "" : wanted.problem : text("api.cannotCompute"));
  current?.leave();
  if (address && current !== views[name]) history.pushState(null, "", address);
  current = views[name];
  title.textContent = text(`page.titles.${name}`);
  document.title = `${title.textContent} · claimeven`;
  stage.replaceChildren(current.element);
  document.querySelectorAll("nav [data-view]").forEach((link) => {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  await current.enter(asked);
}

document.querySelectorAll("nav [data-view]").forEach((link) => link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // opens another tab
  event.preventDefault();
  const { view } = link.dataset;
  go(view, view === "play" ? views.play.address : addressOf({ view, game, sides: shared.sides }));
}));
addEventListener("popstate", () => {
  const asked = readAddress();
  if (viewOf(asked) === "play") views.play.restore(asked);
  go(viewOf(asked), null, asked);
});
let pressed = null; // where a key went down: held, it presses no other button that gets the focus
addEventListener("keydown", (event) => {
  if (!event.repeat) pressed = event.target;
  else if (event.key === "Enter" && event.target !== pressed) event.preventDefault();
});
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { isTouched = true; }, true);
game.addEventListener("change", () => { if (isTouched && can("compute")) showProblem(); });
document.querySelector(".skip").addEventListener("click", (event) => {
  const board = stage.querySelector("[role=gridcell][tabindex='0']");
  if (!board) return;
  event.preventDefault();
  board.focus();
});
help.append(h("div", { class: "help-lists" }, keyList().map((list) => h("section", {}, list))),
  h("div", {}, languageField(), button(text("help.close"), () => help.close(), { class: "primary" })));
themeButton(document.getElementById("theme-button"));
document.getElementById("help-button").addEventListener("click", () => help.showModal());
listenForHelp(() => help.showModal());
stage.before(problem);
if (!can("compute")) document.querySelector("nav").hidden = true;
const shown = go(viewOf(wanted), null, wanted);
if (!isLocal) showCompileBanner(stage);
else if (!embed) shown.finally(async () => (await import("./local/offline.js")).store(showProblem));
