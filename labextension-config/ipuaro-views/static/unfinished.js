// What an answer was doing when its kernel ended: the notebook keeps that it was at it, which is so no more.

const TOLD = "Not finished: its kernel has ended";

// For a cell that does not run, once it is known that no kernel is at it.
export function drawUnfinished(cell) {
  for (const sign of cell.node.querySelectorAll(".jp-OutputArea .ipuaro-busy")) {
    const words = sign.parentElement.querySelector("strong");
    if (words) words.textContent = TOLD;
    sign.remove();
  }
  for (const note of cell.node.querySelectorAll(".jp-OutputArea .ipuaro-running")) {
    note.classList.remove("ipuaro-running");
    note.textContent = "not finished";
  }
}
