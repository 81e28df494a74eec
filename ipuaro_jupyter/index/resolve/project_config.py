"""What the configuration files of a project say about its imports, read once."""

from collections.abc import Callable, Collection, Mapping

from ipuaro_jupyter.index.resolve.bundler_search import bundler_rules
from ipuaro_jupyter.index.resolve.candidates import Candidates
from ipuaro_jupyter.index.resolve.folder_search import Rules
from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.module_search import ModuleSearch
from ipuaro_jupyter.index.resolve.packages import Packages
from ipuaro_jupyter.index.resolve.syntax_modes import Syntax, conditions_of
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.index.resolve.tsconfig_files import TsConfigs

_USUAL = ("tsconfig.json", "jsconfig.json")
_FOR_CONFIGS = TsConfig(mode="node16", format="node", uses_exports=True, uses_imports=True)


class ProjectConfig:
    """The configuration files of a project; stale once one of them comes, goes or changes.

    Attributes:
        packages: The packages of the project.
        tsconfigs: Its configurations of TypeScript.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
        symlinks: Links in the project with their targets, as written in the links.
    """

    def __init__(
        self,
        files: Collection[str],
        read: Callable[[str], str | None],
        symlinks: Mapping[str, str],
    ) -> None:
        self._read = read
        self._texts: dict[str, str | None] = {}
        self._asked = set[str]()
        self._files = TrackedFiles(files, asked=self._asked)
        self._find = Candidates(self._files, symlinks)
        self._rules: dict[tuple[str, Syntax | None], Rules] = {}
        self._loose_rules: dict[str, Rules] = {}
        self._places: dict[str, str] = {}
        installed = self._find.installed
        self.packages = Packages(files, self.text, installed=installed)
        self.tsconfigs = TsConfigs(self._exists, self.text, self._of_package)

    @property
    def paths(self) -> frozenset[str]:
        """The files read so far, and those of unusual names looked for in vain."""
        return frozenset((*self._texts, *self._asked))

    def look_among(self, files: Collection[str]) -> None:
        """Look among other files from now on: those that differ are no configuration files."""
        self._files.paths = files

    def text(self, path: str) -> str | None:
        """The text of a file; None when it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def rules(self, config: TsConfig, syntax: Syntax | None) -> Rules:
        """The rules for imports of this syntax under a configuration."""
        rules = self._rules.get((config.path, syntax))
        if rules is None:
            is_esm = syntax == "esm" and config.mode == "node16"
            rules = Rules(config, conditions_of(config, syntax), is_esm=is_esm)
            self._rules[config.path, syntax] = rules
        return rules

    def loose_rules(self, config: TsConfig) -> Rules:
        """The rules of a bundler under a configuration."""
        rules = self._loose_rules.get(config.path)
        if rules is None:
            rules = self._loose_rules[config.path] = bundler_rules(config)
        return rules

    def scope(self, folder: str) -> str:
        """Stands for all folders in which bare names mean the same as in ``folder``.

        It is never the path of a folder with files, where they may have another meaning.
        """
        if folder not in self._places:
            self._places[folder] = f":{self.packages.place(folder)}"
        return self._places[folder]

    def _exists(self, path: str) -> bool:
        found = self._find.exists(path)
        if path.endswith(_USUAL):  # they are configuration files whether they were read or not
            self._asked.discard(path)
        return found

    def _of_package(self, name: str, folder: str) -> str | None:
        """The configuration that ``extends`` names, looked up as TypeScript does."""
        conditions = conditions_of(_FOR_CONFIGS, "commonjs")
        rules = Rules(_FOR_CONFIGS, conditions, is_esm=False, is_config=True)
        return ModuleSearch(self._find, self.packages, rules, folder).resolve(name)
