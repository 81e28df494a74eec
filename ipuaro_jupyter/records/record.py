"""The base of all records: frozen, strict about fields, camelCase in JSON."""

from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, create_model
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

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


class PlainRecord(msgspec.Struct, frozen=True, gc=False):
    """A frozen value that stands in a `Record` like another one, and is made 25 times as fast.

    Only what is read from elsewhere is checked, such as JSON, and not what the code makes. Its
    fields hold nothing that leads back to it: the collector of garbage does not look inside.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        fields: dict[str, Any] = {
            field.name: (field.type, ... if field.required else field.default)
            for field in msgspec.structs.fields(cls)
        }
        checked = create_model(cls.__name__, __base__=Record, __doc__=cls.__doc__, **fields)

        def made(values: Record) -> PlainRecord:
            return cls(**dict(values))

        def written(value: PlainRecord, write: core_schema.SerializerFunctionWrapHandler) -> Any:
            return write(checked.model_construct(**msgspec.structs.asdict(value)))

        of_model = handler.generate_schema(checked)
        read = core_schema.no_info_after_validator_function(made, of_model)
        own = core_schema.is_instance_schema(cls)
        return core_schema.json_or_python_schema(
            json_schema=read,
            python_schema=core_schema.union_schema([own, read], mode="left_to_right"),
            serialization=core_schema.wrap_serializer_function_ser_schema(written, schema=of_model),
        )


class Drawn:
    """A value with a rich form in Jupyter. Subclasses define the terminal form in `__str__`."""

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> Drawing:  # the signature is Jupyter's
        del include, exclude
        return _drawing[0](self) if _drawing else {"text/plain": str(self)}
