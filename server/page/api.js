// The server's interface, as /openapi.json describes it.
import { h, show } from "./dom.js";

let token = sessionStorage.getItem("token") || "";

let asking = null; // one dialog for all requests that want it

async function showTokenDialog() {
  const input = h("input", { type: "password", autocomplete: "off" });
  const form = h("form", { onsubmit: event => { event.preventDefault(); document.getElementById("dialog").close(); } },
    h("p", {}, "This server wants a token: the one in the file of --token-file."),
    h("label", {}, "Token", input), h("p", {}, h("button", { class: "main" }, "Use it")));
  await show("Token", form);
  token = input.value.trim();
  sessionStorage.setItem("token", token);
}

function askForToken() {
  asking ??= showTokenDialog().finally(() => { asking = null; });
  return asking;
}

const SILENT = "The server does not answer. Look whether “fast0tag serve” still runs and the network is there; then try again.";

/** What the browser says of a broken connection helps nobody. */
async function reach(work) {
  try {
    return await work;
  } catch {
    throw new Error(SILENT);
  }
}

function send(path, options) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = "Bearer " + token;
  return reach(fetch(path, { ...options, headers }));
}

async function request(path, options = {}) {
  const before = token;
  let answer = await send(path, options);
  if (answer.status === 401) {
    if (token === before) await askForToken(); // otherwise it was given meanwhile
    answer = await send(path, options);
  }
  if (answer.ok) return answer;
  const value = await answer.json().catch(() => null);
  throw new Error(value?.error?.message ?? `The server answered ${answer.status}.`);
}

const query = values => {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return set.length ? "?" + new URLSearchParams(set) : "";
};

export const get = async (path, values = {}) => (await request(path + query(values))).json();
export const post = async (path, value) => (await request(path, value === undefined ? { method: "POST" } : {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
})).json();
export const tagPicture = async (file, values) => (await request("/v1/tag" + query({ ...values, name: file.name }), {
  method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
})).json();
export const decide = (pictures, tag, decision) =>
  post("/v1/decisions", { decisions: pictures.map(picture => ({ picture, tag, decision })) });

// An <img> sends no token: with one, thumbnails are fetched here, and the last ones kept.
const kept = new Map();

async function fetchThumbnail(path) {
  if (!kept.has(path)) {
    const answer = await request(path);
    kept.set(path, URL.createObjectURL(await answer.blob()));
    if (kept.size > 2000) {
      const [oldest, url] = kept.entries().next().value;
      URL.revokeObjectURL(url);
      kept.delete(oldest);
    }
  }
  return kept.get(path);
}

/** A small picture, or the name of the file where there is none. */
export function thumbnail(id, name, attributes = {}) {
  const path = `/v1/pictures/${id}/thumbnail`;
  const missing = () => image.replaceWith(h("span", { class: "missing" }, name));
  const image = h("img", { alt: "", decoding: "async", draggable: "false", onerror: missing, ...attributes });
  if (token) fetchThumbnail(path).then(url => { image.src = url; }, missing);
  else image.src = path;
  return image;
}

/** Learns from what was decided: how is "" to go on with the model, "anew", or "undo" to bring back the one of before. Calls
    progress(event) meanwhile. Returns what has changed. */
export async function learn(how, progress) {
  const answer = await request("/v1/learn" + query(how ? { [how]: 1 } : {}), { method: "POST" });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reach(reader.read());
    text += value ?? "";
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event);
      if (name === "error") throw new Error(JSON.parse(data).message);
      if (name === "done") return JSON.parse(data);
      progress(JSON.parse(data));
    }
    if (done) throw new Error("The server ended before it had learned. Start it again, then learn again: decisions are kept.");
  }
}

/** Fills the list that fields for tags complete from. */
export async function complete(prefix) {
  const { tags } = await get("/v1/tags", { prefix, limit: 12 });
  document.getElementById("tags").replaceChildren(...tags.map(({ tag }) => h("option", { value: tag })));
}
