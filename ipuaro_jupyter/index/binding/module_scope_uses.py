"""Resolve uses of a name to the top of a file without a syntax tree, where possible."""

import re
from collections.abc import Collection

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.opened_files import OpenedFile
from ipuaro_jupyter.index.extract.postings import (
    INNER,
    MEMBER,
    UNSURE,
    offset_of,
    role_of,
)
from ipuaro_jupyter.index.storage.stored_index import EVERYTHING

_NEAR = 160
_CHAIN = re.compile(rb"(?:[\w$\x80-\xff]++\s*+[?!]?\s*+\.\s*+)+$")
_LINK = re.compile(rb"[\w$\x80-\xff]+")
_WRAPPED = re.compile(rb"(?<![\w$)\]>])\(\s*+[\w$.\s\x80-\xff]++\)?[)!\s]*+[?!]?\s*+\.\s*+$")
_LOADING = re.compile(rb"\b(?:require|import)\s*+\(")
_BEHIND_KEY = (b",", b"}", b"=", b"/")
_LIST_END = re.compile(rb"[\w$,.\s\x80-\xff]*+[)\]>]")
"""The rest of a list that is neither an object nor a pattern of one."""
_QUOTE = re.compile(rb"['\"`]")
_MOST_COMMENTS = 20
_EXPORTS = ("exports", "module")
_NOTHING: frozenset[Declaration] = frozenset()


class Wanted:
    """The declarations that are searched for.

    Args:
        declared: The declarations.
    """

    def __init__(self, declared: Collection[Declaration]) -> None:
        self.declared = frozenset(declared)
        self.has_members = any("." in qualified for _, qualified in self.declared)
        """Whether some are not at the top of a file; those files always need a syntax tree."""
        self.known: dict[tuple[str, str], frozenset[Declaration] | None] = {}
        """The results for top-level names of files, as in `ModuleScopeUses.stands_for`."""


class ModuleScopeUses:
    """Resolves names among the files of an index, as far as postings allow.

    Args:
        aliases: Follows names through imports.
    """

    def __init__(self, aliases: AliasResolver) -> None:
        self._aliases = aliases

    def stands_for(
        self, file: OpenedFile, name: str, place: int, wanted: Wanted
    ) -> frozenset[Declaration] | None:
        """The wanted declarations that a name stands for; None when only scopes can tell.

        Args:
            file: The file.
            name: The name.
            place: Its place, from the postings.
            wanted: The declarations.
        """
        role = role_of(place)
        if role in (INNER, UNSURE) or file.data is None or file.language is None:
            return _NOTHING if role == INNER else None
        offset = offset_of(place)
        begin = max(0, offset - _NEAR)
        before = file.data[begin:offset]
        ahead = _code_before(before)
        if ahead is None:
            return None
        if ahead.endswith(b".") and not ahead.endswith(b"..."):
            of = self._of_module if wanted.has_members else self._of_chain
            return of(file, ahead, begin, name, wanted)
        if role == MEMBER:  # a key, which may be one of a required module
            is_told = wanted.has_members or self._aliases.is_specified(file.path, name)
            return None if is_told else _NOTHING
        if wanted.has_members and ahead.endswith((b"{", b",")) and _may_be_key(file, offset, name):
            return None
        is_tag = ahead.endswith((b"<", b"</")) and file.language.name != "typescript"
        return None if is_tag and name[0].islower() else self._at_top(file, name, wanted)

    def _at_top(self, file: OpenedFile, name: str, wanted: Wanted) -> frozenset[Declaration] | None:
        """The wanted declarations that a top-level name of a file stands for."""
        key = file.path, name
        if key not in wanted.known:
            meant = self._meant(file, name, wanted.declared)
            is_added = wanted.has_members and self._aliases.imported(file.path, name)
            wanted.known[key] = meant or (None if is_added else meant)
        return wanted.known[key]

    def _meant(
        self, file: OpenedFile, name: str, declared: frozenset[Declaration]
    ) -> frozenset[Declaration] | None:
        is_own = file.declares(name)
        if is_own and not self._aliases.is_shared(file.path, name):
            if (file.path, name) in declared or self._aliases.is_specified(file.path, name):
                return None
            return _NOTHING
        meant = self._aliases.meaning(file.path, name, is_own=is_own)
        return None if meant is None else declared & meant

    def _of_module(
        self, file: OpenedFile, before: bytes, begin: int, name: str, wanted: Wanted
    ) -> frozenset[Declaration] | None:
        """The wanted declarations that a name of a module, after ``module.``, stands for.

        None where it is not certain that ``module`` is the name of a whole module in an import, or
        that it has the name. For the arguments, see `_of_chain`.
        """
        chain = _CHAIN.search(before)
        if chain is None or (chain.start() == 0 and begin > 0):
            return None
        ahead, links = before[: chain.start()].rstrip(), _LINK.findall(chain[0])
        if len(links) != 1 or ahead.endswith((b".", b"#", b"*/")):
            return None
        module = links[0].decode()
        sources = self._aliases.imported(file.path, module)
        if not sources or any(exported != EVERYTHING for _, exported in sources):
            return None
        if file.declares(module) or file.role_at(module, begin + chain.start()) != 0:
            return None
        meant = self._aliases.declarations(file.path, (module, name))
        return wanted.declared & meant if meant and meant <= wanted.declared else None

    def _of_chain(
        self, file: OpenedFile, before: bytes, begin: int, name: str, wanted: Wanted
    ) -> frozenset[Declaration] | None:
        """The wanted declarations that a member, after its object, stands for.

        Args:
            file: The file.
            before: The text before the name, up to its dot.
            begin: The offset of that text in the file.
            name: The name.
            wanted: The declarations.
        """
        chain = _CHAIN.search(before)
        first = chain.start() if chain is not None else len(before)
        if first == 0 and begin > 0:
            return None
        ahead = before[:first].rstrip()
        if chain is None or (ahead.endswith((b".", b"#")) and not ahead.endswith(b"...")):
            is_irregular = _LOADING.search(ahead) or _WRAPPED.search(ahead)  # otherwise a call
            is_open = is_irregular or ahead.rstrip(b".?! \t\r\n").endswith(b"*/")
            return None if is_open else _NOTHING
        names = [link.decode() for link in _LINK.findall(chain[0])]
        if not self._aliases.imported(file.path, names[0]):
            return None if names[0] in _EXPORTS else _NOTHING
        role = file.role_at(names[0], begin + first)
        if role != 0:
            return _NOTHING if role == INNER else None
        return wanted.declared & self._aliases.declarations(file.path, (*names, name))


def _may_be_key(file: OpenedFile, offset: int, name: str) -> bool:
    """Whether the sign behind a name allows it to be a key and a value, as in ``{ name }``."""
    end = offset + len(name.encode())
    behind = (file.data or b"")[end : end + _NEAR].lstrip()
    return not behind or (behind.startswith(_BEHIND_KEY) and not _LIST_END.match(behind))


def _code_before(before: bytes) -> bytes | None:
    """A text without the blanks and comments at its end; None when that is not certain."""
    ahead, is_cut = before.rstrip(), len(before) == _NEAR
    for _ in range(_MOST_COMMENTS):
        is_line_end = b"\n" in before[len(ahead) :]
        start = ahead.rfind(b"\n") + 1
        if ahead.endswith(b"*/"):
            at = ahead.rfind(b"/*")
        elif not is_line_end or (at := ahead.find(b"//", start)) < 0:
            return None if is_cut and is_line_end and not start else ahead
        elif _QUOTE.search(ahead, start, at):
            return None
        if at < 0:
            return None
        before, ahead = ahead, ahead[:at].rstrip()
    return None
