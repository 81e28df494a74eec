"""The language of a file. The list of folders is the list of languages."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ipuaro_jupyter.added_modules import named_folders
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.language_folder import load
from ipuaro_jupyter.languages.tables import LanguageError

SEARCH_PATH = "IPUARO_LANGUAGES"
_HERE = Path(__file__).parent


def language_for(path: str) -> Language | None:
    """The language of a file by its name, or by its last extension; None for any other."""
    return _language(path, *_index(os.environ.get(SEARCH_PATH, "")))


def is_code(path: str) -> bool:
    """Whether a file is in a language that has functions and a complexity."""
    language = language_for(path)
    return language is not None and language.is_code


def code_among(paths: Iterable[str]) -> set[str]:
    """The files of many for which `is_code` holds."""
    names, extensions = _index(os.environ.get(SEARCH_PATH, ""))
    languages_of = ((path, _language(path, names, extensions)) for path in paths)
    return {path for path, language in languages_of if language is not None and language.is_code}


def is_by_name(path: str) -> bool:
    """Whether names in a file are known by their spelling alone, as its language has no scopes."""
    language = language_for(path)
    return language is not None and language.reader == "grammar"


def is_open(path: str) -> bool:
    """Whether others may import every top-level name of a file, even its imports."""
    language = language_for(path)
    return language is not None and language.modules == "python"


def install_for(extension: str) -> str | None:
    """The command that makes files with an extension readable; None when none is needed."""
    language = language_for(f"file{extension}")
    return language.install if language is not None and language.install else None


def language_named(name: str) -> Language:
    """A language by its name.

    Raises:
        KeyError: There is no such language.
    """
    return languages(os.environ.get(SEARCH_PATH, ""))[name]


@lru_cache(maxsize=8)
def languages(search_path: str = "") -> Mapping[str, Language]:
    """All languages by name: one per folder here and in the folders of ``search_path``.

    Args:
        search_path: Folders of language folders, separated as in PATH; a later one wins. The
            environment variable IPUARO_LANGUAGES holds it for `language_for`, also in workers.

    Raises:
        LanguageError: A folder does not describe a language.
        SettingsError: ``search_path`` names a folder that is missing or relative.
    """
    found: dict[str, Language] = {}
    for folder in _folders(search_path):
        language = load(folder)
        found[language.name] = language
    for language in found.values():
        if language.retry is not None and language.retry not in found:
            raise LanguageError(f"{language.folder}: retry = {language.retry!r} is not a language")
    return found


def _folders(search_path: str) -> Iterator[Path]:
    for place in (_HERE, *named_folders(SEARCH_PATH, search_path)):
        yield from sorted(path.parent for path in place.glob("*/language.toml"))


def _language(
    path: str, names: Mapping[str, Language], extensions: Mapping[str, Language]
) -> Language | None:
    name = path[path.rfind("/") + 1 :].lower()
    _, dot, last = name.rpartition(".")
    return names.get(name) or extensions.get(dot + last)


@lru_cache(maxsize=8)
def _index(search_path: str) -> tuple[Mapping[str, Language], Mapping[str, Language]]:
    found = languages(search_path).values()
    return (
        {name.lower(): language for language in found for name in language.filenames},
        {extension: language for language in found for extension in language.extensions},
    )
