// The frame: which view is shown, and the keys that change it.
import { get } from "./api.js";
import { drop } from "./drop.js";
import { h, hint, isTyping, say, show } from "./dom.js";
import { library } from "./library.js";
import { review } from "./review.js";
import { search } from "./search.js";
import { write } from "./write.js";

const VIEWS = [["library", "Library", library, "l"], ["search", "Search", search, "/"], ["review", "Review", review, "r"],
  ["write", "Write", write, "w"], ["drop", "Try", drop, "d"]];
const main = document.getElementById("main"), nav = document.querySelector("nav");
let model = null, current = null, views = [];

function open(name, options = {}) {
  const view = views.find(([id]) => id === name) ?? views[0];
  current?.end();
  say("");
  for (const link of nav.children) {
    if (link.dataset.view === view[0]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = view[1] + " – fast0tag";
  current = view[2]({ model, go, ...options });
  main.replaceChildren(...current.element);
  current.start();
}

/** Shows another view, and remembers it in the address. */
function go(name, options = {}) {
  const hash = "#" + name + (options.like ? "/" + options.like : "");
  if (location.hash === hash) route();
  else location.hash = hash;
}

function route() {
  const [name, like] = location.hash.slice(1).split("/");
  if (name !== "main") open(name, /^\d+$/.test(like ?? "") ? { like } : {});
}

function help() {
  const rows = keys => h("dl", { class: "keys" }, keys.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]));
  const here = current?.keys ?? [];
  show("Keys", here.length ? [h("h3", {}, "Here"), rows(here)] : [], h("h3", {}, "Everywhere"),
    rows([...views.map(([, title, , key]) => [key, title]), ["Esc", "leave a field, so that keys count again"], ["?", "this list"]]));
}

document.addEventListener("keydown", event => {
  if (event.key === "Escape" && isTyping(event) && !document.getElementById("dialog").open) {
    event.preventDefault(); // which would empty a field for searching
    main.focus();
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("dialog").open) return;
  const view = views.find(([, , , key]) => key === event.key);
  if (event.key === "?") help();
  else if (view) go(view[0]);
  else return;
  event.preventDefault();
});
document.getElementById("help").addEventListener("click", help);
addEventListener("hashchange", route);
for (const kind of ["dragover", "drop"]) addEventListener(kind, event => event.preventDefault()); // a missed drop opens nothing

async function begin() {
  try {
    model = await get("/v1/model");
  } catch (error) {
    say(error.message, true);
    main.replaceChildren(hint("The page could not begin.", error.message, h("button", { type: "button", class: "main", onclick: begin }, "Try again")));
    return;
  }
  views = VIEWS.filter(([id]) => model.catalogue || id === "drop");
  nav.replaceChildren(...views.map(([id, title, , key]) => h("a", { href: "#" + id, "data-view": id, "aria-keyshortcuts": key }, title)));
  route();
}

begin();
