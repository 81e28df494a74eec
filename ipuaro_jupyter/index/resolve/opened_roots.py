"""Folders that were opened together as one project."""

from typing import NamedTuple

from ipuaro_jupyter.index.resolve.resolution import Resolution


class OpenedRoots(NamedTuple):
    """The roots of a project.

    Attributes:
        names: With which its paths begin; () for a plain project.
        are_beside: Whether they lie beside each other on the disk, so that ``..`` leads across.
    """

    names: tuple[str, ...] = ()
    are_beside: bool = True

    def crosses(self, importer: str, found: Resolution) -> bool:
        """Whether an import in a file leads into another root."""
        own = f"{importer.partition('/')[0]}/"
        targets = found.targets if found.path is None else {found.path, *found.targets}
        return not all(path.startswith(own) for path in targets)
