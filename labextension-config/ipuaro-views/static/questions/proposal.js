// Draws a proposal. The kernel made `detail` and escaped what is in it; all else is set as text.

import { grouped, make } from "../dom.js";
import { fileChoice, openingAll } from "./change_set.js";
import { numbers } from "./checkboxes.js";
import { openEditor, openField, typing } from "./editing.js";
import { pageThrough, unseenLines, unseenNote, watchFolds } from "./paging.js";

let count = 0;
// What the user chose last, for the next question; until then it depends on the room.
let layout = null;
const WIDE_PX = 850;

// Two buttons, one of them pressed. Calls `set` with whether it is side by side.
function layouts(proposed, el) {
  const unified = make("button", { type: "button", textContent: "Unified" });
  const sides = make("button", { type: "button", textContent: "Side by side" });
  const set = (beside) => {
    proposed.classList.toggle("ipuaro-sides", beside);
    unified.setAttribute("aria-pressed", String(!beside));
    sides.setAttribute("aria-pressed", String(beside));
  };
  const choose = (beside) => {
    layout = beside;
    set(beside);
  };
  unified.addEventListener("click", () => choose(false));
  sides.addEventListener("click", () => choose(true));
  set(layout ?? false);
  // There is no width before the question is on the page, and it changes: it decides until the user does.
  const room = new ResizeObserver(([{ contentRect }]) => {
    if (layout === null && contentRect.width > 0) set(contentRect.width >= WIDE_PX);
  });
  room.observe(el);
  const group = make("div", { className: "ipuaro-layouts" }, unified, sides);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Layout of the changes");
  return group;
}

// The checkboxes in `detail`, which may become more, and one for all. `chosen` gives numbers, null for all.
function choice(detail, total, onChange) {
  const boxes = () => [...detail.querySelectorAll(".ipuaro-hunk input")];
  const words = (part) => `${grouped(part.length)} of ${grouped(total)} changes`;
  if (total < 2 || !boxes().length) return { chosen: () => null, controls: () => [], label: null, words };
  const every = make("input", { type: "checkbox", checked: true });
  const label = make("label", {}, every, `All ${grouped(total)} changes`);
  const show = () => {
    const all = boxes();
    for (const box of all) box.closest(".ipuaro-change").classList.toggle("ipuaro-left-out", !box.checked);
    every.checked = all.every((box) => box.checked);
    every.indeterminate = !every.checked && all.some((box) => box.checked);
    onChange();
  };
  detail.addEventListener("change", ({ target }) => {
    if (target === every) for (const box of boxes()) box.checked = every.checked;
    if (target === every || target.closest(".ipuaro-hunk")) show();
  });
  const chosen = () => (boxes().every((box) => box.checked) ? null : boxes().filter((box) => box.checked).flatMap(numbers));
  return { chosen, controls: () => [every, ...boxes()], label, words };
}

// A choice and text as one string, to compare them.
function inOrder({ hunks = null, files = null, text = null }) {
  const picked = files?.map((file) => [file.number, file.hunks]).sort(([one], [other]) => one - other);
  return JSON.stringify([hunks, picked ?? null, text]);
}

// A check of what would be applied, in a copy of the project: its button, what it runs, its result. `chosen`
// gives what would be applied, `hold` is told whether a check runs.
function checks(model, chosen, hold) {
  const offered = Boolean(model.get("check"));
  const button = make("button", { type: "button", textContent: "Check first", hidden: !offered });
  const what = make("summary", { textContent: "What Check first runs, in a copy of the project" });
  const commands = make("div", { innerHTML: model.get("check") });
  const runs = make("details", { className: "ipuaro-note", hidden: !offered }, what, commands);
  const clock = make("span");
  const cancel = make("button", { type: "button", textContent: "Cancel the check" });
  const busy = make("div", { className: "ipuaro-checking", hidden: true }, clock, cancel);
  const result = make("div");
  const stale = make("div", { className: "ipuaro-note", hidden: true, textContent: "That was the check of another choice or text." });
  const place = make("div", {}, result, stale);
  place.setAttribute("role", "status");
  let timer = null;
  let began = 0;

  const tick = () => (clock.textContent = `Checking in a copy of the project … ${Math.round((Date.now() - began) / 1000)} s`);
  // The kernel knows what was checked, perhaps before there was this page.
  function compare() {
    const checked = model.get("checked_as");
    stale.hidden = !checked || !result.innerHTML || inOrder(checked) === inOrder(chosen());
  }

  function show() {
    const checking = model.get("checking");
    const held = busy.contains(document.activeElement);
    clearInterval(timer);
    if (checking) {
      began = Date.now();
      cancel.disabled = false;
      timer = setInterval(tick, 1000);
      tick();
    }
    busy.hidden = !checking;
    place.hidden = checking;
    result.innerHTML = model.get("checked");
    commands.innerHTML = model.get("check");
    hold(checking);
    compare();
    if (checking && document.activeElement === button) cancel.focus();
    if (held && !checking) button.focus();
  }

  button.addEventListener("click", () => {
    model.send({ type: "decision", action: "check", ...chosen() });
  });
  cancel.addEventListener("click", () => {
    cancel.disabled = true;
    clearInterval(timer);
    clock.textContent = "Cancelling the check …";
    model.send({ type: "cancel check" });
  });
  model.on("change:checking", show);
  model.on("change:checked", show);
  return { button, runs, busy, place, show, compare };
}

// The numbers of lines that Apply would write, of all and of each file of a change set.
function showLines(detail, { lines, files }) {
  const all = detail.querySelector(".ipuaro-proposed > .ipuaro-lines");
  if (all && lines) all.textContent = lines;
  for (const [number, html] of Object.entries(files)) {
    const counts = detail.querySelector(`[data-file="${CSS.escape(number)}"] > .ipuaro-file-head > .ipuaro-lines`);
    if (counts) counts.innerHTML = html;
  }
}

// What speaks against what Apply would write, and its numbers of lines: the kernel knows them for each choice
// and text.
function problemsOf(model, detail, proposed) {
  const place = make("div");
  place.setAttribute("aria-live", "polite");
  const first = detail.querySelector(".ipuaro-problems");
  if (first) {
    first.replaceWith(place);
    place.append(first);
  } else proposed?.before(place);
  let number = 0;
  const show = (html) => {
    number += 1; // older answers are late
    place.innerHTML = html;
  };
  model.on("msg:custom", (answer) => {
    if (answer.type !== "problems" || answer.number !== number) return;
    place.innerHTML = answer.html;
    showLines(detail, answer);
  });
  return { show, ask: (chosen) => model.send({ type: "chosen", number: ++number, ...chosen }) };
}

export function drawProposal(model, el) {
  const id = `ipuaro-proposal-${++count}`;
  const heading = make("h4", { id, textContent: model.get("title") });
  const detail = make("div", { innerHTML: model.get("detail") });
  const note = make("div", { className: "ipuaro-note", id: `${id}-note` });
  const attributes = { "aria-label": model.get("edit_name"), "aria-describedby": note.id };
  const typedDiff = make("div", { className: "ipuaro-typed" });
  const place = make("div", { className: "ipuaro-editor" });
  const editor = make("div", { hidden: true }, note, place, typedDiff);
  let field = null; // while the editor is open
  let unedited = null; // the text that the editor had at first
  let typedUnseen = null;
  const refusal = make("div", { className: "ipuaro-note" });
  refusal.setAttribute("role", "status");
  const proposed = detail.querySelector(".ipuaro-proposed");
  const problems = problemsOf(model, detail, proposed);

  const apply = make("button", { type: "button", className: "ipuaro-primary" });
  const edit = make("button", { type: "button", textContent: "Edit", hidden: !model.get("editable") });
  const reject = make("button", { type: "button", textContent: model.get("reject_word") });
  const reason = make("input", { type: "text", placeholder: "Reason for rejecting (optional)", value: model.get("reason") });
  reason.hidden = !model.get("is_reason_asked");
  reason.setAttribute("aria-label", "Reason for rejecting");
  const word = model.get("apply_word");
  const always = make("button", { type: "button", textContent: `${word} and don't ask again` });
  const pattern = make("span", { id: `${id}-pattern` }, "for ", make("code", { textContent: model.get("pattern") }));
  always.setAttribute("aria-describedby", pattern.id);
  const remembering = make("div", { className: "ipuaro-always", hidden: !model.get("pattern") }, always, pattern);

  const total = model.get("choices");
  const files = model.get("files");
  const isSet = files.length > 0;
  const { chosen, controls: boxes, label, words } = isSet
    ? fileChoice(detail, files, () => choose())
    : choice(detail, total, () => choose());
  const isEdited = () => !editor.hidden && field.text() !== unedited;
  const made = () => ({ [isSet ? "files" : "hunks"]: chosen(), text: isEdited() ? field.text() : null });
  const check = checks(model, made, hold);
  const controls = () => [apply, edit, check.button, reject, reason, always, ...boxes(), ...detail.querySelectorAll("button, textarea")];
  // What was typed and left, by the choice of changes.
  const drafts = new Map(Object.entries(model.get("drafts")));
  const key = () => JSON.stringify(chosen());
  let waiting = false;

  // Has the buttons say what they would do.
  function offer() {
    const part = editor.hidden ? chosen() : null;
    const none = part !== null && part.length === 0;
    const some = part ? `${word} ${words(part)}` : word;
    // Whoever types sees that: what is unseen of the new diff is unseen of the proposal, too.
    const left = unseenLines(detail);
    const unseen = unseenNote(editor.hidden ? left : Math.min(typedUnseen ?? left, left));
    const kept = editor.hidden && drafts.has(key()) ? `${some} without what you typed` : some;
    apply.textContent = none ? "Nothing chosen" : unseen ? `${kept} (${unseen})` : kept;
    for (const button of [apply, edit, always, check.button]) button.disabled = none;
    check.compare();
    edit.textContent = !editor.hidden ? "Discard changes" : drafts.has(key()) ? "Continue editing" : "Edit";
  }

  // While a check runs, nothing else can be pressed.
  function hold(checking) {
    for (const control of controls()) control.disabled = checking;
    if (!checking) offer();
  }

  function choose() {
    waiting = false;
    problems.ask(made());
    refusal.textContent = "";
    offer();
  }

  function open() {
    if (!model.get("editable")) {
      refusal.textContent = "What is chosen cannot be edited here: a text field would change its line ends. Choose otherwise to edit.";
      return;
    }
    note.textContent = model.get("edit_note");
    editor.hidden = false;
    if (proposed) proposed.hidden = true;
    unedited = model.get("edit_text");
    const text = drafts.get(key()) ?? unedited;
    const path = model.get("edit_path");
    const opened = { place, text, path, first: model.get("edit_first"), attributes, onChange: changed };
    field = path ? openEditor(opened) : openField(opened);
    field.goTo(model.get("edit_line"));
    typed.begin(() => ({ text: field.text(), hunks: chosen(), key: key() }));
    offer();
  }

  // After Escape, which may be a mistake, what was typed waits for the next Edit.
  function leave(keeps) {
    if (keeps && isEdited()) drafts.set(key(), field.text());
    else drafts.delete(key());
    typed.end();
    if (!keeps) model.send({ type: "discard", key: key() });
    field.close();
    field = typedUnseen = null;
    editor.hidden = true;
    problems.ask(made());
    if (proposed) proposed.hidden = false;
    edit.focus();
    offer();
  }

  // The kernel knows the text of a choice; it answers with `edit_of`.
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  function startEditing() {
    const hunks = chosen();
    if (same(hunks, model.get("edit_of"))) return open();
    waiting = true;
    model.send({ type: "edit", hunks });
  }
  model.on("change:edit_of", () => {
    if (!waiting || !same(chosen(), model.get("edit_of"))) return;
    waiting = false;
    open();
  });

  function decide(action, remember = false) {
    // Of a rejection, too: it tells what the user wanted instead.
    const edited = !editor.hidden ? field.text() : null;
    waiting = false;
    // The question goes, and the keyboard would be nowhere; the cell takes the notebook's keys.
    if (root.contains(document.activeElement)) root.closest(".jp-Cell")?.focus({ preventScroll: true });
    controls().forEach((control) => (control.disabled = true));
    const part = isSet ? { files: chosen() } : { hunks: chosen() };
    model.send({ type: "decision", action, reason: reason.value, text: edited, ...part, remember });
  }

  apply.addEventListener("click", () => decide("apply"));
  always.addEventListener("click", () => decide("apply", true));
  reject.addEventListener("click", () => decide("reject"));
  edit.addEventListener("click", () => (editor.hidden ? startEditing() : leave(false)));
  // The kernel keeps it for a page that is loaded anew, and for the record of a question that is stopped.
  reason.addEventListener("input", () => model.send({ type: "reason", text: reason.value }));
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) decide("reject");
  });
  const typed = typing(model, typedDiff, (answer) => {
    field.mark(answer.marks);
    typedUnseen = answer.unseen;
    problems.show(answer.problems);
    offer();
  });
  function changed() {
    typed.note();
    check.compare();
  }
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) leave(true);
  });

  const root = make(
    "section",
    { className: "ipuaro ipuaro-proposal tex2jax_ignore mathjax_ignore" },
    heading,
    detail,
    check.place,
    check.busy,
    make("div", { className: "ipuaro-actions" }, apply, edit, check.button, reject, reason),
    refusal,
    check.runs,
    remembering,
  );
  root.setAttribute("aria-labelledby", id);
  // Keys typed here are for the question: the notebook would take X for cutting the cell. Its shortcuts
  // match what has the focus, so that only there the attribute helps, and not on the box around.
  root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  const tools = make("div", { className: "ipuaro-tools" });
  if (detail.querySelector(".ipuaro-changes:not(.ipuaro-one-sided)")) tools.append(layouts(proposed, el));
  if (label) tools.append(label);
  if (isSet) tools.append(openingAll(detail));
  if (tools.childElementCount) proposed.prepend(tools);
  if (proposed) proposed.after(editor);
  else detail.append(editor);
  watchFolds(detail, () => {
    if (!model.get("checking")) offer();
  });
  pageThrough(model, detail, () => {
    refusal.textContent = unseenNote(unseenLines(detail)) || `All ${total > 1 ? "chosen " : ""}lines are shown.`;
    offer();
  });
  check.show();
  el.append(root);
  model.send({ type: "ready" });
}
