// A table that can be sorted and filtered, whose rows open to their code. Without a filter only the first rows of
// the order are listed.

import { button, grouped, labelled, make, root } from "./dom.js";
import { fileLink } from "./files.js";
import { visible } from "./visible.js";

const ARE_NUMBERS = new Set(["number", "bar"]);
const CODE_TAGS = ["code", "del", "div", "em", "ins", "mark", "pre", "span", "strong", "table", "tbody", "td", "th", "tr"];
const DIRECTIONS = { 1: ["ascending", "\u25b2"], "-1": ["descending", "\u25bc"] };
const COLLATOR = new Intl.Collator(undefined, { numeric: true });

export function drawTable(data, options) {
  return new Table(data, options);
}

class Table {
  constructor(data, options) {
    this.data = data;
    this.options = options;
    this.hasCode = (data.code ?? []).some(Boolean);
    this.largest = data.columns.map((column, at) => column.max ?? data.rows.reduce((most, row) => Math.max(most, Number(row[at]) || 0), 0));
    this.heads = data.columns.map((column, at) => this.makeHead(column, at));
    this.rows = data.rows.map((cells, index) => ({ cells, index, text: cells.join("\n").toLowerCase(), node: null, code: null, isOpen: false }));
    this.listed = data.listed ?? this.rows.length;
    this.order = { column: -1, sign: 1 };
    this.body = make("tbody");
    this.count = make("span", { aria: { role: "status" } });
    this.search = make("input", { type: "search", spellcheck: false });
    this.search.addEventListener("input", () => this.draw());
    this.node = this.makeNode();
    this.draw();
  }

  makeNode() {
    const { data } = this;
    const title = visible(data.title);
    const code = this.hasCode ? make("th", { scope: "col", textContent: "Code" }) : null;
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...this.heads, ...(code ? [code] : []))), this.body);
    const note = make("span", { className: "ipuaro-note", textContent: visible(data.note ?? "") });
    return root(
      "table",
      title,
      make("div", {}, make("strong", { textContent: title }), " ", note),
      make("div", { className: "ipuaro-live-bar" }, labelled("Filter", this.search), this.count),
      make("div", { className: "ipuaro-scroll", tabIndex: 0, aria: { role: "group", label: `Rows of ${title}` } }, table),
    );
  }

  makeHead(column, at) {
    const sort = button(visible(column.name), () => this.sort(at));
    sort.append(make("span", { className: "ipuaro-live-order", aria: { hidden: "true" } }));
    return make("th", { scope: "col", className: sideOf(column), aria: { sort: "none" } }, sort);
  }

  // The nodes of a row, which is made when it is first shown.
  nodes(row) {
    row.node ??= this.makeRow(row);
    return row.isOpen ? [row.node, row.code] : [row.node];
  }

  makeRow(row) {
    const { cells, index } = row;
    const node = (row.node = make("tr", {}, ...this.data.columns.map((column, at) => this.makeCell(cells[at], column, at, index))));
    if (this.hasCode) node.append(make("td", {}, this.data.code[index] ? this.makeToggle(row) : ""));
    return node;
  }

  makeCell(cell, column, at, index) {
    const text = ARE_NUMBERS.has(column.kind) && typeof cell === "number" ? grouped(cell) : visible(cell ?? "");
    if (column.kind === "path") {
      const { href, line } = this.data.links?.[index] ?? this.linkOf(text, index);
      return make("th", { scope: "row" }, fileLink(text, href, line, this.options));
    }
    const node = make("td", { className: sideOf(column), textContent: text });
    if (column.kind === "bar") node.append(bar(cell, this.largest[at]));
    return node;
  }

  // Of a row that is not listed, its path, with its line if it has one, is a file of the folder.
  linkOf(text, index) {
    if (index < this.listed || !this.data.folder) return {};
    const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(text);
    return { href: [this.data.folder, ...path.split("/").map(encodeURIComponent)].join("/"), line: line && Number(line) };
  }

  makeToggle(row) {
    const title = visible(this.data.code[row.index].title);
    row.toggle = button("Show", () => this.open(row), { aria: { expanded: "false", label: `Show the code of ${title}` } });
    row.node.classList.add("ipuaro-live-opens");
    row.node.addEventListener("click", ({ target }) => {
      if (!target.closest("a, button") && getSelection().isCollapsed) this.open(row);
    });
    return row.toggle;
  }

  open(row) {
    row.code ??= this.makeCode(this.data.code[row.index]);
    row.isOpen = !row.isOpen;
    if (row.isOpen) row.node.after(row.code);
    else row.code.remove();
    row.toggle.setAttribute("aria-expanded", String(row.isOpen));
    row.toggle.textContent = row.isOpen ? "Hide" : "Show";
  }

  makeCode({ title, html }) {
    const drawn = make("div", { className: "ipuaro-live-code" });
    // Our Python escaped it, but a notebook can come from anybody. Code needs no picture and no link.
    drawn.innerHTML = this.options.sanitizer.sanitize(html, { allowedTags: CODE_TAGS, allowedAttributes: { "*": ["class"] } });
    const heading = make("div", { className: "ipuaro-note", textContent: visible(title) });
    return make("tr", {}, make("td", { colSpan: this.data.columns.length + 1 }, heading, drawn));
  }

  sort(at) {
    const isNumber = ARE_NUMBERS.has(this.data.columns[at].kind);
    // Of numbers one wants the largest first, of names the first.
    this.order = { column: at, sign: this.order.column === at ? -this.order.sign : isNumber ? -1 : 1 };
    const [word, mark] = DIRECTIONS[this.order.sign];
    this.heads.forEach((head, index) => {
      head.setAttribute("aria-sort", index === at ? word : "none");
      head.querySelector(".ipuaro-live-order").textContent = index === at ? mark : "";
    });
    const value = ({ cells }) => sortable(cells[at], isNumber);
    this.rows.sort((a, b) => compare(value(a), value(b), this.order.sign) || a.index - b.index);
    this.draw();
  }

  draw() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? this.rows.filter(({ text }) => words.every((word) => text.includes(word))) : this.rows.slice(0, this.listed);
    this.body.replaceChildren(...found.flatMap((row) => this.nodes(row)));
    const all = grouped(this.rows.length);
    this.count.textContent = found.length || !words.length ? `${grouped(found.length)} of ${all}` : `no match in ${all}`;
  }
}

function sideOf(column) {
  return ARE_NUMBERS.has(column.kind) ? "ipuaro-right" : "";
}

// What a cell is sorted by; null when it has no value.
function sortable(cell, isNumber) {
  if (cell === null || cell === "" || (isNumber && Number.isNaN(Number(cell)))) return null;
  return isNumber ? Number(cell) : String(cell);
}

// Up with a sign of 1, down with -1; without a value last in both.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? a - b : COLLATOR.compare(a, b));
}

function bar(value, largest) {
  const share = largest > 0 ? Math.min(1, Math.max(0, Number(value) / largest)) : 0;
  const done = make("span", { className: "ipuaro-live-bar-done" });
  done.style.width = `${100 * (share || 0)}%`;
  return make("span", { className: "ipuaro-live-bar-all", aria: { hidden: "true" } }, done);
}
