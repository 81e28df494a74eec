// The files of a change set, each with a checkbox, and one for all of a group and for each change of a file.

import { counted, grouped, make } from "../dom.js";
import { numbers } from "./checkboxes.js";

// What is chosen, as the kernel tells it. `files` has the number of its path and of its changes for each file.
function filesInWords(files, chosen) {
  const every = new Map();
  const taken = new Map();
  const add = (counts, path, count) => counts.set(path, (counts.get(path) ?? 0) + count);
  const sum = (counts) => [...counts.values()].reduce((one, other) => one + other, 0);
  for (const [path, changes] of files) add(every, path, changes);
  for (const { number, hunks } of chosen) {
    const [path, changes] = files[number - 1];
    add(taken, path, hunks ? hunks.length : changes);
  }
  const all = counted(every.size, "file");
  const some = taken.size === every.size ? all : `${grouped(taken.size)} of ${all}`;
  const isPart = [...taken].some(([path, count]) => count !== every.get(path));
  return isPart ? `${grouped(sum(taken))} of ${counted(sum(every), "change")} in ${some}` : some;
}

// The checkboxes of a change set, which may become more, and one for all of them.
export function fileChoice(detail, files, onChange) {
  const paths = new Set(files.map(([path]) => path));
  const every = make("input", { type: "checkbox" });
  const label = make("label", {}, every, paths.size === 1 ? "All of it" : `All ${grouped(paths.size)} files`);
  const sections = (place = detail) => [...place.querySelectorAll(".ipuaro-file")];
  const ofFile = (section) => section.querySelector(".ipuaro-file-name input");
  // The boxes that decide: those of the changes, or the file's where there is no choice within.
  function deciding(section) {
    const boxes = [...section.querySelectorAll(".ipuaro-hunk input")];
    return boxes.length ? boxes : [ofFile(section)];
  }
  const within = (place) => (place.matches(".ipuaro-file") ? deciding(place) : sections(place).flatMap(deciding));

  function tell(box, boxes) {
    if (boxes.includes(box)) return;
    box.checked = boxes.every((one) => one.checked);
    box.indeterminate = !box.checked && boxes.some((one) => one.checked);
  }

  function show() {
    for (const section of sections()) {
      const boxes = deciding(section);
      tell(ofFile(section), boxes);
      section.classList.toggle("ipuaro-left-out", !boxes.some((box) => box.checked));
      for (const box of boxes) box.closest(".ipuaro-change")?.classList.toggle("ipuaro-left-out", !box.checked);
    }
    for (const box of detail.querySelectorAll(".ipuaro-all-of-group input")) tell(box, within(box.closest(".ipuaro-group")));
    tell(every, within(detail));
  }

  function of(box) {
    if (box === every) return detail;
    if (box.closest(".ipuaro-all-of-group")) return box.closest(".ipuaro-group");
    return box.closest(".ipuaro-file-name") && box.closest(".ipuaro-file");
  }

  detail.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox") return;
    const place = of(target);
    if (place) for (const box of within(place)) box.checked = target.checked;
    show();
    onChange();
  });

  function chosenOf(section) {
    const boxes = deciding(section);
    const ticked = boxes.filter((box) => box.checked);
    if (!ticked.length) return [];
    const hunks = ticked.length === boxes.length ? null : ticked.flatMap(numbers);
    return numbers(ofFile(section)).map((number) => ({ number, hunks }));
  }

  // In a file that is not ticked, nothing is.
  for (const section of sections()) if (!ofFile(section).checked) for (const box of deciding(section)) box.checked = false;
  show();
  return {
    chosen: () => sections().flatMap(chosenOf),
    controls: () => [every, ...detail.querySelectorAll("input")],
    label,
    words: (chosen) => filesInWords(files, chosen),
  };
}

// A button that opens all diffs, or closes them.
export function openingAll(detail) {
  const button = make("button", { type: "button" });
  const diffs = () => [...detail.querySelectorAll(".ipuaro-file > details")];
  const areOpen = () => diffs().every(({ open }) => open);
  const tell = () => (button.textContent = areOpen() ? "Close all" : "Open all");
  button.addEventListener("click", () => {
    const open = !areOpen();
    for (const diff of diffs()) diff.open = open;
    tell();
  });
  detail.addEventListener("toggle", tell, true); // it does not bubble
  tell();
  return button;
}
