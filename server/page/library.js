// All pictures, filtered; many at once.
import { complete, decide, get } from "./api.js";
import { attempt, code, h, hint, say } from "./dom.js";
import { Grid } from "./grid.js";
import { openPicture } from "./picture.js";

const seconds = date => date ? Date.parse(date + "T00:00:00Z") / 1000 : undefined;

/** What a catalogue without pictures needs. */
export const noPictures = again => hint("There are no pictures here yet.",
  h("span", {}, "On the machine of the server, ", code("fast0tag index FOLDER"), " brings those of a folder into its catalogue."),
  h("button", { type: "button", class: "main", onclick: again }, "Look again"));

export function library({ go }) {
  const tag = h("input", { list: "tags", autocomplete: "off", oninput: event => { attempt(() => complete(event.target.value)); later(); } });
  const which = h("select", { onchange: () => load() }, h("option", { value: "" }, "all pictures"),
    h("option", { value: "untagged" }, "without tags"), h("option", { value: "undecided" }, "with suggestions"));
  const order = h("select", { onchange: () => load() }, h("option", { value: "date" }, "latest first"), h("option", { value: "path" }, "by path"));
  const from = h("input", { type: "date", onchange: () => load() }), to = h("input", { type: "date", onchange: () => load() });
  const grid = new Grid({ label: "Pictures", open: item => openPicture(item.id, { similar: id => go("search", { like: id }) }), changed: selection });
  const word = h("input", { list: "tags", autocomplete: "off", oninput: event => attempt(() => complete(event.target.value)) });
  const chosen = h("span", {});
  const many = h("form", { class: "bar", hidden: true, onsubmit: event => { event.preventDefault(); apply("accepted"); } }, chosen,
    h("label", {}, "Tag for all of them", word), h("button", { class: "main" }, "Add"),
    h("button", { type: "button", onclick: () => apply("rejected") }, "Not this"));
  const several = h("input", { type: "checkbox", onchange: event => { grid.selecting = event.target.checked; } });
  const empty = h("div", {});
  let waiting, turn = 0;

  function later() {
    clearTimeout(waiting);
    waiting = setTimeout(load, 250);
  }

  const filters = [tag, which, from, to];

  function showAll() {
    for (const field of filters) field.value = "";
    load();
  }

  const nothing = () => filters.some(field => field.value) ?
    hint("No picture is like this.", "Another tag, other dates, or:", h("button", { type: "button", class: "main", onclick: showAll }, "Show all pictures")) :
    noPictures(load);

  async function load() {
    const own = ++turn;
    await attempt(async () => {
      const { ids, names, count } = await get("/v1/pictures", { ids: 1, order: order.value, tag: tag.value.trim(),
        untagged: which.value === "untagged" ? 1 : "", undecided: which.value === "undecided" ? 1 : "",
        from: seconds(from.value), before: to.value ? seconds(to.value) + 86400 : undefined });
      if (own !== turn) return;
      grid.set(ids.map((id, i) => ({ id, name: names[i] })));
      empty.replaceChildren(...count ? [] : [nothing()]);
      say(count === 1 ? "1 picture" : `${count.toLocaleString()} pictures`);
    });
  }

  function selection(ids) {
    many.hidden = ids.size === 0;
    chosen.textContent = ids.size === 1 ? "1 selected" : `${ids.size} selected`;
  }

  async function apply(decision) {
    const text = word.value.trim(), ids = [...grid.selected];
    if (!text) return;
    await attempt(async () => {
      for (let i = 0; i < ids.length; i += 1000) await decide(ids.slice(i, i + 1000), text, decision);
      say(`${text}: ${decision} for ${ids.length}`);
      await load();
    });
  }

  return {
    element: [h("form", { class: "bar", onsubmit: event => { event.preventDefault(); load(); } },
      h("label", {}, "Tag", tag), h("label", {}, "Show", which), h("label", {}, "Order", order),
      h("label", {}, "From", from), h("label", {}, "To", to),
      h("label", { class: "check" }, several, "select several")), many, empty, grid.element],
    start: load,
    end: () => grid.observer.disconnect(),
    keys: [["Arrows", "move"], ["Enter", "open"], ["Space", "select"]],
  };
}
