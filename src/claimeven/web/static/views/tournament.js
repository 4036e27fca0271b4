// The ladder of a tournament, also while it is played: the file of the server.

import { get } from "../api.js";
import { h } from "../dom.js";

const SECONDS = 2;

export class View {
  constructor() {
    this.message = h("p", { class: "hint-text" }); // not a status: it would be announced every other second
    this.how = h("div", { hidden: true },
      h("p", {}, "This view shows the ladder of a tournament, during the games and afterwards. Play one on the command line, and start this server with its file:"),
      h("pre", { class: "commands", tabindex: 0 }, "claimeven tournament uct alphabeta greedy --out games.db\nclaimeven serve --store games.db"));
    this.body = h("tbody", {});
    const heads = ["#", "Agent", "Elo", "95 %", "Games", "Won", "Drawn", "Lost", "Points"];
    this.table = h("table", { class: "ladder", hidden: true },
      h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))), this.body);
    this.report = h("p", { class: "row", hidden: true }, h("a", { href: "report" }, "Full report: cross table and games"));
    this.element = h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Ladder")),
      this.message, this.how, h("div", { class: "table-frame", tabindex: 0, role: "group", "aria-label": "Ladder" }, this.table), this.report);
  }

  async enter() {
    const visit = {};
    this.visit = visit;
    if (this.table.hidden) this.message.textContent = "Asking the server …";
    const { store } = await get("api/status").catch(() => ({}));
    if (this.visit !== visit) return;
    this.how.hidden = store !== null;
    if (store === null) this.message.textContent = "This server was started without a tournament.";
    else if (store && this.table.hidden) this.message.textContent = `${store}: reading the games …`;
    if (store !== null) await this.#show(visit);
  }

  leave() {
    this.visit = null;
    clearTimeout(this.timer);
  }

  /** Show the ladder, and update it until the end of the visit. */
  async #show(visit) {
    try {
      if (!document.hidden) this.#fill(await get("api/tournament"));
    } catch (error) {
      this.version = null;
      this.message.textContent = error.message;
      this.table.hidden = this.report.hidden = true;
    }
    if (this.visit === visit) this.timer = setTimeout(() => this.#show(visit), SECONDS * 1000);
  }

  #fill({ store, games_read: read, games_stored: stored, standings, version }) {
    if (version === this.version || !standings) return; // unchanged
    this.version = version;
    const count = standings.games.toLocaleString("en");
    this.message.textContent = read < stored
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
