// A grid of pictures of which only those in sight exist: a hundred thousand scroll as ten do. Arrow keys move,
// Enter opens, Space selects.
import { thumbnail } from "./api.js";
import { h } from "./dom.js";

const SETTLED = 100; // ms without scrolling: pictures that fly past are not asked for

export class Grid {
  /** items: [{id, name, note}]; open(item) is called by Enter or a click, changed(selected ids) by Space. */
  constructor({ label, open, changed }) {
    this.open = open;
    this.changed = changed ?? (() => {});
    this.items = [];
    this.selected = new Set();
    this.cells = new Map();
    this.at = 0;
    this.selecting = false; // a click selects
    this.all = h("div", { class: "all" });
    this.element = h("div", { class: "grid", role: "group", "aria-label": label, onscroll: () => this.draw(),
      onkeydown: event => this.key(event) }, this.all);
    this.top = 0; // where it was drawn last
    this.observer = new ResizeObserver(() => { this.measure(); this.draw(); });
    this.observer.observe(this.element);
  }

  set(items) {
    this.items = items;
    this.selected.clear();
    this.at = 0;
    this.cells.clear();
    this.all.replaceChildren();
    this.element.scrollTop = this.top = 0;
    this.element.hidden = !items.length;
    this.measure();
    this.draw();
    this.changed(this.selected);
  }

  measure() {
    this.size = parseFloat(getComputedStyle(this.element).getPropertyValue("--cell")) || 168;
    this.columns = Math.max(1, Math.floor(this.element.clientWidth / this.size));
    this.rows = Math.ceil(this.items.length / this.columns);
    this.all.style.height = this.rows * this.size + "px";
  }

  draw() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / this.size) - 2) * this.columns;
    const last = Math.min(this.items.length, (Math.ceil((scrollTop + clientHeight) / this.size) + 2) * this.columns);
    this.flies = Math.abs(scrollTop - this.top) > clientHeight / 2;
    this.top = scrollTop;
    this.remove(first, last);
    // In order, for those who read one after the other; what is left beyond the end has the focus.
    let after = [...this.cells].find(([index]) => index >= last)?.[1] ?? null;
    for (let index = last - 1; index >= first; index--) after = this.place(index, after);
    clearTimeout(this.waiting);
    if (this.flies) this.waiting = setTimeout(() => this.fill(), SETTLED);
    else this.fill();
  }

  remove(first, last) {
    for (const [index, cell] of this.cells) {
      if ((index < first || index >= last) && cell !== document.activeElement) {
        cell.remove();
        this.cells.delete(index);
      }
    }
  }

  place(index, after) {
    let cell = this.cells.get(index);
    if (!cell) {
      cell = this.make(index);
      this.cells.set(index, cell);
      this.all.insertBefore(cell, after);
    }
    cell.style.left = (index % this.columns) * this.size + "px";
    cell.style.top = Math.floor(index / this.columns) * this.size + "px";
    cell.tabIndex = index === this.at ? 0 : -1;
    return cell;
  }

  /** Pictures for the cells that have none yet. */
  fill() {
    for (const [index, cell] of this.cells) {
      const frame = cell.firstChild;
      if (!frame.firstChild) frame.append(thumbnail(this.items[index].id, this.items[index].name));
    }
  }

  make(index) {
    const item = this.items[index];
    const label = `${item.name}, ${index + 1} of ${this.items.length}${item.note ? ", " + item.note : ""}`;
    return h("button", { type: "button", class: "cell", "data-index": String(index), "data-id": String(item.id), title: item.name, "aria-label": label,
      "aria-pressed": String(this.selected.has(item.id)), onclick: event => this.click(event, index), onfocus: () => { this.at = index; } },
    h("span", { class: "frame" }), item.note ? h("span", { class: "note" }, item.note) : null);
  }

  click(event, index) {
    this.at = index;
    if (this.selecting || event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(index);
    else this.open(this.items[index], index);
  }

  toggle(index) {
    const { id } = this.items[index];
    if (!this.selected.delete(id)) this.selected.add(id);
    this.cells.get(index)?.setAttribute("aria-pressed", String(this.selected.has(id)));
    this.changed(this.selected);
  }

  move(to) {
    if (!this.items.length) return;
    this.at = Math.max(0, Math.min(this.items.length - 1, to));
    const top = Math.floor(this.at / this.columns) * this.size, height = this.element.clientHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + this.size > this.element.scrollTop + height) this.element.scrollTop = top + this.size - height;
    this.draw();
    for (const [index, cell] of this.cells) cell.tabIndex = index === this.at ? 0 : -1;
    this.cells.get(this.at)?.focus({ preventScroll: true });
  }

  key(event) {
    const page = this.columns * Math.max(1, Math.floor(this.element.clientHeight / this.size));
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, PageDown: page, PageUp: -page,
      Home: -Infinity, End: Infinity };
    if (event.key in steps) this.move(this.at + steps[event.key]);
    else if (event.key === " ") this.toggle(this.at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
