"""The question how a turn goes on after an error, as a widget: what happened, and buttons."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views import trouble as view
from ipuaro_jupyter.views.markup import block, css

_STATIC = files("ipuaro_jupyter.notebook.widgets") / "static"


class TroubleWidget(anywidget.AnyWidget):
    """Draws a trouble and tells ``on_ready`` when it has, ``on_remedy`` when it is decided.

    Both are called where the kernel handles messages, the second once: they may only set flags.
    """

    _esm = (_STATIC / "trouble.js").read_text("utf-8")
    _css = "\n".join([css("base"), (_STATIC / "proposal.css").read_text("utf-8")])

    title = traitlets.Unicode().tag(sync=True)
    detail = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        trouble: Trouble,
        *,
        on_ready: Callable[[], None],
        on_remedy: Callable[[Remedy], None],
    ) -> None:
        self._on_ready = on_ready
        self._on_remedy = on_remedy
        self._decided = False
        super().__init__(
            title=view.title(trouble),
            detail=block(view.detail_html(trouble), *view.STYLES),
            options=list(trouble.options),
        )
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if content.get("type") == "ready":
            self._on_ready()
        elif content.get("type") == "remedy" and not self._decided:
            self._decided = True
            said = content.get("action")
            known = next((option for option in self.options if option == said), "abort")
            self._on_remedy(Remedy(action=known))
