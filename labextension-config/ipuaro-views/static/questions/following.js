// Keeps a question in its cell, where the notebook loses it. After a reload JupyterLab and Notebook no
// longer know which cell the kernel's messages are for (https://github.com/jupyterlab/jupyterlab/issues/2833),
// and a cell that is run again while it waits has its outputs taken away and its messages dropped.
// The widget lives on in both cases, and the kernel tells which cell of ours runs: from here they do for the cell
// what the notebook does not.

const TURN = "ipuaro.turn"; // as in ipuaro_jupyter/notebook/running_turn.py
const VIEW = "application/vnd.jupyter.widget-view+json";
const STATUS = '<div class="ipuaro-status"';
const ENDS = new Set(["restarting", "autorestarting", "terminating", "dead"]);
const ADDED = new Set(["display_data", "execute_result", "stream", "error"]);
// Each notebook on the kernel follows its questions.
const runs = new Set();

const viewOf = (id) => ({ [VIEW]: { version_major: 2, version_minor: 0, model_id: id } });
const plain = (output_type, { data, metadata = {} }) => ({ output_type, data, metadata });

// Where the outputs of a request go: the cell may be gone, or not be there yet.
function cellOf(context, id) {
  const cells = context.model.cells;
  for (let place = 0; place < cells.length; place++) if (cells.get(place).id === id) return cells.get(place);
  return null;
}

function viewIn(outputs, id) {
  for (let place = 0; place < outputs.length; place++) if (outputs.get(place)?.data?.[VIEW]?.model_id === id) return place;
  return -1;
}

// Outputs by their display ids, as the notebook keeps them for a cell that it has sent itself. The user may
// take some away at any time, so that a place is looked up each time: one too high would break the list.
function writing(outputs) {
  const shown = new Map();
  const keep = (id, place) => id && shown.set(id, outputs.get(place));
  const add = (output, id) => {
    outputs.add(output);
    keep(id, outputs.length - 1);
  };
  function replace(output, id) {
    for (let place = 0; place < outputs.length; place++) {
      if (outputs.get(place) !== shown.get(id)) continue;
      outputs.set(place, output);
      keep(id, place);
      return;
    }
    add(output, id); // of before the reload, or taken away
  }
  return {
    add,
    clear(wait) {
      outputs.clear(wait);
      shown.clear();
    },
    restore(told) {
      this.clear();
      for (const { id, data } of told) add(plain("display_data", { data: data ?? viewOf(id) }), id);
    },
    take({ header: { msg_type: kind }, content }) {
      const id = content.transient?.display_id;
      if (kind === "clear_output") this.clear(content.wait);
      else if (ADDED.has(kind)) add({ ...content, output_type: kind }, id);
      else if (kind === "update_display_data") replace(plain("display_data", content), id);
    },
  };
}

const holds = (cell, questions) => questions.some((model) => viewIn(cell.outputs, model.get("place").id) >= 0);

// How likely a notebook is the one that has sent its cell: a copy of it has cells of the same ids.
function likelihood({ context, id, questions }) {
  const cell = cellOf(context, id);
  if (!cell) return 0;
  if (cell.executionState === "running" || holds(cell, questions)) return 3;
  return cell.executionCount === null ? 2 : 1; // none is saved of a cell that runs
}

// Follows the messages of a request until it has ended. Returns where, and the questions that it has asked.
function follow(kernel, context, { request, cell: id, number }) {
  const questions = [];
  const run = { kernel, context, request, id, questions };
  const first = cellOf(context, id);
  // The cell that the notebook itself brings the messages to. Not all of them come by this way: an update of
  // another cell's output, made by a thread of that cell, says that it is of this request.
  let served = first?.executionState === "running" ? first : null;
  let isSentAgain = false;
  let written = null; // set when the notebook has lost the request
  const replaced = new Set(); // the ids of questions whose record the notebook has, before the widget has it

  const onArrival = () => {
    served = cellOf(context, id);
    return true;
  };
  const onSent = (_, { direction, msg }) => {
    const isRun = direction === "send" && msg.header.msg_type === "execute_request";
    isSentAgain ||= isRun && msg.header.msg_id !== request && msg.metadata?.cellId === id;
  };
  const onStatus = (_, status) => {
    if (!ENDS.has(status)) return;
    for (const model of questions) if (!model.get("record")) settle(model, context, unanswered(model));
    end();
  };

  function onMessage(_, message) {
    if (message.parent_header?.msg_id !== request) return;
    if (message.header.msg_type.startsWith("comm_")) return;
    const cell = cellOf(context, id);
    const { data, transient } = message.content;
    if (message.header.msg_type === "update_display_data" && !data[VIEW]) replaced.add(transient?.display_id);
    if (message.header.msg_type === "status") {
      if (message.content.execution_state === "idle") end(cell);
      return;
    }
    if (!cell) return;
    if (cell !== served && !isSentAgain) {
      if (!written && (document.hidden || isElsewhere())) return; // of several pages that one writes which is seen
      written ??= takeOver(cell);
      written.take(message);
    }
    show(cell);
  }

  function isElsewhere() {
    const others = [...runs].filter((other) => other !== run && other.request === request);
    return others.some((other) => !isOver(other) && likelihood(other) > likelihood(run));
  }

  // What the page has is what was saved. The kernel tells what its cell has shown so far; what is shown from now
  // on comes after that.
  function takeOver(cell) {
    cell.trusted = true; // as for every cell that is run
    cell.executionCount = null;
    cell.executionState = "running";
    const taken = writing(cell.outputs);
    taken.clear();
    runningTurn(kernel).then((turn) => {
      if (turn?.request === request && runs.has(run) && cellOf(context, id)) taken.restore(turn.outputs);
    });
    return taken;
  }

  function show(cell) {
    for (const model of questions) {
      const { id: view } = model.get("place");
      if (model.get("record") || replaced.has(view) || viewIn(cell.outputs, view) >= 0) continue;
      const output = plain("display_data", { data: { ...viewOf(view), "text/plain": model.get("title") } });
      if (written) written.add(output, view);
      else cell.outputs.add(output);
    }
  }

  function end(cell = cellOf(context, id)) {
    kernel.iopubMessage.disconnect(onMessage);
    kernel.anyMessage.disconnect(onSent);
    kernel.statusChanged.disconnect(onStatus);
    runs.delete(run);
    if (!written || !cell || isSentAgain) return;
    cell.executionState = "idle";
    cell.executionCount = number;
  }

  kernel.registerMessageHook(request, onArrival);
  kernel.iopubMessage.connect(onMessage);
  kernel.anyMessage.connect(onSent);
  kernel.statusChanged.connect(onStatus);
  runs.add(run);
  return run;
}

// Whether the notebook was closed.
const isOver = ({ kernel, context }) => kernel.isDisposed || context.isDisposed;

// Only where there is a notebook of JupyterLab's kind, and this page alone writes it.
export const canFollow = (kernel, context) =>
  Boolean(kernel?.registerMessageHook && context?.model?.cells && !context.model.collaborative);

export function runOf(kernel, context, place) {
  for (const run of runs) {
    if (isOver(run)) runs.delete(run);
    else if (run.kernel === kernel && run.request === place.request) return run;
  }
  return follow(kernel, context, place);
}

// Takes the lines away that told what the cell was busy with when it was saved: it has ended since.
// All are set anew, as the notebook would save those that are removed one by one.
function dropStatus(outputs) {
  const isStatus = ({ data }) => String(data?.["text/html"]).includes(STATUS);
  outputs.fromJSON(outputs.toJSON().filter((output) => !isStatus(output)));
}

// The record of a question whose kernel is no more.
function unanswered(model) {
  const told = `Not answered: ${model.get("title")}. The kernel ended while it waited. Run the cell again.`;
  const text = document.createElement("p");
  text.textContent = told;
  return { "text/html": `<div class="ipuaro">${text.outerHTML}</div>`, "text/plain": told };
}

// Puts the record of what became of a question where it still is, when the page is seen.
function settle(model, context, record = model.get("record")) {
  if (document.hidden) {
    document.addEventListener("visibilitychange", () => settle(model, context, record), { once: true });
    return;
  }
  const { id, cell: of } = model.get("place");
  const cell = context.isDisposed ? null : cellOf(context, of);
  const place = cell ? viewIn(cell.outputs, id) : -1;
  if (place < 0) return;
  cell.outputs.set(place, plain("display_data", { data: record }));
  if (cell.executionState !== "running" || !model.get("record")) dropStatus(cell.outputs);
}

// The request, number, id and outputs of the cell of ours that runs; null without one. The kernel is asked by a
// comm, which it answers while a cell awaits.
export function runningTurn(kernel) {
  return new Promise((resolve) => {
    const asked = kernel.createComm(TURN);
    asked.onMsg = ({ content: { data } }) => resolve(data);
    asked.onClose = () => resolve(null);
    asked.open();
  });
}

// Called once for each question in each page, whether it is drawn or not.
export function followQuestion(model) {
  const { context, kernel } = model.widget_manager ?? {};
  const place = model.get("place");
  if (!place.request || !canFollow(kernel, context)) return;
  const run = runOf(kernel, context, place);
  run.questions.push(model);
  model.on("change:record", () => settle(model, context));
  if (model.get("record")) context.ready.then(() => settle(model, context));
}
