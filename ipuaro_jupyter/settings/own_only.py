"""Settings that only the user's own files say: what leaves the kernel, and whose weights run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_OWN_ONLY = {
    ("context", "notebook"): "what the model may see of your notebook",
    ("llm", "modelsFolder"): "where files of weights are that all users of this machine share",
    ("llm", "maxTokensPerDay"): "how many tokens your questions may take",
    ("sessions", "maxKept"): "how many sessions are kept",
    ("project", "executor"): "where the text of your code is parsed",
}


def without_own_only(values: Mapping[str, Any], user: Path) -> tuple[dict[str, Any], list[str]]:
    """A project's settings without those that are the user's, and a remark on each that was there.

    Args:
        values: The project's settings.
        user: The user's settings file, for the remarks.
    """
    left, remarks = dict(values), []
    for (group, key), what in _OWN_ONLY.items():
        inner = left.get(group, {})
        if key in inner:
            left[group] = {name: value for name, value in inner.items() if name != key}
            remarks.append(
                f"{group}.{key} of a project's file never counts, approved or not: only your own "
                f"settings, such as {user}, say {what}."
            )
    return left, remarks
