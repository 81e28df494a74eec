"""A graph: a picture, and the same content as tables. A large one is drawn by folders."""

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.views import table
from ipuaro_jupyter.views.graph_boxes import Box, Boxes, boxes_of
from ipuaro_jupyter.views.graph_picture import picture
from ipuaro_jupyter.views.graph_rank import ranked
from ipuaro_jupyter.views.markup import counted, element, escape, folded, scrolling, title, visible

STYLES = ("table", "graph")

MOST_LISTED = 60
MOST_CYCLES = 20
_MOST_IN_CYCLE = 12
_LEGEND = {
    "hub": "hub: a double frame, more than 5 files import it",
    "entry": "entry: round ends, where one comes in",
    "cycle": "cycle: a dashed frame, files that import each other; so are their arrows",
    "missing": "missing: there is no such file",
}


def text(graph: Graph) -> str:
    """The counts, and the tables one below the other."""
    parts = [f"{visible(graph.title)} ({_counts(graph)})"]
    parts += [table.text(found) for found in tables(graph, boxes_of(graph))]
    return "\n\n".join([*parts, *([visible(graph.note)] if graph.note else [])])


def html(graph: Graph) -> str:
    """The picture, and the tables folded below it."""
    drawn = boxes_of(graph)
    svg = picture(graph, drawn)
    shown = ""
    if svg:
        content = scrolling(svg, label=f"Picture of {graph.title}")
        legend = element("p", escape(_legend(drawn)), class_="ipuaro-note")
        shown = element("div", content, legend, class_="ipuaro-picture", hidden="")
    listed = [
        folded(escape(found.title), table.html(found), is_open=not svg)
        for found in tables(graph, drawn)
    ]
    note = element("p", escape(graph.note), class_="ipuaro-note") if graph.note else ""
    return title(graph.title, f"({_counts(graph)})") + shown + "".join(listed) + note


def tables(graph: Graph, drawn: Boxes) -> list[Table]:
    """The content of a graph as tables: edges (or those between folders), files and cycles."""
    found = [_edges(drawn)]
    if graph.loc or graph.scores or drawn.is_by_folder:
        found.append(_files(graph))
    if graph.cycles:
        found.append(_cycles(graph))
    return found


def _counts(graph: Graph) -> str:
    marks = [mark for marks in graph.marks.values() for mark in marks]
    told = [counted(len(graph.every_node), "file"), counted(len(graph.edges), "import")]
    roles = {
        "hub": marks.count("hub"),
        "cycle": len(graph.cycles),
        "entry point": marks.count("entry"),
    }
    told += [counted(count, role) for role, count in roles.items() if count]
    return ", ".join(told)


def _legend(drawn: Boxes) -> str:
    roles = {role for box in drawn.boxes for role in box.roles}
    told = ["An arrow leads from a file to what it imports."]
    told += [f"{said[0].upper()}{said[1:]}." for role, said in _LEGEND.items() if role in roles]
    if drawn.is_by_folder:
        told.append("A box with a number stands for that many files of a folder.")
    return " ".join(told)


def _edges(drawn: Boxes) -> Table:
    """The links of the picture, and the boxes that have none."""
    by_folder = drawn.is_by_folder
    linked = {end for link in drawn.links for end in (link.source, link.target)}
    rows: list[tuple[str | int | None, ...]] = [
        (_named(drawn.boxes[link.source]), _named(drawn.boxes[link.target]), link.count)
        for link in drawn.links
    ]
    rows += [(_named(box), "", None) for n, box in enumerate(drawn.boxes) if n not in linked]
    left = drawn.left_out
    return Table(
        title="Imports between folders" if by_folder else "Imports",
        columns=("from", "to", "imports") if by_folder else ("from", "to"),
        rows=tuple(row if by_folder else row[:2] for row in rows),
        note=f"and {counted(left, 'more pair')}; .to_pandas() has each import" if left else "",
    )


def _named(box: Box) -> str:
    """The name of a box, followed by its roles."""
    told = [*([counted(len(box.nodes), "file")] if box.is_folder else []), *box.roles]
    return f"{box.name} ({', '.join(told)})" if told else box.name


def _files(graph: Graph) -> Table:
    """The most significant files, with their figures."""
    degrees = graph.degrees()
    shown = ranked(graph)[:MOST_LISTED]
    left = len(graph.every_node) - len(shown)
    rows = [
        (
            *(node, ", ".join(graph.marks.get(node, ())), graph.loc.get(node)),
            *(graph.scores.get(node), *degrees[node]),
        )
        for node in shown
    ]
    return Table(
        title="Files",
        columns=("file", "roles", "lines of code", "complexity", "imports", "imported by"),
        rows=tuple(rows),
        note=f"and {counted(left, 'more file')}; .nodes_to_pandas() has all" if left else "",
    )


def _cycles(graph: Graph) -> Table:
    shown = graph.cycles[:MOST_CYCLES]
    left = len(graph.cycles) - len(shown)
    return Table(
        title="Cycles",
        columns=("number of files", "files that import each other"),
        rows=tuple((len(cycle), _listed(cycle)) for cycle in shown),
        note=f"and {counted(left, 'more cycle')}" if left else "",
    )


def _listed(cycle: tuple[str, ...]) -> str:
    left = len(cycle) - _MOST_IN_CYCLE
    more = [f"and {left} more"] if left > 0 else []
    return ", ".join([*cycle[:_MOST_IN_CYCLE], *more])
