// The line below the newest answer, whose text becomes a cell below that is run: the notebook stays the record.

import { codeCells, insertBelow, toldNumber } from "./cells.js";
import { button, make } from "./dom.js";

const NAME = "Next question";
// What can follow an answer: the button, the message, what the answer shows then, and what happens.
const FURTHER = [
  ["Explain", "/explain", ".ipuaro-found", "Has the model put this into words"],
  ["Dig deeper", "/dig", ".ipuaro-rests", "Has the model look further, with tools"],
  ["Make this change", "/edit", ".ipuaro-answer pre.ipuaro-code", "Has the model propose the change; nothing is written before you agree"],
];

export class NextQuestion {
  constructor(panel, run) {
    this.panel = panel;
    this.run = run;
    this.asked = null; // the cell of the kernel's latest question
    this.made = null; // the cell that this line has made, until the kernel has told of it
    this.field = make("textarea", { rows: 1, placeholder: "Ask the next question", aria: { label: NAME } });
    this.field.dataset.lmSuppressShortcuts = "true"; // keys are for the text, not for the notebook
    const ask = button("Ask", () => this.ask(this.field.value.trim()), { title: "Puts the question below and runs it (Enter)" });
    ask.dataset.lmSuppressShortcuts = "true";
    this.further = FURTHER.map(([label, text, shown, title]) => {
      const made = button(label, () => this.ask(text), { title });
      made.dataset.lmSuppressShortcuts = "true";
      return [made, shown];
    });
    const buttons = [ask, ...this.further.map(([made]) => made)];
    this.node = make("div", { className: "ipuaro-next", aria: { role: "group", label: NAME } }, this.field, ...buttons);
    this.node.addEventListener("keydown", (event) => this.hear(event));
    this.field.addEventListener("input", () => this.fit());
  }

  // Shift+Enter begins a line; Enter that ends a word of an input method is not for us.
  hear(event) {
    event.stopPropagation();
    const isEnter = event.key === "Enter" && event.target === this.field && !event.isComposing;
    if (!isEnter || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.ask(this.field.value.trim());
  }

  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight + this.field.offsetHeight - this.field.clientHeight}px`;
  }

  async ask(text) {
    const above = this.cell;
    if (!text || !above) return this.field.focus();
    const made = insertBelow(this.panel, above, `%%ask\n${text}`);
    if (!made) return;
    this.field.value = ""; // at once: Enter may come again
    this.fit();
    const isActive = await this.run(made);
    if (made.isDisposed) return;
    this.made = made;
    this.put(made);
    if (isActive) this.field.focus();
  }

  // `told` is what the kernel says of the cell of the latest question; null where nothing can be asked.
  draw(told) {
    const asked = told && codeCells(this.panel).find((cell) => toldNumber(this.panel, cell, [told]));
    const isOther = asked !== this.asked; // the kernel has told of another question since
    this.asked = asked;
    const made = this.made;
    if (made && (made.isDisposed || asked === made || (isOther && !isRunning(made)))) this.made = null;
    this.put(told && (this.made ?? asked));
  }

  put(cell) {
    this.cell = cell || null;
    const outputs = cell && !cell.outputHidden && cell.node.querySelector(":scope > .jp-Cell-outputWrapper");
    if (!outputs) return this.node.remove();
    for (const [made, shown] of this.further) made.hidden = !outputs.querySelector(shown);
    if (outputs.nextSibling === this.node) return;
    const isActive = this.node.contains(document.activeElement);
    outputs.after(this.node);
    if (isActive) this.field.focus();
  }
}

function isRunning({ model }) {
  return model.executionState === "running";
}
