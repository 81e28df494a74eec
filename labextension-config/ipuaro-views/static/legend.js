// The shapes of the picture and what they mean.

import { make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const SIGNS = [
  ["file", "M8 3a5 5 0 1 0 .01 0z"],
  ["hub: more than 5 dependents", "M1 8l3.5-6h7L15 8l-3.5 6h-7z"],
  ["entry point", "M8 2l6.5 12h-13z"],
  ["in a cycle", "M8 1a7 7 0 1 0 .01 0zM8 4.5a3.5 3.5 0 1 0 .01 0z"],
  ["folder", "M1 4.5h14v7H1z"],
];

export function legend() {
  const items = SIGNS.map(([text, path]) => make("li", {}, sign(path), make("span", { textContent: text })));
  const how = make("li", { textContent: "An arrow leads to what is used. Ctrl and the wheel zoom." });
  return make("ul", { className: "ipuaro-live-legend ipuaro-note", aria: { label: "Legend" } }, ...items, how);
}

function sign(path) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}
