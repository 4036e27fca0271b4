// The ladder of a tournament while it is played: the file that the server was started with.

import { get } from "../api.js";
import { h } from "../dom.js";

const SECONDS = 2;

export class View {
  constructor() {
    this.told = h("p", { class: "hint-text", role: "status" });
    this.body = h("tbody", {});
    const heads = ["#", "Agent", "Elo", "95 %", "Games", "Won", "Drawn", "Lost", "Points"];
    this.table = h("table", { class: "ladder" },
      h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))), this.body);
    this.report = h("p", {}, h("a", { href: "/report" }, "The whole report: cross table, games to step through"));
    this.element = h("div", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, "Ladder")),
      this.told, h("div", { class: "table-frame", tabindex: 0, role: "group", "aria-label": "Ladder" }, this.table), this.report);
  }

  async enter() {
    this.isHere = true;
    await this.#show();
  }

  leave() {
    this.isHere = false;
    clearTimeout(this.timer);
  }

  async #show() {
    try {
      const { store, standings } = await get("/api/live");
      this.#fill(standings);
      this.told.textContent = `${store}: ${standings.games.toLocaleString("en")} games so far.`;
      this.table.hidden = this.report.hidden = false;
    } catch (error) {
      this.told.textContent = error.status === 404
        ? "No tournament is shown: start the server with --store and the file of a tournament." : error.message;
      this.table.hidden = this.report.hidden = true;
    }
    if (this.isHere) this.timer = setTimeout(() => this.#show(), SECONDS * 1000);
  }

  #fill(standings) {
    const agents = new Map(standings.agents.map((agent) => [agent.label, agent]));
    const rows = (standings.ratings?.ratings ?? []).map((rating, index) => {
      const { wins, draws, losses } = agents.get(rating.agent) ?? {};
      const interval = rating.elo_interval_95?.map(whole).join(" to ") ?? "";
      const cells = [index + 1, rating.agent, whole(rating.elo), interval, rating.games, wins, draws, losses, rating.points];
      return h("tr", {}, cells.map((cell, at) => (at === 1 ? h("th", { scope: "row" }, String(cell)) : h("td", {}, String(cell ?? "")))));
    });
    this.body.replaceChildren(...rows);
  }
}

const whole = (elo) => (elo === null || elo === undefined ? "–" : `${elo < 0 ? "\u2212" : "+"}${Math.abs(Math.round(elo))}`);
