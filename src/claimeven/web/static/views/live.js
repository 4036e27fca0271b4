// The ladder of a tournament while it is played: the file that the server was started with.

import { get } from "../api.js";
import { h } from "../dom.js";

const SECONDS = 2;

export class View {
  constructor() {
    this.told = h("p", { class: "hint-text" }); // no status: it would be read every other second
    this.how = h("div", { hidden: true },
      h("p", {}, "This view shows the ladder of a tournament, while it is played and afterwards. Play one on the command line, and start this server with its file:"),
      h("pre", { class: "commands", tabindex: 0 }, "claimeven tournament uct alphabeta greedy --out games.db\nclaimeven serve --store games.db"));
    this.body = h("tbody", {});
    const heads = ["#", "Agent", "Elo", "95 %", "Games", "Won", "Drawn", "Lost", "Points"];
    this.table = h("table", { class: "ladder", hidden: true },
      h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))), this.body);
    this.report = h("p", { class: "row", hidden: true }, h("a", { href: "/report" }, "The whole report: cross table, games to step through"));
    this.element = h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Ladder")),
      this.told, this.how, h("div", { class: "table-frame", tabindex: 0, role: "group", "aria-label": "Ladder" }, this.table), this.report);
  }

  async enter() {
    const visit = {};
    this.visit = visit;
    if (this.table.hidden) this.told.textContent = "Asking the server …";
    const { store } = await get("/api/status").catch(() => ({}));
    if (this.visit !== visit) return;
    this.how.hidden = store !== null;
    if (store === null) this.told.textContent = "This server was started without a tournament.";
    else {
      if (store && this.table.hidden) this.told.textContent = `${store}: reading the games …`;
      await this.#show(visit);
    }
  }

  leave() {
    this.visit = null;
    clearTimeout(this.timer);
  }

  /** Show the ladder, again and again as long as this is the visit that it was shown for. */
  async #show(visit) {
    try {
      if (!document.hidden) this.#fill(await get("/api/live"));
    } catch (error) {
      this.version = null;
      this.told.textContent = error.message;
      this.table.hidden = this.report.hidden = true;
    }
    if (this.visit === visit) this.timer = setTimeout(() => this.#show(visit), SECONDS * 1000);
  }

  #fill({ store, read, stored, standings, version }) {
    if (version === this.version || !standings) return; // nothing new
    this.version = version;
    const count = standings.games.toLocaleString("en");
    this.told.textContent = read < stored
      ? `${store}: ${read.toLocaleString("en")} of ${stored.toLocaleString("en")} games read. Intervals follow.`
      : `${store}: ${count} games so far.`;
    const agents = new Map(standings.agents.map((agent) => [agent.label, agent]));
    const rows = (standings.ratings?.ratings ?? []).map((rating, index) => {
      const { wins, draws, losses } = agents.get(rating.agent) ?? {};
      const interval = rating.elo_interval_95?.map(whole).join(" to ") ?? "–";
      const cells = [index + 1, rating.agent, whole(rating.elo), interval, rating.games, wins, draws, losses, rating.points];
      return h("tr", {}, cells.map((cell, at) => (at === 1 ? h("th", { scope: "row" }, String(cell)) : h("td", {}, String(cell ?? "")))));
    });
    this.body.replaceChildren(...rows);
    this.table.hidden = this.report.hidden = false;
  }
}

const whole = (elo) => (elo === null || elo === undefined ? "–" : `${elo < 0 ? "\u2212" : "+"}${Math.abs(Math.round(elo))}`);
