// A tournament, also while it is played: the file of the server. Its progress, ladder, newest games
// and forfeits.

import { get } from "../api.js";
import { announce, breakable, h } from "../dom.js";
import { faultName, Replay } from "../replay.js";
import { text } from "../texts.js";
import { signed } from "../words.js";

const SECONDS = 2;
/** Seconds without a game, and games of the mean time, until a tournament may have stopped. */
const STALLED_SECONDS = 60, STALLED_GAMES = 20;

/** Return points, with a half as tables of chess have it. */
const halves = (points) => (points % 1 ? `${Math.trunc(points) || ""}½` : points);

export class View {
  constructor() {
    this.message = h("p", { class: "hint-text" }); // not a status: it would be announced every other second
    this.progress = h("progress", { hidden: true, "aria-label": text("tournament.progress") });
    this.leader = h("p", { class: "leader" });
    this.how = h("div", { hidden: true }, h("p", {}, text("tournament.how")),
      h("pre", { class: "commands", tabindex: 0 }, text("tournament.commands")));
    this.body = h("tbody", {});
    this.table = h("table", { class: "ladder", hidden: true },
      h("thead", {}, h("tr", {}, text("tournament.heads").map((head) => h("th", { scope: "col" }, head)))), this.body);
    this.report = h("p", { class: "row", hidden: true }, h("a", { href: "report" }, text("tournament.report")));
    this.replay = new Replay();
    this.forfeits = h("ul", { class: "forfeits" });
    this.forfeitCard = h("section", { class: "card", hidden: true }, h("h2", {}, text("tournament.forfeits")), this.forfeits);
    const ladder = text("tournament.ladder");
    this.element = h("div", { class: "play tournament" },
      h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, ladder)), this.message, this.progress, this.leader,
        this.how, h("div", { class: "table-frame", tabindex: 0, role: "group", "aria-label": ladder }, this.table), this.report),
      h("div", {}, this.replay.element, this.forfeitCard));
  }

  async enter() {
    const visit = {};
    this.visit = visit;
    if (this.table.hidden) this.message.textContent = text("tournament.asking");
    const { store } = await get("api/status").catch(() => ({}));
    if (this.visit !== visit) return;
    this.how.hidden = store !== null;
    if (store === null) this.message.textContent = text("tournament.none");
    else if (store && this.table.hidden) this.message.textContent = text("tournament.reading", { store });
    if (store !== null) await this.#show(visit);
  }

  leave() {
    this.visit = this.version = null;
    clearTimeout(this.timer);
    this.replay.leave();
  }

  /** Show the tournament, and update it until the end of the visit. */
  async #show(visit) {
    try {
      if (!document.hidden) {
        const live = await get("api/tournament");
        if (this.visit === visit) this.#update(live);
      }
    } catch (error) {
      this.version = null;
      this.message.textContent = error.message;
      for (const each of [this.table, this.report, this.progress, this.leader, this.replay.element, this.forfeitCard]) each.hidden = true;
    }
    if (this.visit === visit) this.timer = setTimeout(() => this.#show(visit), SECONDS * 1000);
  }

  #update(live) {
    if (!live.standings) return;
    this.#progress(live);
    if (live.version === this.version) return;
    this.version = live.version;
    this.replay.update(live);
    const ratings = live.standings.ratings?.ratings ?? [];
    this.#ladder(ratings, live);
    this.#forfeits(live);
    const first = ratings.filter(({ rank }) => rank?.[0] === 1);
    this.leader.textContent = !first.length ? "" : first.length === 1 ? text("tournament.first", { name: first[0].agent })
      : text("tournament.tied", { count: first.length });
    this.leader.hidden = !first.length;
    this.table.hidden = this.report.hidden = !ratings.length;
  }

  /** Show how many games are played, and the time left or without a game. */
  #progress({ store, games_read: read, games_stored: stored, games_planned: planned, games_per_second: rate, last_game_at: last, standings }) {
    const values = { store, read, stored, planned, count: Math.max(standings.games, read) };
    const idle = Date.now() / 1000 - last;
    const isOver = planned && stored >= planned;
    let key = "soFar";
    if (read < stored) key = "read";
    else if (!read) key = "empty";
    else if (isOver) key = "over";
    else if (planned && idle > Math.max(STALLED_SECONDS, STALLED_GAMES / (rate ?? 1))) [key, values.time] = ["stalled", duration(idle)];
    else if (planned && rate) [key, values.time] = ["left", duration((planned - stored) / rate)];
    else if (planned) key = "of";
    const message = text(`tournament.${key}`, values);
    if (this.message.textContent !== message) this.message.textContent = message;
    if (isOver && this.progress.value < 1 && !this.progress.hidden) announce(message);
    this.progress.hidden = !planned;
    this.progress.value = planned ? Math.min(1, stored / planned) : 0;
  }

  #ladder(ratings, { standings, moved = {}, round }) {
    const agents = new Map(standings.agents.map((agent) => [agent.label, agent]));
    this.body.replaceChildren(...ratings.map(({ agent, elo, elo_interval_95: interval, games, points, rank }, index) => {
      const { wins, draws, losses } = agents.get(agent) ?? {};
      const places = [...new Set(rank ?? [index + 1])].join("–");
      const range = interval ? text("tournament.interval", { low: whole(interval[0]), high: whole(interval[1]) }) : "–";
      const rest = [whole(elo), range, games, wins, draws, losses, halves(points)].map((cell) => h("td", {}, String(cell ?? "")));
      return h("tr", {}, h("td", {}, arrow(moved[agent], round), places), h("th", { scope: "row" }, h("span", { class: "name", title: agent }, breakable(agent))), rest);
    }));
  }

  /** List the agents that forfeited games, by kind, each with its newest reason. */
  #forfeits({ standings, newest_forfeits: newest = [] }) {
    const count = ({ forfeits = {} }) => Object.values(forfeits).reduce((sum, each) => sum + each, 0);
    const failed = standings.agents.filter(count).sort((a, b) => count(b) - count(a));
    this.forfeitCard.hidden = !failed.length;
    this.forfeits.replaceChildren(...failed.map((agent) => {
      const last = newest.find((game) => game.fault_by === agent.label);
      const kinds = Object.entries(agent.forfeits).map(([kind, times]) => `${faultName(kind)} ${times}`);
      return h("li", {}, h("b", { class: "name", title: agent.label }, agent.label), h("span", {}, kinds.join(", ")),
        last ? h("p", { class: "hint-text" }, text("tournament.reason", { game: last.game, reason: last.reason ?? "" })) : null);
    }));
  }
}

/** Return an arrow for places that an agent has moved up, or down, with words for screen readers. */
function arrow(places, round) {
  if (!places) return null;
  const words = text(`tournament.${places > 0 ? "up" : "down"}`, { count: Math.abs(places), round });
  return h("span", { class: places > 0 ? "win" : "loss", title: words },
    h("span", { "aria-hidden": "true" }, `${places > 0 ? "▲" : "▼"}${Math.abs(places)} `), h("span", { class: "for-readers" }, `${words} `));
}

/** Return a time in the language of the page. */
function duration(seconds) {
  const [unit, size] = seconds < 100 ? ["second", 1] : seconds < 6000 ? ["minute", 60] : ["hour", 3600];
  const style = { style: "unit", unit, unitDisplay: "long" };
  return new Intl.NumberFormat(document.documentElement.lang, style).format(Math.round(seconds / size));
}

const whole = (elo) => (elo === null || elo === undefined ? "–" : signed(Math.round(elo)));
