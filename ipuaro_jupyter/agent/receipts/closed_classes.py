"""Whether a class, interface or enum certainly has no member of a name."""

import re
from collections.abc import Iterator, Sequence

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.records.code import Class, FileFacts, Interface, SymbolLocation

_CLOSED = {"class", "interface", "enum"}
_MOST_BASES = 20
_OF_EVERY_OBJECT = frozenset(
    {
        *("constructor", "prototype", "toString", "toLocaleString", "valueOf", "hasOwnProperty"),
        *("isPrototypeOf", "propertyIsEnumerable", "name", "length", "call", "apply", "bind"),
        *("mro", "arguments", "caller"),
    }
)
_BASE = re.compile(r"[A-Za-z_$][\w$.]*")
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\w+\s*=\s*[\w.]+")


class ClosedClasses:
    """The members of the classes of a project, as far as they can all be known.

    Args:
        index: The project's symbols.
        checker: It has the texts of the files.
    """

    def __init__(self, index: CodeIndex, checker: Checker) -> None:
        self._index = index
        self._checker = checker

    def lacks(self, owner: str, member: str) -> bool:
        """Whether all that a name can mean is known, and nothing of it can have the member.

        The member's name must not stand in any file of the class or of what it extends, nor be
        declared by a class that extends it; what extends a class from elsewhere can have any.
        """
        if member in _OF_EVERY_OBJECT or member.startswith("__"):
            return False
        files = self._files_of_all(owner)
        if files is None or self._is_in_subclass(owner, member):
            return False
        return not any(self._checker.occurrences(path, member) for path in files)

    def _files_of_all(self, owner: str) -> set[str] | None:
        """The files of a class and of all that it extends; None unless they are all known."""
        waiting, seen, files = [owner], set[str](), set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            found = self._index.definitions(name)
            if not found or len(seen) > _MOST_BASES or any(d.kind not in _CLOSED for d in found):
                return None
            for one in found:
                files.add(one.path)
                bases = self._bases(one)
                if bases is None:
                    return None
                waiting += bases
        return files

    def _bases(self, one: SymbolLocation) -> list[str] | None:
        """The names of what a class extends; None when they cannot be told."""
        facts = self._index.facts(one.path)
        if facts is None:
            return None
        if one.kind == "enum":
            return []
        texts: list[str] = []
        for holder in _holders(facts):
            if holder.qualified == one.qualified:
                extends = holder.extends
                texts += [extends] if isinstance(extends, str) else extends or ()
        return list(_named(texts))

    def _is_in_subclass(self, owner: str, member: str) -> bool:
        """Whether a class that mentions the owner in its bases declares the member."""
        word = re.compile(rf"(?<![\w$]){re.escape(owner)}(?![\w$])")
        having = frozenset(self._index.having(owner))
        for place in self._index.definitions(member):
            if place.path not in having:
                continue
            holder = place.qualified.rpartition(".")[0]
            facts = self._index.facts(place.path) if holder else None
            for one in () if facts is None else _holders(facts):
                extends = (
                    one.extends if isinstance(one.extends, str) else ", ".join(one.extends or ())
                )
                if one.qualified == holder and word.search(extends):
                    return True
        return False


def _holders(facts: FileFacts) -> tuple[Class | Interface, ...]:
    return (*facts.classes, *facts.interfaces)


def _named(texts: Sequence[str]) -> Iterator[str]:
    """Yield the names of bases, without their type arguments; an odd one stays as it is."""
    for text in texts:
        plain, before = text, ""
        while plain != before:
            plain, before = _ARGUMENTS.sub("", plain), plain
        for part in plain.split(","):
            name = part.strip()
            if name:
                yield name if _BASE.fullmatch(name) else f"{name}?"
