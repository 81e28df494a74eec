"""An indented outline."""

from ipuaro_jupyter.records.outputs import Tree
from ipuaro_jupyter.views.markup import element, escape, scrolling, title, visible

STYLES = ("code",)
# Not every machine has these in its fonts; in HTML a folder is marked by its weight and "/".
_ICONS = ("\U0001f4c1 ", "\U0001f4c4 ")


def text(tree: Tree) -> str:
    """The title, the outline and the note."""
    parts = [visible(tree.title), *map(visible, tree.lines)]
    return "\n".join([*parts, *([visible(tree.note)] if tree.note else [])])


def html(tree: Tree) -> str:
    """The outline in the code font."""
    body = "\n".join(map(_line, tree.lines))
    note = element("p", escape(tree.note), class_="ipuaro-note") if tree.note else ""
    pre = scrolling(body, label=f"Outline of {tree.title}", tag="pre", class_="ipuaro-code")
    return title(tree.title) + pre + note


def _line(line: str) -> str:
    """A line with its entry, folders in bold."""
    for icon in _ICONS:
        branches, found, name = line.partition(icon)
        if found:
            shown = escape(name)
            return escape(branches) + (element("strong", shown) if name.endswith("/") else shown)
    return escape(line)
