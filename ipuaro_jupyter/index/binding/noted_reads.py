"""An index that notes what is read of it, so that an answer can say what it depends on."""

from collections.abc import Callable, Sequence

from ipuaro_jupyter.index.storage.shapes.shape_parts import Part, declarations_of
from ipuaro_jupyter.index.storage.stored_index import StoredIndex, SymbolEntry


class NotedReads(StoredIndex):
    """Notes the names whose declarations are read.

    What is read of imports and exports is noted by `AliasResolver`, which reads whole files of
    which it uses some names; the files that were opened, and the postings of the name in question,
    stand with an answer itself.

    Args:
        stored: The index.
        note: Called with the parts of the shape that are read.
    """

    def __init__(self, stored: StoredIndex, note: Callable[[Part], None]) -> None:
        super().__init__(stored.store, stored.keys)
        self._note = note

    def called(self, names: Sequence[str]) -> dict[str, list[SymbolEntry]]:
        """The declarations of symbols, by bare name, in no order."""
        for name in names:
            self._note(declarations_of(name))
        return super().called(names)
