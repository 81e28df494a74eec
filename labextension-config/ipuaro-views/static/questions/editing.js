// The proposed text while the user changes it: an editor, and the diff that the kernel makes as it is typed.

import { make } from "../dom.js";
import { frontEnd } from "../editor.js";

const PAUSE_MS = 250;
const LOST_MS = 5000;

// The front end's editor where it shares one and it works, else a text field; both know the same.
export function openEditor(options) {
  try {
    return frontEnd.openEditor(options) ?? openField(options);
  } catch (error) {
    console.warn("ipuaro: the front end's editor failed; here is a text field", error);
    options.place.replaceChildren();
    return openField(options);
  }
}

export function openField({ place, text, attributes, onChange }) {
  const field = make("textarea", { spellcheck: false, value: text });
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  field.style.height = `min(${Math.min(30, text.split("\n").length) * 1.45 + 1.2}em, 60vh)`;
  field.addEventListener("input", onChange);
  place.append(field);
  return {
    text: () => field.value,
    mark() {},
    goTo(line) {
      field.focus();
      goTo(field, line);
    },
    close: () => field.remove(),
  };
}

// Puts the caret at the beginning of a line, from 1, and a few lines above it into view, too.
const LINES_ABOVE = 3;
function goTo(text, line) {
  const before = text.value.split("\n").slice(0, line - 1);
  const start = before.reduce((length, one) => length + one.length + 1, 0);
  text.setSelectionRange(start, start);
  text.scrollTop = Math.max(0, line - 1 - LINES_ABOVE) * parseFloat(getComputedStyle(text).lineHeight);
  text.scrollIntoView({ block: "nearest" });
}

// Tells the kernel what is typed, not at each key, and shows the diff it answers with. The kernel keeps
// the text: a page that is loaded anew finds it in `drafts`.
export function typing(model, shown, onShown) {
  let number = 0;
  let sent_ms = 0;
  let timer = null;
  let isNew = false;
  let read = null;

  function tell() {
    timer = null;
    isNew = false;
    sent_ms = Date.now();
    model.send({ type: "typed", number: ++number, ...read() });
  }
  function note() {
    isNew = true;
    if (sent_ms && Date.now() - sent_ms < LOST_MS) return; // the answer to the last one is on its way
    timer ??= setTimeout(tell, PAUSE_MS);
  }
  model.on("msg:custom", (answer) => {
    if (answer.type !== "typed" || answer.number !== number) return;
    sent_ms = 0;
    if (!read) return;
    shown.innerHTML = answer.html;
    onShown(answer);
    if (isNew) note();
  });
  return {
    begin(reads) {
      read = reads;
      shown.replaceChildren();
      tell();
    },
    note,
    end() {
      clearTimeout(timer);
      tell(); // so that nothing typed is lost
      read = null;
    },
  };
}
