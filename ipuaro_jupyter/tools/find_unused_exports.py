"""Find exports that nothing in the project uses."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.index.relations.unused_exports import UnusedExportSearch
from ipuaro_jupyter.records.unused_exports import UnusedExport, UnusedExports
from ipuaro_jupyter.tools.declaring_files import broken_imports, mentioned_as
from ipuaro_jupyter.tools.tool import Project, tool


@tool(
    aliases=("get_unused_exports", "find_dead_code", "list_unused"),
    rare=("limit",),
    names={"path": "place"},
)
def find_unused_exports(
    project: Project, path: str = "", limit: Annotated[int, Field(ge=1)] = 200
) -> UnusedExports:
    """Find exports that no other file uses, or only tests do. Entry points count as used.

    Args:
        path: File or folder to look at. Default: the project.
        limit: The most exports to return. Default: 200.
    """
    path = project.workspace.relative(path) if path else ""
    path = "" if path == "." else path
    entries = project.index.imports.entries()
    found = project.index.ask(lambda asked: UnusedExportSearch(asked, entries).of(path))
    listed = _judged(project, found.listed)
    return UnusedExports(
        path=path,
        exports=tuple(listed[:limit]),
        others=tuple(listed[limit:]),
        total=len(listed),
        counts=dict(Counter(one.state for one in listed)),
        looked_at=found.looked_at,
        public=found.public,
        conventional=found.conventional,
        entries=tuple(found.entries),
        notes=tuple(found.notes),
        out_of_time=found.out_of_time,
        not_looked_at=project.index.unread.of().kinds,
        broken_imports=broken_imports(project, {one.path for one in listed}),
    )


def _judged(project: Project, exports: Sequence[UnusedExport]) -> list[UnusedExport]:
    """The exports, last those that files which are not read as code may use."""
    words = [mentioned_as(one.path) if one.name == "default" else one.name for one in exports]
    naming = project.index.unread.naming(frozenset(words))
    unread = [
        one.model_copy(update={"state": "unread", "named_in": naming[word]})
        for one, word in zip(exports, words, strict=True)
        if word in naming
    ]
    rest = [one for one, word in zip(exports, words, strict=True) if word not in naming]
    return rest + unread
