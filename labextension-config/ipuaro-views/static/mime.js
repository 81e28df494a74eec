// Two renderers of rich results: a table and a dependency graph. They need no kernel and no trust.

import { checkGraph, checkTable, WrongData } from "./check.js";
import { make } from "./dom.js";
import { drawGraph } from "./graph.js";
import { drawTable } from "./table.js";

const KINDS = [
  { kind: "table", mimeType: "application/vnd.ipuaro.table.v1+json", check: checkTable, draw: drawTable },
  { kind: "graph", mimeType: "application/vnd.ipuaro.graph.v1+json", check: checkGraph, draw: drawGraph },
];
const RANK = 40; // before text/html, which is 50

export default async function create(shared) {
  const { Widget } = await shared("@lumino/widgets");
  return KINDS.map((shape) => ({
    id: `ipuaro-views:${shape.kind}`,
    description: `Draws the ${shape.kind}s of ipuaro-jupyter live.`,
    rank: RANK,
    dataType: "json",
    rendererFactory: {
      safe: true,
      mimeTypes: [shape.mimeType],
      createRenderer: (options) => renderer(Widget, shape, options),
    },
  }));
}

function renderer(Widget, { mimeType, check, draw, kind }, options) {
  return new (class extends Widget {
    async renderModel(model) {
      this.clear();
      try {
        this.drawn = draw(check(model.data[mimeType]), options);
        this.node.append(this.drawn.node);
      } catch (error) {
        if (!(error instanceof WrongData)) throw error;
        this.node.append(wrong(kind, error.message));
      }
    }

    clear() {
      this.drawn?.dispose?.();
      this.drawn = null;
      this.node.replaceChildren();
    }

    dispose() {
      this.clear();
      super.dispose();
    }
  })();
}

function wrong(kind, message) {
  const text = `This ${kind} cannot be drawn: ${message}. Run the cell again to get it anew.`;
  return make("div", { className: "ipuaro ipuaro-live-wrong", textContent: text, aria: { role: "alert" } });
}
