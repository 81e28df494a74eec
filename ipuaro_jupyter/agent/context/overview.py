"""The map of the project in the head of a conversation."""

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.tools.tool import Project

_LISTING = "get_structure"
_SEE = f": see {_LISTING}"
_NO_MAP = "It has no files that could be listed here."


def overview(project: Project, *, tokens: float, shown: frozenset[str]) -> str:
    """The map of a project in at most ``tokens`` tokens; it does not depend on what is asked.

    Args:
        project: The project.
        tokens: The maximum size of the map.
        shown: The names of the tools that the model is shown: the map mentions no others.

    Raises:
        StorageError: Redis has gone.
    """
    found = project_map(project.index, tokens, size=count_tokens) or _NO_MAP
    return found if _LISTING in shown else found.replace(_SEE, "")
