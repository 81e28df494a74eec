"""What a symbol names: the subject of a search for its uses."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.augmentations import Augmentations
from ipuaro_jupyter.index.binding.lru_cache import LruCache
from ipuaro_jupyter.index.binding.module_scope_uses import Wanted
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.index.resolve.lookups import PYTHON_ENDINGS
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.languages.registry import is_code, language_for

_MOST_HEADS = 20
_MOST_FILES = 500  # that have a dotted symbol's first name
_KEPT_QUERIES = 100
_NO_NAMES = frozenset({"default", "*"})
_NO_PLACES: Mapping[int, Declaration] = {}


@dataclass(frozen=True)
class SymbolQuery:
    """The subject of a search.

    Attributes:
        name: The last part of the symbol.
        is_exact: Whether only what stands for the declarations is a use, and places that have just
            the name are none: the symbol has several parts, or its file was given.
        declared: Its declarations.
        places: The byte offsets of their names, by path, each with its declaration.
        uses: The local names of files for top-level declarations, by path.
        near: Files that have a name for a declaration or, where ``is_exact``, for the owner of one
            that is a member.
        is_global: Whether a declaration is known in all files without an import.
        is_inherited: Whether the declarations are those of bases of the class, or of the type of
            the value, that was named.
        lazy: The Python modules with a ``__getattr__`` of their own, which may give what is
            searched for; none unless ``is_exact``.
    """

    name: str
    is_exact: bool
    declared: frozenset[Declaration]
    places: Mapping[str, Mapping[int, Declaration]]
    uses: Mapping[str, set[str]] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    is_global: bool = False
    is_inherited: bool = False
    lazy: frozenset[str] = frozenset()

    @cached_property
    def wanted(self) -> Wanted:
        """The declarations that are searched for."""
        return Wanted(self.declared)

    @property
    def is_unknown(self) -> bool:
        """Whether it has several parts of which no declaration is known."""
        return self.is_exact and not self.declared

    @property
    def has_members(self) -> bool:
        """Whether a declaration is not at the top of a file."""
        return self.wanted.has_members

    @cached_property
    def member_files(self) -> frozenset[str]:
        """The files with a declaration that is not at their top."""
        return frozenset(path for path, qualified in self.declared if "." in qualified)

    @cached_property
    def is_ecmascript(self) -> bool | None:
        """Whether all declarations are in JavaScript or TypeScript, or none is; None for a mix."""
        found = {is_understood(path) is not None for path, _ in self.declared}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def languages(self) -> frozenset[str]:
        """The names of the languages of the declarations."""
        found = (language_for(path) for path, _ in self.declared)
        return frozenset(language.name for language in found if language is not None)

    def by_name(self, path: str) -> bool | None:
        """Whether a name in a file may be meant, when names there are not resolved at all.

        None when they are resolved.
        """
        language = language_for(path)
        if language is None or language.reader != "grammar":
            return None
        return not self.declared or language.name in self.languages

    @cached_property
    def tops(self) -> frozenset[Declaration]:
        """The declarations at the top of files."""
        return frozenset(one for one in self.declared if "." not in one[1])

    def places_in(self, path: str) -> Mapping[int, Declaration]:
        """The byte offsets at which a file declares the symbol."""
        return self.places.get(path, _NO_PLACES)

    def aliases(self, path: str) -> set[str]:
        """The other names that a file has for the symbol."""
        return self.uses.get(path, set()) - {self.name} - _NO_NAMES


class SymbolQueries:
    """Finds what symbols name, in one state of the index; the latest are kept.

    Args:
        stored: The index.
        aliases: Follows names through imports, in the same state.
        paths: The files, by id.
        augmentations: Finds what files add to others.
        inherited: Returns the declarations of a member that a class has from its bases, or a value
            from its type.
    """

    def __init__(
        self,
        stored: StoredIndex,
        aliases: AliasResolver,
        paths: Mapping[int, str],
        augmentations: Augmentations,
        inherited: Callable[[Declaration, str], Collection[Declaration]],
    ) -> None:
        self._inherited = inherited
        self._augmentations = augmentations
        self._stored = stored
        self._aliases = aliases
        self._paths = paths
        self._kept = LruCache[tuple[str, str], SymbolQuery](_KEPT_QUERIES)

    def of(self, symbol: str, declared_in: str = "") -> SymbolQuery:
        """The subject of a search for a symbol.

        Args:
            symbol: Bare; qualified, as in "Class.method"; or behind a module or a namespace.
            declared_in: The file that declares or exports it; "" for all declarations.
        """
        plain = symbol.replace(".prototype.", ".")
        return self._kept.get((plain, declared_in), lambda: self._made(plain, declared_in))

    def _made(self, symbol: str, declared_in: str) -> SymbolQuery:
        declared = self._meant(symbol, declared_in)
        head, dot, last = symbol.rpartition(".")
        is_qualified = bool(head and dot)
        is_inherited = False
        if is_qualified and not declared:
            declared = self._of_bases(self._meant(head, declared_in), last)
            is_inherited = bool(declared)
        names = {qualified.rpartition(".")[2] for _, qualified in declared}
        if names and last not in names:  # exported under another name than its own
            last = min(names)
        declared = frozenset(one for one in declared if one[1].rpartition(".")[2] == last)
        is_exact = is_qualified or bool(declared_in)
        if is_exact:
            declared |= {o for one in declared for o in self._augmentations.merged(one).declared}
        tops = {one for one in declared if "." not in one[1]}
        heads = {(path, qualified.partition(".")[0]) for path, qualified in declared}
        uses = self._aliases.uses(tops)
        is_wide = is_exact and len(heads) <= _MOST_HEADS
        around = self._aliases.uses(heads - tops) if is_wide else {}
        return SymbolQuery(
            name=last,
            is_exact=is_exact,
            declared=declared,
            places=self._places(declared),
            uses=uses,
            near=frozenset(uses.keys() | around.keys()),
            is_global=self._is_global(tops) if is_exact or len(tops) <= _MOST_HEADS else False,
            is_inherited=is_inherited,
            lazy=self._lazy(tops) if is_exact else frozenset(),
        )

    def _lazy(self, tops: Iterable[Declaration]) -> frozenset[str]:
        """The modules that may give one of some declarations without an import of it."""
        if not any(path.endswith(PYTHON_ENDINGS) for path, _ in tops):
            return frozenset()
        given = self._declared(["__getattr__"]).get("__getattr__", frozenset())
        return frozenset(path for path, qualified in given if "." not in qualified)

    def _meant(self, symbol: str, declared_in: str) -> frozenset[Declaration]:
        """The declarations of a symbol, in one file or in all."""
        declared = self._declared([symbol]).get(symbol, frozenset())
        if declared_in:
            own = frozenset(one for one in declared if one[0] == declared_in)
            return own or self._existing(self._exported(declared_in, symbol))
        if "." in symbol.strip(".") and not declared:
            return self._existing(self._dotted(tuple(symbol.split("."))))
        return declared

    def _of_bases(self, owners: Collection[Declaration], name: str) -> frozenset[Declaration]:
        """The declarations of a member that some classes inherit; none of too many classes."""
        found = set[Declaration]()
        for owner in sorted(owners) if len(owners) <= _MOST_HEADS else ():
            checkpoint()
            found |= {*self._inherited(owner, name)}
        return frozenset(found)

    def _is_global(self, declared: Iterable[Declaration]) -> bool:
        for one in sorted(declared):
            checkpoint()
            if self._augmentations.globals.is_global(*one):
                return True
        return False

    def _declared(self, symbols: Sequence[str]) -> dict[str, frozenset[Declaration]]:
        """The declarations in code of some symbols, bare or qualified."""
        found = {}
        for symbol, entries in self._stored.symbols(symbols).items():
            places = [(self._paths.get(entry.number, ""), entry.qualified) for entry in entries]
            found[symbol] = frozenset(one for one in places if is_code(one[0]))
        return found

    def _places(self, declared: Iterable[Declaration]) -> dict[str, dict[int, Declaration]]:
        definitions = self._stored.definitions([path for path, _ in declared])
        found: defaultdict[str, dict[int, Declaration]] = defaultdict(dict)
        for path, qualified in sorted(declared):
            found[path].update(
                dict.fromkeys(definitions.get(path, {}).get(qualified, ()), (path, qualified))
            )
        return dict(found)

    def _existing(self, declared: Collection[Declaration]) -> frozenset[Declaration]:
        known = self._declared([qualified for _, qualified in declared]).values()
        return frozenset(declared).intersection(*[frozenset().union(*known)])

    def _exported(self, path: str, symbol: str) -> set[Declaration]:
        """What a file exports under a name, from another file."""
        return self._aliases.exported(path, tuple(symbol.split(".")))

    def _dotted(self, names: tuple[str, ...]) -> set[Declaration]:
        """What a chain of names stands for that begins with a Python module, or an import."""
        found: set[Declaration] = set()
        for count in range(len(names) - 1, 0, -1):
            for path in self._modules(names[:count]):
                found |= self._aliases.exported(path, names[count:])
        if found:
            return found
        numbers = self._stored.tokens([names[0]]).get(names[0], {})
        having = sorted(self._paths[number] for number in numbers if number in self._paths)
        self._aliases.load(having[:_MOST_FILES])
        for path in having[:_MOST_FILES]:
            if self._aliases.imported(path, names[0]):
                found |= self._aliases.declarations(path, names)
            if self._aliases.exports(path, names[0]):
                found |= self._aliases.exported(path, names)
        return found

    def _modules(self, names: tuple[str, ...]) -> list[str]:
        """The files of a Python module, wherever its package is."""
        ends = [f"/{'/'.join(names)}{end}" for end in (".py", ".pyi", "/__init__.py")]
        return [path for path in self._paths.values() if f"/{path}".endswith(tuple(ends))]
