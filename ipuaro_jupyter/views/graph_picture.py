"""A picture of a graph as SVG: the imports, from left to right.

graphlay places the boxes and routes the links around them: a layered layout after Sugiyama, for
directed graphs, and deterministic. It is one wheel of 1.3 MB for Linux, macOS and Windows, without
dependencies, MIT or Apache. networkx needs numpy for its layouts and has none that avoids
crossings, fast-sugiyama has wheels for the newest Linux systems only, grandalf and igraph are under
the GPL, and Graphviz is a program that has to be installed.

Roles are shown by words and by the form of the box, not by colour alone.
"""

from collections import Counter
from collections.abc import Sequence
from math import hypot, log2
from typing import Any

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.views.graph_boxes import Box, Boxes, BoxLink
from ipuaro_jupyter.views.markup import counted, element, escape, visible

_CHARACTER = 6.6  # px; labels are in the code font, of 11 px
_LINE = 14
_PADDING = 7
_MARGIN = 6
_MOST_CHARACTERS = 34
_ARROW = 6.0
_SMALLEST = 0.8  # the smallest scale for fitting it in; beyond that it scrolls
_OPTIONS = {
    "direction": "leftright",
    "effort": "fast",
    "routing": {"style": "diagonal"},
    "spacing": {
        "layer_gap": 34,
        "node_gap": 10,
        "dummy_gap": 6,
        "port_gap": 3,
        "stub": 8,
        "isolated_gap": 10,
        "isolated_max_columns": 5,
    },
}
Point = tuple[float, float]


def picture(graph: Graph, drawn: Boxes) -> str:
    """The picture as SVG; "" when there is no link to draw, or no library to draw it."""
    try:
        import graphlay  # noqa: PLC0415 - only when a graph is drawn
    except ImportError:  # no wheel for this system: the tables say the same
        return ""
    if not drawn.links:
        return ""
    labels = _labels(drawn.boxes)
    sizes = [_size(box, label) for box, label in zip(drawn.boxes, labels, strict=True)]
    request = {
        "nodes": [{"size": {"width": w, "height": h}, "shape": "box"} for w, h in sizes],
        "edges": [{"source": link.source, "target": link.target} for link in drawn.links],
    }
    found = graphlay.layout(request, options=_OPTIONS)
    low, high = found.bounds["min"], found.bounds["max"]
    links = [
        _link(drawn.boxes, link, [(point["x"], point["y"]) for point in edge["points"]])
        for link, edge in zip(drawn.links, found.edges, strict=True)
    ]
    boxes = [
        _box(graph, box, label, node)
        for box, label, node in zip(drawn.boxes, labels, found.nodes, strict=True)
    ]
    width, height = high["x"] - low["x"] + 2 * _MARGIN, high["y"] - low["y"] + 2 * _MARGIN
    said = f"Picture of {counted(len(boxes), 'box', 'boxes')} and {counted(len(links), 'arrow')}"
    return element(
        "svg",
        *links,
        *boxes,
        role="img",
        aria_label=f"{said}; the tables below say the same.",
        viewBox=f"{low['x'] - _MARGIN:.0f} {low['y'] - _MARGIN:.0f} {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        style=f"min-width: {width * _SMALLEST:.0f}px",
        fill="none",
        stroke="currentColor",
    )


def _labels(boxes: Sequence[Box]) -> list[str]:
    """The shortest unique end of each name, at least its last part."""
    ends = [_ends(box.name) for box in boxes]
    counts = Counter(end for box_ends in ends for end in box_ends)
    labels = []
    for box, box_ends in zip(boxes, ends, strict=True):
        label = next((end for end in box_ends if counts[end] == 1), box_ends[-1])
        labels.append(_shortened(visible(label)) + (f" ({len(box.nodes)})" * box.is_folder))
    return labels


def _ends(name: str) -> list[str]:
    """The last part of a name, the last two, and so on; a folder's name ends in /."""
    own = name[-2:] if name.endswith(("/*", "/\u2026")) else "/" * name.endswith("/")
    parts = name.removesuffix(own).split("/") if own else name.split("/")
    return ["/".join(parts[place:]) + own for place in range(len(parts) - 1, -1, -1)]


def _shortened(label: str) -> str:
    if len(label) <= _MOST_CHARACTERS:
        return label
    half = _MOST_CHARACTERS // 2
    return f"{label[: half - 1]}\u2026{label[-half:]}"


def _size(box: Box, label: str) -> Point:
    longest = max(len(label), len(", ".join(box.roles)))
    lines = 2 if box.roles else 1
    return longest * _CHARACTER + 2 * _PADDING, lines * _LINE + 8


def _box(graph: Graph, box: Box, label: str, node: dict[str, Any]) -> str:
    x, y = node["center"]["x"], node["center"]["y"]
    width, height = node["size"]["width"], node["size"]["height"]
    is_focus = graph.focus is not None and graph.focus in {box.name, box.name.rstrip("/*\u2026")}
    lines = [label, ", ".join(box.roles)] if box.roles else [label]
    first = y - (len(lines) - 1) * _LINE / 2
    texts = [
        element(
            "text",
            escape(line),
            x=f"{x:.1f}",
            y=f"{first + number * _LINE:.1f}",
            text_anchor="middle",
            dominant_baseline="central",
            fill="currentColor",
            stroke="none",
            class_="ipuaro-marks" if number else None,
        )
        for number, line in enumerate(lines)
    ]
    frames = [_frame(box, (x, y), (width, height))]
    if "hub" in box.roles:
        frames.append(_frame(box, (x, y), (width - 5, height - 5)))
    told = element("title", escape(_told(graph, box)))
    kind = f"ipuaro-node{' ipuaro-focus' if is_focus else ''}"
    return element("g", told, *frames, *texts, class_=kind)


def _frame(box: Box, at: Point, size: Point) -> str:
    (x, y), (width, height) = at, size
    return element(
        "rect",
        x=f"{x - width / 2:.1f}",
        y=f"{y - height / 2:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.1f}",
        rx=f"{height / 2:.1f}" if "entry" in box.roles else "2",
        stroke_dasharray="5 3" if "cycle" in box.roles else None,
    )


def _told(graph: Graph, box: Box) -> str:
    """The tooltip of a box."""
    told = [box.name, ", ".join(box.roles)]
    if box.is_folder:
        told.append(counted(len(box.nodes), "file"))
        told.append(f"{counted(box.inner, 'import')} among them" if box.inner else "")
    else:
        (node,) = box.nodes
        loc, score = graph.loc.get(node), graph.scores.get(node)
        told.append("" if loc is None else counted(loc, "line of code", "lines of code"))
        told.append("" if score is None else f"complexity {score:g}")
    return "\n".join(part for part in told if part)


def _link(boxes: Sequence[Box], link: BoxLink, points: list[Point]) -> str:
    source, target = boxes[link.source], boxes[link.target]
    count = f": {counted(link.count, 'import')}" if link.count > 1 else ""
    cycle = ", in a cycle" if link.in_cycle else ""
    told = element("title", escape(f"{source.name} \u2192 {target.name}{count}{cycle}"))
    line = element(
        "polyline",
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        stroke_width=f"{min(3.0, 0.9 + log2(link.count) / 3):.1f}",
        stroke_dasharray="5 3" if link.in_cycle else None,
    )
    return element("g", told, line, _head(points[-2:]), class_="ipuaro-link")


def _head(end: list[Point]) -> str:
    """The head of an arrow along the last segment of a line."""
    (from_x, from_y), (x, y) = end
    length = hypot(x - from_x, y - from_y) or 1.0
    along_x, along_y = (x - from_x) / length * _ARROW, (y - from_y) / length * _ARROW
    left = (x - along_x - along_y / 2, y - along_y + along_x / 2)
    right = (x - along_x + along_y / 2, y - along_y - along_x / 2)
    corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in ((x, y), left, right))
    return element("polygon", points=corners, fill="currentColor", stroke="none")
