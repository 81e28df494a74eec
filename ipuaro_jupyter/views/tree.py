"""An indented outline."""

from ipuaro_jupyter.records.outputs import Tree
from ipuaro_jupyter.views.markup import element, escape, scrolling, title, visible

STYLES = ("code",)


def text(tree: Tree) -> str:
    """Return the title, the outline and the note."""
    parts = [visible(tree.title), *map(visible, tree.lines)]
    return "\n".join([*parts, *([visible(tree.note)] if tree.note else [])])


def html(tree: Tree) -> str:
    """Return the outline as it is drawn, in the code font."""
    body = "\n".join(escape(line) for line in tree.lines)
    note = element("p", escape(tree.note), class_="ipuaro-note") if tree.note else ""
    pre = scrolling(body, label=f"Outline of {tree.title}", tag="pre", class_="ipuaro-code")
    return title(tree.title) + pre + note
