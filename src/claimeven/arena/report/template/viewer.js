"use strict";
// The game viewer. Its games are in the page as JSON (see games.py); boards are drawn by
// switching on parts of the SVG (see draw_stage in game/svg.py), so no rules are needed but that
// discs pile up. Text is only ever set as text, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [NUMBER, FIRST, SECOND, OPENING, MOVES, WINNER, KIND, SEAT, REASON] = Array(9).keys();
  const LEFT = -2;     // instead of a winner: the game is unfinished
  const PLAYERS = ["Yellow", "Red"];
  const WORDS = {
    good: "It keeps the result, not the score", inaccurate: "An inaccurate move", mistake: "A mistake", blunder: "A blunder",
  };
  // Games that the list shows first; more are added when its end is reached.
  const PAGE = 100;
  const at = (id) => document.getElementById(id);
  const parts = (name) => [...board.querySelectorAll(`[data-${name}]`)].map((e) => [e.dataset[name], e]);

  const viewer = at("viewer"), board = at("board"), list = at("list"), moves = at("moves");
  const ply = at("ply"), strip = at("strip");
  const discs = parts("disc"), pointers = parts("last");
  const windows = parts("window").map(([cells, e]) => [cells.split(" "), e]);
  const picture = board.querySelector("svg");
  const place = new Map(data.games.map((game, index) => [game[NUMBER], index]));

  // A disc of each player, and their fill and rim, as the board has them.
  const samples = [0, 1].map((player) => discs.find(([where]) => where === `0,0,${player}`)[1]);
  const COLOURS = samples.map((disc) => ["fill", "stroke"].map((name) => disc.querySelector("g").getAttribute(name)));

  let found = [];      // places of the games that pass the filters
  let current = -1;    // place of the game shown
  let shown = 0;       // number of its discs on the board, without the start position

  // Add attributes, listeners (on...) and children to an element.
  const fill = (element, attributes, ...children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const make = (tag, ...given) => fill(document.createElement(tag), ...given);
  const column = (name) => (name >= "1" && name <= "9" ? +name : name.charCodeAt(0) - 96) - 1;
  const columnName = (number) => data.names[number];
  const turn = (move) => (data.start.length + move) % 2;
  const line = (game) => game[OPENING] + game[MOVES];
  const label = (game, seat) => data.agents[game[seat ? SECOND : FIRST]];
  const discCount = (number) => `${number} ${number === 1 ? "disc" : "discs"}`;

  // A disc of a player as a small picture, taken from the board.
  const swatch = (player) => {
    const disc = samples[player].cloneNode(true);
    for (const name of ["visibility", "data-disc"]) disc.removeAttribute(name);
    const [x, y] = ["cx", "cy"].map((name) => disc.querySelector("circle").getAttribute(name) - 27);
    const small = document.createElementNS(picture.namespaceURI, "svg");
    return fill(small, { class: "swatch", "aria-hidden": "true", viewBox: `${x} ${y} 54 54` }, disc);
  };

  const result = (game) => game[WINNER] === LEFT ? "left" : game[WINNER] < 0 ? "½–½" : game[WINNER] === 0 ? "1–0" : "0–1";

  const ending = (game) => {
    const count = discCount(data.start.length + line(game).length);
    if (game.length > KIND) {
      const reason = game[REASON] ? `: ${game[REASON]}` : "";
      return `${label(game, game[SEAT])} forfeits after ${count} (${game[KIND]})${reason}`;
    }
    if (game[WINNER] === LEFT) return `Left unfinished after ${count}`;
    if (game[WINNER] < 0) return `A draw after ${count}`;
    return `${label(game, game[WINNER])} wins as ${PLAYERS[game[WINNER]]} with ${count} played`;
  };

  // -- Choosing a game ---------------------------------------------------------------------------

  const passes = (game) => {
    const [one, other] = [at("one").value, at("other").value].map((v) => (v === "" ? null : +v));
    const wanted = at("result").value;
    const seats = [game[FIRST], game[SECOND]];
    if ([one, other].some((each) => each !== null && !seats.includes(each))) return false;
    if (one !== null && one === other && seats[0] !== seats[1]) return false;
    const [winner, loser] = game[WINNER] < 0 ? [null, null] : [seats[game[WINNER]], seats[1 - game[WINNER]]];
    const asked = one ?? other;
    switch (wanted) {
      case "": return true;
      case "draw": return game[WINNER] === -1;
      case "left": return game[WINNER] === LEFT;
      case "forfeit": return game.length > KIND;
      case "won": return winner !== null && (asked === null || winner === asked);
      case "lost": return loser !== null && (asked === null || loser === asked);
      default: return game[WINNER] === +wanted;
    }
  };

  const addOptions = () => {
    const begin = list.childElementCount;
    for (const index of found.slice(begin, begin + PAGE)) {
      const game = data.games[index];
      const option = make("div", { role: "option", id: `option-${index}`, "aria-selected": "false", onclick: () => open(index, Infinity) },
        make("span", { class: "number" }, String(game[NUMBER])),
        make("span", { class: "who" }, swatch(0), label(game, 0)),
        make("span", { class: "score" }, result(game)),
        make("span", { class: "who" }, swatch(1), label(game, 1)));
      if (game.length > KIND) option.append(make("span", { class: "badge" }, game[KIND]));
      list.append(option);
    }
  };

  const filter = () => {
    found = [...data.games.keys()].filter((index) => passes(data.games[index]));
    list.replaceChildren();
    addOptions();
    const [some, all] = [found, data.games].map(({ length }) => length.toLocaleString("en"));
    at("found").textContent = some === all ? `${all} games` : `${some} of ${all} games`;
    mark();
  };

  // Mark the game shown in the list, and see to it that it is there.
  const mark = () => {
    for (const option of list.querySelectorAll('[aria-selected="true"]')) option.setAttribute("aria-selected", "false");
    const where = found.indexOf(current);
    list.removeAttribute("aria-activedescendant");
    if (where < 0) return;
    while (list.childElementCount <= where) addOptions();
    const option = list.children[where];
    option.setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", option.id);
    const above = option.offsetTop;
    const below = above + option.offsetHeight - list.clientHeight;
    if (list.scrollTop > above) list.scrollTop = above;
    if (list.scrollTop < below) list.scrollTop = below;
  };

  const neighbour = (step) => {
    const where = found.indexOf(current) + step;
    if (where >= 0 && where < found.length) open(found[where], Infinity);
  };

  // -- A game ------------------------------------------------------------------------------------

  const open = (index, at_ply) => {
    current = index;
    const game = data.games[index];
    at("players").replaceChildren(`Game ${game[NUMBER]}: `, swatch(0), " ", label(game, 0), " – ", swatch(1), " ",
      label(game, 1), make("span", { class: "score" }, result(game)));
    at("how").textContent = ending(game);
    ply.max = line(game).length;
    listMoves(game);
    drawStrip(index);
    mark();
    show(at_ply);
  };

  const listMoves = (game) => {
    moves.replaceChildren();
    let row = null;
    [...line(game)].forEach((name, move) => {
      const disc = data.start.length + move;
      if (row === null || turn(move) === 0) {
        row = make("li", {}, make("span", { class: "number" }, `${Math.floor(disc / 2) + 1}.`));
        if (turn(move) === 1) row.append(make("span", {}, "…"));
        moves.append(row);
      }
      const [how, mark] = judgement(data.judged[game[NUMBER]], move - game[OPENING].length);
      const said = [`Disc ${disc + 1}`, PLAYERS[turn(move)], `column ${columnName(column(name))}`, how].filter(Boolean).join(", ");
      row.append(make("button", {
        type: "button", class: move < game[OPENING].length ? "opening" : "", "data-move": move, tabindex: "-1", "aria-label": said,
        onclick: () => show(move + 1),
      }, columnName(column(name)), ...(mark ? [make("span", { class: "mark" }, mark)] : [])));
    });
  };

  // The course of the exact score, up if the first player wins, down if the second does.
  const drawStrip = (index) => {
    const judged = data.judged[data.games[index][NUMBER]];
    strip.hidden = at("strip-note").hidden = !judged;
    strip.replaceChildren();
    if (!judged) return;
    const game = data.games[index], before = game[OPENING].length;
    const most = Math.max(1, ...judged.course.map(Math.abs));
    for (let count = 0; count <= line(game).length; count++) {
      const score = judged.course[count - before];
      const cell = make("span", { class: "ply", "data-ply": count, onclick: () => { show(count); remember(); } });
      if (score !== undefined) {
        const bar = make("span", { class: score > 0 ? "first" : score < 0 ? "second" : "even" });
        if (score) [bar.style.background, bar.style.borderColor] = COLOURS[score > 0 ? 0 : 1];
        bar.style.height = `${score ? 12 + (38 * Math.abs(score)) / most : 4}%`;
        cell.append(bar);
      }
      const [, mark] = judgement(judged, count - before - 1);
      if (mark) cell.append(make("span", { class: score < 0 ? "mark above" : "mark" }, mark));
      strip.append(cell);
    }
  };

  // How good a move was, and its mark: `own` counts the moves after the opening from 0.
  const judgement = (judged, own) => judged?.how[own] ?? ["", ""];

  const show = (count) => {
    const game = data.games[current], columns = [...line(game)].map(column);
    shown = Math.max(0, Math.min(count, columns.length));
    const cells = new Map(), heights = new Map();
    for (const [c, r, player] of data.start) {
      cells.set(`${c},${r}`, player);
      heights.set(c, Math.max(heights.get(c) || 0, r + 1));
    }
    let last = null;
    columns.slice(0, shown).forEach((c, move) => {
      const r = heights.get(c) || 0;
      heights.set(c, r + 1);
      last = `${c},${r}`;
      cells.set(last, turn(move));
    });
    const set = (element, on) => on ? element.removeAttribute("visibility") : element.setAttribute("visibility", "hidden");
    for (const [where, element] of discs) {
      const cut = where.lastIndexOf(",");
      set(element, cells.get(where.slice(0, cut)) === +where.slice(cut + 1));
    }
    for (const [where, element] of pointers) set(element, where === last);
    for (const [of, element] of windows) {
      const owner = cells.get(of[0]);
      set(element, owner !== undefined && of.every((cell) => cells.get(cell) === owner));
    }
    picture.setAttribute("aria-label", inWords(cells, heights));
    ply.value = shown;
    ply.setAttribute("aria-valuetext", discCount(shown));
    for (const button of moves.querySelectorAll("button")) {
      const here = +button.dataset.move === shown - 1;
      button.classList.toggle("here", here);
      button.tabIndex = here || (shown === 0 && button.dataset.move === "0") ? 0 : -1;
      if (here) {
        button.setAttribute("aria-current", "step");
        moves.scrollTop = button.offsetTop - (moves.clientHeight - button.offsetHeight) / 2;
      } else button.removeAttribute("aria-current");
    }
    if (shown === 0) moves.scrollTop = 0;
    at("move-text").textContent = moveText(game, shown);
    at("begin").disabled = at("back").disabled = shown === 0;
    at("on").disabled = at("end").disabled = shown === columns.length;
    for (const cell of strip.querySelectorAll("[data-ply]")) cell.classList.toggle("here", +cell.dataset.ply === shown);
  };

  const inWords = (cells, heights) => {
    const said = [...data.names].map((name, c) => {
      const stack = [...Array(heights.get(c) || 0).keys()].map((r) => ["yellow", "red"][cells.get(`${c},${r}`)]);
      return stack.length ? `column ${name} ${stack.join(" ")}` : "";
    }).filter(Boolean);
    return said.length ? `Board, from the bottom up: ${said.join("; ")}` : "An empty board";
  };

  const time = (seconds) => seconds < 1e-3 ? `${+(seconds * 1e6).toPrecision(3)} µs`
    : seconds < 1 ? `${+(seconds * 1e3).toPrecision(3)} ms` : `${+seconds.toPrecision(3)} s`;
  const signed = (number) => (number > 0 ? "+" : number < 0 ? "−" : "") + Math.abs(number);

  const moveText = (game, count) => {
    if (count === 0) return data.start.length ? "The start position of all games." : "The empty board.";
    const move = count - 1, own = move - game[OPENING].length;
    const name = columnName(column(line(game)[move]));
    const disc = `Disc ${data.start.length + count}, ${PLAYERS[turn(move)]}`;
    if (own < 0) return `${disc}: column ${name}, a move of the opening.`;
    const said = [`${disc} (${label(game, turn(move))}): column ${name}.`];
    const more = data.move_stats[current] || {};
    const [seconds, value] = [more.seconds?.[own], more.value?.[own]];
    if (typeof seconds === "number") said.push(`It took ${time(seconds)}.`);
    if (typeof value === "number") said.push(`Its own value: ${signed(+value.toFixed(2))}.`);
    said.push(...scored(game, own));
    if (count === line(game).length) said.push(`${ending(game)}.`);
    return said.join(" ");
  };

  // The effect of a move on the exact score, for the player that made it.
  const scored = (game, own) => {
    const judged = data.judged[game[NUMBER]];
    if (!judged) return [];
    const side = turn(game[OPENING].length + own) === 0 ? 1 : -1;
    const [before, after] = [side * judged.course[own], side * judged.course[own + 1]];
    const [how] = judgement(judged, own);
    if (!how) return [`Exact score ${signed(after)}.`];
    const best = [...judged.best[own]];
    const right = `${best.join(", ")} ${best.length > 1 ? "were" : "was"} best`;
    return [`${WORDS[how]}: exact score ${signed(before)} to ${signed(after)}; ${right}.`];
  };

  // -- Keys and links ----------------------------------------------------------------------------

  const remember = () => {
    const where = `#game-${data.games[current][NUMBER]}-${shown}`;
    try { history.replaceState(null, "", where); } catch { /* a page in a frame may not */ }
  };

  const follow = () => {
    const asked = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash);
    if (!asked || !place.has(+asked[1])) return false;
    const index = place.get(+asked[1]);
    if (!found.includes(index)) reset();
    open(index, asked[2] === undefined ? Infinity : +asked[2]);
    at("games").scrollIntoView({ behavior: "instant" });
    return true;
  };

  const reset = () => {
    for (const id of ["one", "other", "result"]) at(id).value = "";
    filter();
  };

  const ways = {
    ArrowLeft: () => show(shown - 1), ArrowRight: () => show(shown + 1), Home: () => show(0), End: () => show(Infinity),
    ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1),
  };
  const pressed = (event, keys) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (current < 0 || !keys.includes(event.key)) return;
    event.preventDefault();
    ways[event.key]();
    remember();
  };
  viewer.addEventListener("keydown", (event) => {
    if (!["INPUT", "SELECT"].includes(event.target.tagName)) pressed(event, Object.keys(ways));
  });
  document.addEventListener("keydown", (event) => {
    const box = viewer.getBoundingClientRect();
    if (document.activeElement !== document.body) return;
    if (box.top < innerHeight / 2 && box.bottom > innerHeight / 4) pressed(event, ["ArrowLeft", "ArrowRight"]);
  });
  for (const [id, key] of [["begin", "Home"], ["back", "ArrowLeft"], ["on", "ArrowRight"], ["end", "End"]]) {
    at(id).addEventListener("click", () => { ways[key](); remember(); });
  }
  ply.addEventListener("input", () => show(+ply.value));
  ply.addEventListener("change", remember);
  list.addEventListener("scroll", () => {
    if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) addOptions();
  });
  for (const id of ["one", "other", "result"]) {
    at(id).addEventListener("change", () => {
      filter();
      if (found.length && !found.includes(current)) open(found[0], Infinity);
    });
  }
  for (const link of document.querySelectorAll("[data-two]")) {
    link.addEventListener("click", () => {
      reset();
      [at("one").value, at("other").value] = link.dataset.two.split(" ");
      filter();
      if (found.length) open(found[0], Infinity);
    });
  }
  addEventListener("hashchange", follow);

  for (const id of ["one", "other"]) {
    data.agents.forEach((name, index) => at(id).append(make("option", { value: index }, name)));
  }
  viewer.hidden = false;
  filter();
  if (!follow() && found.length) open(found[0], Infinity);
})();
