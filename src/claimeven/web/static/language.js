// The language of the page: `lang=` in its address, the stored choice, or the browser's languages.
// `main.js` imports this module and starts in the language. Other modules call `text` in functions.

import { h } from "./dom.js";
import { embed } from "./embedded.js";
import { store, stored } from "./storage.js";
import { LANGUAGES, text, translate } from "./texts.js";

const KEY = "claimeven.language";
const asked = new URLSearchParams(location.search).get("lang");
const listed = (code) => [code, code.split("-")[0]].find((each) => Object.hasOwn(LANGUAGES, each));
let language = "en";

/** Load a translation and show the texts of `index.html` in it. The page stays English without it. */
async function load(code) {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(code)) return;
  const texts = await import(`./texts.${code}.js`).then((module) => module.default, () => null);
  if (!texts) return;
  translate(code, texts);
  language = document.documentElement.lang = code;
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", text(element.dataset.label));
}

/** Return a field for the language, null if the page has only one. */
export function languageField() {
  if (Object.keys(LANGUAGES).length < 2) return null;
  const onchange = ({ target }) => {
    const search = new URLSearchParams(location.search);
    search.set("lang", target.value);
    location.search = search;
  };
  return h("label", { class: "row" }, text("help.language"), h("select", { onchange },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language }, name))));
}

const wanted = asked ?? stored(KEY) ?? navigator.languages.map(listed).find(Boolean) ?? "en";
if (wanted !== "en") await load(wanted);
if (asked === language && !embed) store(KEY, asked);
