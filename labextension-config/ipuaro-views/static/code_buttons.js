// The buttons of the code blocks in answers: Copy, "Insert as cell", and "Apply this" where the kernel has found an
// edit. That one names the edit, whose text is the kernel's own.

import { edit, reveal } from "./cells.js";
import { button, make } from "./dom.js";

const COPIED_MS = 3000;
const FAILING = "The code has errors, which are told below it.";
const PYTHON = new Set(["python", "python3", "py", "ipython"]);
const SHELL = new Set(["sh", "bash", "shell", "zsh"]);
const BLOCKS = ".jp-OutputArea :is(.ipuaro-answer pre.ipuaro-code, .ipuaro-note[class*='ipuaro-edit-'])";
const OFFERED = /(?:^|\s)ipuaro-edit-([0-9a-f]{8})(?=\s|$)/;
const PROPOSES = "Proposes it in a cell below, like any edit. No model is asked.";

export class CodeButtons {
  constructor(panel, copy) {
    this.panel = panel;
    this.copy = copy;
  }

  // `below` puts a cell below that of the answer, which `run` also runs; without it there are no buttons.
  draw(cell, below, run) {
    for (const block of cell.node.querySelectorAll(BLOCKS)) {
      const shown = block.nextElementSibling?.matches(".ipuaro-code-buttons") ? block.nextElementSibling : null;
      if (below && !shown) block.after(this.buttons(block, below, run));
      if (!below) shown?.remove();
    }
  }

  buttons(block, below, run) {
    const code = block.querySelector("code");
    const told = make("span", { aria: { role: "status" } });
    const copy = () => {
      this.copy(code.textContent);
      told.textContent = "Copied";
      setTimeout(() => (told.textContent = ""), COPIED_MS);
    };
    const disabled = block.matches(".ipuaro-failing");
    const title = disabled ? FAILING : "Puts the code into a cell below this one. Nothing is run.";
    const insert = () => this.insert(code, below);
    const buttons = code ? [button("Copy", copy), button("Insert as cell", insert, { title, disabled })] : [];
    const offered = OFFERED.exec(block.className)?.[1];
    if (offered) buttons.push(button("Apply this", () => run(`%ipuaro apply ${offered}`), { title: PROPOSES }));
    for (const one of buttons) one.dataset.lmSuppressShortcuts = "true"; // Enter is for the button
    const aria = { role: "group", label: code ? "Code block" : "Edits" };
    return make("div", { className: "ipuaro-code-buttons", aria }, ...buttons, told);
  }

  async insert(code, below) {
    const [source, type] = cellOf(code.textContent, languageOf(code), this.panel.content.model);
    const made = below(source, type);
    if (!made || !(await reveal(this.panel, made))) return;
    if (type === "code") return edit(this.panel, made);
    made.rendered = true;
    this.panel.content.mode = "command";
    made.node.focus();
  }
}

export function languageOf(code) {
  return /(?:^|\s)language-(\S+)/.exec(code.className)?.[1] ?? "";
}

// Code of the kernel's language is a cell, a shell's is one with a magic, other code is text.
function cellOf(text, language, model) {
  const kernel = model.defaultKernelLanguage;
  const isKernels = language === kernel || (PYTHON.has(language) && PYTHON.has(kernel));
  if (!language || isKernels) return [text, "code"];
  if (SHELL.has(language) && PYTHON.has(kernel)) return [`%%bash\n${text}`, "code"];
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}\n${text}\n${fence}`, "markdown"];
}
