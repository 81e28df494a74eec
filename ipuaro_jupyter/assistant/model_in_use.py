"""The model that answers in a conversation, and its context window."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ipuaro_jupyter.agent.answering.reading_speed import ReadingSpeed
from ipuaro_jupyter.agent.context.calibration import Calibration
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings, Model
from ipuaro_jupyter.llm.hosts import stays_here
from ipuaro_jupyter.llm.model_family import parameters_of
from ipuaro_jupyter.llm.no_model import NONE
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.scripted import RecordedModel
from ipuaro_jupyter.llm.wishes import takes
from ipuaro_jupyter.settings.settings import system_settings
from ipuaro_jupyter.settings.system_settings import check_model

if TYPE_CHECKING:
    from ipuaro_jupyter.agent.context.context_window import ContextWindow

_MOST_BILLIONS = 9.5
"""Of the parameters of a model that answers from evidence: a "9b" may have a few more than nine."""
Way = Literal["evidence", "loop"] | None


class ModelInUse:
    """The present model; there is one from the first `use` on.

    Args:
        settings: How a model that is named is opened.
        window: Makes the window of a model, whose counts of tokens the calibration learns.
    """

    def __init__(
        self, settings: LlmSettings, window: Callable[[Model, Calibration], "ContextWindow"]
    ) -> None:
        self._settings = settings
        self._make_window = window
        self._model: Model | None = None
        self._window: ContextWindow | None = None
        self._is_named = False
        self._calibrations: dict[str, Calibration] = {}
        self._speeds: dict[str, ReadingSpeed] = {}

    @property
    def model(self) -> Model:
        """The model itself."""
        assert self._model is not None  # noqa: S101 - an assistant begins with `use`
        return self._model

    @property
    def window(self) -> "ContextWindow":
        """The context window of the present model."""
        if self._window is None:
            calibration = self._calibrations.setdefault(self.model.name, Calibration())
            self._window = self._make_window(self.model, calibration)
        return self._window

    @property
    def speed(self) -> ReadingSpeed:
        """How fast the present model reads."""
        return self._speeds.setdefault(self.model.name, ReadingSpeed())

    @property
    def way(self) -> Way:
        """How it answers questions; None: by the loop, before which the index says nothing.

        That is a model that was passed as an object, unless a setting has it answer by evidence.
        """
        if self._settings.way != "auto":
            return self._settings.way
        if not self._is_named or isinstance(self.model, RecordedModel):
            return None
        if not stays_here(self.model):
            return "loop"
        return "loop" if (self._billions or 0.0) > _MOST_BILLIONS else "evidence"

    @property
    def _billions(self) -> float | None:
        """The parameters of the present model; None where neither name nor server tells."""
        if (by_name := parameters_of(self.model.name)) is not None:
            return by_name
        with suppress(ModelError):  # its server is gone
            return parameters_of("", getattr(self.model, "parameter_count", None))
        return None

    @property
    def reads_ahead(self) -> bool:
        """Whether it may be sent the start of the prompt before there is a question.

        It has to be one that was named, takes a prompt without answering, and says that it runs on
        this machine.
        """
        is_wanted = self._settings.warm and self._is_named
        return is_wanted and stays_here(self.model) and takes(self.model, "only_read")

    def use(self, model: str | Model | None) -> None:
        """Use this model from now on; None is the settings' model.

        Raises:
            SettingsError: The name is not valid.
        """
        self._is_named = model is None or isinstance(model, str)
        if model is None or isinstance(model, str):
            model = open_model(model or self._settings.model, self._settings, Path.cwd())
        self._model = model
        self._window = None

    def switch(self, name: str) -> None:
        """Use another model from now on, and close this one.

        Raises:
            ModelError: It cannot be used; the previous one stays.
            SettingsError: The system has another one.
        """
        check_model(name, system_settings())
        opened = open_model(name, self._settings, Path.cwd())
        try:
            if name != NONE:
                opened.check()
        except ModelError:
            opened.close()
            raise
        before = self.model
        self.use(opened)
        self._is_named = True
        before.close()

    def close(self) -> None:
        """Close the model, if there is one."""
        if self._model is not None:
            self._model.close()
