// Keeps a question in its cell, where the notebook loses it. After a reload JupyterLab and Notebook no
// longer know which cell the kernel's messages are for (https://github.com/jupyterlab/jupyterlab/issues/2833),
// and a cell that is run again while it waits has its outputs taken away and its messages dropped.
// The widget lives on in both cases: from here it does for its cell what the notebook does not.

const VIEW = "application/vnd.jupyter.widget-view+json";
const ENDS = new Set(["restarting", "autorestarting", "terminating", "dead"]);
const ADDED = new Set(["display_data", "execute_result", "stream", "error"]);
// By the notebook's kernel connection and execute request: every question has this module anew.
const followed = (globalThis.ipuaroFollowed ??= new WeakMap());

const plain = (output_type, { data, metadata = {} }) => ({ output_type, data, metadata });

// Where the outputs of a request go: the cell may be gone, or not be there yet.
function cellOf(context, id) {
  const cells = context.model.cells;
  for (let place = 0; place < cells.length; place++) if (cells.get(place).id === id) return cells.get(place);
  return null;
}

function viewIn(outputs, id) {
  for (let place = 0; place < outputs.length; place++) if (outputs.get(place).data?.[VIEW]?.model_id === id) return place;
  return -1;
}

// Outputs by their display ids, as the notebook keeps them for a cell that it has sent itself.
function writing(outputs) {
  const places = new Map();
  const add = (output, id) => {
    outputs.add(output);
    if (id) places.set(id, outputs.length - 1);
  };
  return {
    add,
    clear(wait) {
      outputs.clear(wait);
      places.clear();
    },
    take({ header: { msg_type: kind }, content }) {
      const id = content.transient?.display_id;
      if (kind === "clear_output") this.clear(content.wait);
      else if (ADDED.has(kind)) add({ ...content, output_type: kind }, id);
      else if (kind !== "update_display_data") return;
      else if (places.has(id)) outputs.set(places.get(id), plain("display_data", content));
      else add(plain("display_data", content), id); // of before the reload
    },
  };
}

// Follows the messages of a request until it has ended. Returns the questions that it has asked.
function follow(kernel, context, { request, cell: id, number }) {
  const questions = [];
  const arrived = new Set(); // messages that the notebook itself brought to the cell
  let isSentAgain = false;
  let written = null; // set when the notebook has lost the request

  const onArrival = (message) => Boolean(arrived.add(message.header.msg_id));
  const onSent = (_, { direction, msg }) => {
    const isRun = direction === "send" && msg.header.msg_type === "execute_request";
    isSentAgain ||= isRun && msg.header.msg_id !== request && msg.metadata?.cellId === id;
  };
  const onStatus = (_, status) => ENDS.has(status) && end();

  function onMessage(_, message) {
    if (message.parent_header?.msg_id !== request) return;
    const isLost = !arrived.delete(message.header.msg_id);
    if (message.header.msg_type.startsWith("comm_")) return;
    const cell = cellOf(context, id);
    if (message.header.msg_type === "status") {
      if (message.content.execution_state === "idle") end(cell);
      return;
    }
    if (!cell) return;
    if (isLost && !isSentAgain) {
      if (!written && document.hidden) return; // another page may have sent it: one of them writes, which is seen
      written ??= takeOver(cell);
      written.take(message);
    }
    show(cell);
  }

  // What the page has is what was saved. All of it comes anew, in the record at the latest.
  function takeOver(cell) {
    cell.trusted = true; // as for every cell that is run
    cell.executionCount = null;
    cell.executionState = "running";
    const taken = writing(cell.outputs);
    taken.clear();
    return taken;
  }

  function show(cell) {
    for (const model of questions) {
      const { id: view } = model.get("place");
      if (model.get("record") || viewIn(cell.outputs, view) >= 0) continue;
      const data = { [VIEW]: { version_major: 2, version_minor: 0, model_id: view }, "text/plain": model.get("title") };
      const output = plain("display_data", { data });
      if (written) written.add(output, view);
      else cell.outputs.add(output);
    }
  }

  function end(cell = cellOf(context, id)) {
    kernel.iopubMessage.disconnect(onMessage);
    kernel.anyMessage.disconnect(onSent);
    kernel.statusChanged.disconnect(onStatus);
    followed.get(kernel)?.delete(request);
    if (!written || !cell || isSentAgain) return;
    cell.executionState = "idle";
    cell.executionCount = number;
  }

  kernel.registerMessageHook(request, onArrival);
  kernel.iopubMessage.connect(onMessage);
  kernel.anyMessage.connect(onSent);
  kernel.statusChanged.connect(onStatus);
  return questions;
}

// Puts the record of what was decided where the question still is.
function settle(model, context) {
  const { id, cell: of } = model.get("place");
  const cell = cellOf(context, of);
  const place = cell ? viewIn(cell.outputs, id) : -1;
  if (place < 0) return;
  const record = plain("display_data", { data: model.get("record") });
  if (cell.executionState === "running") cell.outputs.set(place, record);
  else cell.outputs.fromJSON([record]); // saved while it ran: the other outputs tell of then, too
}

// Called once for each question in each page, whether it is drawn or not.
async function initialize({ model }) {
  const { context, kernel } = model.widget_manager ?? {};
  const place = model.get("place");
  // Only where there is a notebook of JupyterLab's kind, and this page alone writes it.
  if (!kernel?.registerMessageHook || !context?.model?.cells || context.model.collaborative || !place.request) return;
  if (!followed.has(kernel)) followed.set(kernel, new Map());
  const runs = followed.get(kernel);
  if (!runs.has(place.request)) runs.set(place.request, follow(kernel, context, place));
  runs.get(place.request).push(model);
  model.on("change:record", () => settle(model, context));
  if (model.get("record")) context.ready.then(() => settle(model, context));
}
