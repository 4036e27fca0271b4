// The player of each side: a human, a level of perfect play, or any agent with its options.

import { FRIEND } from "./address.js";
import { BOTS, can, get } from "./api.js";
import { discIcon } from "./board.js";
import { h } from "./dom.js";
import { kept } from "./kept.js";
import { text } from "./texts.js";
import { capital, playerName } from "./words.js";

const HUMAN = "human";
/** Agents for boards that the chosen agent does not support; the first one that does is taken. */
const DEFAULT_AGENTS = ["uct", "greedy"];

/** Return the agents, levels and caps of a board; requested once for each board. */
const lists = new Map();
function agentsFor(board) {
  if (!can("compute")) return { agents: [], levels: [], caps: {} };
  const bots = [...new Set(BOTS)].map((name) => ({ name, summary: text("bot.summary"), plays: true, options: [] }));
  return kept(lists, `${board.size} ${board.connect}`, () => get("api/agents", { board: board.size, connect: board.connect })
    .then((answer) => ({ ...answer, agents: [...bots, ...answer.agents] })));
}

/** Split a spec into its name and its options. */
export function parseSpec(spec) {
  if (BOTS.includes(spec)) return [spec, {}];
  const [name, ...rest] = spec.split(":");
  const options = rest.join(":").split(",").filter(Boolean).map((part) => part.split(/=(.*)/s));
  return [name, Object.fromEntries(options.map(([option, value = "yes"]) => [option, value]))];
}

function formatSpec(name, options) {
  const given = Object.entries(options).filter(([, value]) => value !== "").map((option) => option.join("="));
  return given.length ? `${name}:${given.join(",")}` : name;
}

/** The form of one side. Event `change`: another player was chosen. */
export class Side extends EventTarget {
  constructor(player, spec = HUMAN, seconds = "") {
    super();
    this.player = player;
    this.spec = spec || HUMAN;
    this.seconds = seconds;
    // The other choices are added when the server has returned them.
    this.choice = h("select", { onchange: () => this.choose(this.choice.value) }, h("option", {}, this.isHuman ? text("sides.human") : this.spec));
    this.options = h("div", { class: "options" });
    this.details = h("details", { class: "agent-options", hidden: true }, h("summary", {}, text("sides.options")), this.options);
    this.about = h("p", { class: "hint-text" });
    this.names = [h("span", {}), h("span", { class: "for-readers" })];
    this.call(false);
    this.element = h("fieldset", { class: "side" },
      h("legend", {}, discIcon(player), this.names[0]), h("label", {}, this.names[1], this.choice), this.about, this.details);
  }

  /** Show the player's name; `isYou`: the player is the only human. */
  call(isYou) {
    const name = playerName(this.player);
    this.names[0].textContent = isYou ? text("sides.you", { name }) : name;
    this.names[1].textContent = text("sides.is", { name });
  }

  get isHuman() {
    return this.spec === HUMAN;
  }

  /** Whether the player is a friend, who gets the game by link. */
  get isFriend() {
    return this.spec === FRIEND;
  }

  get isAgent() {
    return !this.isHuman && !this.isFriend;
  }

  /** Whether the player is an agent with own code. */
  get isBot() {
    return BOTS.includes(this.spec);
  }

  /** A short name. */
  get name() {
    if (this.isHuman) return playerName(this.player);
    if (this.isFriend) return text("sides.friend");
    const level = this.levels?.find(({ agent }) => agent === this.spec);
    if (level) return text("sides.levelName", { level: levelName(level) });
    return this.isBot ? this.spec.split(/[\\/]/).at(-1) : this.spec;
  }

  get limit() {
    return this.seconds ? { seconds: Number(this.seconds) } : {};
  }

  /**
   * Show the agents that play on a board. Returns a sentence if the chosen agent is replaced, else null.
   */
  async offer(board) {
    const { agents, levels, caps } = await agentsFor(board);
    [this.agents, this.levels, this.caps] = [agents, levels, caps];
    const [name] = parseSpec(this.spec);
    const agent = agents.find((known) => known.name === name);
    const isMissing = this.isAgent && !agent?.plays;
    const playing = agents.filter((agent) => agent.plays);
    const plays = (name) => playing.some((known) => known.name === name);
    if (isMissing) this.#set((agent && DEFAULT_AGENTS.find(plays)) ?? HUMAN);
    const option = (value, name, title) => h("option", { value, title }, name);
    const group = (label, list) => h("optgroup", { label, hidden: !list.length }, list);
    this.choice.replaceChildren(
      option(HUMAN, text("sides.human")),
      option(FRIEND, text("sides.byLink"), text("sides.byLinkTitle")),
      ...(plays("perfect") ? [group(text("sides.levels"), levels.map((l) => option(l.agent, capital(levelName(l)))))] : []),
      group(text("bot.group"), playing.filter((a) => BOTS.includes(a.name)).map((a) => option(a.name, a.name, a.summary))),
      group(text("sides.agents"), playing.filter((a) => !a.preset && !BOTS.includes(a.name)).map((a) => option(a.name, a.name, a.summary))),
      group(text("sides.presets"), playing.filter((a) => a.preset).map((a) => option(a.name, a.name, a.summary))),
    );
    this.#show();
    if (!isMissing) return null;
    return text(agent ? "sides.unsupported" : "sides.unknown", { name: agent ? capital(name) : name, other: this.name });
  }

  #show() {
    const [name, given] = parseSpec(this.spec);
    const agent = this.#showMessage();
    this.details.hidden = !agent;
    if (!agent) return;
    const changed = () => this.#optionsChanged(name);
    this.options.replaceChildren(
      ...agent.options.filter(({ name: option }) => option !== "seconds" || given.seconds).map((option) => field(option, given[option.name] ?? "", changed)),
      h("label", { title: text("sides.secondsTitle", { seconds: this.caps.seconds }) }, text("sides.seconds"),
        h("input", {
          type: "number", min: "0.01", max: this.caps.seconds, step: "any", value: this.seconds,
          onchange: ({ target }) => { this.seconds = target.value; this.#set(this.spec); },
        })),
    );
  }

  /** Show the chosen player; return the agent, if it is one. */
  #showMessage() {
    const [name] = parseSpec(this.spec);
    const values = [...this.choice.options].map((option) => option.value);
    this.choice.value = values.includes(this.spec) ? this.spec : name;
    const agent = this.agents.find((known) => known.name === name);
    this.about.textContent = agent ? this.#about(agent) : "";
    return agent;
  }

  #about(agent) {
    const level = this.levels.find((known) => known.agent === this.spec);
    if (!level) return capital(`${agent.summary}.`);
    const highest = Math.max(...this.levels.map((known) => known.level));
    return text(level.level === highest ? "levels.top" : "levels.sees", level);
  }

  /** Choose another player. */
  choose(spec) {
    this.#set(spec);
    this.#show();
  }

  /** Take over the player of the other side. */
  become({ spec, seconds }) {
    Object.assign(this, { spec, seconds });
    if (this.agents) this.#show();
  }

  #optionsChanged(name) {
    const given = {};
    for (const input of this.options.querySelectorAll("[data-option]")) {
      if (input.value !== "") given[input.dataset.option] = input.value;
    }
    this.#set(formatSpec(name, given));
    this.#showMessage(); // the fields stay, because one of them has the focus
  }

  #set(spec) {
    this.spec = spec;
    this.dispatchEvent(new Event("change"));
  }
}

function field(option, value, onchange) {
  const shared = { "data-option": option.name, onchange, title: option.takes };
  const standard = option.default === null || option.default === undefined ? "" : String(option.default);
  const choices = option.type === "flag" ? ["yes", "no"] : option.choices;
  const input = choices.length
    ? h("select", shared, h("option", { value: "" }, text(standard ? "sides.defaultIs" : "sides.default", { standard: plain(standard) })),
      choices.map((choice) => h("option", { value: choice, selected: choice === value }, plain(choice))))
    : h("input", { ...shared, value, placeholder: plain(standard), inputmode: { int: "numeric", float: "decimal" }[option.type] });
  return h("label", { title: `${option.help} (${option.takes})` }, option.name, input);
}

const plain = (value) => {
  const flag = { true: "yes", false: "no", yes: "yes", no: "no" }[value];
  return flag ? text(`sides.${flag}`) : value;
};

const levelName = ({ name }) => text(`levels.${name}.name`, {}, name);
