"""The base of all records: frozen, strict about fields, camelCase in JSON."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

MimeBundle = dict[str, Any]
"""MIME type -> text, or JSON data for the types that end in ``+json``."""

Drawing = MimeBundle | tuple[MimeBundle, dict[str, Any]]
"""What Jupyter draws, with or without the metadata of the output."""

_drawing: list[Callable[[Any], MimeBundle]] = []


def draw_with(draw: Callable[[Any], MimeBundle], *, is_default: bool = False) -> None:
    """Register ``draw`` as the renderer of every `Drawn` value; as a default, where there is none.

    The views call this when they are imported, so that records know nothing of HTML.
    """
    if not (is_default and _drawing):
        _drawing[:] = [draw]


class Record(BaseModel):
    """A frozen value. Fields are snake_case in Python and camelCase in `to_dict`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )

    def to_dict(self) -> dict[str, Any]:
        """A dict ready for `json.dumps`: camelCase keys, None fields left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Drawn:
    """A value with a rich form in Jupyter. Subclasses define the terminal form in `__str__`."""

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> Drawing:  # the signature is Jupyter's
        del include, exclude
        return _drawing[0](self) if _drawing else {"text/plain": str(self)}
