// One picture: its tags, what speaks for them, pictures like it.
import { decide, get, thumbnail } from "./api.js";
import { direction } from "./direction.js";
import { attempt, fileName, h, percent, say, show } from "./dom.js";

/** What speaks for a tag of a picture. */
export async function why(id, tag) {
  const reasons = await get(`/v1/pictures/${id}/why`, { tag });
  const strip = h("div", { class: "strip", tabIndex: 0, role: "group", "aria-label": `Pictures with ${tag}` }, reasons.pictures.map(p => thumbnail(p.id, fileName(p.path), {
    alt: `${fileName(p.path)}, ${percent(p.similarity)} similar`, title: `${fileName(p.path)}: ${percent(p.similarity)} similar` })));
  const near = reasons.near.map(n => h("li", {}, h("span", { class: "name" }, n.tag),
    h("meter", { min: "0", max: "1", value: String(Math.max(0, n.cosine)), "aria-label": `${n.tag}: cosine ${n.cosine.toFixed(2)}` }),
    h("span", { class: "share" }, n.cosine.toFixed(2))));
  return h("section", { class: "why", "aria-label": `Why ${tag}` },
    h("h3", {}, reasons.pictures.length ? `Similar pictures that have “${tag}”` : `No similar picture has “${tag}”`), strip,
    reasons.direction ? [h("h3", {}, "The picture's direction"), direction(reasons.direction, tag)] : [],
    near.length ? h("h3", {}, "Learned tags whose meaning is nearest") : h("p", { class: "quiet" }, "The word was not learned: its place among words speaks for it."),
    h("ul", { class: "tags" }, near));
}

/** A list of tags with what can be decided about each. changed() is called after a decision. */
export function tagList(picture, changed, selected = -1) {
  const act = (tag, decision) => attempt(async () => {
    await decide([picture.id], tag.tag, decision);
    say(`${tag.tag}: ${decision}`);
    await changed(tag, decision);
  });
  const button = (text, label, onclick) => h("button", { type: "button", "aria-label": label, title: label, onclick }, text);
  return h("ul", { class: "tags" }, picture.tags.map((tag, i) => h("li", { class: i === selected ? "at" : "", "data-decision": tag.decision },
    h("span", { class: "name" }, tag.tag, tag.keyword ? h("span", { class: "quiet" }, " (keyword)") : null),
    tag.confidence === null ? null : h("meter", { min: "0", max: "1", value: String(tag.confidence), "aria-label": `confidence of ${tag.tag}` }),
    tag.confidence === null ? null : h("span", { class: "share" }, percent(tag.confidence)),
    tag.keyword ? null : button("✓", `Accept ${tag.tag}`, () => act(tag, "accepted")),
    tag.keyword ? null : button("✗", `Reject ${tag.tag}`, () => act(tag, "rejected")))));
}

export async function openPicture(id, { similar } = {}) {
  const fill = async () => {
    const picture = await get(`/v1/pictures/${id}`);
    const taken = picture.taken === null ? "" : new Date(1000 * picture.taken).toISOString().slice(0, 10);
    const reasons = h("div");
    const explain = picture.tags.map(({ tag }) => h("button", { type: "button",
      onclick: () => attempt(async () => reasons.replaceChildren(await why(id, tag))) }, `Why ${tag}?`));
    show(fileName(picture.path), thumbnail(id, fileName(picture.path), { class: "large", alt: fileName(picture.path) }),
      h("p", { class: "quiet" }, [taken, picture.width ? `${picture.width} × ${picture.height}` : "", picture.path].filter(Boolean).join(" · ")),
      tagList(picture, fill),
      h("div", { class: "bar" }, similar ? h("button", { type: "button", onclick: () => { document.getElementById("dialog").close(); similar(id); } },
        "Similar pictures") : null, explain), reasons);
  };
  await attempt(fill);
}
