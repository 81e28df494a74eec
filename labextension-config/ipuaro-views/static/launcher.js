// The card "Ask a codebase": a notebook that opens the project chosen in the front end's own dialog.

import { edit, insertBelow, reveal } from "./cells.js";

const COMMAND = "ipuaro-views:ask-a-codebase";
const LABEL = "Ask a codebase";
const CAPTION = "Choose a project, and ask about it in a notebook";
const LOADS = "%load_ext ipuaro_jupyter";
const ASK = "%%ask\n";
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><rect width="32" height="32" rx="7" fill="#1f5fa8"/><path d="M12 9 5.5 16l6.5 7M20 9l6.5 7-6.5 7" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="16" r="2.2" fill="#fff"/></svg>';

export async function launcherPlugin(shared) {
  const { ILauncher } = await shared("@jupyterlab/launcher");
  const { NotebookActions } = await shared("@jupyterlab/notebook");
  const { FileDialog, IDefaultFileBrowser } = await shared("@jupyterlab/filebrowser");
  const { IDocumentManager } = await shared("@jupyterlab/docmanager");
  const { ICommandPalette, showErrorMessage } = await shared("@jupyterlab/apputils");
  const { LabIcon } = await shared("@jupyterlab/ui-components");
  return {
    id: "ipuaro-views:launcher",
    description: "Adds a card to the launcher that opens a notebook about a project.",
    autoStart: true,
    requires: [IDocumentManager],
    optional: [ILauncher, ICommandPalette, IDefaultFileBrowser],
    activate(app, manager, launcher, palette, files) {
      const icon = new LabIcon({ name: "ipuaro-views:ask-a-codebase", svgstr: ICON });
      const choose = async (cwd) => {
        const title = "Which project do you want to ask about?";
        const { button, value } = await FileDialog.getExistingDirectory({ manager, title, defaultPath: cwd });
        return button.accept && value?.length ? value[0].path : null;
      };
      app.commands.addCommand(COMMAND, {
        label: ({ isPalette }) => (isPalette ? `${LABEL} in a Notebook` : LABEL),
        caption: CAPTION,
        icon: ({ isPalette }) => (isPalette ? undefined : icon),
        execute: async (given) => {
          const cwd = given.cwd ?? files?.model.path ?? "";
          try {
            const chosen = given.project ?? (await choose(cwd));
            return chosen === null ? null : await ask({ app, manager, NotebookActions }, { cwd, chosen });
          } catch (error) {
            await showErrorMessage(`${LABEL}: no notebook could be opened`, error);
            return null;
          }
        },
      });
      const kernelIconUrl = `data:image/svg+xml,${encodeURIComponent(ICON)}`; // else it is the first letter
      launcher?.add({ command: COMMAND, category: "Notebook", rank: 1, kernelIconUrl });
      palette?.addItem({ command: COMMAND, category: "Notebook Operations", args: { isPalette: true } });
    },
  };
}

// A notebook in the folder that is shown, whose cells load the extension, open the project, and ask.
async function ask({ app, manager, NotebookActions }, { cwd, chosen }) {
  const { contents, kernelspecs } = manager.services;
  if (contents.driveName(cwd) !== contents.driveName(chosen)) {
    throw new Error("The project is on a different drive from the notebook's folder. Open its folder first.");
  }
  // Each in a cell of its own: a magic beside other code cannot ask whether the project is trusted.
  const opens = `%ipuaro start ${typed(relative(cwd, chosen, contents))}`;
  const kernelName = await python(kernelspecs);
  // Each notebook of Notebook 7 is a page of its own, out of reach: there both cells wait to be run.
  if (app.name === "Jupyter Notebook") return openFilled(app, contents, { cwd, kernelName, cells: [LOADS, opens, ASK] });
  const panel = await app.commands.execute("notebook:create-new", { cwd, kernelName });
  await panel.context.ready;
  await panel.revealed;
  const { content: notebook } = panel;
  const first = notebook.widgets[0];
  first.model.sharedModel.setSource(LOADS);
  const second = insertBelow(panel, first, opens);
  const third = insertBelow(panel, second, ASK);
  const cells = [first, second];
  const { executionScheduled } = NotebookActions;
  const note = (_, { cell }) => cell === third && cells[2] !== third && cells.push(third);
  const ignore = () => executionScheduled.disconnect(note);
  executionScheduled.connect(note); // without a kernel nothing is run: then it is run behind the others
  panel.disposed.connect(ignore); // a notebook that is closed before never gets a kernel
  try {
    if (await reveal(panel, third)) edit(panel, third, ASK.length); // the question can be typed meanwhile
    await panel.sessionContext.ready;
  } finally {
    ignore();
  }
  // Not as a command, which would run a cell of the notebook that the user has turned to meanwhile.
  const typing = notebook.mode === "edit" && notebook.node.contains(document.activeElement);
  const opening = NotebookActions.runCells(notebook, cells, panel.sessionContext);
  if (typing) notebook.mode = "edit"; // running leaves it: what is typed next would be taken for commands
  await opening;
  return panel;
}

// A new notebook with these cells, opened.
async function openFilled(app, contents, { cwd, kernelName, cells }) {
  const { path } = await contents.newUntitled({ path: cwd, type: "notebook" });
  const { content, format } = await contents.get(path);
  const cell = (source) => ({ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source });
  const metadata = { ...content.metadata, kernelspec: { name: kernelName, display_name: kernelName } };
  await contents.save(path, { type: "notebook", format, content: { ...content, metadata, cells: cells.map(cell) } });
  return app.commands.execute("docmanager:open", { path });
}

// The default kernel if it is Python's, else the first that is.
async function python(kernelspecs) {
  await kernelspecs.ready;
  const { default: standard, kernelspecs: known = {} } = kernelspecs.specs ?? {};
  const names = [standard, ...Object.keys(known)];
  return names.find((name) => known[name]?.language?.toLowerCase() === "python") ?? standard;
}

// The chosen folder from the notebook's, where the kernel starts: only the server knows whole paths.
export function relative(cwd, chosen, contents) {
  const parts = (path) => contents.localPath(path).split("/").filter(Boolean);
  const [from, to] = [parts(cwd), parts(chosen)];
  let same = 0;
  while (same < Math.min(from.length, to.length) && from[same] === to[same]) same++;
  const steps = [...from.slice(same).map(() => ".."), ...to.slice(same)];
  const path = steps.join("/") || ".";
  return path.startsWith("-") || path.startsWith("~") ? `./${path}` : path;
}

// As it is typed after a magic: quotes are a shell's, and what is in braces or after a dollar is a value.
export function typed(path) {
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) throw new Error("The project's path has a character that cannot be typed.");
  const quoted = /^[\w./+@%:,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'"'"'`)}'`;
  return quoted.replace(/[{}]/g, "$&$&").replaceAll("$", "{chr(36)}");
}
