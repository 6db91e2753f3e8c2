// The direction of a picture, drawn: learned tags are points, and the further right, the better they fit.
import { h } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const LINE = 16, LETTER = 8, EDGE = 6, MARGIN = 22; // of labels, in pixels

function s(name, attributes, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A function from the numbers that occur to [from, to]. */
function scale(values, from, to) {
  const least = Math.min(0, ...values), most = Math.max(0, ...values), range = most - least || 1;
  return value => from + (to - from) * (value - least) / range;
}

/** Where labels go that cover no other: above their point, below, further away; null: nowhere. */
function labelPlacer(width, height) {
  const taken = [];
  const free = box => box.top >= 0 && box.top + LINE <= height && taken.every(other =>
    box.left + box.width < other.left || other.left + other.width < box.left || Math.abs(box.top - other.top) >= LINE);
  return (text, x, y) => {
    const wide = text.length * LETTER, left = Math.max(EDGE, Math.min(width - wide - EDGE, x - wide / 2));
    for (const away of [-1.4, 0.4, -2.4, 1.4, -3.4, 2.4, -4.4, 3.4]) {
      const box = { left, width: wide, top: y + away * LINE };
      if (!free(box)) continue;
      taken.push(box);
      return { x: left + wide / 2, y: box.top + LINE - 4, far: Math.abs(away) > 1.4 };
    }
    return null;
  };
}

function draw(points, tag, width) {
  const height = Math.round(Math.max(220, Math.min(360, width * 0.6)));
  const x = scale(points.map(p => p.along), MARGIN, width - MARGIN), y = scale(points.map(p => p.across), height - MARGIN, MARGIN);
  const kind = p => p.tag === tag ? "asked" : p.own ? "own" : "other";
  const order = { other: 0, own: 1, asked: 2 }; // the last ones lie above
  const sorted = [...points].sort((a, b) => order[kind(a)] - order[kind(b)]);
  const place = labelPlacer(width, height);
  const labels = sorted.filter(p => p.named).reverse().flatMap(p => {
    const at = place(p.tag, x(p.along), y(p.across));
    if (!at) return [];
    const text = s("text", { x: at.x, y: at.y, class: kind(p), "text-anchor": "middle" }, p.tag);
    return at.far ? [s("line", { x1: x(p.along), y1: y(p.across), x2: at.x, y2: at.y - 4, class: "lead" }), text] : [text];
  });
  const end = width - 6, zero = y(0);
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Learned tags along the picture's direction. Furthest along it: ${[...points].sort((a, b) => b.along - a.along).slice(0, 5).map(p => p.tag).join(", ")}.` },
  s("path", { d: `M 6 ${zero} H ${end} m -9 -5 l 9 5 l -9 5`, class: "arrow" }),
  ...sorted.map(p => s("circle", { cx: x(p.along), cy: y(p.across), r: kind(p) === "other" ? 3 : 5, class: kind(p) }, s("title", {}, p.tag))), ...labels);
}

/** A figure with the points of /v1/pictures/{id}/why; it fits the place that it is put into. */
export function direction(points, tag) {
  const place = h("div", {});
  const mark = kind => h("span", { class: "mark " + kind });
  const key = [[mark("asked"), `“${tag}”`], points.some(p => p.own && p.tag !== tag) ? [mark("own"), "other tags of the picture"] : [], [mark("other"), "learned tags"]];
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.round(Math.min(720, place.clientWidth));
    if (width && width !== drawn) place.replaceChildren(draw(points, tag, drawn = width));
  }).observe(place);
  return h("figure", { class: "direction" }, place,
    h("figcaption", {}, "The arrow is the picture's direction among words: the further along it, the better a tag fits. ",
      key.filter(parts => parts.length).map(parts => h("span", { class: "key" }, parts))));
}
