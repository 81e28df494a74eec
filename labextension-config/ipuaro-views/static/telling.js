// What a screen reader is told of an answer that is under way: that it has begun, its text by sentences and not
// more often than it can be listened to, that a question waits, and that it has ended. The outputs are no live
// regions: they are drawn anew with each word, and would be read again each time.

import { make } from "./dom.js";

const EVERY_MS = 4000;
const SETTLES_MS = 2000; // what a page that is loaded anew brings back was told before
const MOST_KEPT = 20;
const REMEMBERED = 40; // characters
const SENTENCES = /^[^]*[.!?:;\u2026\u3002](?=\s|$)/;

export class Telling {
  constructor(panel) {
    this.panel = panel;
    this.region = make("div", { className: "ipuaro-told", aria: { live: "polite", atomic: "false", relevant: "additions" } });
    panel.node.append(this.region);
    this.turns = new Map(); // by the id of a cell that runs
    this.sent = new Set(); // cells that this page has asked to run
    let kernel = null;
    const onMessage = (_, { direction, msg }) => {
      const isRun = direction === "send" && msg.header.msg_type === "execute_request";
      if (isRun && msg.metadata?.cellId) this.sent.add(msg.metadata.cellId);
    };
    const follow = () => {
      kernel?.anyMessage.disconnect(onMessage);
      kernel = panel.sessionContext.session?.kernel ?? null;
      kernel?.anyMessage.connect(onMessage);
    };
    panel.sessionContext.kernelChanged.connect(follow);
    follow();
  }

  say(text) {
    this.region.append(make("p", { textContent: text }));
    while (this.region.childElementCount > MOST_KEPT) this.region.firstElementChild.remove();
  }

  // Looks at a question's cell; called whenever its outputs have changed.
  look(cell) {
    const { id, executionState: state } = cell.model;
    if (state === "running" && !this.turns.has(id)) this.begin(cell);
    const turn = this.turns.get(id);
    if (!turn) return;
    for (const status of cell.node.querySelectorAll(".jp-OutputArea [role=status]")) status.ariaLive = "off"; // told here
    const text = textOf(cell);
    if (Date.now() < turn.silentUntil) turn.told = text;
    this.tellWaiting(cell, turn);
    if (state !== "running") this.end(id, turn, text);
    else this.tellText(cell, turn, text);
  }

  begin({ model: { id } }) {
    const isSent = this.sent.delete(id);
    const silentUntil = isSent ? 0 : Date.now() + SETTLES_MS;
    this.turns.set(id, { told: "", isWaiting: false, silentUntil, nextAt: 0, timer: 0 });
    if (isSent) this.say("The answer begins.");
  }

  tellWaiting(cell, turn) {
    const title = cell.node.querySelector(".jp-OutputArea .ipuaro-proposal h4")?.textContent;
    if (title && !turn.isWaiting && Date.now() >= turn.silentUntil) this.say(`Waiting for your decision: ${title}`);
    turn.isWaiting = Boolean(title);
  }

  tellText(cell, turn, text) {
    const ready = SENTENCES.exec(restOf(text, turn.told))?.[0] ?? "";
    if (!ready.trim()) return;
    const wait = turn.nextAt - Date.now();
    if (wait <= 0) return this.tell(turn, ready);
    turn.timer ||= setTimeout(() => {
      turn.timer = 0;
      if (!this.panel.isDisposed && !cell.isDisposed) this.look(cell);
    }, wait);
  }

  tell(turn, text) {
    this.say(text.trim());
    turn.told += text;
    turn.nextAt = Date.now() + EVERY_MS;
  }

  end(id, turn, text) {
    clearTimeout(turn.timer);
    this.turns.delete(id);
    const rest = restOf(text, turn.told);
    if (rest.trim()) this.tell(turn, rest);
    this.say("The answer has ended.");
  }
}

// The words of an answer, on one line; code is only named.
function textOf(cell) {
  const parts = [...cell.node.querySelectorAll(".jp-OutputArea .ipuaro-answer")].flatMap(({ children }) => [...children]);
  const words = parts.map((part) => (part.matches("pre") ? "A block of code." : part.textContent));
  return words.join("\n").replace(/[^\S\n]+/g, " ");
}

// What follows what was told. Text may change before that: by Markdown that is closed later, by marks in the record.
function restOf(text, told) {
  if (text.startsWith(told)) return text.slice(told.length);
  const last = told.trimEnd().slice(-REMEMBERED);
  const at = text.lastIndexOf(last);
  return text.slice(at < 0 ? told.length : at + last.length);
}
