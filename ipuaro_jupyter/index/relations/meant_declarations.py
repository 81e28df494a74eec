"""The functions and classes that a name in an expression means, as far as that is known."""

from collections.abc import Collection

from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations import expression_parts as parts
from ipuaro_jupyter.index.relations.implicit_calls import constructor_of
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import is_code

MOST_BY_NAME = 3
"""Of so many members of a name, each may be meant where more is not known."""


class MeantDeclarations:
    """Resolves names in one state of the index.

    Args:
        asked: That state.
        sources: Reads its files.
    """

    def __init__(self, asked: LookupState, sources: SourcePlaces) -> None:
        self._asked = asked
        self._sources = sources

    def of(self, path: str, name: Node) -> list[Declaration]:
        """The functions and classes that a name means; where that is not known, those so called.

        A class stands for its constructor.

        Args:
            path: The file of the name; "" for a text beside the index.
            name: The node of the name; of ``a.b.c``, the last one.
        """
        found = self.known(path, name)
        if not found and (not path or parts.is_member_name(name)) and not parts.is_builtin(name):
            found = self._so_called(path, name)
            if len(found) > MOST_BY_NAME:
                found = found & self._beside(path, name)
        return [constructor_of(self._asked, one) for one in sorted(found)]

    def known(self, path: str, name: Node) -> set[Declaration]:
        """The functions and classes that a name of a file certainly means."""
        if not path:
            return set()
        text = parts.text_of(name)
        meant = self._asked.references.names.of(path, text, name.start_byte)
        if meant is None:
            meant = self._asked.references.python.of(path, text, name.start_byte)
        return {one for one in meant or () if is_code(one[0])}

    def is_declared(self, one: Declaration) -> bool:
        """Whether the index knows its lines."""
        return any(one[1] == known for known, _, _ in self._asked.files.file(one[0]).ranges)

    def is_class(self, one: Declaration) -> bool:
        """Whether it is a class."""
        return any("class" in node.type for node in self._sources.nodes_of(one))

    def is_function(self, one: Declaration) -> bool:
        """Whether it is a function or a method."""
        return any(parts.is_function(node) for node in self._sources.nodes_of(one))

    def called(self, name: str, paths: Collection[str]) -> set[Declaration]:
        """The functions of a name, in files if there are any in these."""
        entries = self._asked.stored.called([name]).get(name, ())
        known = ((self._asked.paths.get(one.number, ""), one.qualified) for one in entries)
        found = {one for one in known if is_code(one[0]) and self.is_function(one)}
        alike = {one for one in found if _suffix(one[0]) in {_suffix(path) for path in paths}}
        near = {one for one in found if one[0] in paths}
        return near or alike or found

    def _so_called(self, path: str, name: Node) -> set[Declaration]:
        text, member = parts.text_of(name), parts.is_member_name(name)
        entries = self._asked.stored.called([text]).get(text, ())
        known = ((self._asked.paths.get(one.number, ""), one.qualified) for one in entries)
        found = {one for one in known if is_code(one[0]) and self.is_declared(one)}
        found = {one for one in found if member or "." not in one[1]}
        alike = {one for one in found if _suffix(one[0]) == _suffix(path)}
        return alike or found  # not what was compiled from it

    def _beside(self, path: str, name: Node) -> set[Declaration]:
        """The members of that name in the classes whose methods the calls before it call."""
        held = None if name.parent is None else parts.held(name.parent)
        held = None if held is None else parts.unwrapped(held)
        before = parts.called_name(held) if held is not None and parts.is_call(held) else None
        known = [] if before is None else self.of(path, before)
        text = parts.text_of(name)
        return {(one[0], f"{one[1].rpartition('.')[0]}.{text}") for one in known}


def _suffix(path: str) -> str:
    return path.rpartition(".")[2]
