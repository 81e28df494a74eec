// A drawing of files on a canvas, by Cytoscape.js.

import { colours, watchTheme } from "./colours.js";
import { grouped } from "./dom.js";
import { Labels } from "./labels.js";
import { fileId, folderId } from "./layers.js";
import { boxes, columns, homeOf } from "./layout.js";
import { visible } from "./visible.js";

const GAP = 8;
const MANY = 400;
const READABLE = 0.7;
const MARKS = ["hub", "cycle", "entry"];
const HEIGHT = { file: 18, entry: 22, hub: 28 };
const STEP_PX = 60;
const ZOOM = 1.3;
const KEYS = {
  ArrowLeft: (view) => view.pan(STEP_PX, 0),
  ArrowRight: (view) => view.pan(-STEP_PX, 0),
  ArrowUp: (view) => view.pan(0, STEP_PX),
  ArrowDown: (view) => view.pan(0, -STEP_PX),
  "+": (view) => view.zoom(ZOOM),
  "=": (view) => view.zoom(ZOOM),
  "-": (view) => view.zoom(1 / ZOOM),
  0: (view) => view.fit(),
};

export class Picture {
  constructor(host, { cytoscape, dagre }, onTap) {
    this.dagre = dagre;
    this.host = host;
    this.cy = cytoscape({ container: host, style: [], userZoomingEnabled: false, boxSelectionEnabled: false, minZoom: 0.02, maxZoom: 4, autoungrabify: true });
    this.cy.on("tap", "node", (event) => onTap(event.target.data("item")));
    this.labels = new Labels(host, this.cy);
    this.recolour();
    this.endTheme = watchTheme(() => this.recolour());
    // What a new size brings back: "home", "fit", or null for the place to which the user moved it.
    this.framing = "home";
    this.cy.on("dragpan", () => (this.framing = null));
    this.sizes = new ResizeObserver(([{ contentRect }]) => this.resized(contentRect));
    this.sizes.observe(host);
    this.cy.on("resize", () => this.hasSize() || this.observeAnew());
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    host.addEventListener("keydown", (event) => this.key(event));
  }

  dispose() {
    this.endTheme();
    this.labels.dispose();
    this.sizes.disconnect();
    this.cy.destroy();
  }

  // Draws anew. `distances` from a focus asks for columns by distance.
  draw(drawing, distances) {
    const items = [...drawing.items.values()];
    const byColumn = distances && items.every((item) => item.file);
    const places = byColumn ? columns(items, distances) : boxes(drawing, this.dagre, { width: this.cy.width() || 1, height: this.cy.height() || 1 });
    const folders = byColumn ? [] : [...drawing.open].filter((folder) => places[folderId(folder)]);
    const twice = namesMetTwice(items);
    const edges = items.length > MANY ? "many" : "";
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add([
        ...folders.map((folder) => openFolder(folder, places[folderId(folder)])),
        ...items.map((item) => ({ group: "nodes", classes: classesOf(item), data: dataOf(item, twice), position: places[item.id] })),
        ...[...drawing.edges.values()].map((edge) => ({ group: "edges", classes: edges, data: { ...edge, width: Math.min(4, 1 + Math.log2(edge.count) / 2) } })),
      ]);
    });
    this.found = new Set();
    this.selected = null;
    this.labels.renew();
    this.centre = byColumn ? fileId([...distances.keys()][0]) : null;
    this.home();
  }

  // All of it; of columns that would be too small then, what is around the focus.
  home() {
    this.fit();
    this.framing = "home";
    if (!this.centre || this.cy.zoom() >= READABLE) return;
    this.cy.zoom(READABLE);
    this.cy.center(this.cy.getElementById(this.centre));
  }

  resized(told) {
    if (!this.hasSize()) {
      if (told.width >= 1 && told.height >= 1) this.observeAnew(); // else it is told when it has one
    } else if (this.framing) this[this.framing]();
    else this.cy.resize();
  }

  hasSize() {
    return this.host.clientWidth > 0 && this.host.clientHeight > 0;
  }

  // Where it is out of sight for a moment, between two frames, its size never changes for an observer; one that begins
  // anew is told whatever it is, and again when there is one.
  observeAnew() {
    this.sizes.disconnect();
    this.sizes.observe(this.host);
  }

  // Marks what is selected with its neighbours, or with what is in an open folder, and what a search found; the others
  // step back. Only what changes is touched: all that Cytoscape is told takes long with thousands of files.
  mark(selected, found) {
    this.cy.batch(() => {
      for (const id of this.found) if (!found.has(id)) this.cy.getElementById(id).removeClass("found");
      for (const id of found) if (!this.found.has(id)) this.cy.getElementById(id).addClass("found");
      if (selected !== this.selected) this.select(selected);
    });
    this.found = found;
    this.selected = selected;
    this.labels.mark();
  }

  select(selected) {
    this.cy.elements(".selected, .near, .far").removeClass("selected near far");
    const node = selected ? this.cy.getElementById(selected) : this.cy.collection();
    if (node.empty()) return;
    const near = node.closedNeighborhood();
    const inner = this.cy.nodes().filter((each) => isIn(each.data("item"), node.data("item").folder));
    this.cy.elements().not(near).not(inner).not(inner.connectedEdges()).not(".open").addClass("far");
    near.addClass("near");
    node.addClass("selected");
  }

  // Brings an item into sight when it is not.
  show(id) {
    const node = this.cy.getElementById(id);
    if (node.empty()) return;
    const [seen, box] = [this.cy.extent(), node.boundingBox()];
    const isSeen = box.x1 >= seen.x1 && box.x2 <= seen.x2 && box.y1 >= seen.y1 && box.y2 <= seen.y2;
    if (this.cy.zoom() < 0.5) this.cy.zoom(0.9);
    else if (isSeen) return;
    this.framing = null;
    this.cy.center(node);
  }

  pan(x, y) {
    this.framing = null;
    this.cy.panBy({ x, y });
  }

  zoom(factor, at = { x: this.cy.width() / 2, y: this.cy.height() / 2 }) {
    this.framing = null;
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: at });
  }

  fit() {
    this.framing = "fit";
    this.cy.resize();
    this.cy.fit(undefined, 36);
    if (this.cy.zoom() > 1.2) this.cy.zoom(1.2);
    this.cy.center();
  }

  // The wheel alone scrolls the notebook; with Ctrl or Cmd, and by a pinch, it zooms.
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = this.host.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.x, y: event.clientY - box.y });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key](this);
  }

  recolour() {
    const colour = colours(this.host);
    this.labels.colour = colour;
    this.cy.style(style(colour));
  }
}

// A box of its own and no compound node of Cytoscape, which takes half a minute for 2 000 files.
function openFolder(folder, { x, y, width, height }) {
  const data = { id: folderId(folder), label: visible(tail(folder.path, 1)), item: { folder, file: null }, isOpen: true, width: width - GAP, height: height - GAP };
  return { group: "nodes", classes: "open", data, position: { x, y } };
}

function dataOf(item, twice) {
  return { id: item.id, item, height: heightOf(item), label: item.file ? fileLabel(item.file, twice) : folderLabel(item) };
}

function heightOf({ file }) {
  if (!file) return 0;
  return HEIGHT[["hub", "entry"].find((mark) => file.marks.includes(mark)) ?? "file"];
}

function isIn(item, folder) {
  for (let at = folder && homeOf(item); at; at = at.parent) if (at === folder) return true;
  return false;
}

function fileLabel(file, twice) {
  const name = visible(twice.has(file.name) ? tail(file.id, 2) : file.name);
  return file.marks.length ? `${name}\n(${file.marks.map(visible).join(", ")})` : name;
}

function folderLabel({ folder, files }) {
  const marked = files.filter((file) => file.marks.includes("cycle")).length;
  return `${visible(tail(folder.path, 1))}/\n${grouped(files.length)}${marked ? ` (${grouped(marked)} in cycles)` : ""}`;
}

function namesMetTwice(items) {
  const seen = new Set();
  const names = items.filter((item) => item.file).map((item) => item.file.name);
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
}

const tail = (path, parts) => path.split("/").slice(-parts).join("/");

function classesOf({ folder, file }) {
  return folder ? "closed" : ["file", ...file.marks.filter((mark) => MARKS.includes(mark))].join(" ");
}

function style(colour) {
  return [
    { selector: "node", style: { "z-index": 2, "background-color": colour.file, "border-width": 1, "border-color": colour.quiet, width: 18, height: HEIGHT.file } },
    { selector: ".entry", style: { shape: "triangle", width: 24, height: HEIGHT.entry } },
    { selector: ".hub", style: { shape: "hexagon", width: 30, height: HEIGHT.hub } },
    { selector: ".cycle", style: { "border-width": 4, "border-style": "double", "border-color": colour.cycle } },
    { selector: ".closed", style: { shape: "round-rectangle", "background-color": colour.back, "border-width": 2, "border-color": colour.text, width: 150, height: 54 } },
    { selector: ".open", style: { shape: "round-rectangle", "z-index": 0, width: "data(width)", height: "data(height)", "background-color": colour.text, "background-opacity": 0.04, "border-color": colour.line, "border-style": "dashed" } },
    { selector: "edge", style: { "z-index": 1,  width: "data(width)", "line-color": colour.quiet, "target-arrow-color": colour.quiet, "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "bezier", opacity: 0.5 } },
    { selector: "edge.many", style: { "curve-style": "haystack", width: 1, opacity: 0.25 } },
    { selector: ".far", style: { opacity: 0.5 } },
    { selector: "edge.far", style: { opacity: 0.12 } },
    { selector: "edge.near", style: { "line-color": colour.brand, "target-arrow-color": colour.brand, opacity: 1 } },
    { selector: ".found", style: { "border-width": 4, "border-style": "solid", "border-color": colour.found } },
    { selector: ".selected", style: { "border-width": 5, "border-style": "solid", "border-color": colour.brand } },
  ];
}
