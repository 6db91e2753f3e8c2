// Any word, or a picture that others are to be like.
import { get } from "./api.js";
import { attempt, fileName, h, percent, say } from "./dom.js";
import { Grid } from "./grid.js";
import { openPicture } from "./picture.js";

export function search({ like, go }) {
  const input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "dog -cat tag:holiday before:2020" });
  const message = h("p", { class: "quiet" });
  const grid = new Grid({ label: "Found pictures", open: item => openPicture(item.id, { similar: id => go("search", { like: id }) }) });

  const tell = found => {
    if (!found.certain && found.pictures.length) return "Nothing certain; these are the nearest.";
    const count = found.pictures.length;
    return !count ? "Nothing was found." : `${count}${found.more ? " of more" : ""} found${like && !input.value ? " like this picture" : ""}.`;
  };

  async function find() {
    const text = input.value.trim();
    if (!text && !like) return;
    grid.set([]);
    message.textContent = "";
    await attempt(async () => {
      const found = await get("/v1/find", text ? { q: text, k: 500 } : { like, k: 200 });
      grid.set(found.pictures.map(p => ({ id: p.id, label: fileName(p.path), note: p.tagged ? "tagged" : percent(p.confidence ?? p.similarity) })));
      message.textContent = tell(found);
      say(message.textContent);
    });
  }

  return {
    element: [h("form", { class: "bar", role: "search", onsubmit: event => { event.preventDefault(); find(); } },
      h("label", { class: "wide" }, "Words, tags, dates", input), h("button", { class: "main" }, "Find")), message, grid.element],
    start: () => like ? find() : input.focus(),
    end: () => grid.observer.disconnect(),
    keys: [["Enter", "find"], ["Arrows", "move among what was found"]],
  };
}
