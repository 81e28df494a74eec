"""What the assistant is working with, in one record."""

from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible
from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.workspace.approval import Approve

APPROVALS: dict[Approve, str] = {
    "ask": "asks before every change",
    "edits": "edits without a question, asks before the rest",
    "all": "everything without a question",
    "never": "rejects every change",
}


MOST_NAMED = 5
"""So many of the projects that a store holds are named."""


def _is_auto(approve: Approve) -> bool:
    """Return whether edits are applied without a question."""
    return approve in ("edits", "all")


def auto_apply(approve: Approve, *, on: bool) -> Approve:
    """Return what is approved once auto-apply is turned on or off; as it was if it is already."""
    if _is_auto(approve) == on:
        return approve
    return "edits" if on else "ask"


def auto_apply_text(approve: Approve) -> str:
    """Return whether auto-apply is on, and what that means, in a sentence."""
    return f"auto-apply is {'on' if _is_auto(approve) else 'off'}: {APPROVALS[approve]}."


class Status(Drawn, Record):
    """What the assistant is working with. Sizes are in bytes, times in seconds.

    ``stored`` has the root of each project that the store holds, the last opened one first, and
    about how much it takes; empty when nobody asked. ``model_problem`` says what is wrong with the
    model and the remedy; None when it is ready.
    """

    project: str
    root: str
    model: str
    model_problem: str | None = None
    files: int
    symbols: int
    edges: int
    skipped: int
    index_seconds: float
    session: SessionInfo
    context_percent: float = 0.0
    approve: Approve
    store: str
    stored: tuple[tuple[str, int], ...] = ()
    notices: tuple[str, ...] = ()

    def __str__(self) -> str:
        problem = f" ({self.model_problem})" if self.model_problem else ""
        counts = (("file", self.files), ("symbol", self.symbols), ("import", self.edges))
        index = ", ".join(f"{count:,} {name}{'s' * (count != 1)}" for name, count in counts)
        index += f", {self.skipped:,} skipped" if self.skipped else ""
        tokens = self.session.prompt_tokens + self.session.completion_tokens
        told = [
            f"Project: {self.project} ({self.root})",
            f"Model: {self.model}{problem}",
            f"Index: {index}, {self.index_seconds:.2f} s",
            f"Session: {self.session.id}, {self.session.messages:,} messages, {tokens:,} tokens",
            f"Approval: {APPROVALS[self.approve]}",
            f"Store: {self.store}",
            *self._kept(),
        ]
        return visible("\n".join([*told, *self.notices]))

    def _kept(self) -> list[str]:
        """Return what the projects take, the first few by name."""
        if not self.stored:
            return []
        named = [f"{root} {size / 1e6:,.1f} MB" for root, size in self.stored[:MOST_NAMED]]
        more = len(self.stored) - len(named)
        all_ = sum(size for _, size in self.stored)
        told = [*named, *([f"{more:,} more (ipuaro forget lists them)"] if more else [])]
        return [f"Kept: {all_ / 1e6:,.1f} MB: {', '.join(told)}"]
