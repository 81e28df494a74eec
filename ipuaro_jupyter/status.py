"""What the assistant is working with, in one record."""

from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.workspace.approval import Approve

APPROVALS: dict[Approve, str] = {
    "ask": "asks before every change",
    "edits": "edits without a question, asks before the rest",
    "all": "everything without a question",
    "never": "rejects every change",
}


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
    """What the assistant is working with. Sizes are in bytes, times in seconds."""

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
    notices: tuple[str, ...] = ()

    def __str__(self) -> str:
        problem = f" ({self.model_problem})" if self.model_problem else ""
        counts = (("file", self.files), ("symbol", self.symbols), ("import", self.edges))
        index = ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counts)
        index += f", {self.skipped} skipped" if self.skipped else ""
        tokens = self.session.prompt_tokens + self.session.completion_tokens
        told = [
            f"Project: {self.project} ({self.root})",
            f"Model: {self.model}{problem}",
            f"Index: {index}, {self.index_seconds:.2f} s",
            f"Session: {self.session.id}, {self.session.messages} messages, {tokens} tokens",
            f"Approval: {APPROVALS[self.approve]}",
            f"Store: {self.store}",
        ]
        return "\n".join([*told, *self.notices])
