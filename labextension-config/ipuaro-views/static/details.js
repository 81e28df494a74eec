// What is said of the selected file or folder, with buttons to go on from there.

import { button, counted, grouped, make } from "./dom.js";
import { fileLink } from "./files.js";
import { inside } from "./layers.js";
import { visible } from "./visible.js";

const MOST_BUTTONS = 100;

export function details(selected, state, acts, options) {
  if (!selected) return [make("p", { className: "ipuaro-note", textContent: "Choose a file in the list or in the picture." })];
  return selected.file ? ofFile(selected.file, state, acts, options) : ofFolder(selected.folder, state, acts);
}

function ofFile(file, { focus }, acts, options) {
  const facts = [
    ...file.marks.map(visible),
    ...(typeof file.loc === "number" ? [counted(file.loc, "line")] : []),
    ...(typeof file.score === "number" ? [`complexity ${grouped(Math.round(file.score))}`] : []),
  ];
  const around = button("Show what is around it", () => acts.focus(file), { hidden: file === focus });
  return [
    make("div", { className: "ipuaro-live-name" }, fileLink(file.id, file.href, null, options)),
    make("div", { className: "ipuaro-note", textContent: facts.join(", ") }),
    around,
    ...links("Dependencies", file.uses, acts),
    ...links("Dependents", file.usedBy, acts),
    ...file.cycles.flatMap((cycle) => links("In a cycle with", cycle.filter((other) => other !== file), acts)),
  ];
}

function ofFolder(folder, { open, shown }, acts) {
  const files = inside(folder).filter((file) => shown.has(file));
  return [
    make("div", { className: "ipuaro-live-name", textContent: `${visible(folder.path)}/` }),
    button(open.has(folder) ? "Close the folder" : "Open the folder", () => acts.toggle(folder)),
    ...links("Files", files, acts),
  ];
}

function links(title, files, acts) {
  const heading = make("div", { className: "ipuaro-live-heading", textContent: `${title} (${grouped(files.length)})` });
  const item = (file) => make("li", {}, button(visible(file.id), () => acts.select({ file }), { className: "ipuaro-live-file" }));
  const list = make("ul", {}, ...files.slice(0, MOST_BUTTONS).map(item));
  const more = files.length - MOST_BUTTONS;
  if (more > 0) list.append(make("li", { className: "ipuaro-note", textContent: `and ${grouped(more)} more` }));
  return files.length ? [heading, list] : [heading];
}
