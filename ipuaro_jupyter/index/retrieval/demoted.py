"""Files that a question hardly means unless it says so: tests, examples, generated code."""

import re
from functools import lru_cache

from ipuaro_jupyter.index.ranking.file_roles import file_type
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion

_TESTS, _BESIDES, _UNKNOWN = 0.3, 0.4, 0.5
_TEST_FOLDERS = re.compile(r"(?:^|/)(?:testing|test[-_]?(?:data|utils|helpers|support))/")
_BESIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs?|documentation|bench(?:marks?)?|fixtures?|vendor"
    r"|vendored|_vendor|third[-_]party|packages/[^/]*/node_modules|node_modules|generated"
    r"|__generated__|dist|build)/|\.(?:min|gen|generated|pb)\.\w+$|_pb2\.py$",
    re.IGNORECASE,
)


def standing(path: str, asked: AskedQuestion) -> float:
    """What the score of a file is multiplied with, for what it is: at most 1."""
    role = _role(path)
    return 1.0 if role == _TESTS and asked.wants_tests else role


@lru_cache(maxsize=100_000)
def _role(path: str) -> float:
    kind = file_type(path)
    if kind == "test" or _TEST_FOLDERS.search(path):
        return _TESTS
    if _BESIDE.search(path):
        return _BESIDES
    return _UNKNOWN if kind in ("unknown", "config") else 1.0
