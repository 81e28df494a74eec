// The front end's code editor for the questions; where it is not shared they have a plain text field.

import { hidden } from "./visible.js";

const LINES_ABOVE = 3;

// Opens an editor once the front end has started; null before, and where it shares none.
export const frontEnd = { openEditor: () => null };

export async function editorPlugin(shared) {
  const { IEditorLanguageRegistry, jupyterEditorTheme: theme, jupyterTheme } = await shared("@jupyterlab/codemirror");
  const { tags } = await shared("@lezer/highlight");
  const parts = {
    ...(await shared("@codemirror/commands")),
    ...(await shared("@codemirror/language")),
    ...(await shared("@codemirror/state")),
    ...(await shared("@codemirror/view")),
    theme: theme ?? jupyterTheme, // the second has colours of its own
  };
  parts.colours = parts.HighlightStyle.define(colours(tags));
  return {
    id: "ipuaro-views:editor",
    description: "Offers the code editor to the questions of ipuaro-jupyter.",
    autoStart: true,
    optional: [IEditorLanguageRegistry],
    activate: (app, languages) => void (frontEnd.openEditor = (options) => open(parts, languages, options)),
  };
}

// As the diff has them, see code.css: the theme's own, mixed with the text colour for a tinted line.
function colours(tags) {
  const mixed = (name) => `color-mix(in srgb, var(--jp-mirror-editor-${name}-color, currentColor) 70%, currentColor)`;
  const { definition, function: called, special, variableName } = tags;
  return [
    { tag: tags.comment, color: mixed("comment"), fontStyle: "italic" },
    { tag: [tags.keyword, tags.operatorKeyword], color: mixed("keyword"), fontWeight: "bold" },
    { tag: [tags.string, special(tags.string), tags.regexp], color: mixed("string") },
    { tag: [tags.number, tags.bool, tags.null], color: mixed("number") },
    { tag: [called(definition(variableName)), tags.className, definition(tags.typeName)], color: mixed("def") },
    { tag: [tags.standard(variableName), tags.meta], color: mixed("builtin") },
    { tag: tags.tagName, color: mixed("tag") },
    { tag: tags.attributeName, color: mixed("attribute") },
  ];
}

// Opens an editor in `place`. `first` is the number of its first line; `attributes` are those of the text.
function open(parts, languages, { place, text, path, first, attributes, onChange }) {
  const { EditorState, EditorView, Compartment } = parts;
  const language = new Compartment();
  const marks = marking(parts);
  const view = new EditorView({
    parent: place,
    state: EditorState.create({
      doc: text,
      extensions: [
        parts.lineNumbers({ formatNumber: (number) => String(number + first - 1) }),
        spelling(parts),
        parts.history(),
        parts.keymap.of([...parts.defaultKeymap, ...parts.historyKeymap]), // Tab moves on, as in a page
        parts.syntaxHighlighting(parts.colours),
        parts.theme,
        EditorView.contentAttributes.of({ ...attributes, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && onChange()),
        marks.extension,
        language.of([]),
      ],
    }),
  });
  load(languages, path).then((support) => support && view.dispatch({ effects: language.reconfigure(support) }));
  return {
    text: () => view.state.doc.toString(),
    mark: (lines) => view.dispatch({ effects: marks.set.of(lines) }),
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      const yMargin = LINES_ABOVE * view.defaultLineHeight;
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "start", yMargin }) });
      view.focus();
      // Its height is known once it has been measured, in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => view.dom.scrollIntoView({ block: "nearest" })));
    },
    close: () => view.destroy(),
  };
}

// The marks of lines, which move with the text until new ones are set: { come: [3, 4], gone: [9] }, from 1.
function marking({ StateEffect, StateField, Decoration, EditorView }) {
  const set = StateEffect.define();
  const kinds = { come: "ipuaro-line-come", gone: "ipuaro-line-gone" };
  function drawn(doc, lines) {
    const ranges = Object.entries(kinds).flatMap(([kind, name]) =>
      lines[kind].filter((number) => number <= doc.lines).map((number) => Decoration.line({ class: name }).range(doc.line(number).from)),
    );
    return Decoration.set(ranges, true);
  }
  const field = StateField.define({
    create: () => Decoration.none,
    update(had, transaction) {
      const wanted = transaction.effects.find((effect) => effect.is(set));
      return wanted ? drawn(transaction.state.doc, wanted.value) : had.map(transaction.changes);
    },
    provide: (one) => EditorView.decorations.from(one),
  });
  return { set, extension: field };
}

// Hidden characters are spelled out as in the diff, line by line: whether one is hidden depends on those beside it.
function spelling({ Decoration, ViewPlugin, WidgetType }) {
  class Spelled extends WidgetType {
    constructor(text) {
      super();
      this.text = text;
    }
    eq(other) {
      return other.text === this.text;
    }
    toDOM() {
      const shown = document.createElement("span");
      shown.className = "cm-specialChar";
      shown.textContent = this.text;
      return shown;
    }
    ignoreEvent() {
      return false;
    }
  }
  function drawn({ state, visibleRanges }) {
    const ranges = new Map();
    for (const { from, to } of visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = state.doc.lineAt(at);
        for (const { at: start, length, spelled } of hidden(line.text)) {
          const begin = line.from + start;
          if (begin + length < from || begin > to) continue;
          ranges.set(begin, Decoration.replace({ widget: new Spelled(spelled) }).range(begin, begin + length));
        }
        at = line.to + 1;
      }
    }
    return Decoration.set([...ranges.values()], true);
  }
  return ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.decorations = drawn(view);
      }
      update({ docChanged, viewportChanged, view }) {
        if (docChanged || viewportChanged) this.decorations = drawn(view);
      }
    },
    { decorations: (one) => one.decorations },
  );
}

async function load(languages, path) {
  const name = path.split("/").pop();
  try {
    const found = languages?.findByFileName(name) ?? languages?.findByExtension(name.split(".").pop());
    return found ? (await languages.getLanguage(found))?.support : null;
  } catch {
    return null; // without colours
  }
}
