// What stands in and below the answers of a notebook while it is open: the line for the next question, the
// buttons of code blocks, diagrams, and links to files that the server does not have. Nothing is saved.
//
// The kernel lists one comm while a project is open in it, with the cell of the latest question
// (ipuaro_jupyter/notebook/front_end_notices.py): without it nothing can be asked, put below or run.

import { insertBelow, reveal } from "./cells.js";
import { CodeButtons } from "./code_buttons.js";
import { Diagrams } from "./diagrams.js";
import { NextQuestion } from "./next_question.js";
import { Notices } from "./notices.js";
import { follow, forEachPanel } from "./panels.js";
import { drawPlaces } from "./places.js";
import { Telling } from "./telling.js";
import { drawUnfinished } from "./unfinished.js";

const ID = "ipuaro-views:answers";
const TARGET = "ipuaro.open";
const OURS = /(^|\n)\s*%%?(ask|ipuaro)\b/;
const ASKS = /^\s*%%?ask\b/;

export async function answersPlugin(shared) {
  const { INotebookTracker, NotebookActions } = await shared("@jupyterlab/notebook");
  const { ISettingRegistry } = await shared("@jupyterlab/settingregistry");
  const { Clipboard } = await shared("@jupyterlab/apputils");
  const { IMermaidManager } = await shared("@jupyterlab/mermaid").catch(() => ({}));
  return {
    id: ID,
    description: "Offers the next question below an answer, and what its code blocks are for.",
    autoStart: true,
    optional: [INotebookTracker, ISettingRegistry, ...(IMermaidManager ? [IMermaidManager] : [])],
    activate(_app, notebooks, registry, mermaid) {
      if (!notebooks) return;
      const setting = { isShown: !registry }; // until the user's own is known, nothing is drawn
      const diagrams = new Diagrams(mermaid);
      const run = (panel, cell) => runIn(NotebookActions, panel, cell);
      const copy = (text) => Clipboard.copyToSystem(text);
      const answers = forEachPanel(notebooks, (panel) => new Answers(panel, { setting, diagrams, run, copy }));
      follow(registry, ID, "nextQuestion", (isShown) => {
        setting.isShown = isShown;
        for (const one of answers.values()) one.draw();
      });
    },
  };
}

// Nothing is asked without a project: where none is open, an answer does not go on.
function isQuestion({ model }) {
  return ASKS.test(model.sharedModel.getSource());
}

// Runs a cell that was made in a notebook, whichever the user has turned to meanwhile; whether it is the active
// one of its notebook.
async function runIn(actions, panel, cell) {
  const isActive = await reveal(panel, cell);
  if (cell.isDisposed) return false;
  if (isActive) panel.content.mode = "command";
  actions.runCells(panel.content, [cell], panel.sessionContext);
  return isActive;
}

// Those of one notebook.
class Answers {
  constructor(panel, { setting, diagrams, run, copy }) {
    this.panel = panel;
    this.setting = setting;
    this.diagrams = diagrams;
    this.run = (cell) => run(panel, cell);
    this.next = new NextQuestion(panel, this.run);
    this.buttons = new CodeButtons(panel, copy);
    this.telling = new Telling(panel);
    this.isDrawing = false;
    this.follow(panel.content.node);
    const isOfUse = () => panel.content.widgets.some(({ model }) => OURS.test(model.sharedModel.getSource()));
    this.notices = new Notices(panel, TARGET, { isOfUse, draw: () => this.draw() });
  }

  // Outputs are drawn anew whenever a part of them comes; the text of a cell is none of them.
  follow(node) {
    const observer = new MutationObserver((changes) => {
      if (changes.some(({ target }) => target.closest?.(".jp-OutputArea"))) this.drawSoon();
    });
    observer.observe(node, { childList: true, subtree: true });
    this.panel.disposed.connect(() => observer.disconnect());
  }

  drawSoon() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      if (!this.panel.isDisposed) this.draw();
    });
  }

  runMade(cell) {
    if (cell) this.run(cell);
  }

  draw() {
    const [told] = this.notices?.listed ?? [];
    const isOpen = Boolean(told) && !this.panel.content.model?.readOnly;
    this.next.draw(isOpen && this.setting.isShown ? told : null);
    const cells = this.panel.content.widgets.filter(({ node }) => node.querySelector(".ipuaro"));
    for (const cell of cells) {
      if (isQuestion(cell)) this.telling.look(cell);
      const below = isOpen && ((source, type) => insertBelow(this.panel, cell, source, type));
      const run = below && ((source) => this.runMade(below(source)));
      drawPlaces(cell, this.panel, run);
      if (cell.model.executionState === "running") continue; // an answer that grows is drawn again and again
      this.buttons.draw(cell, below, run);
      this.diagrams.draw(cell);
      if ((this.notices?.isKnown || this.notices?.isEnded) && !told && isQuestion(cell)) drawUnfinished(cell);
    }
  }
}
