"""An indented outline."""

import re

from ipuaro_jupyter.records.outputs import Tree
from ipuaro_jupyter.views.file_links import place_link
from ipuaro_jupyter.views.markup import element, escape, scrolling, title, visible

STYLES = ("code",)
_PLACE = re.compile(r"(?P<path>\S+):(?P<line>[1-9]\d{0,8})(?!\S)")
# Not every machine has these in its fonts; in HTML a folder is marked by its weight and "/".
_ICONS = ("\U0001f4c1 ", "\U0001f4c4 ")


def text(tree: Tree) -> str:
    """The title, the outline and the note."""
    parts = [visible(tree.title), *map(visible, tree.lines)]
    return "\n".join([*parts, *([visible(tree.note)] if tree.note else [])])


def html(tree: Tree) -> str:
    """The outline in the code font."""
    body = "\n".join(_line(line, tree.root) for line in tree.lines)
    note = element("p", escape(tree.note), class_="ipuaro-note") if tree.note else ""
    pre = scrolling(body, label=f"Outline of {tree.title}", tag="pre", class_="ipuaro-code")
    return title(tree.title) + pre + note


def _line(line: str, root: str) -> str:
    """A line with its entry, folders in bold, and its place as a link where the root is known."""
    for icon in _ICONS:
        branches, found, name = line.partition(icon)
        if found:
            shown = escape(name)
            return escape(branches) + (element("strong", shown) if name.endswith("/") else shown)
    at = _PLACE.search(line) if root else None
    if at is None:
        return escape(line)
    link = place_link(root, escape(at[0]), at["path"], int(at["line"]))
    return escape(line[: at.start()]) + link + escape(line[at.end() :])
