// A sentence about cells of the board, which light up while it is hovered, focused or tapped.

import { h } from "./dom.js";
import { withShownColors } from "./words.js";

/** Return a paragraph; `light` receives the cells to light up ([column, row] from 0), or no cells. */
export function claimSentence({ text: sentenceText, cells }, light) {
  const text = withShownColors(sentenceText);
  if (!cells.length) return h("p", { class: "claim" }, text);
  const lit = cells.map(([column, row]) => [column - 1, row - 1]);
  let byFinger = false;
  let wasLit = false;
  const turn = (isOn) => {
    sentence.classList.toggle("is-lit", isOn);
    light(isOn ? lit : []);
  };
  const sentence = h("p", {
    class: "claim has-cells", tabindex: 0, onfocus: () => turn(true), onblur: () => turn(false),
    onpointerenter: ({ pointerType }) => pointerType === "mouse" && turn(true),
    onpointerleave: ({ pointerType }) => pointerType === "mouse" && turn(false),
    onpointerdown: ({ pointerType }) => {
      byFinger = pointerType !== "mouse";
      wasLit = sentence.classList.contains("is-lit");
    },
    onclick: () => byFinger && turn(!wasLit), // a second tap turns the light off
  }, text);
  return sentence;
}
