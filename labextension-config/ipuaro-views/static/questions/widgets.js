// The questions as widgets. What they show and follow comes from a kernel that is there: the state that a
// notebook was saved with may be anybody's, and draws nothing.

import { followQuestion } from "./following.js";
import { drawProposal } from "./proposal.js";
import { drawTrouble } from "./trouble.js";

// No npm package can have this name, so that no front end fetches one that somebody else has made.
const MODULE = "_ipuaro";
const VERSION = "1.0.0";
const GUARD_MS = 500;

export async function widgetsPlugin(shared) {
  const base = await shared("@jupyter-widgets/base");
  return {
    id: "ipuaro-views:widgets",
    description: "Draws the questions of ipuaro-jupyter.",
    autoStart: true,
    optional: [base.IJupyterWidgetRegistry],
    activate(app, registry) {
      registry?.registerWidget({ name: MODULE, version: VERSION, exports: widgets(base) });
    },
  };
}

function widgets({ DOMWidgetModel, DOMWidgetView }) {
  class QuestionModel extends DOMWidgetModel {
    initialize(attributes, options) {
      super.initialize(attributes, options);
      if (this.comm_live) followQuestion(this);
    }
  }
  const view = (draw) =>
    class extends DOMWidgetView {
      render() {
        super.render();
        if (!this.model.comm_live) return;
        draw(listening(this), this.el);
        guard(this.el);
      }
    };
  return { QuestionModel, ProposalView: view(drawProposal), TroubleView: view(drawTrouble) };
}

// The second half of a double click on the question before must not decide this one.
function guard(node) {
  node.classList.add("ipuaro-guarded");
  setTimeout(() => node.classList.remove("ipuaro-guarded"), GUARD_MS);
}

// The model as a view has it: what it listens to ends with it.
function listening(view) {
  const { model } = view;
  return {
    get: (name) => model.get(name),
    send: (content) => model.send(content),
    on: (event, act) => view.listenTo(model, event, act),
  };
}
