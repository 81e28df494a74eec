// The names in a drawing of files, on a canvas above it. They are as large at every zoom, so that they appear as
// one zooms in: what is marked first, then folders and what many files use. None is above another, one that is
// shown stays when one zooms in further, and moving the picture changes none.

const FONT_PX = 12;
const LINE_PX = 14;
const PAD_PX = 3;
const APART_PX = { x: 12, y: 12 }; // so that the files can be seen between the names
const LARGEST = 1.5; // times as large, where the picture is larger than life
const LONGEST = 30; // characters; the list beside has them whole
const BUDGET_MS = 5; // of a frame
const TIERS = ["selected", "found", "near", "open", "closed", "hub"];
const BOLD = new Set(["selected", "found", "open"]);

export class Labels {
  constructor(host, cy) {
    this.cy = cy;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "ipuaro-live-labels";
    this.context = this.canvas.getContext("2d");
    this.family = getComputedStyle(host).fontFamily;
    this.widths = new Map();
    this.all = []; // the most important first
    this.ready = 0; // for how many it is known from which zoom on they are shown
    this.frame = 0;
    host.append(this.canvas);
    cy.on("render", () => this.draw());
  }

  dispose() {
    cancelAnimationFrame(this.frame);
  }

  drawSoon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  // Takes the names of what is drawn by now; how they are marked follows.
  renew() {
    this.all = this.cy.nodes().map(unplaced);
    this.ready = 0;
  }

  // Puts what is marked by now first.
  mark() {
    for (const label of this.all) {
      const tier = TIERS.findIndex((name) => label.node.hasClass(name));
      label.tier = tier < 0 ? TIERS.length : tier;
    }
    this.all.sort((a, b) => a.tier - b.tier || b.weight - a.weight || a.place - b.place);
    this.ready = 0;
    this.drawSoon();
  }

  // Finds from which zoom on names are shown: where they are clear of all that are more important and shown
  // there, too. As many as a frame has time for; the others follow.
  settle() {
    const until = performance.now() + BUDGET_MS;
    for (; this.ready < this.all.length && performance.now() < until; this.ready++) {
      const label = this.all[this.ready];
      const isBold = BOLD.has(TIERS[label.tier]);
      label.font = isBold ? "bold " : "";
      label.width = Math.max(...label.lines.map((line) => this.width(line, label.font))) + 2 * PAD_PX;
      label.from = label.inside ? label.width / label.inside : 0;
      for (let other = 0; other < this.ready; other++) label.from = Math.max(label.from, clear(label, this.all[other]));
    }
  }

  width(line, font) {
    const key = font + line;
    if (!this.widths.has(key)) {
      this.context.font = `${font}${FONT_PX}px ${this.family}`;
      this.widths.set(key, this.context.measureText(line).width);
    }
    return this.widths.get(key);
  }

  draw() {
    if (this.ready < this.all.length) {
      this.context.setTransform(1, 0, 0, 1, 0, 0);
      this.settle();
      if (this.ready < this.all.length) this.drawSoon();
    }
    this.clear();
    for (const seen of this.seen()) this.write(seen);
  }

  clear() {
    const [width, height, ratio] = [this.cy.width(), this.cy.height(), window.devicePixelRatio || 1];
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      Object.assign(this.canvas, { width: wide, height: high });
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
  }

  // The names that are shown at the present zoom and are in sight, and where: the middle and the size.
  seen() {
    const [zoom, pan] = [this.cy.zoom(), this.cy.pan()];
    const scale = Math.min(LARGEST, Math.max(1, zoom));
    const [right, bottom] = [this.cy.width(), this.cy.height()];
    const found = [];
    for (const label of this.all.slice(0, this.ready)) {
      if (label.from > zoom / scale) continue;
      const [width, height] = [label.width * scale, label.height * scale];
      const [x, y] = [label.x * zoom + pan.x, label.y * zoom + pan.y + label.below * scale];
      const isSeen = x + width / 2 > 0 && x - width / 2 < right && y + height / 2 > 0 && y - height / 2 < bottom;
      if (isSeen) found.push({ label, x, y, width, height, scale });
    }
    return found;
  }

  write({ label, x, y, width, height, scale }) {
    const { context, colour } = this;
    context.globalAlpha = 0.8;
    context.fillStyle = colour.back;
    context.fillRect(x - width / 2, y - height / 2, width, height);
    context.globalAlpha = label.node.hasClass("far") ? 0.6 : 1;
    context.fillStyle = colour.text;
    context.font = `${label.font}${FONT_PX * scale}px ${this.family}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    label.lines.forEach((line, at) => context.fillText(line, x, y + (at + 0.5) * LINE_PX * scale - height / 2));
  }
}

// A name before it is known how wide it is: below a file, in a closed folder, in the upper edge of an open one.
function unplaced(node, place) {
  const { label, item, width, height, isOpen } = node.data();
  const { x, y } = node.position();
  const lines = label.split("\n").map(short);
  const high = lines.length * LINE_PX;
  return {
    node,
    place,
    lines,
    height: high,
    x,
    y: isOpen ? y - height / 2 : item.file ? y + height / 2 : y,
    below: isOpen ? high / 2 + PAD_PX : item.file ? high / 2 + 1 : 0, // its middle, in pixels below y
    inside: isOpen ? width : 0,
    weight: item.file ? item.file.usedBy.length : isOpen ? -item.folder.path.length : item.files.length,
  };
}

// The zoom from which on a name is beside another, or below; 0 when that one is not shown at a smaller one.
function clear(label, other) {
  const wide = (label.width + other.width) / 2 + APART_PX.x;
  const high = (label.height + other.height) / 2 + APART_PX.y + Math.abs(label.below - other.below);
  const zoom = Math.min(wide / Math.abs(label.x - other.x), high / Math.abs(label.y - other.y));
  return zoom > other.from ? zoom : 0;
}

// Names are cut in the middle: the beginning and the suffix tell most.
function short(line) {
  const characters = [...line];
  if (characters.length <= LONGEST) return line;
  const half = LONGEST / 2;
  return [...characters.slice(0, half), "\u2026", ...characters.slice(1 - half)].join("");
}
