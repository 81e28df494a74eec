"""The question how to go on after an error, as a widget: the failure, and buttons."""

from collections.abc import Callable
from typing import Any

import traitlets

from ipuaro_jupyter.notebook.widgets.question import NOWHERE, AskingCell, QuestionWidget
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views import trouble as view
from ipuaro_jupyter.views.markup import block


class TroubleWidget(QuestionWidget):
    """Draws a failure; calls ``on_ready`` once drawn, and ``on_remedy`` once decided.

    Both are called where the kernel handles messages, the second once: they may only set flags.
    """

    _view_name = traitlets.Unicode("TroubleView").tag(sync=True)

    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    offers = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        trouble: Trouble,
        *,
        on_ready: Callable[[], None],
        on_remedy: Callable[[Remedy], None],
        place: AskingCell = NOWHERE,
    ) -> None:
        self._on_ready = on_ready
        self._on_remedy = on_remedy
        self._decided = False
        self._models = [offer.name for offer in trouble.offers]
        super().__init__(
            place,
            title=view.title(trouble),
            detail=block(view.detail_html(trouble), *view.STYLES, is_growing=True),
            options=list(trouble.options),
            offers=[view.offer_words(offer) for offer in trouble.offers],
        )
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if content.get("type") == "ready":
            self._on_ready()
        elif content.get("type") == "remedy" and not self._decided:
            self._decided = True
            said = content.get("action")
            known = next((option for option in self.options if option == said), "abort")
            taken = content.get("offer")
            if type(taken) is int and 0 <= taken < len(self._models):
                self._on_remedy(Remedy(action="retry", model=self._models[taken]))
            else:
                self._on_remedy(Remedy(action=known))
