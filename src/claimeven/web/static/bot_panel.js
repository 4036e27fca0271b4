// The card of bots with own code: what the last one reported about its move, or its fault with the traceback.

import { addressOf } from "./address.js";
import { button, h } from "./dom.js";
import { text } from "./texts.js";

/** Keys of a decision's details that have their own place. */
const SHOWN = ["values", "value_words", "values_are", "priors"];

export class BotPanel {
  /** `view` has the game and its `sides`. */
  constructor(view) {
    this.view = view;
    this.problem = h("p", { class: "problem" });
    this.traceback = h("pre", { class: "commands", tabindex: 0, role: "group", "aria-label": text("bot.traceback") });
    this.fault = h("div", { hidden: true }, this.problem, this.traceback, h("p", { class: "hint-text" }, text("bot.remedy")));
    this.chosen = h("p", {});
    this.table = h("table", { class: "bot-values" });
    this.more = h("p", { class: "hint-text" });
    this.report = h("div", { hidden: true }, this.chosen, this.table, this.more);
    this.watch = h("p", { class: "row" });
    this.element = h("div", { class: "card bot", hidden: true },
      h("div", { class: "card-head" }, h("h2", {}, text("bot.title")), button(text("bot.again"), () => this.again(), { title: text("bot.remedy") })),
      this.fault, this.report, this.watch);
  }

  /** Show the card if a bot plays. */
  draw() {
    const { game, sides } = this.view;
    const bots = sides.filter((side) => side.isBot);
    this.element.hidden = !bots.length;
    this.watch.replaceChildren(...bots.map(({ spec, name }) => h("a", {
      href: addressOf({ view: "search", game, sides, more: { agent: spec, on: "game" } }),
    }, text("bot.watch", { name }))));
  }

  /** Take the last move of a bot back, unless it has failed, and let it move again: a changed file is read again. */
  again() {
    const { game, sides } = this.view;
    const moved = this.fault.hidden && game.path.findLast((place) => place.parent && sides[place.parent.position.turn].isBot);
    if (moved) this.view.goTo(moved.parent);
    this.view.resume();
  }

  /** Show a decision: the column, and all that the bot reports about it. */
  show({ name }, { column, details, ...decision }, { position: { board } }) {
    const facts = ["value", "score", "depth", "nodes", "iterations", "line"].filter((fact) => (decision[fact] ?? "") !== "");
    this.chosen.textContent = [
      text("bot.plays", { name, column: board.name(column - 1), time: Number((1000 * decision.seconds).toPrecision(3)) }), ...facts.map((fact) => text(`bot.facts.${fact}`, { number: decision[fact], count: decision[fact] })),
    ].join(", ");
    const kinds = [
      [details.values_are ?? text("bot.rows.value"), details.value_words ?? details.values, decimal], [text("bot.rows.visits"), decision.visits, decimal],
      [text("bot.rows.prior"), details.priors, percent], [text("bot.rows.policy"), decision.policy, percent],
    ].filter(([, cells]) => cells);
    const head = [text("bot.column"), ...kinds.map(([kind]) => kind)].map((kind) => h("th", { scope: "col" }, kind));
    const rows = Array.from({ length: kinds.length && board.columns }, (_, at) => h("tr", { class: at === column - 1 && "chosen" },
      h("th", { scope: "row" }, board.name(at)), kinds.map(([, cells, write]) => h("td", {}, typeof cells[at] === "number" ? write(cells[at]) : cells[at] ?? "–"))));
    this.table.replaceChildren(...(rows.length ? [h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)] : []));
    this.more.textContent = Object.entries(details).filter(([key]) => !SHOWN.includes(key))
      .map(([key, detail]) => `${key}: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`).join(" · ");
    this.fault.hidden = true;
    this.report.hidden = false;
  }

  /** Show why a bot has not moved; return the sentence. */
  fail({ name, isBot }, { message, kind, traceback }) {
    if (!isBot || kind === undefined) return message;
    const sentence = kind === null ? message : text("bot.fault", { name, reason: message });
    this.problem.textContent = kind === null ? sentence : text("bot.forfeit", { name, reason: message });
    this.traceback.textContent = traceback;
    this.traceback.hidden = !traceback;
    this.fault.hidden = false;
    this.report.hidden = true;
    return sentence;
  }
}

const decimal = (number) => (Number.isInteger(number) ? String(number) : number.toFixed(3)).replace("-", "\u2212");
const percent = (share) => `${(100 * share).toFixed(1)} %`;
