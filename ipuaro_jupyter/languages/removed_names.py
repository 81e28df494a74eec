"""Names that a change of a file no longer imports or declares, and the file still uses.

Told only where that is certain: nothing else in the new text declares such a name, in any scope.
"""

from functools import lru_cache

from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.ecmascript_names import lost_in_ecmascript
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.python_names import lost_in_python
from ipuaro_jupyter.languages.registry import language_for

LARGEST = 1_000_000
"""Larger files are not judged, in bytes."""
_MOST_TOLD = 5


@lru_cache(maxsize=8)
def removed_name_problems(path: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """The names that a change leaves without a meaning, one line each, as a proposal tells them.

    None for a text with syntax errors, and for names that exist without an import. Declarations
    count in Python and in modules: what a script declares may stand in another one.

    Args:
        path: Its name decides the language: Python, TypeScript, JavaScript, or a component.
        before: The file as it is; None when there is none.
        after: The file as it would be; None when it is deleted.
    """
    if not before or not after or before == after or max(len(before), len(after)) > LARGEST:
        return ()
    language = language_for(path)
    if language is None:
        return ()
    try:
        if language.name == "python":
            lost = lost_in_python(path, before, after)
        elif _is_ecmascript(language):
            lost = lost_in_ecmascript(path, before, after)
        else:
            return ()
    except (ParsingTooSlow, SyntaxError, ValueError, RecursionError):
        return ()
    told = [f'line {one.line} uses "{one.name}", which is no longer {one.verb}' for one in lost]
    return tuple(told[:_MOST_TOLD])


def _is_ecmascript(language: Language) -> bool:
    is_read = language.is_code and language.reader in {"declarations", "component"}
    return is_read and language.modules == "ecmascript"
