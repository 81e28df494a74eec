"""A cell that shows proposals without a turn; ``said`` gets the decisions."""

import asyncio

from IPython.display import display

from ipuaro_jupyter.notebook.widgets.proposal import ProposalWidget
from ipuaro_jupyter.records.change import Proposal

said = []


def show(**fields):
    """Show a proposal of these fields."""
    fields = {"id": "1", "tool": "a_tool", "title": "A title", **fields}
    display(ProposalWidget(Proposal(**fields), on_ready=list, on_decision=said.append))


async def decision():
    """Return the first decision when it has come: it may be behind the cell that asks for it."""
    while not said:  # noqa: ASYNC110 - it may come in another thread
        await asyncio.sleep(0.01)
    return said[0]
