// A sentence about cells of the board: they light up while it is pointed at, has the focus, or was tapped.

import { h } from "./dom.js";
import { withShownColors } from "./words.js";

/** Return a paragraph; `light` is given the cells ([column, row] from 0) to light up, none to end it. */
export function claimSentence({ text: sentenceText, cells }, light, style = "claim") {
  const text = withShownColors(sentenceText);
  if (!cells.length) return h("p", { class: style }, text);
  const lit = cells.map(([column, row]) => [column - 1, row - 1]);
  let byFinger = false;
  let wasLit = false;
  const turn = (isOn) => {
    sentence.classList.toggle("is-lit", isOn);
    light(isOn ? lit : []);
  };
  const sentence = h("p", {
    class: `${style} has-cells`, tabindex: 0, onfocus: () => turn(true), onblur: () => turn(false),
    onpointerenter: ({ pointerType }) => pointerType === "mouse" && turn(true),
    onpointerleave: ({ pointerType }) => pointerType === "mouse" && turn(false),
    onpointerdown: ({ pointerType }) => {
      byFinger = pointerType !== "mouse";
      wasLit = sentence.classList.contains("is-lit");
    },
    onclick: () => byFinger && turn(!wasLit), // a second tap puts the light out
  }, text);
  return sentence;
}
