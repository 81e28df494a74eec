"""The content of a graph's picture: a box for each node or, for many nodes, for folders.

A picture of thousands of files is unreadable, so it has a few dozen boxes at most: the top folders
and, as long as there is room, the content of the largest of them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.views.graph_rank import ranked

MOST_BOXES = 36
"""A graph with more nodes is drawn by folders."""

MOST_FOLDERS = 26
MOST_LINKS = 120
_MOST_ASKED = 12
_MOST_HUBS = 6
_MOST_ALONE = 2
_FEW = 3
_SAID = {"cycle": "in cycles", "entry": "entries", "hub": "hubs"}


@dataclass(frozen=True)
class Box:
    """A node, or several nodes of a folder.

    Attributes:
        name: The node; the folder with a final slash; "folder/*" for the nodes directly in it, and
            "folder/…" for those without a box of their own.
        nodes: The nodes that it stands for.
        roles: The roles of the node, or the number of the nodes with each role.
        inner: The number of edges between its nodes.
    """

    name: str
    nodes: tuple[str, ...]
    roles: tuple[str, ...]
    inner: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether it stands for more than one node."""
        return len(self.nodes) > 1


@dataclass(frozen=True)
class BoxLink:
    """Edges from one box to another; ``in_cycle`` when they are between nodes of one cycle."""

    source: int
    target: int
    count: int
    in_cycle: bool


@dataclass(frozen=True)
class Boxes:
    """The boxes and links of a picture; ``left_out`` counts the links without room."""

    boxes: tuple[Box, ...]
    links: tuple[BoxLink, ...]
    left_out: int

    @property
    def is_by_folder(self) -> bool:
        """Whether some boxes stand for folders."""
        return any(box.is_folder for box in self.boxes)


def boxes_of(graph: Graph) -> Boxes:
    """The boxes of a graph: one for every node, or for folders when there are too many."""
    groups: dict[str, tuple[str, ...]] = {node: (node,) for node in graph.every_node}
    if len(graph.every_node) > MOST_BOXES:
        groups = _by_folder(graph)
    place = {node: number for number, group in enumerate(groups.values()) for node in group}
    cycle_of = {node: number for number, cycle in enumerate(graph.cycles) for node in cycle}
    counts: Counter[tuple[int, int]] = Counter()
    in_cycle = set()
    for source, target in graph.edges:
        if source not in place or target not in place:
            continue
        ends = place[source], place[target]
        counts[ends] += 1
        if source in cycle_of and cycle_of[source] == cycle_of.get(target):
            in_cycle.add(ends)
    links = [BoxLink(*ends, count, ends in in_cycle) for ends, count in counts.items()]
    between = [link for link in links if link.source != link.target]
    heaviest = sorted(between, key=lambda link: (not link.in_cycle, -link.count))[:MOST_LINKS]
    boxes = tuple(
        Box(name, tuple(group), _roles(graph, group), counts[number, number])
        for number, (name, group) in enumerate(groups.items())
    )
    return Boxes(boxes, tuple(sorted(heaviest, key=_ends)), len(between) - len(heaviest))


def _ends(link: BoxLink) -> tuple[int, int]:
    return link.source, link.target


def _roles(graph: Graph, nodes: Sequence[str]) -> tuple[str, ...]:
    if len(nodes) == 1:
        return graph.marks.get(nodes[0], ())
    counts = Counter(mark for node in nodes for mark in graph.marks.get(node, ()))
    return tuple(f"{_SAID.get(mark, mark)}: {count}" for mark, count in sorted(counts.items()))


def _by_folder(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The nodes of each box, by its name: some nodes singly, the others by folder."""
    apart = _own_boxes(graph)
    groups = _grouped(graph, apart)
    if len(groups) <= _FEW:  # a single large folder
        apart = list(dict.fromkeys([*apart, *ranked(graph)]))[: MOST_FOLDERS - _FEW]
        groups = _grouped(graph, apart)
    named: dict[str, tuple[str, ...]] = {node: (node,) for node in apart}
    for name, nodes in sorted(groups.items()):
        named[nodes[0] if len(nodes) == 1 else name or "./"] = tuple(nodes)
    return named


def _grouped(graph: Graph, apart: Collection[str]) -> dict[str, list[str]]:
    """The other nodes by folder, in as many groups as there is room for."""
    room = MOST_FOLDERS - len(apart)
    groups = {"": sorted(set(graph.every_node) - set(apart))}
    waiting = [""]
    while waiting:
        folder = max(waiting, key=lambda name: (len(groups[name]), name))
        waiting.remove(folder)
        parts = _largest(folder, _parts(folder, groups[folder]), room - len(groups) + 1)
        if len(groups) - 1 + len(parts) <= room:
            del groups[folder]
            groups |= parts
            waiting += [name for name in parts if name.endswith("/")]
    return groups


def _largest(folder: str, parts: dict[str, list[str]], room: int) -> dict[str, list[str]]:
    """The largest parts of a folder, the others joined when there are too many."""
    if len(parts) <= room or room <= _FEW:
        return parts
    kept = sorted(parts, key=lambda name: (-len(parts[name]), name))[: room - 1]
    others = [node for name, nodes in parts.items() if name not in kept for node in nodes]
    return {name: parts[name] for name in kept} | {f"{folder}\u2026": others}


def _own_boxes(graph: Graph) -> list[str]:
    """The nodes that get a box of their own: the focus, and the first hubs."""
    asked = [node for node in graph.every_node if graph.focus and is_inside(node, graph.focus)]
    hubs = [node for node in ranked(graph) if "hub" in graph.marks.get(node, ())]
    return list(dict.fromkeys([*(asked if len(asked) <= _MOST_ASKED else ()), *hubs[:_MOST_HUBS]]))


def is_inside(node: str, folder: str) -> bool:
    """Whether a node is ``folder`` or below it."""
    return node == folder or node.startswith(f"{folder}/")


def _parts(folder: str, nodes: Sequence[str]) -> dict[str, list[str]]:
    """The parts of a folder: its subfolders, and its own nodes, singly if they are few."""
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        end = node.find("/", len(folder))
        parts[f"{folder}*" if end < 0 else node[: end + 1]].append(node)
    own = parts.get(f"{folder}*", [])
    if len(own) <= _MOST_ALONE:
        parts.pop(f"{folder}*", None)
        parts |= {node: [node] for node in own}
    return dict(parts)
