// A button under the error of a cell that puts a question about it below. Nothing is sent before the user
// runs that cell, and nothing of the button is saved: it stands beside the outputs, not among them.
//
// Only the kernel knows which errors it can be asked about: it lists them as comms while a project is open
// (ipuaro_jupyter/notebook/failure_notices.py). So there is no button for what an earlier kernel left.

import { button, make } from "./dom.js";

const ID = "ipuaro-views:errors";
const COMMAND = "ipuaro-views:ask-about-error";
const LABEL = "Ask about this error";
const TARGET = "ipuaro.failed";
const ENDS = new Set(["restarting", "autorestarting", "terminating", "dead"]);

export async function errorsPlugin(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  const { ISettingRegistry } = await shared("@jupyterlab/settingregistry");
  return {
    id: ID,
    description: "Offers to ask about the error of a cell.",
    autoStart: true,
    optional: [INotebookTracker, ISettingRegistry],
    activate(app, notebooks, registry) {
      if (!notebooks) return;
      const offers = new Map();
      const setting = { isShown: !registry }; // until the user's own is known, nothing is drawn
      const add = (panel) => {
        offers.set(panel, new Offers(panel, setting));
        panel.disposed.connect(() => offers.delete(panel));
      };
      const current = () => app.shell.currentWidget === notebooks.currentWidget && offers.get(notebooks.currentWidget);
      notebooks.widgetAdded.connect((_, panel) => add(panel));
      notebooks.forEach(add);
      follow(registry, (isShown) => {
        setting.isShown = isShown;
        for (const one of offers.values()) one.draw();
      });
      app.commands.addCommand(COMMAND, {
        label: LABEL,
        isEnabled: () => Boolean(current() && current().latest()),
        execute: () => current().askAbout(current().latest()),
      });
    },
  };
}

async function follow(registry, show) {
  const settings = await registry?.load(ID).catch(() => null);
  const tell = () => show(settings?.composite.askAboutErrors !== false);
  settings?.changed.connect(tell);
  tell();
}

// The failed cells of one notebook, as its kernel lists them, and their buttons.
class Offers {
  constructor(panel, setting) {
    this.panel = panel;
    this.setting = setting;
    this.failed = []; // [number, cell id], the id "" where the kernel does not know it
    this.asked = 0;
    this.watched = new WeakSet();
    const { content, sessionContext: session } = panel;
    session.kernelChanged.connect(() => this.forget());
    session.connectionStatusChanged.connect((_, status) => status === "connected" && this.ask());
    session.statusChanged.connect((_, status) => ENDS.has(status) && this.forget());
    session.iopubMessage.connect((_, message) => this.hear(message));
    content.modelChanged.connect(() => this.watchModel());
    content.cellInViewportChanged.connect(() => this.draw()); // a cell is laid out when it is first seen
    this.watchModel();
    session.ready.then(() => this.ask());
  }

  watchModel() {
    const { model } = this.panel.content;
    model?.cells.changed.connect(() => this.drawSoon());
    this.ask();
  }

  // The answer to what is asked here makes the kernel busy, too: only cells count.
  hear({ header, content, parent_header: parent }) {
    const isDone = header.msg_type === "status" && content.execution_state === "idle";
    if (isDone && parent.msg_type === "execute_request") this.ask();
  }

  forget() {
    this.asked++;
    this.failed = [];
    this.draw();
  }

  async ask() {
    const kernel = this.panel.sessionContext.session?.kernel;
    const asked = ++this.asked;
    if (this.panel.isDisposed) return;
    if (!kernel || kernel.connectionStatus !== "connected" || !this.codeCells().some(hasError)) return this.draw();
    const reply = await kernel.requestCommInfo({ target_name: TARGET }).catch(() => null);
    if (asked !== this.asked || this.panel.isDisposed) return;
    this.failed = Object.keys(reply?.content.comms ?? {}).map(read).filter(Boolean);
    this.draw();
  }

  codeCells() {
    return this.panel.content.widgets.filter(({ model }) => model.type === "code");
  }

  // The number of the failure that a cell shows; 0 for none, and where it is not certain which cell it is.
  numberOf({ model }) {
    if (!hasError({ model }) || model.executionState === "running") return 0;
    const number = model.executionCount;
    const found = this.failed.find(([known, id]) => known === number && (!id || id === model.id));
    if (!found) return 0;
    const same = ({ model: other }) => other.executionCount === number && hasError({ model: other });
    return found[1] || this.codeCells().filter(same).length === 1 ? number : 0;
  }

  // The active cell, else the one that failed last.
  latest() {
    const { activeCell } = this.panel.content;
    if (activeCell?.model.type === "code" && this.numberOf(activeCell)) return activeCell;
    const found = this.codeCells().filter((cell) => this.numberOf(cell));
    return found.sort((a, b) => this.numberOf(b) - this.numberOf(a))[0] ?? null;
  }

  drawSoon() {
    requestAnimationFrame(() => this.draw()); // the cells' widgets follow their models
  }

  draw() {
    if (this.panel.isDisposed) return;
    for (const cell of this.codeCells()) this.drawIn(cell);
  }

  drawIn(cell) {
    const shown = cell.node.querySelector(":scope > .ipuaro-offer");
    const number = this.setting.isShown && !cell.outputHidden ? this.numberOf(cell) : 0;
    const outputs = cell.node.querySelector(":scope > .jp-Cell-outputWrapper");
    if (!number || !outputs) return void shown?.remove();
    this.watch(cell);
    if (shown) return;
    outputs.after(make("div", { className: "ipuaro-offer" }, this.button(cell)));
  }

  button(cell) {
    const ask = () => this.askAbout(cell);
    const title = "Puts a question below this cell. Nothing is sent until you run it.";
    const made = button(LABEL, ask, { title });
    made.dataset.lmSuppressShortcuts = "true"; // Enter is for the button, not for the cell
    return made;
  }

  // Outputs that are cleared or come anew.
  watch(cell) {
    if (this.watched.has(cell)) return;
    this.watched.add(cell);
    const drawAgain = () => !cell.isDisposed && this.drawIn(cell);
    cell.model.outputs.changed.connect(drawAgain);
    cell.model.stateChanged.connect(drawAgain);
    cell.outputHiddenChanged?.connect(drawAgain);
  }

  async askAbout(cell) {
    const number = this.numberOf(cell);
    const { content: notebook } = this.panel;
    const place = notebook.widgets.indexOf(cell) + 1;
    if (!number || !place || notebook.model.readOnly) return;
    const source = `%%ask\nWhy did cell ${number} fail, and how do I mend it?`;
    const below = notebook.widgets[place]?.model;
    const isThere = below?.type === "code" && below.sharedModel.getSource() === source;
    if (!isThere) {
      notebook.model.sharedModel.insertCell(place, { cell_type: "code", source, metadata: { trusted: true } });
    }
    notebook.deselectAll();
    notebook.activeCellIndex = place;
    await notebook.scrollToItem?.(place).catch(() => null);
    const made = notebook.activeCell;
    await made.ready; // else what follows is undone when the new cell is drawn
    if (made !== notebook.activeCell || made.isDisposed) return;
    notebook.mode = "edit";
    made.editor?.setCursorPosition(made.editor.getPositionAt(source.length));
    made.editor?.focus();
  }
}

function hasError({ model: { outputs } }) {
  for (let place = 0; place < outputs.length; place++) if (outputs.get(place).type === "error") return true;
  return false;
}

function read(name) {
  const [target, number, ...id] = name.split("/");
  return target === TARGET && /^\d+$/.test(number) ? [Number(number), id.join("/")] : null;
}
