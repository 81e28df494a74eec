"""The role of a file, judged by the parts of its path."""

import re

from ipuaro_jupyter.records.code import FileType

_SOURCES = frozenset(
    {
        *("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "py"),
        *("pyi", "pyw", "ipynb", "go", "rs", "java"),
    }
)
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "__mocks__", "e2e"})
_TYPE_FOLDERS = frozenset({"types", "@types", "typings"})
_TEST_NAME = re.compile(
    r".+[._-](?:test|spec|e2e)\.[a-z]+|test_.+\.py|.+_test\.(?:py|go)|conftest\.py"
)
_DECLARATION = re.compile(r".+\.d(?:\.\w+)?\.[cm]?ts")
_CONFIG_NAME = re.compile(
    r".+\.config\.\w+|config\.\w+|\.?\w+rc(?:\.\w+)?|[tj]sconfig(?:\..+)?\.json|\.env(?:\..+)?"
    r"|package(?:-lock)?\.json|pnpm-\w+\.yaml|lerna\.json|nx\.json|turbo\.json|deno\.jsonc?"
    r"|pyproject\.toml|setup\.(?:py|cfg)|\.(?:editorconfig|gitignore|npmignore|gitattributes)"
)
_FIRST = re.compile(r"(?:index|main|__main__)(?:\.d)?")


def file_type(path: str) -> FileType:
    """The type of a file; "unknown" when it is not source code."""
    *folders, name = path.split("/")
    name = name.lower()
    is_source = name.rpartition(".")[2] in _SOURCES
    if is_source and not _TEST_FOLDERS.isdisjoint(folders):
        return "test"
    if is_source and _TEST_NAME.fullmatch(name):
        return "test"
    if _CONFIG_NAME.fullmatch(name):
        return "config"
    if _DECLARATION.fullmatch(name):
        return "types"
    if is_source and ("types" in name.split(".")[:-1] or not _TYPE_FOLDERS.isdisjoint(folders)):
        return "types"
    return "source" if is_source else "unknown"


def is_first_file(path: str) -> bool:
    """Whether the name of a file makes it an entry point: index or main."""
    stem, _, extension = path.rpartition("/")[2].rpartition(".")
    return extension in _SOURCES and _FIRST.fullmatch(stem) is not None
