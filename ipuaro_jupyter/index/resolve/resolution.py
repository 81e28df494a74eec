"""What an import resolves to."""

from typing import NamedTuple


class Resolution(NamedTuple):
    """The result of resolving an import.

    Attributes:
        path: The file of the project as the compiler resolves it; None for external packages,
            built-in modules of Node, and imports that cannot be resolved. JSON is found unless
            ``resolveJsonModule`` is switched off, and a declaration file that a project reference
            will have stands for its source.
        target: The file for navigation: ``path``, or its source when it is an output of the
            project, or the component that it describes; else the file a bundler finds, else the
            source of a file not built yet, else a file that is not a module (a style sheet), else,
            for a relative import that leads nowhere, the path as written. None when nothing in the
            project matches.
        modules: In Python and Rust, the files of those imported names that are modules themselves;
            in Java, those of the types that a file finds in a package; in Go, all the files of a
            package, by the names of the files; the file that a declaration file describes,
            or the latter beside the former.
    """

    path: str | None = None
    target: str | None = None
    modules: dict[str, str] = {}  # noqa: RUF012 - a default that nobody changes

    @property
    def targets(self) -> set[str]:
        """All files that the import resolves to."""
        return {*self.modules.values(), *([] if self.target is None else [self.target])}
