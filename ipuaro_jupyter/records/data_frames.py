"""Rows as a pandas DataFrame, when pandas is installed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.errors import ProjectError

if TYPE_CHECKING:
    import pandas as pd


def frame(
    rows: Iterable[Mapping[str, Any] | Sequence[Any]], columns: Sequence[str]
) -> "pd.DataFrame":
    """The rows in order, with these columns even when there are no rows.

    Raises:
        ProjectError: pandas is not installed; the message holds the command.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        raise ProjectError("A DataFrame needs pandas: run %pip install pandas.") from None
    return pd.DataFrame(list(rows), columns=list(columns))
