"""Which changed files a check says something about, and which files decide what it says."""

import re

from ipuaro_jupyter.project.checks.reach import is_test

_DECLARATIONS = re.compile(r".+\.d(?:\.[^./]+)?\.[cm]?ts")  # skipLibCheck leaves them out
_UNTYPED = (".js", ".jsx", ".mjs", ".cjs")
_OFF = re.compile(
    rb"@ts-nocheck|^\s*#\s*(?:mypy:\s*(?:ignore[-_]errors|disable)|type:\s*ignore\b"
    rb"|pyright:\s*(?:basic|standard|[^\n]*=\s*(?:false|none|warning|information)\b))",
    re.MULTILINE,
)
_ON = re.compile(rb"\s*//+\s*@ts-check\b")
_TYPED_VUE = re.compile(rb"<script\b[^>]*\blang=[\"']tsx?[\"']")

_TEST_FOLDERS = frozenset(
    {"test", "tests", "spec", "specs", "e2e", "__tests__", "__mocks__", "__snapshots__"}
)
_RULES = re.compile(
    r"""
    conftest\.py | sitecustomize\.py | usercustomize\.py | .+\.snap
    | package\.json | \.npmrc | [jt]sconfig\b.*\.json
    | (?:vitest|vite|jest|babel)\.\w+\.(?:[cm]?[jt]s|json) | (?:vitest|jest)-?[Ss]etup\b.*
    | setupTests\..+ | \.mocharc\b.* | \.babelrc\b.* | \.swcrc
    | pyproject\.toml | setup\.(?:cfg|py) | tox\.ini | \.?pytest\.(?:ini|toml)
    | \.?mypy\.ini | pyrightconfig\.json
    """,
    re.VERBOSE,
)


def is_type_checked(path: str, content: bytes | None) -> bool:
    """Whether a checker that reads a file looks for errors in it, as far as the file says that.

    JavaScript counts only if its first lines ask for it, and declarations (``.d.ts``) never do.
    """
    text = content or b""
    if _DECLARATIONS.fullmatch(path) or _OFF.search(text):
        return False
    if path.endswith(_UNTYPED):
        return _asks_for_check(text)
    return not path.endswith(".vue") or bool(_TYPED_VUE.search(text))


def sets_the_rules(path: str) -> bool:
    """Whether a file is a test, or configures tests or checkers: its change may hide a failure."""
    *folders, name = path.split("/")
    return is_test(path) or bool(_TEST_FOLDERS & set(folders) or _RULES.fullmatch(name))


def _asks_for_check(text: bytes) -> bool:
    for line in text.removeprefix(b"\xef\xbb\xbf").splitlines():
        if _ON.match(line):
            return True
        if line.strip() and not line.lstrip().startswith((b"//", b"#!")):
            return False
    return False
