// Cells that ask a question are written in Markdown: they are highlighted so while they begin with %%ask.
// Nothing is saved of it: a cell's MIME type lives in the open page alone, and the kernel's language comes
// back with the next cell magic, or none.

import { MAGIC } from "./ask.js";

const MARKDOWN = "text/x-markdown";
const QUESTION = "text/x-ipuaro-question";

export async function highlightingPlugin(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  const { IEditorLanguageRegistry } = await shared("@jupyterlab/codemirror");
  return plugin(INotebookTracker, IEditorLanguageRegistry, shared);
}

function plugin(tracker, registry, shared) {
  return {
    id: "ipuaro-views:questions",
    description: "Highlights cells that begin with %%ask as Markdown.",
    autoStart: true,
    optional: [tracker, registry],
    activate(app, notebooks, languages) {
      if (!notebooks || !languages) return;
      languages.addLanguage({ name: "Markdown of %%ask", mime: QUESTION, load: () => load(languages, shared) });
      const seen = new WeakSet(); // two views of a notebook share its cells
      const watch = (cell) => {
        if (cell.type !== "code" || seen.has(cell)) return;
        seen.add(cell);
        new Question(cell, languages);
      };
      notebooks.widgetAdded.connect((_, panel) => watchCells(panel.content, watch));
      notebooks.forEach((panel) => watchCells(panel.content, watch));
    },
  };
}

function watchCells(notebook, watch) {
  const watchAll = () => {
    if (!notebook.model) return;
    for (const cell of notebook.model.cells) watch(cell);
    notebook.model.cells.changed.connect((_, { newValues }) => newValues.forEach((cell) => cell && watch(cell)));
  };
  notebook.modelChanged.connect(watchAll);
  watchAll();
}

// Keeps the language of one cell; ends with it, as nothing else refers to it.
class Question {
  constructor(cell, languages) {
    this.cell = cell;
    this.languages = languages;
    this.kernels = cell.mimeType; // what the notebook wants for code
    this.read();
    cell.sharedModel.changed.connect((_, { sourceChange }) => this.edited(sourceChange));
    cell.mimeTypeChanged.connect(() => this.switched());
  }

  // A change of the source, as Yjs tells it: it may begin with how many characters stay.
  edited(change) {
    if (change && (change[0]?.retain ?? 0) <= this.headLength) this.read();
  }

  // What decides is in the first line that is not empty, so that typing below it costs nothing.
  read() {
    const source = this.cell.sharedModel.getSource();
    const begins = source.search(/\S/);
    this.headLength = begins < 0 ? source.length : begins + "%%ask".length;
    this.asks = MAGIC.test(source);
    this.settle();
  }

  switched() {
    if (this.cell.mimeType === QUESTION) return;
    this.kernels = this.cell.mimeType;
    this.settle();
  }

  get wanted() {
    return this.asks ? QUESTION : this.kernels;
  }

  async settle() {
    if (this.cell.mimeType === this.wanted) return;
    // The editor may still be loading the present language: what it gets last is what it shows.
    await this.languages.getLanguage(this.cell.mimeType).catch(() => null);
    if (!this.cell.isDisposed) this.cell.mimeType = this.wanted;
  }
}

// The front end's Markdown; the line of the magic is neither text nor, above "---", a heading.
async function load(languages, shared) {
  const { support } = await languages.getLanguage(MARKDOWN);
  const { Language, LanguageSupport } = await shared("@codemirror/language");
  const { tags } = await shared("@lezer/highlight");
  const { language } = support;
  const parser = language.parser.configure({
    defineNodes: [{ name: "CellMagic", block: true }, { name: "MagicName", style: tags.keyword }],
    parseBlock: [{ name: "CellMagic", before: "IndentedCode", parse: parseMagic }],
  });
  // Ctrl+/ makes the cell a comment of the kernel's language, and takes that back there.
  const comments = language.data.of({ commentTokens: { line: "#" } });
  return new LanguageSupport(new Language(language.data, parser, [], "ipuaro-question"), [support.support, comments]);
}

function parseMagic(context, line) {
  const from = context.lineStart;
  if (!MAGIC.test(line.text) || context.input.read(0, from).trim()) return false;
  const name = from + line.text.indexOf("%%");
  const children = [context.elt("MagicName", name, name + "%%ask".length)];
  context.addElement(context.elt("CellMagic", from, from + line.text.length, children));
  context.nextLine();
  return true;
}
