// Places in the code that an answer names. The front end itself opens the links; a file that is not below the
// server's folder has none, and its lines can be shown in a cell below while a project is open.

import { button, make } from "./dom.js";

const BEFORE = 5;
const AFTER = 15;

// `show` puts a cell below the answer and runs it; without it such a place is plain text.
export function drawPlaces(cell, { context }, show) {
  const depth = context.localPath.split("/").length - 1;
  for (const link of cell.node.querySelectorAll(".jp-OutputArea .ipuaro-place")) {
    const isElsewhere = !link.hasAttribute("href") || foldersUp(link) > depth;
    if (link.tagName === "A" && !isElsewhere) continue;
    const isButton = link.tagName === "BUTTON";
    if (isButton !== Boolean(show) || link.tagName === "A") link.replaceWith(elsewhere(link, show));
  }
}

function foldersUp({ className }) {
  return Number(/(?:^|\s)ipuaro-up-(\d+)/.exec(className)?.[1] ?? 0);
}

function elsewhere(link, show) {
  const place = link.dataset.place ?? link.title;
  const shared = { className: link.className, dataset: { place } };
  const made = show
    ? button("", () => show(source(place)), { ...shared, title: `Show ${place} in a cell below` })
    : make("span", { ...shared, title: `${place}, outside of the server's folder` });
  if (show) made.dataset.lmSuppressShortcuts = "true"; // Enter is for the button
  made.append(...link.childNodes);
  return made;
}

function source(place) {
  const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(place);
  const start = Math.max(1, Number(line) - BEFORE);
  const lines = line ? { start, end: Number(line) + AFTER } : {};
  return `%tool get_lines ${JSON.stringify({ path, ...lines })}`;
}
