// One picture after the other, by keys.
import { complete, decide, get, post, thumbnail } from "./api.js";
import { attempt, fileName, h, hint, isTyping, percent, say } from "./dom.js";
import { learning } from "./learn.js";
import { noPictures } from "./library.js";
import { tagList, why } from "./picture.js";

export function review({ model }) {
  let queue = [], picture = null, at = 0, last = 0, left = 0, made = 0;
  const image = h("div"), caption = h("figcaption"), list = h("div"), reasons = h("div"), counter = h("p", { class: "quiet" });
  const input = h("input", { list: "tags", autocomplete: "off", oninput: event => attempt(() => complete(event.target.value)),
    onkeydown: event => { if (event.key === "Escape") { input.value = ""; input.blur(); } } });
  const type = h("form", { class: "bar", onsubmit: event => { event.preventDefault(); add(); } },
    h("label", { class: "wide" }, "Another tag", input), h("button", {}, "Add"));
  const empty = h("div");
  const { offered, sure } = model.confidences ?? { offered: 0, sure: 1 };
  const least = h("select", { onchange: () => begin() }, [offered, sure, 0].map(share => h("option", { value: String(share) }, share ? percent(share) : "any")));
  const all = h("button", { type: "button", title: "Shift a", onclick: () => acceptAll() });
  const body = h("div", { class: "review", hidden: true }, h("div", {}, h("figure", {}, image, caption), reasons),
    h("section", { "aria-label": "Tags of the picture" }, list, type, h("div", { class: "bar" },
      h("button", { type: "button", onclick: () => undo() }, "Undo"), all,
      h("button", { type: "button", onclick: () => explain() }, "Why?"),
      h("button", { type: "button", class: "main", onclick: () => next() }, "Next")), counter));

  const load = id => get(`/v1/pictures/${id}`, { confidence: least.value });
  const isOpen = tag => tag.decision === "undecided" && !tag.keyword;
  const sureOnes = () => picture.tags.filter(t => isOpen(t) && t.confidence !== null && t.confidence >= sure);

  function draw() {
    body.hidden = !picture;
    empty.hidden = Boolean(picture);
    if (!picture) return;
    const count = sureOnes().length;
    all.disabled = !count;
    all.textContent = `${count ? `Accept ${count}` : "None"} of at least ${percent(sure)}`;
    list.replaceChildren(tagList(picture, decided, at));
    counter.textContent = `${left.toLocaleString()} pictures to review · ${made} decisions now, which the next training uses`;
  }

  async function decided(tag, decision) {
    tag.decision = decision;
    made += decision === "undecided" ? 0 : 1;
    const open = picture.tags.findIndex(isOpen);
    if (open >= 0) at = open;
    draw();
  }

  async function fill() {
    const page = await get("/v1/suggestions", { after: last || undefined, limit: 20, confidence: least.value });
    left = page.count;
    queue = page.pictures;
  }

  /** Why there is nothing to review, and what to do then. */
  async function explainEmpty() {
    const { count } = await get("/v1/pictures", { limit: 1 });
    if (!count) return noPictures(begin);
    if (!model.confidences) return hint("This model suggests no tags: it does not say how sure it is.", "A model of “fast0tag train” without --method does.");
    return hint(`Nothing to review: no suggestion of at least ${least.selectedOptions[0].text} is undecided.`,
      h("span", {}, "What was accepted goes into files in ", h("a", { href: "#write" }, "Write"), "; Learn makes new suggestions of it; and less sure ones are above, as “any”."));
  }

  async function begin() {
    last = 0;
    queue = [];
    picture = null;
    await next();
  }

  function showPicture() {
    image.replaceChildren(thumbnail(picture.id, fileName(picture.path), { alt: fileName(picture.path) }));
    caption.textContent = fileName(picture.path);
  }

  async function next() {
    await attempt(async () => {
      if (picture) last = picture.id;
      if (!queue.length) await fill();
      picture = queue.shift() ?? null;
      at = 0;
      reasons.replaceChildren();
      if (picture) {
        picture = await load(picture.id);
        showPicture();
        at = Math.max(0, picture.tags.findIndex(isOpen));
        say(`${fileName(picture.path)}: ${picture.tags.length} ${picture.tags.length === 1 ? "tag" : "tags"}`);
      } else {
        empty.replaceChildren(await explainEmpty());
        say("Nothing to review.");
      }
      draw();
    });
  }

  async function choose(decision) {
    const tag = picture?.tags[at];
    if (!tag || tag.keyword) return;
    await attempt(async () => {
      await decide([picture.id], tag.tag, decision);
      say(`${tag.tag}: ${decision}`);
      await decided(tag, decision);
    });
  }

  async function acceptAll() {
    const open = sureOnes();
    if (!open.length) return;
    await attempt(async () => {
      await post("/v1/decisions", { decisions: open.map(t => ({ picture: picture.id, tag: t.tag, decision: "accepted" })) });
      open.forEach(t => { t.decision = "accepted"; });
      made += open.length;
      at = Math.max(0, picture.tags.findIndex(isOpen));
      say(`${open.map(t => t.tag).join(", ")}: accepted`);
      draw();
    });
  }

  async function add() {
    const tag = input.value.trim();
    if (!tag) return;
    await attempt(async () => {
      await decide([picture.id], tag, "accepted");
      input.value = "";
      input.blur();
      made++;
      picture = await load(picture.id);
      say(`${tag}: accepted`);
      draw();
    });
  }

  async function undo() {
    await attempt(async () => {
      const { undone } = await post("/v1/decisions/undo");
      if (!undone) return say("Nothing to undo.");
      made = Math.max(0, made - undone.count);
      if (picture?.id !== undone.picture) queue.unshift(...(picture ? [picture] : []));
      picture = await load(undone.picture);
      showPicture();
      at = Math.max(0, picture.tags.findIndex(t => t.tag === undone.tag));
      say(undone.count > 1 ? `${undone.count} tags: ${undone.is} again` : `${undone.tag}: ${undone.is} again`);
      draw();
    });
  }

  async function learned() {
    made = 0;
    await begin();
  }

  const explain = () => attempt(async () => {
    if (!picture.tags[at]) return;
    reasons.replaceChildren(await why(picture.id, picture.tags[at].tag));
  });

  function key(event) {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("dialog").open) return;
    if (event.key === "Enter" && event.target.tagName === "BUTTON") return;
    if (event.key === "u") undo();
    else if (!picture) return;
    else if (event.key === "a") choose("accepted");
    else if (event.key === "x") choose("rejected");
    else if (event.key === "A") acceptAll();
    else if (event.key === "n" || event.key === "Enter") next();
    else if (event.key === "y") explain();
    else if (event.key === "t") input.focus();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      at = Math.max(0, Math.min(picture.tags.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      draw();
    } else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", key);
  return {
    element: [...learning(learned), h("div", { class: "bar" }, h("label", { class: "check" }, "Suggestions of at least", least)), empty, body],
    start: next,
    end: () => document.removeEventListener("keydown", key),
    keys: [["a", "accept"], ["x", "reject"], ["Shift a", `accept all of at least ${percent(sure)}`], ["↑ ↓", "another suggestion"], ["t", "type a tag"], ["y", "why"],
      ["u", "undo"], ["n, Enter", "next picture"]],
  };
}
