"""The members of classes, interfaces, enums and objects, including inherited ones."""

from collections.abc import Iterable
from typing import Any

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration, Names
from ipuaro_jupyter.index.binding.augmentations import NOTHING_ADDED, Added, Augmentations
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.type_names import type_names
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood

Found = set[Declaration]

_NO_MEMBERS = frozenset({"object", "Object", "ABC", "abc.ABC", "Protocol", "Generic", "Enum"})
"""Bases without members that anybody overrides."""


class Members:
    """Looks members up, among the files of an index.

    Args:
        files: The files.
        aliases: Follows names through imports.
        augmentations: Finds what files add to others; None: nothing.
    """

    def __init__(
        self,
        files: OpenedFiles,
        aliases: AliasResolver,
        augmentations: Augmentations | None = None,
    ) -> None:
        self._files = files
        self._aliases = aliases
        self._augmentations = augmentations

    def is_imported(self, path: str, name: str) -> bool:
        """Whether a name of a file is that of an import."""
        return bool(self._aliases.imported(path, name))

    def named(self, path: str, names: Names) -> Found:
        """The declarations of a chain of names at the top of a file."""
        return self._existing(self._aliases.declarations(path, names))

    def global_(self, path: str, names: Names) -> Found:
        """The global declarations of a chain of names, unless the file has the first itself."""
        name = names[0]
        if self._augmentations is None or is_understood(path) is None:
            return set()
        if self._aliases.outer(path, name) is not None or self._files.file(path).has_own(name):
            return set()
        rest = names[1:]
        found = self._augmentations.globals.of(path, name)
        return self._existing({(other, ".".join((own, *rest))) for other, own in found})

    def built_in(self, owner: str, name: str) -> Found:
        """The declarations of a member that files add to a type of the language, as ``Array``."""
        found = self._augmentations.globals.member(owner, name) if self._augmentations else ()
        return {*found}

    def exported(self, path: str, names: Names) -> Found:
        """The declarations of a chain of names that a file exports."""
        return self._existing(self._aliases.exported(path, names))

    def find(self, owner: Declaration, name: str) -> Found:
        """The declarations of a member: the owner's own, else the inherited ones."""
        return self._find(owner, name, set())

    def added(self, owner: Declaration, name: str) -> Added:
        """The declarations of a member that other files add to one."""
        if self._augmentations is None:
            return NOTHING_ADDED
        return self._augmentations.of((owner[0], f"{owner[1]}.{name}"))

    def merged(self, owner: Declaration) -> Added:
        """The other declarations of an interface or class."""
        return NOTHING_ADDED if self._augmentations is None else self._augmentations.merged(owner)

    def load_merged(self, owners: Iterable[Declaration]) -> None:
        """Read what `merged` needs for several at once."""
        if self._augmentations is not None:
            names = {qualified.rpartition(".")[2] for _, qualified in owners}
            self._augmentations.load(sorted(names))

    def added_bases(self, owner: Declaration) -> Found:
        """The bases that the other declarations of an interface or class name."""
        others = self.merged(owner).declared
        found = {base for one in others for base in self.bases(one)}
        return found - {owner, *others}

    def added_export(self, path: str, name: str) -> Found:
        """The declarations that other files add to the exports of the file of an import.

        Args:
            path: The importing file.
            name: The name that the import binds.
        """
        if self._augmentations is None:
            return set()
        sources = self._aliases.imported(path, name)
        return {one for source in sources for one in self._augmentations.of(source).declared}

    def exported_or_added(self, path: str, name: str) -> Found:
        """The declarations of an export of a file, also of one that another file adds."""
        found = self.exported(path, (name,))
        if found or self._augmentations is None:
            return found
        return {*self._augmentations.of((path, name)).declared}

    def has_members(self, owner: Declaration) -> bool:
        """Whether a declaration is that of a class or interface."""
        return any("methods" in record for record in self._records(*owner))

    def stands_alone(self, owner: Declaration) -> bool:
        """Whether a declaration is that of a class or interface that has no bases."""
        if not self.has_members(owner):
            return False
        return not (self.bases(owner) | self.added_bases(owner) or self.outer_bases(owner))

    def bases(self, owner: Declaration) -> Found:
        """The bases and interfaces of a class or interface, or the target of an alias."""
        path, qualified = owner
        found: Found = set()
        for record in self._records(path, qualified):
            extended = record.get("extends") or []
            texts = [extended] if isinstance(extended, str) else list(extended)
            texts += record.get("implements", [])
            texts += [record["text"]] if "text" in record else []
            for text in texts:
                for names in type_names(text):
                    found |= self.base(owner, names)
        return found - {owner}

    def base(self, owner: Declaration, names: Names) -> Found:
        """The declarations that a name among the bases of a class or interface stands for.

        It is looked for around the declaration, at the top of its file, and in the module that an
        augmentation adds to.
        """
        path, qualified = owner
        around = qualified.rpartition(".")[0]
        while around:
            if found := self._existing({(path, ".".join((around, *names)))}):
                return found
            around = around.rpartition(".")[0]
        found = self.named(path, names) or self.global_(path, names)
        if found or "." not in qualified:
            return found
        return {
            one for other, _ in self.merged(owner).declared for one in self.exported(other, names)
        }

    def inherits(self, owner: Declaration, base: Declaration) -> bool:
        """Whether a class or interface has another among its bases, near or far."""
        seen, waiting = {owner}, [owner]
        while waiting:
            one = waiting.pop()
            new = (self.bases(one) | self.added_bases(one)) - seen
            if base in new:
                return True
            seen |= new
            waiting += new
        return False

    def outer_bases(self, owner: Declaration) -> set[str]:
        """The bases of a class or interface that no file declares, as written."""
        path, qualified = owner
        found: set[str] = set()
        for record in self._records(path, qualified):
            extended = record.get("extends") or []
            texts = [extended] if isinstance(extended, str) else list(extended)
            for text in (*texts, *record.get("implements", ())):
                names = type_names(text)
                found |= {".".join(one) for one in names if not self.named(path, one)}
        return found - _NO_MEMBERS

    def return_types(self, function: Declaration) -> list[str]:
        """The annotated return types of a function or method, as written."""
        path, qualified = function
        records = [*self._records(path, qualified), *self._own(function)]
        records += [record["function"] for record in records if record.get("function")]
        return [text for record in records if (text := record.get("return_type"))]

    def _existing(self, declarations: Found) -> Found:
        if len(declarations) > 1:
            self._files.open_all(path for path, _ in declarations)
        return {
            (path, qualified)
            for path, qualified in declarations
            if self._files.file(path).declares(qualified)
        }

    def _find(self, owner: Declaration, name: str, seen: Found) -> Found:
        path, qualified = owner
        if owner in seen:
            return set()
        seen.add(owner)
        if self._files.file(path).declares(f"{qualified}.{name}"):
            return {(path, f"{qualified}.{name}")}
        found = {found for base in self.bases(owner) for found in self._find(base, name, seen)}
        found = found or {*self.added(owner, name).declared}
        if found:
            return found
        return {one for base in self.added_bases(owner) for one in self._find(base, name, seen)}

    def _records(self, path: str, qualified: str) -> list[dict[str, Any]]:
        return self._files.file(path).declared.get(qualified, [])

    def _own(self, member: Declaration) -> list[dict[str, Any]]:
        """The facts of a member that a class or interface declares itself."""
        path, qualified = member
        owner, _, name = qualified.rpartition(".")
        return [
            found
            for record in self._records(path, owner)
            for kind in ("methods", "properties", "fields")
            for found in record.get(kind, ())
            if found["name"] == name
        ]
