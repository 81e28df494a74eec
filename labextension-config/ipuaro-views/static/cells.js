// Cells of a notebook: the one that a kernel tells of, and a new one below another.

export function codeCells(panel) {
  return panel.content.widgets.filter(({ model }) => model.type === "code");
}

// The number of a cell, if it is among those that the kernel tells of by number and id ("" where it knows
// none). 0 where it is not, and where it is not certain; `isLike` tells which others it could be.
export function toldNumber(panel, { model }, told, isLike = () => true) {
  const number = model.executionCount;
  const found = told.find(([known, ...id]) => Number(known) === number && ["", model.id].includes(id.join("/")));
  if (!number || !found) return 0;
  const same = codeCells(panel).filter((other) => other.model.executionCount === number && isLike(other));
  return found.slice(1).join("/") || same.length === 1 ? number : 0;
}

// Puts a cell below another; null when that cannot be.
export function insertBelow(panel, cell, source, type = "code") {
  const { content: notebook } = panel;
  const place = notebook.widgets.indexOf(cell) + 1;
  if (!place || notebook.model.readOnly) return null;
  const metadata = type === "code" ? { trusted: true } : {};
  notebook.model.sharedModel.insertCell(place, { cell_type: type, source, metadata });
  return notebook.widgets[place];
}

// Makes a cell the active one, and waits until it is drawn if it is seen; false when another has become that meanwhile.
export async function reveal({ content: notebook }, cell) {
  const place = notebook.widgets.indexOf(cell);
  notebook.deselectAll();
  notebook.activeCellIndex = place;
  await notebook.scrollToItem?.(place).catch(() => null);
  if (notebook.isVisible) await cell.ready; // else what follows is undone when the new cell is drawn
  return cell === notebook.activeCell && !cell.isDisposed;
}

// The caret in the text of a cell.
export function edit(panel, cell, offset = 0) {
  panel.content.mode = "edit";
  cell.editor?.setCursorPosition(cell.editor.getPositionAt(offset));
  cell.editor?.focus();
}
