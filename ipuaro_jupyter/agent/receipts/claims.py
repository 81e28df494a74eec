"""The claims of an answer that are certainly false, each with the word that marks it."""

import json
import re
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.context.answer_mentions import (
    ENDINGS,
    AnswerMentions,
    MentionedPath,
    Symbol,
)
from ipuaro_jupyter.agent.receipts.closed_classes import ClosedClasses
from ipuaro_jupyter.agent.receipts.standard_names import is_standard
from ipuaro_jupyter.agent.receipts.surroundings import Surroundings
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.languages.registry import code_among
from ipuaro_jupyter.records.evaluation import Finding

_NEAR = 3  # lines: who names the comment above a function means the function
_SEARCH_S = 0.5
_PORTION = 400  # files
_SIMILAR, _VERY_SIMILAR = 0.75, 0.85
_LONG = 6
_MADE = {
    *("node_modules", "dist", "build", "out", "coverage", "target", "__pycache__", ".git", ".venv"),
    *("venv", "site-packages", "lib", "tmp", "temp", ".next", ".nuxt", ".cache", "vendor", ".idea"),
}
_DOMAIN = re.compile(r"(?:www\.|[\w-]+\.)+(?:com|org|io|dev|net|app|ai|edu|gov|co|de|fr|es|uk|ru)$")
_PLACEHOLDER = re.compile(
    r"(?:^|[/_.-])(?:path|your|my|foo|bar|baz|example|examples|some|xyz|x|y|z|name|file)(?=[/_.-]|$)"
    r"|\.\.\.|[<>{}*$]",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?^[ \t]*(?:```|~~~)", re.MULTILINE | re.DOTALL)
_HUMPS = re.compile(r"[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]")
_CAPITALS = re.compile(r"[A-Z\d_]+")
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
_MOST = 30  # manifests
_REQUIRED = re.compile(r"^\s*[\"']?([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[<>=!~;@].*)?[\"']?,?\s*$")


class Falsehood(NamedTuple):
    """A false claim: where its mark belongs, the mark, and what is known of it.

    ``unless`` is a name that makes it none where it stands in a text of the project; "" for none.
    """

    end: int
    word: str
    finding: Finding
    unless: str = ""


class Claims:
    """Looks for false claims; see the package for what is none.

    Args:
        text: The answer.
        named: What it names.
        checker: Compares names with the project.
        index: The project's symbols.
        given: Texts that the names may come from: what tools returned and the user attached.
        changed: The paths that the turn has changed.
        wanted: A question that asks for something new.
        read: The lines that the model has read, by file, 1-based and with the last; None where it
            may have read others.

    Attributes:
        false: The false claims, after `look`.
        held: The true ones, in their normal form and order.
    """

    def __init__(
        self,
        text: str,
        named: AnswerMentions,
        *,
        checker: Checker,
        index: CodeIndex,
        given: Sequence[str],
        changed: Collection[str],
        wanted: str,
        read: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    ) -> None:
        self._text = text
        self._named = named
        self._checker = checker
        self._index = index
        self._given = (*given, *_FENCE.findall(text))
        self._changed = frozenset(changed)
        self._wanted = wanted
        self._read = read
        self._classes = ClosedClasses(index, checker)
        self._around = Surroundings(text)
        self._about: dict[tuple[int, int], bool] = {}
        self.false: list[Falsehood] = []
        self.held: dict[str, None] = {}

    def look(self) -> None:
        """Look at each claim, places first."""
        found: list[Falsehood] = []
        for place in self._named.places:
            if self._around.is_free(place.start, place.end):
                continue
            finding = self._noted(self._checker.place(place))
            if finding is not None and finding.verdict == "ok" and self._is_unread(place):
                detail = "these lines were not read for this answer"
                unread = finding.model_copy(update={"verdict": "unknown", "detail": detail})
                found.append(Falsehood(place.end, "not read", unread))
            if finding is not None and finding.verdict == "wrong":
                one = self._of_place(place, finding)
                if one and (one.word == "no such lines" or not self._is_given(place.path)):
                    found.append(one)
        for symbol in self._named.symbols:
            if self._around.is_free(symbol.start, symbol.end):
                continue
            beside = [place for of, place in self._named.beside if of == symbol]
            finding = self._noted(self._checker.symbol(symbol, beside))
            one = None if finding is None else self._of_symbol(symbol, beside, finding)
            if one and (one.word == "not there" or not self._is_given(symbol.name)):
                found.append(one)
        there = self._standing([one.unless for one in found if one.unless])
        self.false = [one for one in found if one.unless not in there]

    def _is_unread(self, place: MentionedPath) -> bool:
        """Whether a place has lines that the model cannot know."""
        if self._read is None or place.first is None or place.last is None:
            return False
        files = self._checker.files(place.path)
        told = any(f"{path}:{place.first}" in text for path in files for text in self._given)
        return not told and not any(
            first - _NEAR <= place.first and place.last <= last + _NEAR
            for path in files
            for first, last in self._read.get(path, ())
        )

    def _noted(self, finding: Finding | None) -> Finding | None:
        if finding is not None and finding.verdict == "ok":
            self.held[finding.named] = None
        return finding

    def _of_place(self, place: MentionedPath, finding: Finding) -> Falsehood | None:
        """The falsehood of a place that is not there; None where it may mean something else."""
        word = self._word_of_place(place, finding)
        if word:
            return Falsehood(place.end, word, finding)
        if self._is_own_file(place):
            return Falsehood(place.end, "no such file", finding, place.path)
        return None

    def _is_own_file(self, place: MentionedPath) -> bool:
        """Whether a file name without a folder has to be that of a file of the project."""
        name, at = place.path, (place.start, place.end)
        return (
            "/" not in name
            and is_own_name(name, self._code_endings)
            and not self._checker.files(name)
            and not _DOMAIN.search(name)
            and not _PLACEHOLDER.search(name)
            and not self._is_module(name.rpartition(".")[0])
            and not any(path.rpartition("/")[2] == name for path in self._changed)
            and not self._around.is_foreign(*at)
            and not self._around.is_any(*at)
            and self._names_project(0, len(self._text))
            and self._dependencies.isdisjoint(self._words(*self._around.paragraph(place.start)))
        )

    def _word_of_place(self, place: MentionedPath, finding: Finding) -> str:
        """The mark of a place that is not there; "" where it may mean something else."""
        if self._checker.files(place.path):
            return "" if self._changed & {*self._checker.files(place.path)} else "no such lines"
        parts = place.path.rstrip("/").split("/")
        stem, _, ending = parts[-1].rpartition(".")
        if (
            _DOMAIN.search(parts[0])
            or _PLACEHOLDER.search(place.path)
            or len(stem.strip("._")) == 1
            or place.path.startswith("@")
            or not _MADE.isdisjoint(parts)
            or any(place.path.startswith(f"{path}/") for path in self._changed)
        ):
            return ""
        if ending.lower() not in ENDINGS or "." not in parts[-1]:
            is_folder = len(parts) > (1 if place.path.endswith("/") else 2)
            is_claimed = is_folder and self._is_here(parts) and not self._is_module(place.path)
            return "no such folder" if is_claimed else ""
        if not stem:
            return ""
        if len(parts) > 1 and parts[0] not in (".", ".."):
            return "no such file" if self._is_here(parts) else ""
        near = [path.rpartition("/")[2].rpartition(".") for path in finding.closest]
        is_misspelt = len(stem) >= _LONG and any(
            one[2] == ending and _alike(stem, one[0], _VERY_SIMILAR) for one in near
        )
        return "no such file" if is_misspelt else ""

    def _is_module(self, path: str) -> bool:
        """Whether a path without its ending is that of a file."""
        end = path.strip("/").removeprefix("./")
        return any(
            f"/{known.rpartition('.')[0]}".endswith(f"/{end}") or f"/{end}/" in f"/{known}"
            for known in self._paths
        )

    def _is_here(self, parts: Sequence[str]) -> bool:
        """Whether a path begins in a folder at the project's top, or all its folders are there."""
        folders = "/".join(parts[:-1])
        return bool(folders) and any(
            path.startswith(f"{parts[0]}/") or f"/{folders}/" in f"/{path}" for path in self._paths
        )

    @cached_property
    def _paths(self) -> list[str]:
        return self._index.paths()

    def _of_symbol(
        self, symbol: Symbol, beside: Sequence[MentionedPath], finding: Finding
    ) -> Falsehood | None:
        """The falsehood of a symbol, or of the place that it is said to be at."""
        owner, _, member = symbol.name.rpartition(".")
        if owner and "." not in owner and self._classes.lacks(owner, member):
            told = {"named": symbol.name, "verdict": "wrong", "detail": f"{owner} has no {member}"}
            return Falsehood(symbol.end, "no such member", finding.model_copy(update=told))
        if finding.verdict != "wrong":
            return None
        place = next((one for one in beside if self._checker.files(one.path)), None)
        if place is not None:
            is_elsewhere = self._is_elsewhere(symbol, place, finding)
            end = max(symbol.end, place.end)
            return Falsehood(end, "not there", finding) if is_elsewhere else None
        if self._is_of_code(symbol, finding):
            return Falsehood(symbol.end, "not in the code", finding, finding.named)
        return None

    def _is_elsewhere(self, symbol: Symbol, place: MentionedPath, finding: Finding) -> bool:
        """Whether a name is certainly not where the answer says."""
        files = self._checker.files(place.path)
        is_free = self._around.is_free(place.start, place.end)
        if is_free or not self._changed.isdisjoint(files):
            return False
        last = symbol.name.rpartition(".")[2]
        defined = self._checker.defined(symbol.name) or self._checker.defined(last)
        is_of_code = defined or _HUMPS.search(last) or _is_misspelt(last, finding)
        if not is_of_code and not self._index.having(last):
            return False
        if place.first is None or place.last is None:
            lines = (line for path in files for line in self._checker.lines(path) or ())
            return bool(defined) or not any(last.lower() in line.lower() for line in lines)
        if place.first < 1 or not any(
            place.last <= len(self._checker.lines(path) or ()) for path in files
        ):
            return False  # the place has its own mark
        first, last_line = place.first - _NEAR, place.last + _NEAR
        ranges = [self._checker.range_of(one) for one in defined if one.path in files]
        used = (n for path in files for n in self._checker.occurrences(path, symbol.name))
        return not any(a <= last_line and first <= b for a, b in ranges) and not any(
            first <= number <= last_line for number in used
        )

    def _is_of_code(self, symbol: Symbol, finding: Finding) -> bool:
        """Whether a name that stands nowhere has to be one of the project's."""
        name = symbol.name
        if "." in name or is_standard(name) or _PLACEHOLDER.fullmatch(name):
            return False
        if self._around.is_foreign(symbol.start, symbol.end):
            return False
        if not _HUMPS.search(name):
            return _is_misspelt(name, finding)
        if _is_misspelt(name, finding):
            return True
        return not _CAPITALS.fullmatch(name) and self._is_about_project(symbol.start)

    @cached_property
    def _code_endings(self) -> frozenset[str]:
        return frozenset(path.rpartition(".")[2] for path in code_among(self._paths))

    def _is_about_project(self, at: int) -> bool:
        """Whether the paragraph of a place is about the project."""
        around = self._around.paragraph(at)
        if around not in self._about:
            self._about[around] = self._names_project(*around) and self._dependencies.isdisjoint(
                self._words(*around)
            )
        return self._about[around]

    def _names_project(self, start: int, end: int) -> bool:
        """Whether a part of the text names something of the project."""
        places = (p for p in self._named.places if start <= p.start < end)
        symbols = (s for s in self._named.symbols if start <= s.start < end)
        return any(self._checker.files(place.path) for place in places) or any(
            self._checker.defined(symbol.name) for symbol in symbols
        )

    def _words(self, start: int, end: int) -> list[str]:
        """The words of a part of the text, and what they begin with before a dot, as in next.js."""
        words = re.findall(r"\w+(?:[.-]\w+)*", self._text[start:end].lower())
        return [*words, *(word.partition(".")[0] for word in words)]

    @cached_property
    def _dependencies(self) -> frozenset[str]:
        return frozenset(dependencies(self._index, self._paths))

    def _is_given(self, name: str) -> bool:
        """Whether a name was given to the model, or asked for."""
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        return any(name in text and word.search(text) for text in (self._wanted, *self._given))

    def _standing(self, names: Collection[str]) -> set[str]:
        """Those of some names that stand in a text of the project, or may: not all were read."""
        if not names:
            return set()
        found = set(self._index.unread.naming(names))
        waiting = {name: _as_written(name) for name in names if name not in found}
        paths, until_s = self._paths, time.monotonic() + _SEARCH_S
        for begin in range(0, len(paths), _PORTION):
            if not waiting:
                break
            if time.monotonic() > until_s:
                return found | waiting.keys()
            for data, _ in self._index.texts(paths[begin : begin + _PORTION]).values():
                here = {
                    n
                    for n, word in waiting.items()
                    if n.partition(".")[0].encode() in data and word.search(data)
                }
                found |= here
                waiting = {n: word for n, word in waiting.items() if n not in here}
        return found


def _is_misspelt(name: str, finding: Finding) -> bool:
    """Whether one of the closest names is almost the same."""
    near = [one.partition(" ")[0].rpartition(".")[2] for one in finding.closest]
    return any(name.lower() != one.lower() and _alike(name, one, _SIMILAR) for one in near)


def _as_written(name: str) -> re.Pattern[bytes]:
    """A pattern for the name of a symbol, or of a file, in a text of the project."""
    if "." in name:
        return written_in_code(name)
    return re.compile(rb"(?<![\w$])%b(?![\w$])" % re.escape(name.encode()))


def _alike(name: str, other: str, ratio: float) -> bool:
    return SequenceMatcher(None, name.lower(), other.lower()).ratio() >= ratio


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


def dependencies(index: CodeIndex, paths: Sequence[str]) -> Iterator[str]:
    """Yield the names in lower case, a name with a scope also without it."""
    texts = index.texts([path for path in paths if _is_manifest(path)][:_MOST])
    for path, (data, _) in texts.items():
        text = data.decode("utf-8", "replace")
        found = _of_npm(text) if path.endswith(".json") else _of_python(text)
        for name in found:
            yield name.lower()
            yield name.lower().rpartition("/")[2]


def _is_manifest(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in ("package.json", "pyproject.toml") or (
        name.startswith("requirements") and name.endswith(".txt")
    )


def _of_npm(text: str) -> Iterator[str]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        named = manifest.get(kind) if isinstance(manifest, dict) else None
        yield from named if isinstance(named, dict) else ()


def _of_python(text: str) -> Iterator[str]:
    """Yield what is required, one to a line or in a list."""
    for line in re.split(r"[\n\[\]]|(?<=[\"']),", text):
        if required := _REQUIRED.match(line):
            yield required[1]
