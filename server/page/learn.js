// Learning from what was decided, with progress, and what it has changed.
import { learn } from "./api.js";
import { attempt, h, say } from "./dom.js";

const number = count => count.toLocaleString();

/** What the new model does otherwise. */
function changes(what) {
  const rows = what.changes.map(c => h("li", {}, h("strong", {}, c.tag), ` ${number(c.before)} → ${number(c.after)}`));
  return h("details", { class: "changes", open: true }, h("summary", {}, "What has changed"),
    what.new_tags.length ? h("p", {}, `New to the model: ${what.new_tags.join(", ")}`) : null,
    h("p", {}, rows.length ? "Suggested for so many pictures, before and now:" : "No tag is suggested for more or fewer pictures than before."),
    h("ul", {}, rows));
}

/** A bar with buttons; learned() is called when there is another model. */
export function learning(learned) {
  const button = (text, title, how) => h("button", { type: "button", title, onclick: () => start(how) }, text);
  const buttons = [button("Learn", "Goes on with the model: seconds", ""), button("Learn anew", "Trains from the beginning: minutes", "anew"),
    button("Undo learning", "Brings back the model of before, and its suggestions; once more, the newer one", "undo")];
  const bar = h("progress", { hidden: true, "aria-label": "Learning" }), result = h("div");

  const progress = p => {
    if (p.total) {
      bar.max = p.total;
      bar.value = p.done;
    } else {
      bar.removeAttribute("value"); // nobody knows
    }
    if (p.unit === "%") {
      say(`Learning: ${Math.round(100 * p.done / p.total)} %`);
      return;
    }
    say(`Learning: ${p.stage}${p.total ? `, ${number(p.done)} of ${number(p.total)} ${p.unit}` : ""}`);
  };

  const disable = yes => buttons.forEach(button => { button.disabled = yes; });

  /** What has become of the model. */
  const sentence = (how, what) => `${how === "undo" ? "The model of before is back" :
    `Learned from ${number(what.pictures)} pictures in ${Math.max(1, Math.round(what.seconds))} s`}: ${number(what.tags)} tags, new suggestions for ${number(what.suggested)}`;

  async function start(how) {
    disable(true);
    bar.hidden = false;
    bar.removeAttribute("value");
    await attempt(async () => {
      const what = await learn(how, progress);
      result.replaceChildren(changes(what));
      await learned();
      say(sentence(how, what));
    });
    bar.hidden = true;
    disable(false);
  }

  return [h("div", { class: "bar middle" }, ...buttons, h("span", { class: "quiet" }, "from what was accepted and rejected"), bar), result];
}
