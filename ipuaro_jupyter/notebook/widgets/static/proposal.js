// Draws a proposal. The kernel made `detail` and escaped what is in it; all else is set as text.

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

let count = 0;

function render({ model, el }) {
  const id = `ipuaro-proposal-${++count}`;
  const heading = make("h4", { id, textContent: model.get("title") });
  const detail = make("div", { innerHTML: model.get("detail") });
  const note = make("div", { className: "ipuaro-note", id: `${id}-note`, textContent: model.get("edit_note") });
  const text = make("textarea", { spellcheck: false, value: model.get("edit_text") });
  text.setAttribute("aria-label", "Proposed text");
  text.setAttribute("aria-describedby", note.id);
  const editor = make("div", { hidden: true }, note, text);

  const apply = make("button", { type: "button", className: "ipuaro-primary", textContent: model.get("apply_word") });
  const edit = make("button", { type: "button", textContent: "Edit", hidden: !model.get("editable") });
  const reject = make("button", { type: "button", textContent: "Reject" });
  const reason = make("input", { type: "text", placeholder: "Reason for rejecting (optional)" });
  reason.setAttribute("aria-label", "Reason for rejecting");
  const remember = make("input", { type: "checkbox" });
  const pattern = make("code", { textContent: model.get("pattern") });
  const always = make("label", { hidden: !model.get("pattern") }, remember, make("span", {}, "Don't ask again for ", pattern));
  const controls = [apply, edit, reject, reason, remember, text];

  function setEditing(editing) {
    editor.hidden = !editing;
    detail.hidden = editing;
    edit.textContent = editing ? "Discard changes" : "Edit";
    if (editing) {
      text.style.height = `${Math.min(30, text.value.split("\n").length) * 1.45 + 1.2}em`;
      text.focus();
    } else {
      text.value = model.get("edit_text");
      edit.focus();
    }
  }

  function decide(action) {
    const edited = !editor.hidden && action === "apply" ? text.value : null;
    controls.forEach((control) => (control.disabled = true));
    model.send({ type: "decision", action, reason: reason.value, text: edited, remember: remember.checked });
  }

  apply.addEventListener("click", () => decide("apply"));
  reject.addEventListener("click", () => decide("reject"));
  edit.addEventListener("click", () => setEditing(editor.hidden));
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) decide("reject");
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") setEditing(false);
  });

  const root = make(
    "section",
    { className: "ipuaro ipuaro-proposal tex2jax_ignore mathjax_ignore" },
    heading,
    detail,
    editor,
    make("div", { className: "ipuaro-actions" }, apply, edit, reject, reason, always),
  );
  root.setAttribute("aria-labelledby", id);
  // Keys typed here are for the question, not for the notebook's shortcuts.
  root.dataset.lmSuppressShortcuts = "true";
  el.append(root);
  model.send({ type: "ready" });
}

export default { render };
