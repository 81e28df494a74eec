"""A cell that shows proposals without a turn; ``said`` gets the decisions."""

from IPython.display import display

from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.records.change import Proposal

said = []


def show(**fields):
    """Show a proposal of these fields."""
    fields = {"id": "1", "tool": "a_tool", "title": "A title", **fields}
    display(ProposalWidget(Proposal(**fields), on_ready=list, on_decision=said.append))
