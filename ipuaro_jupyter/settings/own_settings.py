"""What only the user's own settings can say, whatever came with a project."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipuaro_jupyter.settings.project_file import PROJECT_FILE
from ipuaro_jupyter.settings.settings import (
    read_settings,
    system_settings,
    user_file,
    validated,
    without_schema,
)


def agrees_to_checks(flags: Mapping[str, Any]) -> frozenset[str]:
    """The user's own settings that let checks run the project's type checker and tests unasked.

    They are "approve" and "checks.before"; empty: none does. A project's settings never
    count here, approved or not.

    Args:
        flags: The settings given to `start`, which override those of the user's file.

    Raises:
        SettingsError: The user's file, or one of ``flags``, is wrong.
    """
    own = validated(without_schema(read_settings(user_file())), str(user_file()))
    given = validated(flags, "the settings that were given")
    approve = given.approve if "approve" in given.model_fields_set else own.approve
    checks = given.checks if "before" in given.checks.model_fields_set else own.checks
    before = system_settings().get("checks", {}).get("before", checks.before)
    consent = {"approve": approve == "checked", "checks.before": before == "always"}
    return frozenset(key for key, is_given in consent.items() if is_given)


def is_served_in_jupyter() -> bool:
    """Whether the user's own settings let jupyter-server-mcp offer tools.

    Raises:
        SettingsError: The user's file is wrong.
    """
    own = validated(without_schema(read_settings(user_file())), str(user_file()))
    return own.tools.in_jupyter_server


def is_of_project(source: str) -> bool:
    """Whether a setting whose source is ``source`` came with the project."""
    return Path(source).name == PROJECT_FILE
