"""The question to the user as a widget: title, what would change, and three buttons."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from ipuaro_jupyter.notebook.widgets.region import Region
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.views import proposal as view
from ipuaro_jupyter.views.markup import block, css, visible

_STATIC = files("ipuaro_jupyter.notebook.widgets") / "static"
_APPLY_WORDS = {"command": "Run", "commit": "Commit", "settings": "Trust", "mcp": "Call"}


class ProposalWidget(anywidget.AnyWidget):
    """Draws a proposal and tells ``on_ready`` when it has, ``on_decision`` when it is decided.

    Both are called where the kernel handles messages, once each: they may only set flags.
    """

    _esm = (_STATIC / "proposal.js").read_text("utf-8")
    _css = "\n".join([css("base"), (_STATIC / "proposal.css").read_text("utf-8")])

    title = traitlets.Unicode().tag(sync=True)
    detail = traitlets.Unicode().tag(sync=True)
    apply_word = traitlets.Unicode().tag(sync=True)
    pattern = traitlets.Unicode().tag(sync=True)
    editable = traitlets.Bool().tag(sync=True)
    edit_text = traitlets.Unicode().tag(sync=True)
    edit_note = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        proposal: Proposal,
        *,
        on_ready: Callable[[], None],
        on_decision: Callable[[Decision], None],
    ) -> None:
        self._region = Region.of(proposal)
        self._on_ready = on_ready
        self._on_decision = on_decision
        self._decided = False
        super().__init__(
            title=visible(proposal.title),
            detail=block(view.detail_html(proposal), *view.STYLES),
            apply_word=_APPLY_WORDS.get(proposal.kind, "Apply"),
            pattern=visible(f"{proposal.tool} {proposal.pattern}") if proposal.pattern else "",
            editable=proposal.editable and self._region.can_be_typed,
            edit_text=self._region.text,
            edit_note=self._region.note,
        )
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if content.get("type") == "ready":
            self._on_ready()
        elif content.get("type") == "decision" and not self._decided:
            self._decided = True
            self._on_decision(self._read(content))

    def _read(self, content: dict[str, Any]) -> Decision:
        if content.get("action") != "apply":
            return Decision(action="reject", reason=str(content.get("reason") or "").strip())
        text = content.get("text")
        edited = None if text is None else self._region.with_text(str(text))
        return Decision(action="apply", text=edited, remember=bool(content.get("remember")))
