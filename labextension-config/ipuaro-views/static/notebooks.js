// Changes of the cells of notebooks that are open here, for the kernel of one of them
// (ipuaro_jupyter/notebook/front_end_notebooks.py). They go through the notebook's own model: nothing that is
// not saved is lost, the front end's undo takes them back, and other views of the notebook follow.

const ID = "ipuaro-views:notebooks";
const TARGET = "ipuaro.notebooks";
const LATER_MS = 1000;
const PAGE = `${Date.now()}-${Math.random()}`; // tells this page from others that the kernel reaches, too

export async function notebooksPlugin(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    id: ID,
    description: "Changes cells of open notebooks when the user has agreed.",
    autoStart: true,
    optional: [INotebookTracker],
    activate(app, notebooks) {
      if (!notebooks) return;
      const answers = new Answers(app, notebooks);
      notebooks.widgetAdded.connect((_, panel) => answers.listen(panel));
      notebooks.forEach((panel) => answers.listen(panel));
    },
  };
}

class Answers {
  constructor(app, notebooks) {
    this.app = app;
    this.notebooks = notebooks;
  }

  listen(panel) {
    const { sessionContext: session } = panel;
    const register = () => {
      session.session?.kernel?.registerCommTarget(TARGET, (comm, message) => this.answer(comm, message));
    };
    session.kernelChanged.connect(register);
    register();
  }

  // Every page with a notebook of the kernel hears a request; one of them answers, and is spoken to from then on.
  async answer(comm, { content: { data } }) {
    if (data.page && data.page !== PAGE) return;
    let said;
    try {
      said = await (data.do === "list" ? this.list(comm, data) : this.act(data));
    } catch (error) {
      said = { error: `the front end reports: ${error.message}` };
    }
    if (said && !comm.isDisposed) comm.send(said);
  }

  // The notebook that asks: the one that has sent the cell, else, where that page is gone, one that shows the cell.
  async asking(comm, { client, cell }) {
    const shows = ({ content }) => content.widgets.some(({ model }) => model.id === cell);
    const sent = this.notebooks.filter(({ sessionContext: { session } }) => session?.kernel?.clientId === client);
    if (sent.length) return sent.find(shows) ?? sent[0];
    await new Promise((done) => setTimeout(done, LATER_MS));
    return comm.isDisposed ? null : this.notebooks.find(shows);
  }

  // Documents of every kind: a notebook may be open as text, too.
  async list(comm, data) {
    const asking = await this.asking(comm, data);
    if (!asking) return null;
    const open = [...this.app.shell.widgets("main")]
      .filter(({ context }) => context?.path?.endsWith(".ipynb"))
      .map((widget) => ({
        path: local(widget.context),
        own: widget.context === asking.context,
        shared: isShared(widget.context) || this.isCollaborative(),
      }));
    return { page: PAGE, own: local(asking.context), root: serverRoot(), open };
  }

  isCollaborative() {
    return this.app.listPlugins().some((id) => /^@jupyter\/(?:docprovider|collaboration)-extension:/.test(id));
  }

  async act(data) {
    const panel = this.notebooks.find(({ context }) => local(context) === data.path);
    if (!panel) return { error: "it is open as text, not as a notebook" };
    const { context } = panel;
    await context.ready;
    if (data.do === "read") return { cells: cellsOf(context.model) };
    const { model } = context;
    if (model.readOnly) return { error: "it is read-only" };
    const present = cellsOf(model).map(({ id, source }) => [id, source]);
    if (JSON.stringify(present) !== JSON.stringify(data.cells)) {
      return { error: "its cells were changed while the question was open" };
    }
    const isSaved = !model.dirty && !isShared(context);
    change(model.sharedModel, data);
    const problem = isSaved ? await saveProblem(context) : "";
    return { cells: cellsOf(model), saved: isSaved && !problem && !model.dirty, problem };
  }
}

// Why a notebook cannot be saved, whose cells are changed all the same; "" when it is.
async function saveProblem(context) {
  try {
    await context.save();
    return "";
  } catch ({ name, message }) {
    return name === "ModalCancelError" ? "the user cancelled the saving" : message || name;
  }
}

function change(notebook, { do: action, number, above, kind, source }) {
  const place = number - 1;
  if (action === "edit") notebook.getCell(place).setSource(source);
  else if (action === "delete") notebook.deleteCell(place);
  else if (action === "insert") {
    const metadata = kind === "code" ? { trusted: true } : {};
    notebook.insertCell(place, { cell_type: kind, source, metadata });
  } else notebook.moveCell(place, above > place ? above - 1 : above);
}

function cellsOf({ cells }) {
  return Array.from({ length: cells.length }, (_, place) => {
    const { id, type, sharedModel, outputs } = cells.get(place);
    return { id, kind: type, source: sharedModel.getSource(), outputs: Boolean(outputs?.length) };
  });
}

// The path without the name of a drive, which collaborative documents have.
const local = ({ localPath, path }) => localPath ?? path.split(":").pop();

const isShared = ({ path, model }) => path.startsWith("RTC:") || Boolean(model?.collaborative);

function serverRoot() {
  const told = document.getElementById("jupyter-config-data")?.textContent;
  try {
    return JSON.parse(told ?? "{}").serverRoot ?? "";
  } catch {
    return "";
  }
}
