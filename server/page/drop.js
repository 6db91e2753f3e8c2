// A picture from anywhere: its tags, and any words ranked for it. It goes to this server alone.
import { tagPicture } from "./api.js";
import { attempt, h, hint, percent, say } from "./dom.js";

export function drop({ model }) {
  let file = null, url = null;
  const choose = h("input", { type: "file", accept: "image/*,.heic,.avif,.jxl,.dng,.cr2,.nef,.arw", disabled: !model.takes_pictures, onchange: () => take(choose.files[0]) });
  const preview = h("div"), result = h("div", { class: "result" },
    model.takes_pictures ? hint("What would the model say of it?", "The tags of a picture stand here, and how sure they are. It goes to this server alone, and is not kept.") :
      hint("This server takes no pictures.", "Its model does not name what makes features of them: “fast0tag serve” takes it as --backbone."));
  const words = h("input", { autocomplete: "off", placeholder: "sunset, old car, happiness", disabled: !model.takes_words });
  const zone = h("div", { class: "drop",
    ondragover: event => { event.preventDefault(); zone.classList.add("over"); },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: event => { event.preventDefault(); zone.classList.remove("over"); take(event.dataTransfer.files[0]); } },
  h("label", {}, "Drop a picture here, or choose one", choose), preview);

  function take(next) {
    if (!next || !model.takes_pictures) return;
    file = next;
    if (url) URL.revokeObjectURL(url);
    url = URL.createObjectURL(file);
    preview.replaceChildren(h("img", { src: url, alt: file.name, onerror: () => preview.replaceChildren(h("p", {}, file.name)) }));
    rank();
  }

  // A model without confidences has scores alone; their range is what they are compared with.
  function ranked(tags) {
    const most = Math.max(...tags.map(t => t.score)), least = Math.min(...tags.map(t => t.score));
    const share = t => t.confidence ?? (most > least ? (t.score - least) / (most - least) : 1);
    return h("ul", { class: "tags" }, tags.map(t => h("li", {}, h("span", { class: "name" }, t.tag),
      h("meter", { min: "0", max: "1", value: String(share(t)), "aria-label": `${t.tag}` }),
      h("span", { class: "share" }, t.confidence === null ? t.score.toFixed(2) : percent(t.confidence)))));
  }

  const rank = () => attempt(async () => {
    if (!file) return say(model.takes_pictures ? "Choose a picture first." : "This server takes no pictures.", true);
    say("Looking at the picture…");
    const vocabulary = words.value.trim(), least = vocabulary ? undefined : model.confidences?.offered;
    const { pictures: [{ tags }], unknown } = await tagPicture(file, { k: 12, vocabulary, confidence: least });
    result.replaceChildren(tags.length || !least ? ranked(tags) : hint(`No learned tag is at least ${percent(least)} sure.`, "Words of your own are ranked however sure they are."),
      unknown ? h("p", { class: "quiet" }, `Without a vector: ${unknown.join(", ")}`) : "");
    say(tags.length === 1 ? "1 tag" : `${tags.length} tags`);
  });

  return {
    element: [h("h2", {}, "A picture of your own"), zone, h("form", { class: "bar", onsubmit: event => { event.preventDefault(); rank(); } },
      h("label", { class: "wide" }, model.takes_words ? "Words to rank, with commas between them; none: the learned tags" : "This server has no word vectors (--vectors)", words),
      h("button", { class: "main" }, "Rank")), result],
    start: () => {},
    end: () => { if (url) URL.revokeObjectURL(url); },
    keys: [],
  };
}
