"""The user's own settings file, changed where it is asked for and nowhere else."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.settings.settings import (
    Settings,
    read_settings,
    user_file,
    validated,
    without_schema,
)
from ipuaro_jupyter.whole_file import write_whole

_INDENT = re.compile(r"\{\r?\n([ \t]+)\S")


def save_user_settings(values: Mapping[str, Any]) -> Path:
    """Set these keys in the user's ``settings.json``; return its path.

    All other keys stay, in their order and with the file's indentation; a missing file is created.

    Args:
        values: Settings by group, as they are written: ``{"llm": {"model": …}}``.

    Raises:
        SettingsError: The file is wrong as it is, a value is not allowed, or it cannot be written;
            nothing has changed then.
    """
    path = user_file()
    before = read_settings(path)
    validated(without_schema(before), str(path))
    after = _set(before, values, Settings)
    validated(without_schema(after), str(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = path.read_text("utf-8") if path.exists() else ""
        indent = found[1] if (found := _INDENT.match(text)) else "  "
        write_whole(path, [json.dumps(after, indent=indent, ensure_ascii=False), "\n"])
    except OSError as error:
        raise SettingsError(
            f"{str(path)!r} cannot be written: {error.strerror}. Write these settings into it "
            f"yourself: {json.dumps(values)}"
        ) from error
    return path


def _set(
    before: Mapping[str, Any], values: Mapping[str, Any], kind: type[Record]
) -> dict[str, Any]:
    """``before`` with ``values``; a key that is there in its other spelling is replaced."""
    fields = {field.alias or name: (name, field) for name, field in kind.model_fields.items()}
    after = dict(before)
    for key, value in values.items():
        name, field = fields.get(key, (key, None))
        old = after.pop(name, None) if name != key else None
        old = after.get(key, old)
        if field is not None and isinstance(value, Mapping):
            inner = type(field.get_default(call_default_factory=True))
            value = _set(old if isinstance(old, Mapping) else {}, value, inner)  # noqa: PLW2901
        after[key] = value
    return after
