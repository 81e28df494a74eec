// A dependency graph: a picture that can be moved, and beside it the same files as lists for the keyboard.

import { button, choice, counted, grouped, labelled, make, root } from "./dom.js";
import { details } from "./details.js";
import { Drawing, fileId, Files, folderId, opening } from "./layers.js";
import { legend } from "./legend.js";
import { Picture } from "./picture.js";
import { visible } from "./visible.js";

const MOST_WITHOUT_FOLDERS = 40;
const FIRST_ITEMS = 18;
const FIRST_DEPTH = 2;
const DEPTHS = [["1", "1"], ["2", "2"], ["3", "3"], ["5", "5"], ["Infinity", "all"]];
const DIRECTIONS = [["both", "both ways"], ["uses", "dependencies"], ["usedBy", "dependents"]];
const WAYS = { both: "both", out: "uses", in: "usedBy" };

let loading = null;

export function drawGraph(data, options) {
  return new Graph(data, options);
}

class Graph {
  constructor(data, options) {
    this.data = data;
    this.options = options;
    this.files = new Files(data);
    this.focus = data.focus ? this.files.at(data.focus) : null;
    this.asked = this.files.folderAt(data.focus ?? "");
    this.depth = data.depth ?? FIRST_DEPTH;
    this.direction = WAYS[data.direction ?? "both"];
    this.selected = this.focus ? { file: this.focus } : null;
    this.isGone = false;
    this.node = this.makeNode();
    this.choose();
    this.load();
  }

  async load() {
    await hasSize(this.host);
    const libraries = await loadLibraries();
    if (this.isGone) return;
    this.picture = new Picture(this.host, libraries, (item) => this.tap(item));
    this.draw();
  }

  dispose() {
    this.isGone = true;
    this.picture?.dispose();
  }

  makeNode() {
    const title = visible(this.data.title);
    const left = this.data.truncated ? `, ${counted(this.data.truncated, "file")} left out` : "";
    const edges = `${counted(this.data.edges.length, "edge")}, ${counted(this.data.cycles.length, "cycle")}${left}`;
    this.count = make("span", { aria: { role: "status" } });
    this.host = make("div", { className: "ipuaro-live-picture", tabIndex: 0, aria: { role: "application", label: `Picture of ${title}. Arrow keys move it, plus and minus zoom, 0 shows all. The files are in the list beside it.` } });
    this.list = make("select", { size: 9, aria: { label: "Files" } });
    this.list.addEventListener("change", () => this.select({ file: this.files.all[this.list.value] }));
    this.about = make("div", { className: "ipuaro-live-about", aria: { live: "polite" } });
    const side = make("div", { className: "ipuaro-live-side" }, this.list, this.about);
    return root(
      "graph",
      title,
      make("div", {}, make("strong", { textContent: title }), " ", make("span", { className: "ipuaro-note", textContent: edges })),
      make("div", { className: "ipuaro-live-bar" }, this.makeSearch(), this.count, ...this.makeAround()),
      make("div", { className: "ipuaro-live-body" }, make("div", { className: "ipuaro-live-frame" }, this.makeZoom(), this.host), side),
      legend(),
    );
  }

  makeSearch() {
    this.search = make("input", { type: "search", spellcheck: false });
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.found.length && this.search.value) this.select({ file: this.found[0] });
    });
    return labelled("Search", this.search);
  }

  makeAround() {
    const depth = choice(depths(this.depth), String(this.depth), (value) => this.setAround({ depth: Number(value) }));
    const direction = choice(DIRECTIONS, this.direction, (value) => this.setAround({ direction: value }));
    this.around = make("span", { className: "ipuaro-live-around" });
    this.whole = button(`Show all ${counted(this.files.all.length, "file")}`, () => this.setAround({ focus: null }), { title: "Show the whole graph, not only what is around this file" });
    this.limits = [labelled("Depth", depth), labelled("Direction", direction)];
    return [this.around, ...this.limits, this.whole];
  }

  makeZoom() {
    const zoom = (text, label, act) => button(text, () => this.picture && act(this.picture), { title: label, aria: { label } });
    this.openAll = button("Open all folders", () => this.openFolders(foldersOf(this.shown)));
    this.closeAll = button("Close folders", () => this.openFolders(new Set([this.files.tree])));
    const controls = [zoom("+", "Zoom in", (it) => it.zoom(1.4)), zoom("\u2212", "Zoom out", (it) => it.zoom(1 / 1.4)), button("Fit", () => this.picture?.fit())];
    return make("div", { className: "ipuaro-live-zoom" }, ...controls, this.openAll, this.closeAll);
  }

  // Which files are shown: all, or those around the focus; and which folders of them are open.
  choose() {
    const { focus, files } = this;
    this.distances = focus ? files.around(focus, this.depth, this.direction) : null;
    this.shown = new Set(focus ? this.distances.keys() : files.all);
    const few = this.shown.size <= MOST_WITHOUT_FOLDERS;
    this.open = few ? foldersOf(this.shown) : opening(files.tree, this.shown, FIRST_ITEMS, this.asked);
    this.open.add(files.tree);
    this.around.textContent = focus ? `Around ${visible(focus.name)}` : "";
    for (const control of [...this.limits, this.whole]) control.hidden = !focus;
    for (const control of [this.openAll, this.closeAll]) control.hidden = focus && few;
    this.find();
    this.tell();
  }

  draw() {
    const drawing = new Drawing(this.shown, this.open);
    this.openAll.disabled = ![...drawing.items.values()].some((item) => item.folder);
    this.closeAll.disabled = this.open.size <= 1;
    this.picture.draw(drawing, this.distances);
    this.mark();
  }

  setAround(change) {
    this.search.value = "";
    Object.assign(this, change);
    this.choose();
    if (this.picture) this.draw();
  }

  openFolders(open) {
    this.open = new Set([...open, this.files.tree]);
    if (this.picture) this.draw();
    this.tell();
  }

  toggle(folder) {
    const open = new Set(this.open);
    if (open.has(folder)) for (const each of open) if (isBelow(each, folder)) open.delete(each);
    if (!this.open.has(folder)) for (let at = folder; at; at = at.parent) open.add(at);
    this.openFolders(open);
  }

  tap({ file, folder }) {
    const opens = folder && !this.open.has(folder);
    this.selected = file ? { file } : { folder };
    if (opens) this.toggle(folder);
    this.select(this.selected);
  }

  // Selects a file or a folder; opens what hides it, and leaves a focus that does not reach it.
  select(selected) {
    this.selected = selected;
    const { file } = selected;
    if (file && !this.shown.has(file)) this.setAround({ focus: null });
    if (file && !isOpen(file.home, this.open)) this.toggle(file.home);
    this.tell();
    this.mark();
    if (this.picture && file) this.picture.show(fileId(file));
  }

  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = [...this.shown].filter((file) => words.every((word) => file.id.toLowerCase().includes(word)));
    this.count.textContent = `${grouped(this.found.length)} of ${grouped(this.files.all.length)} files`;
    const option = (file) => make("option", { value: file.index, textContent: named(file), selected: file === this.selected?.file });
    this.list.replaceChildren(...this.found.map(option));
    this.mark();
  }

  mark() {
    if (!this.picture) return;
    const { file, folder } = this.selected ?? {};
    const found = this.search.value.trim() ? this.found.map((each) => each.shownAs) : [];
    this.picture.mark(file ? file.shownAs : folder ? folderId(folder) : null, new Set(found));
  }

  tell() {
    this.list.value = this.selected?.file ? String(this.selected.file.index) : "";
    const acts = {
      select: (selected) => this.select(selected),
      focus: (file) => this.setAround({ focus: file, selected: { file } }),
      toggle: (folder) => this.toggle(folder),
    };
    const state = { focus: this.focus, open: this.open, shown: this.shown };
    this.about.replaceChildren(...details(this.selected, state, acts, this.options));
  }
}

// The depths to choose from, the one that was asked for among them.
function depths(asked) {
  const others = DEPTHS.filter(([depth]) => Number(depth) !== asked);
  return [...others, [String(asked), String(asked)]].sort(([one], [other]) => one - other);
}

function named(file) {
  return file.marks.length ? `${visible(file.id)} (${file.marks.map(visible).join(", ")})` : visible(file.id);
}

function foldersOf(files) {
  const found = new Set();
  for (const file of files) for (let at = file.home; at; at = at.parent) found.add(at);
  return found;
}

function isOpen(folder, open) {
  for (let at = folder; at; at = at.parent) if (!open.has(at)) return false;
  return true;
}

function isBelow(folder, above) {
  for (let at = folder; at; at = at.parent) if (at === above) return true;
  return false;
}

// Only a notebook with a graph loads the libraries.
function loadLibraries() {
  loading ??= Promise.all([import("./third-party/cytoscape.esm.min.js"), import("./third-party/dagre.esm.js")]).then(
    ([{ default: cytoscape }, dagre]) => ({ cytoscape, dagre }),
  );
  return loading;
}

// Resolves when the node is in the page and has a size, which a cell that is not in sight has not.
function hasSize(node) {
  return new Promise((resolve) => {
    const observer = new ResizeObserver(([{ contentRect: told }]) => {
      const isSeen = node.clientWidth && node.clientHeight;
      if (!isSeen && (told.width < 1 || told.height < 1)) return; // it is told when there is one
      observer.disconnect();
      if (isSeen) resolve();
      else observer.observe(node); // anew: out of sight since it was measured, maybe for this moment only
    });
    observer.observe(node);
  });
}
