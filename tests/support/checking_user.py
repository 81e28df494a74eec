"""A user who has proposals checked."""

from ipuaro_jupyter.records.change import Decision

CHECK = Decision(action="check")


class CheckingUser:
    """Wants a check at first, and rejects then."""

    def __init__(self):
        self.asked = []

    def __call__(self, proposal):
        self.asked.append(proposal)
        wants = proposal.check and proposal.checked is None
        return CHECK if wants else Decision(action="reject")
