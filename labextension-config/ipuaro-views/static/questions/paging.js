// More of a long diff on request: the kernel draws what takes the place of a gap.

import { grouped, make } from "../dom.js";

const fileOf = (gap) => Number(gap.closest("[data-file]")?.dataset.file ?? 1);

// The changed lines that would be written and that are not shown, or not to their end. Those of a diff
// that has not been opened yet are not shown.
const FOLDED = "details[data-changed]:not([data-opened])";
export function unseenLines(detail) {
  const chosen = (place) => !place.closest(".ipuaro-left-out");
  const folds = [...detail.querySelectorAll(FOLDED)].filter(chosen);
  const gaps = [...detail.querySelectorAll(".ipuaro-gap")].filter((gap) => chosen(gap) && !gap.closest(FOLDED));
  const inFolds = folds.reduce((sum, { dataset }) => sum + Number(dataset.changed), 0);
  const whole = gaps.reduce((sum, { dataset }) => sum + Number(dataset.lines ?? 0), inFolds);
  const partly = gaps.filter(({ dataset }) => dataset.line).map((gap) => `${fileOf(gap)} ${gap.dataset.line}`);
  return whole + new Set(partly).size;
}

// What is left out of the other side of a block comes with it: the two are beside each other.
function withOtherSide(gap) {
  const sides = ":is(.ipuaro-gone, .ipuaro-come)";
  return gap.matches(sides) ? gap.parentElement.querySelectorAll(`:scope > .ipuaro-gap${sides}`) : [gap];
}

// Calls `onOpened` when a diff is opened for the first time.
export function watchFolds(detail, onOpened) {
  const note = (fold) => (fold.dataset.opened = "");
  detail.querySelectorAll(`${FOLDED}[open]`).forEach(note);
  detail.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.open || !target.matches(FOLDED)) return;
      note(target);
      onOpened();
    },
    true, // it does not bubble
  );
}

export function unseenNote(lines) {
  return lines ? `${grouped(lines)} ${lines === 1 ? "line" : "lines"} not seen` : "";
}

// Calls `onShown` after something was shown.
export function pageThrough(model, detail, onShown) {
  const ask = (key, file) => model.send({ type: "page", key, file });

  detail.addEventListener("click", ({ target }) => {
    const gap = target.closest("button")?.closest(".ipuaro-gap");
    if (gap) for (const one of withOtherSide(gap)) ask(one.dataset.page, fileOf(one));
  });

  function show({ type, key, file, html }) {
    if (type !== "page") return;
    const places = detail.querySelectorAll(`[data-page="${CSS.escape(key)}"]`);
    for (const place of places) if (fileOf(place) === file) fill(place, html);
    if (places.length) onShown();
  }

  model.on("msg:custom", show);
  for (const [key, file] of model.get("opened")) ask(key, file); // before the page was reloaded
}

function fill(gap, html) {
  const had = gap.contains(document.activeElement);
  const more = make("template", { innerHTML: html }).content;
  const isLeftOut = gap.querySelector("input")?.checked === false;
  for (const box of more.querySelectorAll("input")) {
    box.checked = !isLeftOut;
    box.closest(".ipuaro-change").classList.toggle("ipuaro-left-out", isLeftOut);
  }
  // The second copy of a line is for the eyes only.
  if (gap.closest("[aria-hidden]")) for (const button of more.querySelectorAll("button")) button.replaceWith(button.textContent);
  const box = gap.closest(".ipuaro-scroll");
  const next = more.querySelector(".ipuaro-gap button") ?? box;
  gap.replaceWith(more);
  if (had) next?.focus({ preventScroll: true }); // what was shown stays in view
}
