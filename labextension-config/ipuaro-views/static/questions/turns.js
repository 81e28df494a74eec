// Finds the cell of ours that runs where the page was loaded meanwhile: the notebook no longer knows it.

import { forEachPanel } from "../panels.js";
import { canFollow, runOf, runningTurn } from "./following.js";

export async function turnsPlugin(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    id: "ipuaro-views:turns",
    description: "Goes on drawing the running answer of a notebook that was loaded anew.",
    autoStart: true,
    optional: [INotebookTracker],
    activate(app, notebooks) {
      if (!notebooks) return;
      const panels = forEachPanel(notebooks, (panel) => void find(panel, () => panels.keys()));
    },
  };
}

// A kernel without us would log that it does not know what it is asked.
const isOurs = ({ sharedModel, type }) => type === "code" && /^%%?(ask|tool|ipuaro)\b/m.test(sharedModel.getSource());

// Each notebook on the kernel has to follow, so that a copy leaves it to the one that has sent the cell.
async function find({ sessionContext: session, context }, panels) {
  await Promise.all([session.ready, context.ready]);
  const kernel = session.session?.kernel;
  if (!canFollow(kernel, context) || ![...context.model.cells].some(isOurs)) return;
  const turn = await runningTurn(kernel);
  if (!turn?.request) return;
  for (const { sessionContext: other, context: shown } of panels()) {
    const own = other.session?.kernel;
    if (own?.id === kernel.id && canFollow(own, shown)) runOf(own, shown, turn);
  }
}
