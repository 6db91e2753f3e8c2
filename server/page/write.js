// Accepted tags as keywords of the files: what would change, then do it.
import { post } from "./api.js";
import { attempt, fileName, h, hint, say } from "./dom.js";

export function write() {
  const table = h("div"), act = h("button", { type: "button", class: "main", disabled: true, onclick: () => run({}) }, "Write");
  const undo = h("button", { type: "button", onclick: () => run({ undo: true }) }, "Undo the last write");

  function draw(files, verb) {
    const changed = files.filter(f => f.changed || f.error);
    table.replaceChildren(changed.length ? h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "File"), h("th", { scope: "col" }, "Change"))),
      h("tbody", {}, changed.map(f => h("tr", {}, h("td", { title: f.file }, fileName(f.file)), h("td", {}, f.error ?? f.change))))) :
      hint("Nothing to write: the files have all that was accepted.", h("span", {}, "Accept tags in ", h("a", { href: "#review" }, "Review"),
        " or give them in the ", h("a", { href: "#library" }, "Library"), "; then come back.")));
    say(`${changed.length} ${changed.length === 1 ? "file" : "files"} ${verb}`);
    return changed.filter(f => f.changed).length;
  }

  const preview = () => attempt(async () => {
    const { files } = await post("/v1/write", { dry_run: true });
    const count = draw(files, "would change");
    act.disabled = count === 0;
    act.textContent = count ? `Write ${count} ${count === 1 ? "file" : "files"}` : "Write";
  });

  const run = how => attempt(async () => {
    act.disabled = undo.disabled = true;
    try {
      const { files } = await post("/v1/write", how);
      draw(files, "changed");
    } finally {
      undo.disabled = false;
    }
  });

  return {
    element: [h("h2", {}, "Keywords"), h("p", { class: "quiet" }, "Accepted tags go into XMP sidecars beside the pictures. The pictures themselves, and what others wrote, stay as they are."),
      h("div", { class: "bar" }, h("button", { type: "button", onclick: () => preview() }, "What would change"), act, undo), table],
    start: preview,
    end: () => {},
    keys: [],
  };
}
