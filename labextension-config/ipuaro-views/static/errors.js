// A button under the error of a cell that puts a question about it below. Nothing is sent before the user
// runs that cell, and nothing of the button is saved: it stands beside the outputs, not among them.
//
// Only the kernel knows which errors it can be asked about: it lists them as comms while a project is open
// (ipuaro_jupyter/notebook/front_end_notices.py). So there is no button for what an earlier kernel left.

import { codeCells, edit, insertBelow, reveal, toldNumber } from "./cells.js";
import { button, make } from "./dom.js";
import { Notices } from "./notices.js";
import { follow, forEachPanel } from "./panels.js";

const ID = "ipuaro-views:errors";
const COMMAND = "ipuaro-views:ask-about-error";
const LABEL = "Ask about this error";
const TARGET = "ipuaro.failed";
const SHOWING = new Set(["error", "stream"]);

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
      const setting = { isShown: !registry }; // until the user's own is known, nothing is drawn
      const offers = forEachPanel(notebooks, (panel) => new Offers(panel, setting));
      const current = () => app.shell.currentWidget === notebooks.currentWidget && offers.get(notebooks.currentWidget);
      follow(registry, ID, "askAboutErrors", (isShown) => {
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

// The failed cells of one notebook, as its kernel lists them, and their buttons.
class Offers {
  constructor(panel, setting) {
    this.panel = panel;
    this.setting = setting;
    this.watched = new WeakSet();
    const isOfUse = () => codeCells(panel).some(showsError);
    this.notices = new Notices(panel, TARGET, { isOfUse, draw: () => this.draw() });
  }

  // The number of the failure that a cell shows; 0 for none.
  numberOf(cell) {
    if (!showsError(cell) || cell.model.executionState === "running") return 0;
    return toldNumber(this.panel, cell, this.notices?.listed ?? [], showsError);
  }

  // The active cell, else the one that failed last.
  latest() {
    const { activeCell } = this.panel.content;
    if (activeCell?.model.type === "code" && this.numberOf(activeCell)) return activeCell;
    const found = codeCells(this.panel).filter((cell) => this.numberOf(cell));
    return found.sort((a, b) => this.numberOf(b) - this.numberOf(a))[0] ?? null;
  }

  draw() {
    for (const cell of codeCells(this.panel)) this.drawIn(cell);
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
    const made = isThere ? notebook.widgets[place] : insertBelow(this.panel, cell, source);
    if (made && (await reveal(this.panel, made))) edit(this.panel, made, source.length);
  }
}

// Whether what a cell has shown may be of a failure: the error itself, or what a command has printed of one,
// which ends its cell without an error of Jupyter's.
function showsError({ model: { outputs } }) {
  for (let place = 0; place < (outputs?.length ?? 0); place++) if (SHOWING.has(outputs.get(place).type)) return true;
  return false;
}
