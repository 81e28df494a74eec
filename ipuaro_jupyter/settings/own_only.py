"""What the model may see of the user's notebook, which only the user's own settings say."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_CONTEXT, _NOTEBOOK = "context", "notebook"


def without_notebook(values: Mapping[str, Any], user: Path) -> tuple[dict[str, Any], list[str]]:
    """A project's settings without the one of the notebook, and a remark if it was there.

    Args:
        values: The project's settings.
        user: The user's settings file, for the remark.
    """
    context = values.get(_CONTEXT, {})
    if _NOTEBOOK not in context:
        return dict(values), []
    left = {key: value for key, value in context.items() if key != _NOTEBOOK}
    notice = (
        f"{_CONTEXT}.{_NOTEBOOK} of a project's file never counts, approved or not: only your own "
        f"settings, such as {user}, say what the model may see of your notebook."
    )
    return {**values, _CONTEXT: left}, [notice]
