"""The declarations that a request for a change may be about."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.errors import TimeUp, ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.index.retrieval.asked import asked
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.project.checks.reach import is_test
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.files.text_file import TextFile

MOST_PLACES = 8
_MOST_TOKENS = 2000
"""Of a declaration that is written anew."""
_NOUN = (
    r"(?:functions?|methods?|class(?:es)?|tests?|test cases?|files?|modules?|scripts?|components?"
    r"|endpoints?|routes?|pages?|packages?|enums?|interfaces?|notes?|documents?|guides?|tutorials?)"
)
_LINK = r"(?:to|in|into|for|of|from|that|which|so|with|by|on|at|the|this|my|our|its)\b"
_NEW = re.compile(
    r"\b(?:add|create|write|generate|introduce|implement|build|scaffold)\s+"
    rf"(?:(?!{_LINK})[\w`\"'.-]+\s+){{0,4}}?"
    r"(?:function|(method)|class|(file|module|script)|component|enum|interface)(?:e?s)?\b"
    r"|\b(?:schreib\w*|erstell\w*|füge?|ajout\w*|écri\w*|cré(?:e|er|ez)|agreg\w*|añad\w*|cre(?:a|ar))\s+"
    r"(?:\w+\s+){0,3}?"
    r"(?:funktion|(methode|méthode|método)|klasse|(datei|fichier|archivo)|fonction|classe|función"
    r"|clase)\b"
    r"|(?:добав|напиш|созда)\w*\s+(?:\w+\s+){0,2}?(?:функци|(метод)|класс|(файл))"
    r"|(?:添加|新增|创建|编写|写).{0,6}(?:函数|(方法)|类|(文件))",
    re.IGNORECASE,
)
"""Something new; of each pair of groups the first is a method, the second a file."""
_ELSEWHERE = re.compile(
    # something new
    r"\b(?:add|create|write|generate|introduce|implement|build|scaffold|extract|split)\s+"
    rf"(?:(?!{_LINK})[\w`\"'.-]+\s+){{0,4}}?{_NOUN}\b"
    # another name or place, and what no text is needed for
    r"|\b(?:rename|move|commit|undo|revert)\b"
    rf"|\b(?:delete|remove|drop)\s+(?:the\s+|this\s+)?(?:(?:whole|unused|old|dead)\s+)*{_NOUN}\b"
    # what is no declaration
    r"|\b(?:cells?|notebook|readme|changelog|docs folder)\b"
    r"|\b(?:umbenenn\w*|verschieb\w*|lösch\w*|renomm\w*|supprim\w*|renombr\w*|elimin[ae]\w*)\b"
    r"|переимену|удали|перемести|重命名|删除|移动"
    r"|\b(?:schreib\w*|erstell\w*|füge?|ajout\w*|écri\w*|cré(?:e|er|ez)|agreg\w*|añad\w*|cre(?:a|ar))\s+"
    r"(?:\w+\s+){0,3}?(?:funktion|methode|klasse|tests?|datei|fonction|méthode|classe|fichier"
    r"|función|método|clase|archivo|pruebas?)\b"
    r"|(?:добав|напиш|созда)\w*\s+(?:\w+\s+){0,2}?(?:функци|метод|класс|тест|файл)"
    r"|(?:添加|新增|创建|编写|写).{0,6}(?:函数|方法|类|测试|文件)",
    re.IGNORECASE,
)
"""What is not the change of one declaration."""
_EVERYWHERE = re.compile(
    r"\b(?:everywhere|throughout|überall|partout|en todas partes)\b|везде|во вс[её]м|到处|所有文件"
    r"|\bin (?:all|every) (?:files?|places?)\b"
    r"|(?P<users>\b(?:all|every|each)\s+(?:(?:of|the|its|their)\s+){0,2}"
    r"(?:callers?|call sites?|usages?|users?|uses)\b)",
    re.IGNORECASE,
)
_MOST_USES = 200
_AND = re.compile(r"[\s`\"',()]*(?:(?:and|und|et|y|и|和)\b)?[\s`\"',()]*", re.IGNORECASE)
_DELETES = (
    r"(?:\b(?:delete|remove|drop|get rid of|entferne|supprime|enlève|quita|borra)\s+"
    r"|убери\s+|移除\s*)"
    r"(?:the\s+)?[`\"']?{0}(?:\(\))?[`\"']?\s*(?:$|[.!;,\n])"
)
_KIND = r"(?:function|method|class|constant|variable|type|interface|hook|component|helper)"
_SUBJECT = (
    rf"(?:\b{_KIND}\s+{{0}}\b|\b{{0}}\s+{_KIND}\b"
    r"|^\W*{0}\s+(?:gives?|returns?|raises?|throws?|crashes|hangs|fails|is|does|should|must|never"
    r"|always|takes|ignores|computes|loops|runs|has|breaks|leaves|skips|counts|misses)\b)"
)
_FIELDS = ("self.", "cls.", "this.")
_CALLED = frozenset({"function"})
_TEST_FAILS = re.compile(r"\btests?\b[^.:!?\n]*\bfail(?:s|ed)?\b", re.IGNORECASE)
"""Then the test is right, and the code that it tests is wrong."""
_PATH = re.compile(r"[\w@./-]*\w\.\w{1,8}\b")


class ChangedPlace(NamedTuple):
    """A declaration that may be changed.

    Attributes:
        file: Its file, as it is.
        found: Its lines.
    """

    file: TextFile
    found: DeclaredLines

    @property
    def text(self) -> str:
        """Its lines, with its decorators and the comment above it."""
        return "\n".join(self.file.lines[self.found.comments - 1 : self.found.end])

    @property
    def told(self) -> str:
        """Its name and its place."""
        return f"`{self.found.qualified}` {self.file.path}:{self.found.start}"


class ChangedPlaces:
    """Finds the places of a request.

    Args:
        project: The project.
        request: What is asked for, as typed.
    """

    def __init__(self, project: Project, request: str) -> None:
        self._project = project
        self._request = request
        self._files: dict[str, tuple[TextFile, Declarations] | None] = {}

    @cached_property
    def new(self) -> Literal["method", "file", "declaration", ""]:
        """What the request wants to be written that is not there yet; "" for nothing."""
        said = _NEW.search(self._request)
        if said is None:
            return ""
        if _ELSEWHERE.search(f"{self._request[: said.start()]} {self._request[said.end() :]}"):
            return ""
        if said.lastindex is None:
            return "declaration"
        return "method" if said.lastindex % 2 else "file"

    @property
    def is_elsewhere(self) -> bool:
        """Whether the request is plainly about more or something else than one declaration."""
        if _ELSEWHERE.search(self._request):
            return True
        root = self._project.workspace.root
        named = (found[0].lstrip("./") for found in _PATH.finditer(self._request))
        if any(not is_code(one) and (root / one).is_file() for one in named):
            return True
        deletes = (_DELETES.format(re.escape(name)) for name in self.exact)
        return any(re.search(one, self._request, re.IGNORECASE) for one in deletes)

    def named(self, further: Sequence[str] = ()) -> list[ChangedPlace]:
        """The declarations that the request names exactly, in the order of their names.

        Functions and methods go before all others.

        Args:
            further: Names that it refers to, such as those of the last answer.
        """
        found: dict[tuple[str, int], SymbolLocation] = {}
        for name in self.exact or further:
            for one in self._project.index.definitions(name):
                found.setdefault((one.path, one.line), one)
        places = list(found.values())
        paths = [one[0].lstrip("./") for one in _PATH.finditer(self._request)]
        here = [one for one in places if any(f"/{one.path}".endswith(f"/{p}") for p in paths)]
        if not here and any((self._project.workspace.root / one).is_file() for one in paths):
            return []  # it is said where, and there is nothing of that name
        places = here or places
        called = [one for one in places if one.kind in _CALLED]
        found_places = (self._at(one.path, one.qualified, one.line) for one in called or places)
        known = {(one.file.path, one.found.start): one for one in found_places if one is not None}
        return list(known.values())[:MOST_PLACES]

    @property
    def is_everywhere(self) -> bool:
        """Whether the request is about all places of something."""
        return _EVERYWHERE.search(self._request) is not None

    @property
    def is_list(self) -> bool:
        """Whether the names of the request stand in one list, as in "`a`, `b` and `c`"."""
        any_of = "|".join(map(re.escape, self.exact)) or "(?!)"
        found = [one.span() for one in re.finditer(rf"(?<!\w)(?:{any_of})(?!\w)", self._request)]
        between = (self._request[one[1] : other[0]] for one, other in pairwise(found))
        return len(self.exact) > 1 and all(map(_AND.fullmatch, between))

    def using(self) -> list[ChangedPlace]:
        """The declarations that use what the request names; itself first, unless users are meant.

        There are none where it names nothing that is declared just once.
        """
        meant = [one for name in self.exact[:1] for one in self._project.index.definitions(name)]
        if len(meant) != 1:
            return []
        [own] = meant
        everywhere = _EVERYWHERE.search(self._request)
        is_of_users = everywhere is not None and everywhere["users"] is not None
        try:
            uses = self._project.index.uses(own.qualified, limit=_MOST_USES, declared_in=own.path)
        except TimeUp:
            return []
        names = [(own.path, own.qualified, own.line)] * (not is_of_users)
        for one in uses.first:
            names.append((one.path, uses.around.get((one.path, one.line), ""), one.line))
        found = (self._at(*one) for one in names)
        known = {(one.file.path, one.found.start): one for one in found if one is not None}
        if is_of_users:
            known.pop((own.path, own.line), None)
        return list(known.values())

    def likely(self, evidence: Evidence) -> dict[str, ChangedPlace]:
        """The declarations that the evidence is about, by its ids, which go on beyond its text."""
        known = {one.id: one.symbol for one in evidence.excerpts}
        left = [one for one in evidence.symbols if one not in known.values()]
        known |= {f"E{number}": one for number, one in enumerate(left, len(known) + 1)}
        found: dict[str, ChangedPlace] = {}
        for id_, one in known.items():
            place = self._at(one.path, one.name, one.line) if len(found) < MOST_PLACES else None
            if place is not None and place not in found.values():
                found[id_] = place
        return found

    @cached_property
    def exact(self) -> list[str]:
        """The declared names that the request has as code, or as those of a function."""
        known = asked(self._request)
        sure = [
            name
            for name, weight in known.names.items()
            if weight >= 1 or re.search(_SUBJECT.format(re.escape(name)), self._request)
        ]
        sure = [name for name in sure if self._project.index.definitions(name)]
        parts = {part for name in sure if "." in name for part in name.split(".")}
        return sorted((name for name in sure if name not in parts), key=self._request.find)

    def _at(self, path: str, name: str, line: int) -> ChangedPlace | None:
        """The declaration of a name around a line; None if it cannot be written anew."""
        if is_test(path) and _TEST_FAILS.search(self._request):
            return None
        read = self._read(path)
        if read is None:
            return None
        file, known = read
        owner = name.rpartition(".")[0]
        inside = [one for one in known.names if one.startswith(f"{owner}.")] if owner else []
        for names in ([name], inside, [owner]):  # a field is a line of the method that sets it
            around = [
                one
                for each in names
                for one in known.exactly(each)
                if one.comments <= line <= one.end and not one.problem
                if not file.lines[one.start - 1].lstrip().startswith(_FIELDS)
            ]
            if around:
                break
        else:
            return None
        place = ChangedPlace(file, min(around, key=lambda one: one.end - one.start))
        return place if count_tokens(place.text) <= _MOST_TOKENS else None

    def _read(self, path: str) -> tuple[TextFile, Declarations] | None:
        if path not in self._files:
            self._files[path] = None
            try:
                if is_code(path) and not path.endswith(".ipynb"):
                    file = self._project.workspace.read(path)
                    known = Declarations(path, file.data)
                    self._files[path] = None if known.problem else (file, known)
            except (ToolError, ParsingTooSlow):
                pass
        return self._files[path]
