// Small things that every view uses.

/** What a place may have as children: lists of lists are flat, and what is not there is left out. */
const present = children => children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false);

/** An element: h("button", {type: "button", onclick: f, "aria-label": "…"}, "text", child, …). */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

const line = () => document.getElementById("status");

/** Tells the person, and those who cannot see it. */
export function say(text, wrong = false) {
  line().textContent = text;
  line().classList.toggle("wrong", wrong);
}

/** Runs something that may fail, and says so where it does. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    say(error.message, true);
    return undefined;
  }
}

export const percent = share => share === null || share === undefined ? "" : Math.round(100 * share) + " %";
export const fileName = path => path.slice(path.lastIndexOf("/") + 1);
export const isTyping = event => /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

/** What stands where there is nothing to show: why that is so, and what to do next. */
export const hint = (what, ...next) => h("div", { class: "hint" }, h("p", { class: "what" }, what), next.map(line => h("p", {}, line)));

export const code = text => h("code", {}, text);

/** A dialog with a title, which Escape closes; resolves when it is closed. */
export function show(title, ...content) {
  const dialog = document.getElementById("dialog");
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(h("h2", { id: "dialog-title" }, title), ...present(content), h("p", {}, close));
  if (!dialog.open) dialog.showModal();
  return new Promise(resolve => dialog.addEventListener("close", resolve, { once: true }));
}
