"""Files that may hold code, whether or not the index reads them."""

from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.languages.source_extensions import is_source


def may_hold_code(path: str) -> bool:
    """Whether a file is in a language that has functions, or is a template, by its name."""
    return is_source(path) or is_code(path)
