// The command of the shortcut that makes a cell a question: once, and with the caret in its text.

const WORD = "%%ask";
export const MAGIC = /^\s*%%ask(?!\S)/;

export async function askPlugin(shared) {
  const { INotebookTracker: tracker } = await shared("@jupyterlab/notebook");
  return {
    id: "ipuaro-views:ask",
    description: "Adds the command that puts %%ask into a cell.",
    autoStart: true,
    optional: [tracker],
    activate(app, notebooks) {
      if (!notebooks) return;
      const cell = () => app.shell.currentWidget === notebooks.currentWidget && notebooks.activeCell;
      app.commands.addCommand("ipuaro-views:ask", {
        label: "Ask about the project (%%ask)",
        isEnabled: () => Boolean(cell()) && !cell().readOnly,
        execute: async () => {
          const { content } = notebooks.currentWidget;
          content.deselectAll();
          if (content.activeCell.model.type !== "code") {
            await app.commands.execute("notebook:change-cell-to-code");
            await content.activeCell.ready; // else what follows is undone when the new cell is drawn
          }
          ask(content.activeCell);
          content.mode = "edit";
        },
      });
    },
  };
}

// The caret stays where it was in the text; in front of the text and in the word it goes below the word.
function ask({ editor, model }) {
  const caret = editor ? editor.getOffsetAt(editor.getCursorPosition()) : 0;
  const isNew = !MAGIC.test(model.sharedModel.getSource());
  if (isNew) model.sharedModel.updateSource(0, 0, `${WORD}\n`);
  const source = model.sharedModel.getSource();
  const wordEnd = source.indexOf(WORD) + WORD.length;
  const wanted = isNew ? caret + WORD.length + 1 : caret;
  const lineEnd = source.indexOf("\n", wordEnd);
  const below = lineEnd < 0 ? source.length : lineEnd + 1;
  editor?.setCursorPosition(editor.getPositionAt(wanted > wordEnd ? wanted : below));
}
