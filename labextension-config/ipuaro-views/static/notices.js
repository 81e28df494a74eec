// What the kernel of a notebook lists as comms of one target: their ids, with slashes between the parts
// (ipuaro_jupyter/notebook/front_end_notices.py). It is asked without running code, and again after each cell.

const ENDS = new Set(["restarting", "autorestarting", "terminating", "dead"]);

export class Notices {
  // `isOfUse` tells whether the kernel need be asked; `draw` is called with each answer, and without one.
  constructor(panel, target, { isOfUse, draw }) {
    Object.assign(this, { panel, target, isOfUse, draw });
    this.listed = []; // the parts of each id
    this.isKnown = false; // whether the present kernel has said so
    this.isEnded = false; // whether a kernel has ended, and the next one has not said anything
    this.asked = 0;
    const { content, sessionContext: session } = panel;
    session.kernelChanged.connect(() => this.forget(false));
    session.connectionStatusChanged.connect((_, status) => status === "connected" && this.ask());
    session.statusChanged.connect((_, status) => {
      if (ENDS.has(status)) this.forget(true);
      else if (this.isEnded) this.drawAgain(); // only now do its cells no longer run
    });
    session.iopubMessage.connect((_, message) => this.hear(message));
    content.modelChanged.connect(() => this.watchModel());
    content.cellInViewportChanged.connect(() => this.drawAgain()); // a cell is laid out when it is first seen
    this.watchModel();
    session.ready.then(() => this.ask());
  }

  watchModel() {
    this.panel.content.model?.cells.changed.connect(() => requestAnimationFrame(() => this.drawAgain()));
    this.ask(); // the cells' widgets follow their models, hence the frame
  }

  // The answer to what is asked here makes the kernel busy, too: only cells count.
  hear({ header, content, parent_header: parent }) {
    const isDone = header.msg_type === "status" && content.execution_state === "idle";
    if (isDone && parent.msg_type === "execute_request") this.ask();
  }

  forget(isEnded) {
    this.asked++;
    this.isKnown = false;
    this.isEnded = isEnded;
    this.listed = [];
    this.drawAgain();
  }

  async ask() {
    if (this.panel.isDisposed) return;
    const kernel = this.panel.sessionContext.session?.kernel;
    const asked = ++this.asked;
    if (!kernel || kernel.connectionStatus !== "connected" || !this.isOfUse()) return this.drawAgain();
    const reply = await kernel.requestCommInfo({ target_name: this.target }).catch(() => null);
    if (asked !== this.asked || this.panel.isDisposed) return;
    const names = Object.keys(reply?.content.comms ?? {}).map((name) => name.split("/"));
    this.isKnown = Boolean(reply);
    this.isEnded &&= !reply;
    this.listed = names.filter(([target]) => target === this.target).map(([, ...parts]) => parts);
    this.drawAgain();
  }

  drawAgain() {
    if (!this.panel.isDisposed) this.draw();
  }
}
