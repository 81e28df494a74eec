// The files of a dependency graph: who uses whom, how far, and in which folders. Nothing is drawn here.

const MOST_ASKED_FOR = 150; // in a folder: more take long to draw, and cannot be read

export class Files {
  constructor({ nodes, edges, cycles }) {
    this.all = nodes.map((node, index) => ({ ...node, index, name: node.id.split("/").pop() || node.id, uses: [], usedBy: [], cycles: [] }));
    for (const [from, to] of edges) {
      this.all[from].uses.push(this.all[to]);
      this.all[to].usedBy.push(this.all[from]);
    }
    for (const cycle of cycles) {
      const members = cycle.map((index) => this.all[index]);
      for (const file of new Set(members)) file.cycles.push(members);
    }
    this.tree = folders(this.all);
  }

  at(path) {
    return this.all.find((file) => file.id === path) ?? null;
  }

  // The folder of that path; the outermost one when there is none.
  folderAt(path) {
    let at = this.tree;
    for (const part of path.split("/")) if (at) at = at.folders.get(part);
    return at ?? this.tree;
  }

  // Files within `depth` steps of `focus`, each with its distance: below 0 for those that use it.
  around(focus, depth, direction) {
    const found = new Map([[focus, 0]]);
    if (direction !== "usedBy") walk(focus, depth, (file) => file.uses, (file, far) => found.set(file, far));
    if (direction !== "uses") {
      walk(focus, depth, (file) => file.usedBy, (file, far) => {
        if (!(Math.abs(found.get(file)) <= far)) found.set(file, -far);
      });
    }
    return found;
  }
}

function walk(start, depth, next, meet) {
  const seen = new Set([start]);
  let front = [start];
  for (let far = 1; far <= depth && front.length; far++) {
    const beyond = [];
    for (const file of front.flatMap(next)) {
      if (seen.has(file)) continue;
      seen.add(file);
      meet(file, far);
      beyond.push(file);
    }
    front = beyond;
  }
}

function folders(files) {
  const tree = { path: "", parent: null, folders: new Map(), files: [] };
  for (const file of files) {
    let at = tree;
    for (const part of file.folder.split("/").filter((name) => name && name !== ".")) {
      if (!at.folders.has(part)) {
        const path = at.path ? `${at.path}/${part}` : part;
        at.folders.set(part, { path, parent: at, folders: new Map(), files: [] });
      }
      at = at.folders.get(part);
    }
    at.files.push(file);
    file.home = at;
  }
  return tree;
}

// The files of a folder and of those inside of it.
export function inside(folder) {
  return [...folder.files, ...[...folder.folders.values()].flatMap(inside)];
}

// What is drawn of some files when only the folders in `open` are: files, closed folders, and edges between them.
export class Drawing {
  constructor(files, open) {
    this.open = open;
    this.items = new Map();
    this.edges = new Map();
    for (const file of files) this.put(file);
    for (const file of files) {
      for (const used of file.uses) if (files.has(used)) this.join(file, used);
    }
  }

  put(file) {
    const folder = closed(file.home, this.open);
    const id = folder ? folderId(folder) : fileId(file);
    if (!this.items.has(id)) this.items.set(id, { id, folder, file: folder ? null : file, files: [] });
    this.items.get(id).files.push(file);
    file.shownAs = id;
  }

  join(from, to) {
    if (from.shownAs === to.shownAs) return;
    const id = `${from.shownAs}\u0000${to.shownAs}`;
    const edge = this.edges.get(id) ?? { id, source: from.shownAs, target: to.shownAs, count: 0 };
    edge.count += 1;
    this.edges.set(id, edge);
  }
}

export const fileId = (file) => `file ${file.index}`;
export const folderId = (folder) => `folder ${folder.path}`;

// The outermost folder around that is not open; null when all are.
function closed(folder, open) {
  let found = null;
  for (let at = folder; at.parent; at = at.parent) if (!open.has(at)) found = at;
  return found;
}

// Folders to open: the one that was asked for, unless it or one around it is huge, and so that some `limit` items are drawn, what is in it and
// the outer ones.
export function opening(tree, files, limit, asked = tree) {
  const open = new Set();
  const way = new Set();
  for (let at = asked; at; at = at.parent) way.add(at);
  const queue = [tree];
  let drawn = 1;
  while (queue.length) {
    const folder = queue.shift();
    const below = [...folder.folders.values()].filter((inner) => inside(inner).some((file) => files.has(file)));
    const size = below.length + folder.files.filter((file) => files.has(file)).length;
    const fits = way.has(folder) ? size <= MOST_ASKED_FOR : drawn - 1 + size <= limit;
    if (folder.parent && !fits) continue;
    open.add(folder);
    drawn += size - 1;
    const next = below.filter((inner) => way.has(inner));
    const others = below.filter((inner) => !way.has(inner));
    queue[folder === asked ? "unshift" : "push"](...others);
    queue.unshift(...next);
  }
  return open;
}
