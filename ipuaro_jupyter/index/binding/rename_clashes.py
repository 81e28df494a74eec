"""What speaks against a new name: names in scope that it would meet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.member_family import MemberFamilies
from ipuaro_jupyter.index.binding.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.binding.python_renames import is_attribute, is_keyword, name_node
from ipuaro_jupyter.index.binding.python_scopes import PythonScopes
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.rename_places import RenameTarget
from ipuaro_jupyter.index.extract.ecmascript.binder import Binding, declarations_by
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_member

_MOST = 20


class RenameClashes:
    """Finds what a new name would meet.

    Args:
        files: The opened files.
        aliases: Follows names through imports.
        families: Finds members.
        finder: Resolves names.
    """

    def __init__(
        self,
        files: OpenedFiles,
        aliases: AliasResolver,
        families: MemberFamilies,
        finder: ReferenceFinder,
    ) -> None:
        self._files = files
        self._aliases = aliases
        self._families = families
        self._finder = finder

    def of(
        self,
        target: RenameTarget,
        to: str,
        edits: Mapping[str, Sequence[tuple[int, int, str, int]]],
    ) -> Iterator[str]:
        """Yield a line for each clash, the first ones only when there are many."""
        told = dict.fromkeys(self._all(target, to, edits))
        yield from list(told)[:_MOST]
        if len(told) > _MOST:
            yield f"and {len(told) - _MOST} more clashes"

    def _all(
        self,
        target: RenameTarget,
        to: str,
        edits: Mapping[str, Sequence[tuple[int, int, str, int]]],
    ) -> Iterator[str]:
        owners = [(path, q.rpartition(".")[0]) for path, q in target.declared if "." in q]
        for path, qualified in sorted(self._families.named(owners, to)):
            line = self._line(path, min(self._files.file(path).definitions[qualified], default=0))
            yield f"{path}:{line}: name clash: {qualified} exists already"
        for path in sorted(target.uses.keys() | target.places.keys()):
            is_exported = not target.has_members and target.name in target.uses.get(path, ())
            if is_exported and self._finder.names.members.exported(path, (to,)):
                yield f"{path}: name clash: {to} is an export of this file already"
        for path, listed in edits.items():
            checkpoint()
            places = [edit[0] for edit in listed]
            if self._files.file(path).language is not None:
                yield from self._in_ecmascript(path, target, to, places)
            else:
                yield from self._in_python(path, target, to, places)

    def _in_ecmascript(
        self, path: str, target: RenameTarget, to: str, places: Iterable[int]
    ) -> Iterator[str]:
        """Yield the clashes of one file with the names of its scopes."""
        tree = self._files.tree(path)
        others = self._files.file(path).places(to)
        if tree is None or not others:
            return
        bound: list[Binding] = []
        for offset in places:
            node = tree.node(offset, target.name)
            if node is None or is_member(node) or node.type == "string_fragment":
                continue
            own = tuple(declarations_by(node))
            bound += own
            for met in tree.bound(to, node):
                line = self._line(path, met.node.start_byte)
                used = self._line(path, offset)
                if any((one.start, one.end) == (met.start, met.end) for one in own):
                    clash = f"{to} would be declared twice, here and in line {used}"
                    yield f"{path}:{line}: name clash: {clash}"
                else:
                    clash = f"this line would use the {to} that line {line} declares"
                    yield f"{path}:{used}: name clash: {clash}"
        for offset in tree.places(to):
            yield from self._captured(tree, path, to, offset, bound)

    def _captured(
        self, tree: SourceTree, path: str, to: str, offset: int, bound: Iterable[Binding]
    ) -> Iterator[str]:
        """Yield a line when a use of the new name would stand for the renamed symbol."""
        node = tree.node(offset, to)
        if node is None or is_member(node):
            return
        size = min((b.end - b.start for b in tree.bound(to, node)), default=None)
        for one in bound:
            is_inside = one.start <= offset < one.end
            if is_inside and (size is None or size >= one.end - one.start):
                line = self._line(path, offset)
                yield f"{path}:{line}: name clash: {to} here would mean the renamed symbol"
                return

    def _in_python(
        self, path: str, target: RenameTarget, to: str, places: Iterable[int]
    ) -> Iterator[str]:
        """Yield the clashes of one Python file with the names of its scopes."""
        scopes = self._finder.python.scopes(path)
        file = self._files.file(path)
        if scopes is None:
            return
        holders = set()
        for offset in places:
            node = name_node(scopes, target.name, offset)
            if node is None or is_attribute(scopes, node) or is_keyword(scopes, node):
                continue
            if self._finder.python_strings.key(path, target.name, offset):
                continue
            scope = scopes.binding(to, offset)
            holder = scopes.binding(target.name, offset)
            holders.add(holder.path if holder is not None else "")
            if scope is not None and not scope.is_class:
                clash = f"this line would use the local {to} of {scope.path}"
                yield f"{path}:{self._line(path, offset)}: name clash: {clash}"
            elif holder is None and self._aliases.binds(path, to):
                yield f"{path}: name clash: {to} is imported in this file already"
        for line in self._python_uses(file, scopes, to, holders):
            yield f"{path}:{line}: name clash: {to} here would mean the renamed symbol"

    def _python_uses(
        self, file: OpenedFile, scopes: PythonScopes, to: str, holders: set[str]
    ) -> Iterator[int]:
        """Yield the lines where the new name is used in the scope of the renamed symbol."""
        for offset in (place >> 2 for place in file.places(to)):
            node = name_node(scopes, to, offset)
            if node is None or is_attribute(scopes, node) or is_keyword(scopes, node):
                continue
            scope = scopes.binding(to, offset)
            if (scope.path if scope is not None else "") in holders:
                yield self._line(file.path, offset)

    def _line(self, path: str, offset: int) -> int:
        return (self._files.file(path).data or b"").count(b"\n", 0, offset) + 1
