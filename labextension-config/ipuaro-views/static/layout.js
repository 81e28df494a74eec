// Where the items of a drawing stand. The same drawing is always laid out in the same way.

import { folderId } from "./layers.js";

const CELL = { width: 132, height: 64 };
const FOLDER_CELL = { width: 176, height: 84 };
const COLUMN = 240;
const ROW = 56;
const ROWS_PER_COLUMN = 24;
const PAD = 22;
const LAYERS = { ranker: "tight-tree" };
const DIRECTIONS = [{ rankdir: "TB", nodesep: 12, ranksep: 34 }, { rankdir: "LR", nodesep: 8, ranksep: 48 }];
const MOST_IN_LAYERS = 40;
const MOST_WITH_LAYERS = 150; // in a drawing: each layout costs some 10 ms
const LONGEST = 2.5;
const EMPTIEST = 0.2;
const FEW = 4;

// From left to right: what uses the focus, the focus, what it uses.
export function columns(items, distances) {
  const byDistance = new Map();
  for (const item of items) {
    const far = distances.get(item.file);
    byDistance.set(far, [...(byDistance.get(far) ?? []), item]);
  }
  const places = {};
  let x = 0;
  for (const far of [...byDistance.keys()].sort((a, b) => a - b)) {
    const all = byDistance.get(far);
    for (let from = 0; from < all.length; from += ROWS_PER_COLUMN, x += COLUMN) {
      const column = all.slice(from, from + ROWS_PER_COLUMN);
      column.forEach((item, at) => (places[item.id] = { x, y: (at - (column.length - 1) / 2) * ROW }));
    }
  }
  return places;
}

// Every open folder is a box, whose size comes with its place; in it what is used stands below what uses it or to the right of it, whichever
// is drawn larger in the room, and what has no part in that on shelves under all. Many files go on shelves alone: that is fast, and layers of
// hundreds cannot be read.
export function boxes(drawing, dagre, room) {
  const directions = hasLayers(drawing) ? DIRECTIONS : DIRECTIONS.slice(0, 1); // shelves have none
  const drawn = directions.map((direction) => outermost(drawing, { dagre, direction }));
  const scale = ({ width, height }) => Math.min(room.width / width, room.height / height);
  const places = {};
  const [best] = drawn.sort((a, b) => scale(b) - scale(a));
  place(best, 0, 0, places);
  return places;
}

const hasLayers = (drawing) => drawing.items.size <= MOST_WITH_LAYERS;

function outermost(drawing, { dagre, direction }) {
  const [parts, links] = [new Map(), new Map()];
  for (const item of drawing.items.values()) add(parts, homeOf(item), { ...(item.folder ? FOLDER_CELL : CELL), id: item.id });
  const edges = hasLayers(drawing) ? drawing.edges.values() : [];
  for (const { source, target } of edges) link(links, drawing.items.get(source), drawing.items.get(target));
  const root = [...drawing.open].find((folder) => !folder.parent);
  return arrange(root, { drawing, parts, links, dagre, direction });
}

export function homeOf(item) {
  return item.folder ? item.folder.parent : item.file.home;
}

function add(lists, key, value) {
  if (!lists.has(key)) lists.set(key, []);
  lists.get(key).push(value);
}

// An edge counts in the innermost folder that holds both ends, between the parts of it that hold them.
function link(links, from, to) {
  const [sources, targets] = [chain(from), chain(to)];
  while (sources.length && targets.length && sources.at(-1)[0] === targets.at(-1)[0] && sources.at(-1)[1] === targets.at(-1)[1]) {
    sources.pop();
    targets.pop();
  }
  const [[folder, source], [, target]] = [sources.at(-1), targets.at(-1)];
  add(links, folder, [source, target]);
}

// The folders around an item, each with the id of its part in which the item is; the outermost last.
function chain(item) {
  const found = [];
  let id = item.id;
  for (let at = homeOf(item); at; at = at.parent) {
    found.push([at, id]);
    id = folderId(at);
  }
  return found;
}

function arrange(folder, all) {
  const inner = [...folder.folders.values()].filter((below) => all.drawing.open.has(below)).map((below) => arrange(below, all));
  const parts = [...inner.filter((box) => box.parts.length), ...(all.parts.get(folder) ?? [])];
  const linked = new Set((all.links.get(folder) ?? []).flat());
  const related = parts.filter((part) => linked.has(part.id));
  const layered = related.length <= MOST_IN_LAYERS ? layers(related, all.links.get(folder), all) : null;
  const rest = layered ? parts.filter((part) => !linked.has(part.id)) : parts;
  const size = shelves(rest, layered?.height ?? 0, layered?.width ?? 0);
  for (const part of parts) Object.assign(part, { x: part.x + PAD, y: part.y + PAD });
  return { id: folderId(folder), parts, width: size.width + 2 * PAD, height: size.height + 2 * PAD };
}

// Sets the places of parts by layers and returns the size; null where most of that would be a strip or empty.
function layers(parts, links, { dagre, direction }) {
  if (!parts.length) return null;
  const graph = new dagre.graphlib.Graph().setGraph({ ...LAYERS, ...direction }).setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of parts) graph.setNode(id, { width, height });
  for (const [source, target] of links) graph.setEdge(source, target);
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const filled = parts.reduce((sum, part) => sum + part.width * part.height, 0) / (width * height);
  const isLong = Math.max(width / height, height / width) > LONGEST;
  if (parts.length > FEW && (isLong || filled < EMPTIEST)) return null;
  for (const part of parts) {
    const { x, y } = graph.node(part.id);
    Object.assign(part, { x: x - part.width / 2, y: y - part.height / 2 });
  }
  return { width, height };
}

function shelves(parts, top, least) {
  parts.sort((a, b) => b.height - a.height);
  const area = parts.reduce((sum, part) => sum + part.width * part.height, 0);
  const limit = Math.max(Math.sqrt(area) * 1.5, least, ...parts.map((part) => part.width));
  let [x, y, shelf, width] = [0, top, 0, least];
  for (const part of parts) {
    if (x > 0 && x + part.width > limit) [x, y, shelf] = [0, y + shelf, 0];
    Object.assign(part, { x, y });
    x += part.width;
    shelf = Math.max(shelf, part.height);
    width = Math.max(width, x);
  }
  return { width, height: y + shelf };
}

function place(box, left, top, places) {
  for (const part of box.parts) {
    const [x, y] = [left + part.x, top + part.y];
    const { width, height } = part;
    places[part.id] = { x: x + width / 2, y: y + height / 2, width, height };
    if (part.parts) place(part, x, y, places);
  }
}
