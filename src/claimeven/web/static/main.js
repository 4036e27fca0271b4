// The page: its views, the one game they share, and the help.

import { h } from "./dom.js";
import { Game } from "./game.js";
import { keyList, listenForHelp, listenToKeys } from "./keys.js";
import { Scores } from "./scores.js";
import { addressOf, readAddress } from "./share.js";
import { PlayView } from "./views/play.js";
import { showWarming } from "./warming.js";

/** Views other than play: loaded when they are first gone to. Each module exports `View`. */
const OTHERS = {
  practise: () => import("./views/practise.js"),
  search: () => import("./views/search.js"),
  book: () => import("./views/book.js"),
  live: () => import("./views/live.js"),
};

const TITLES = {
  play: "Connect Four", practise: "Puzzles", search: "Watch a search", book: "Opening book", live: "Tournament",
};

const wanted = readAddress();
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
let isTouched = false; // whether people did something since a problem was told

/** The view that an address asks for. */
function viewOf({ view }) {
  return Object.hasOwn(OTHERS, view) ? view : "play";
}

/** Tell a problem above the view, or that there is none any more. */
function tellProblem(text = "") {
  problem.textContent = text;
  problem.hidden = !text;
  isTouched = false;
}

/** Go to a view; to its address too, where that is not in the bar yet. `asked` is what the one in the bar asks for. */
async function go(name, address = null, asked = null) {
  goal = name;
  if (!views[name]) {
    try {
      const { View } = await OTHERS[name]();
      views[name] ??= new View(shared);
    } catch {
      if (goal === name) tellProblem("The server does not answer. Is it still running?");
      return; // what is here goes on
    }
    if (goal !== name) return; // somebody went on meanwhile
  }
  tellProblem(current ? "" : wanted.problem);
  current?.leave();
  if (address && current !== views[name]) history.pushState(null, "", address);
  current = views[name];
  document.title = `${TITLES[name]} · claimeven`;
  title.textContent = TITLES[name];
  stage.replaceChildren(current.element);
  document.querySelectorAll("nav [data-view]").forEach((link) => {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  await current.enter(asked);
}

document.querySelectorAll("nav [data-view]").forEach((link) => link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // for the browser: another tab
  event.preventDefault();
  const { view } = link.dataset;
  go(view, view === "play" ? views.play.address : addressOf({ view, game, sides: shared.sides }));
}));
addEventListener("popstate", () => {
  const asked = readAddress();
  if (viewOf(asked) === "play") views.play.restore(asked);
  go(viewOf(asked), null, asked);
});
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { isTouched = true; }, true);
game.addEventListener("change", () => { if (isTouched) tellProblem(); });
document.querySelector(".skip").addEventListener("click", (event) => {
  const board = stage.querySelector("[role=gridcell][tabindex='0']");
  if (!board) return;
  event.preventDefault();
  board.focus();
});
help.append(h("div", { class: "help-lists" }, keyList(h).map((list) => h("section", {}, list))), h("button", { type: "button", class: "primary", onclick: () => help.close() }, "Close"));
document.getElementById("help-button").addEventListener("click", () => help.showModal());
listenForHelp(() => help.showModal());
listenToKeys(views.play);
stage.before(problem);
showWarming(stage);
go(viewOf(wanted), null, wanted);
