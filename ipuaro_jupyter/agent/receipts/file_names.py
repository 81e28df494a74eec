"""File names that stand alone: which of them can only be those of the project's own files."""

import re
import sys
from collections.abc import Collection

_USUAL = re.compile(
    r"\..*|__\w+__\..+|index\..+|.+\.d\.[cm]?ts|.*[._-](?:config|conf|rc|min|bundle|esm|umd)\..+"
    r"|(?:bundle|bootstrap|polyfills?|vendor|service-?worker|sw|mod|lib|build)\.\w+|.+rc\.[cm]?js"
    r"|(?:page|layout|loading|error|not-found|template|route|middleware|hooks\.(?:server|client)"
    r"|_app|_document)\.[cm]?[jt]sx?|.+(?:_pb2(?:_grpc)?|\.pb|[._-]gen(?:erated)?)\.\w+"
    r"|(?:setup|conftest|manage|noxfile|fabfile|tasks|wsgi|asgi|sitecustomize|usercustomize|conf"
    r"|urls|admin|apps|settings|models|signals|views|versioneer|_version|get-pip|script|program"
    r"|hello\w*|demo\w*)\.py",
    re.IGNORECASE,
)
_OF_WORDS = re.compile(r"[a-z\d][A-Z]|[-_]")


def is_own_name(name: str, endings: Collection[str]) -> bool:
    """Whether a file of that name can hardly be a tool's, a framework's or a library's.

    Args:
        name: Such as "session.ts".
        endings: Those of the project's code.
    """
    stem, _, ending = name.rpartition(".")
    if ending not in endings or _USUAL.fullmatch(name):
        return False
    if ending == "py":
        return stem not in sys.stdlib_module_names
    return ending != "js" or _OF_WORDS.search(stem) is not None  # "three.js" is a library


def written_in_code(name: str) -> re.Pattern[bytes]:
    """A pattern for the name of a file in a text, and for an import of it."""
    whole, stem = (re.escape(one.encode()) for one in (name, name.rpartition(".")[0]))
    return re.compile(
        rb"(?<![\w$])%b(?![\w$])|[./]%b(?:\.\w{1,4})?['\"]|^[ \t]+%b,"
        rb"|\b(?:from|import)\b[^\n;]{0,300}?(?<![\w$])%b(?![\w$])" % (whole, stem, stem, stem),
        re.MULTILINE,
    )
