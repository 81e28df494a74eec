"""The state of the assistant in one record."""

from ipuaro_jupyter.records.index_report import indexing
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.trouble import short_name
from ipuaro_jupyter.records.visible import visible
from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.workspace.approval import Approve

APPROVALS: dict[Approve, str] = {
    "ask": "asks before every change",
    "checked": "edits that a check passes without a question, asks before the rest",
    "edits": "edits without a question, asks before the rest",
    "all": "without a question, unless it is not certain what a command starts",
    "never": "rejects every change",
}


MOST_NAMED = 5
"""At most this many of the projects in a store are named."""


def _is_auto(approve: Approve) -> bool:
    """Whether edits are applied without a question."""
    return approve in ("edits", "all")


def auto_apply(approve: Approve, *, on: bool) -> Approve:
    """The ``approve`` setting after auto-apply is turned on or off; unchanged if it already is."""
    if _is_auto(approve) == on:
        return approve
    return "edits" if on else "ask"


def auto_apply_text(approve: Approve) -> str:
    """Whether auto-apply is on, and its meaning, in a sentence."""
    return f"auto-apply is {'on' if _is_auto(approve) else 'off'}: {APPROVALS[approve]}."


def leaving(host: str | None) -> str:
    """The remark on a model at a host that is not this machine; "" without one."""
    return f" at {host}, not on this machine: questions and code go there" if host else ""


class Status(Drawn, Record):
    """The state of the assistant. Sizes are in bytes, times in seconds.

    ``index_seconds``, ``parsed`` and ``known`` are as in `IndexReport`.
    ``stored`` has the root of each project in the store, the last opened first, with its
    approximate size; empty when not requested. ``model_problem`` says what is wrong with the model
    and the remedy; None when it is ready. ``model_host`` is the host that questions and code leave
    this machine for; None when they stay, or when the model does not say. ``sandbox`` says what
    confines commands, or why nothing does. ``tokens`` says how many of the tokens that a day may
    take are used; "" without a limit.
    """

    project: str
    root: str
    model: str
    model_problem: str | None = None
    model_host: str | None = None
    files: int
    symbols: int
    edges: int
    skipped: int
    index_seconds: float
    parsed: int = 0
    known: int = 0
    session: SessionInfo
    context_percent: float = 0.0
    approve: Approve
    sandbox: str = ""
    tokens: str = ""
    store: str
    stored: tuple[tuple[str, int], ...] = ()
    notices: tuple[str, ...] = ()

    def __str__(self) -> str:
        name, problem = short_name(self.model), self.model_problem or ""
        is_told = name == self.model or self.model.partition(":")[2] in problem
        whole = "" if is_told else f" ({self.model})"
        problem = f" ({problem})" if problem else ""
        counts = (("file", self.files), ("symbol", self.symbols), ("import", self.edges))
        index = ", ".join(f"{count:,} {name}{'s' * (count != 1)}" for name, count in counts)
        index += f", {self.skipped:,} skipped" if self.skipped else ""
        index += f"; {indexing(self.parsed, self.known, self.index_seconds)}"
        tokens = self.session.prompt_tokens + self.session.completion_tokens
        told = [
            f"Project: {self.project} ({self.root})",
            f"Model: {name}{whole}{leaving(self.model_host)}{problem}",
            f"Index: {index}",
            f"Session: {self.session.id}, {self.session.messages:,} messages, {tokens:,} tokens",
            f"Approval: {APPROVALS[self.approve]}",
            *([f"Sandbox: {self.sandbox}"] if self.sandbox else []),
            *([f"Tokens today: {self.tokens}"] if self.tokens else []),
            f"Store: {self.store}",
            *self._kept(),
        ]
        return visible("\n".join([*told, *self.notices]))

    def _kept(self) -> list[str]:
        """The sizes of the projects, the first few by name."""
        if not self.stored:
            return []
        named = [f"{root} {size / 1e6:,.1f} MB" for root, size in self.stored[:MOST_NAMED]]
        more = len(self.stored) - len(named)
        all_ = sum(size for _, size in self.stored)
        told = [*named, *([f"{more:,} more (ipuaro forget lists them)"] if more else [])]
        return [f"Kept: {all_ / 1e6:,.1f} MB: {', '.join(told)}"]
