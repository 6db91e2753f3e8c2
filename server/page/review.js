// One picture after the other, by keys.
import { complete, decide, get, post, thumbnail } from "./api.js";
import { attempt, fileName, h, isTyping, say } from "./dom.js";
import { learning } from "./learn.js";
import { tagList, why } from "./picture.js";

const LEAST = 0.05; // what is less sure is not worth a look

/** A picture with the tags that are to be decided about. */
async function load(id) {
  const picture = await get(`/v1/pictures/${id}`);
  picture.tags = picture.tags.filter(t => t.keyword || t.decision !== "undecided" || t.confidence >= LEAST);
  return picture;
}

export function review() {
  let queue = [], picture = null, at = 0, last = 0, left = 0, made = 0;
  const image = h("div"), caption = h("figcaption"), list = h("div"), reasons = h("div"), counter = h("p", { class: "quiet" });
  const input = h("input", { list: "tags", autocomplete: "off", oninput: event => attempt(() => complete(event.target.value)),
    onkeydown: event => { if (event.key === "Escape") { input.value = ""; input.blur(); } } });
  const type = h("form", { class: "bar", onsubmit: event => { event.preventDefault(); add(); } },
    h("label", { class: "wide" }, "Another tag", input), h("button", {}, "Add"));
  const empty = h("p", {}, "Nothing to review: no picture has a suggestion that is undecided.");
  const body = h("div", { class: "review", hidden: true }, h("div", {}, h("figure", {}, image, caption), reasons),
    h("section", { "aria-label": "Tags of the picture" }, list, type, h("div", { class: "bar" },
      h("button", { type: "button", onclick: () => undo() }, "Undo"), h("button", { type: "button", onclick: () => acceptAll() }, "Accept all"),
      h("button", { type: "button", onclick: () => explain() }, "Why?"),
      h("button", { type: "button", class: "main", onclick: () => next() }, "Next")), counter));

  function draw() {
    body.hidden = !picture;
    empty.hidden = Boolean(picture);
    if (!picture) return;
    list.replaceChildren(tagList(picture, decided, at));
    counter.textContent = `${left.toLocaleString()} pictures to review · ${made} decisions now, which the next training uses`;
  }

  async function decided(tag, decision) {
    tag.decision = decision;
    made += decision === "undecided" ? 0 : 1;
    const open = picture.tags.findIndex(t => t.decision === "undecided" && !t.keyword);
    if (open >= 0) at = open;
    draw();
  }

  async function fill() {
    const page = await get("/v1/suggestions", { after: last || undefined, limit: 20, confidence: LEAST });
    left = page.count;
    queue = page.pictures;
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
        image.replaceChildren(thumbnail(picture.id, { alt: fileName(picture.path) }));
        caption.textContent = fileName(picture.path);
        at = Math.max(0, picture.tags.findIndex(t => t.decision === "undecided" && !t.keyword));
        say(`${fileName(picture.path)}: ${picture.tags.length} ${picture.tags.length === 1 ? "tag" : "tags"}`);
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
    const open = picture.tags.filter(t => t.decision === "undecided" && !t.keyword);
    await attempt(async () => {
      await post("/v1/decisions", { decisions: open.map(t => ({ picture: picture.id, tag: t.tag, decision: "accepted" })) });
      open.forEach(t => { t.decision = "accepted"; });
      made += open.length;
      say(`${open.length} accepted`);
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
      made = Math.max(0, made - 1);
      if (picture?.id !== undone.picture) queue.unshift(...(picture ? [picture] : []));
      picture = await load(undone.picture);
      image.replaceChildren(thumbnail(picture.id, { alt: fileName(picture.path) }));
      caption.textContent = fileName(picture.path);
      at = Math.max(0, picture.tags.findIndex(t => t.tag === undone.tag));
      say(`${undone.tag}: ${undone.is} again`);
      draw();
    });
  }

  async function learned() {
    made = last = 0;
    queue = [];
    picture = null;
    await next();
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
    element: [...learning(learned), empty, body],
    start: next,
    end: () => document.removeEventListener("keydown", key),
    keys: [["a", "accept"], ["x", "reject"], ["Shift a", "accept all"], ["↑ ↓", "another suggestion"], ["t", "type a tag"], ["y", "why"],
      ["u", "undo"], ["n, Enter", "next picture"]],
  };
}
