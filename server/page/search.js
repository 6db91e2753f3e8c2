// Any word, or a picture that others are to be like.
import { get } from "./api.js";
import { attempt, code, fileName, h, hint, percent, say } from "./dom.js";
import { Grid } from "./grid.js";
import { openPicture } from "./picture.js";

const EXAMPLES = [["dog", "any word, learned or not"], ["dog -cat", "this and not that"], ["tag:holiday", "a tag that somebody gave"],
  ["before:2020", "taken then; also after: and date:"], ["is:untagged", "without tags"]];

export function search({ like, go }) {
  const input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "dog -cat tag:holiday before:2020" });
  const message = h("p", { class: "quiet", hidden: true }), empty = h("div", {});
  const grid = new Grid({ label: "Found pictures", open: item => openPicture(item.id, { similar: id => go("search", { like: id }) }) });

  const example = ([text, what]) => [h("dt", {}, h("button", { type: "button", onclick: () => { input.value = text; find(); } }, code(text))), h("dd", {}, what)];
  const start = () => hint("Find pictures by words, tags and dates.", "Several of them are to hold together. For example:",
    h("dl", { class: "keys" }, EXAMPLES.map(example)));
  const nothing = text => hint(`Nothing was found for “${text}”.`, "Fewer conditions find more, and so do other words for it.");

  function tellWhatIsMissing(what) {
    empty.replaceChildren(...what ? [what] : []);
    message.hidden = Boolean(what);
  }

  const tell = found => {
    const count = found.pictures.length, leftOut = found.words.filter(w => w.kind === "left out").map(w => `“${w.word}”`);
    const remark = leftOut.length ? ` Left out: ${leftOut.join(", ")}.` : "";
    if (!found.certain && count) return `Nothing certain; these are the nearest.${remark}`;
    return (!count ? "Nothing was found." : `${count}${found.more ? " of more" : ""} found${like && !input.value ? " like this picture" : ""}.`) + remark;
  };

  async function find() {
    const text = input.value.trim();
    grid.set([]);
    message.textContent = "";
    if (!text && !like) return tellWhatIsMissing(start());
    tellWhatIsMissing(null);
    await attempt(async () => {
      const found = await get("/v1/find", text ? { q: text, k: 500 } : { like, k: 200 });
      grid.set(found.pictures.map(p => ({ id: p.id, name: fileName(p.path), note: p.tagged ? "tagged" : percent(p.confidence ?? p.similarity) })));
      message.textContent = tell(found);
      if (!found.pictures.length) tellWhatIsMissing(text ? nothing(text) : hint("No picture is like this one."));
      say(message.textContent);
    });
  }

  return {
    element: [h("form", { class: "bar", role: "search", onsubmit: event => { event.preventDefault(); find(); } },
      h("label", { class: "wide" }, "Words, tags, dates", input), h("button", { class: "main" }, "Find")), message, empty, grid.element],
    start: () => { find(); if (!like) input.focus(); },
    end: () => grid.observer.disconnect(),
    keys: [["Enter", "find"], ["Arrows", "move among what was found"]],
  };
}
