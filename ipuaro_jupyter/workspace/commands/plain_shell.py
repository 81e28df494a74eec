"""Shell text read strictly: every word is certain, or the text counts as unread.

`shell_syntax` looks for all that a text might run, and may overlook something. This reader knows a
small part of the language only: plain words, quotes, variables as arguments, pipes, lists, blocks,
loops, redirections and here-documents. It raises `Uncertain` for all else, so what it returns
is what a shell runs.
"""

import re
from dataclasses import dataclass, field, replace

from ipuaro_jupyter.workspace.commands.plain_text import (
    PlainCommand,
    PlainText,
    PlainWord,
    Uncertain,
    WordKnown,
    worst,
)

_UNUSUAL = re.compile(r"[^\S \t\n]|[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(?!\()", re.ASCII)
_REDIRECTION = re.compile(r"\d*(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)(?!\()")
_OPERATOR = re.compile(r"\n|&&|\|\||\|&|[;&|()]")
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9?#$!@*-]|\{[A-Za-z_]\w*\})", re.ASCII)
# What these print is always a number.
_PROCESSORS = re.compile(
    r"\$\( *(?:nproc(?: --all)?|getconf _NPROCESSORS_ONLN"
    r"|sysctl -n hw\.(?:n|logical|physical)cpu) *\)"
)
_NUMBER = re.compile(r"\$[?#$]")
_WORD_END = frozenset(" \t\n;&|()<>")
_BLOCKS = {"{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done"}
_UNREAD_WORDS = {"case", "esac", "function", "select", "coproc", "[[", "]]", "in"}
_HARMLESS_FILES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_LEFT = re.compile(r"[`\\]|\$[({\['\"]")  # in a here-document
_DEEPEST = 20  # substitutions inside each other


def read_plain(text: str) -> PlainText:
    """The commands of a shell text.

    Raises:
        Uncertain: Something in it is not plain.
    """
    if _UNUSUAL.search(text):
        raise Uncertain("it holds unusual blanks or control characters")
    reader = _PlainReader(text)
    reader.statements()
    commands = tuple(reader.commands)
    if reader.has_blocks and any(command.is_fed for command in commands):
        commands = tuple(replace(command, is_fed=True) for command in commands)
    in_order = not (reader.has_blocks or reader.in_background)
    return PlainText(commands, in_order, reader.has_loops, reader.counts)


@dataclass
class _CommandParts:
    """A command while it is read."""

    is_fed: bool
    after: str = ""
    words: list[PlainWord] = field(default_factory=list)
    assignments: list[tuple[str, PlainWord]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.words or self.assignments or self.writes)


class _PlainReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.commands: list[PlainCommand] = []
        self.has_blocks = False
        self.in_background = False
        self.has_loops = False
        self.counts = False
        self._at = 0
        self._depth = 0
        self._pipeline = 0
        self._documents: list[tuple[str, bool, bool]] = []

    def statements(self, *, inside: bool = False) -> None:
        """Read commands up to the end of the text, or to the end of a substitution."""
        parts, open_groups = _CommandParts(is_fed=False), 0
        while True:
            self._blanks()
            if self._at >= len(self.text):
                break
            found = _REDIRECTION.match(self.text, self._at)
            if found:
                self._redirection(parts, found)
                continue
            found = _OPERATOR.match(self.text, self._at)
            if found is None:
                self._part(parts)
                continue
            self._at = found.end()
            sign = found[0]
            if sign == "(":
                open_groups += self._group(parts)
                continue
            if sign == ")" and inside and not open_groups:
                self._finish(parts)
                return
            open_groups -= sign == ")"
            parts = self._operator(parts, sign)
        self._finish(parts)
        if inside or self._documents:
            raise Uncertain("it ends in the middle of something")

    def _group(self, parts: _CommandParts) -> int:
        if parts or self.text[self._at : self._at + 1] == "(":
            raise Uncertain("it holds a function, an array or arithmetic")
        self.has_blocks = True
        return 1

    def _operator(self, parts: _CommandParts, sign: str) -> _CommandParts:
        if sign == "\n" and not parts:  # a pipe goes on in the next line
            self._skip_documents()
            return parts
        if sign == ";" and self.text[self._at : self._at + 1] in (";", "&"):
            raise Uncertain("it holds a case")
        self._finish(parts)
        self.in_background = self.in_background or sign == "&"
        is_piped = sign in ("|", "|&")
        self._pipeline += not is_piped
        if sign == "\n":
            self._skip_documents()
        return _CommandParts(is_fed=is_piped, after=sign)

    def _finish(self, parts: _CommandParts) -> None:
        if parts or parts.is_fed:
            self.commands.append(
                PlainCommand(
                    tuple(parts.words),
                    tuple(parts.assignments),
                    self._pipeline,
                    is_fed=parts.is_fed,
                    writes=tuple(parts.writes),
                    after=parts.after,
                )
            )

    def _blanks(self) -> None:
        while self._at < len(self.text):
            if self.text[self._at] in " \t":
                self._at += 1
            elif self.text.startswith("\\\n", self._at):
                self._at += 2
            elif self.text[self._at] == "#":
                end = self.text.find("\n", self._at)
                self._at = len(self.text) if end < 0 else end
            else:
                return

    def _part(self, parts: _CommandParts) -> None:
        """Read an assignment, a keyword or a word."""
        start = self._at
        found = None if parts.words else _ASSIGNMENT.match(self.text, start)
        if found:
            self._at = found.end()
            parts.assignments.append((found[1], self._word()))
            return
        word = self._word()
        source = self.text[start : self._at]
        if not source:
            raise Uncertain("it holds a substitution of a process")
        if source == "[":
            word = PlainWord(source)
        if parts.words or parts.assignments:
            parts.words.append(word)
            return
        if source in _UNREAD_WORDS:
            raise Uncertain(f"the policy does not read {source!r}")
        if source in _BLOCKS:
            self.has_blocks = True
            self.has_loops = self.has_loops or source in ("while", "until")
        elif source == "for":
            self._loop(parts)
        elif source == "!":
            parts.after = "!"
        else:
            parts.words.append(word)

    def _loop(self, parts: _CommandParts) -> None:
        """Read ``for NAME in words``, as far as the end of the words."""
        self.has_blocks = self.has_loops = True
        self._blanks()
        found = re.compile(r"[A-Za-z_]\w*(?=[ \t\n;])", re.ASCII).match(self.text, self._at)
        if found is None:
            raise Uncertain("it holds arithmetic")
        self._at = found.end()
        parts.assignments.append((found[0], PlainWord("", WordKnown.NOTHING)))
        self._blanks()
        while self._at < len(self.text) and self.text[self._at] not in _WORD_END:
            self._word()
            self._blanks()

    def _redirection(self, parts: _CommandParts, found: re.Match[str]) -> None:
        sign = found[1]
        self._at = found.end()
        self._blanks()
        start = self._at
        word = self._word()
        if start == self._at:
            raise Uncertain("it redirects to nothing")
        if sign in ("<<", "<<-"):
            source = self.text[start : self._at]
            self._documents.append((word.text, sign == "<<-", source == word.text))
            if word.literal is None:
                raise Uncertain("it holds a here-document of a strange kind")
        target = word.literal
        if sign.startswith("<") and sign != "<>":
            parts.is_fed = parts.is_fed or (sign, target) != ("<", "/dev/null")
        elif not target or (target.startswith("/dev/") and target not in _HARMLESS_FILES):
            raise Uncertain("it redirects its output to what is only known at run time")
        elif not (sign == ">&" and re.fullmatch(r"\d+|-", target)):
            parts.is_fed = parts.is_fed or sign == "<>"
            parts.writes += [] if target in _HARMLESS_FILES else [target]

    def _skip_documents(self) -> None:
        for end, is_indented, is_active in self._documents:
            while True:
                if self._at >= len(self.text):
                    raise Uncertain("it ends in the middle of a here-document")
                line, self._at = self._line()
                if (line.lstrip("\t") if is_indented else line) == end:
                    break
                if is_active and _LEFT.search(line):
                    raise Uncertain("a here-document holds more than text and variables")
        self._documents.clear()

    def _line(self) -> tuple[str, int]:
        end = self.text.find("\n", self._at)
        end = len(self.text) if end < 0 else end
        return self.text[self._at : end], end + 1

    def _word(self) -> PlainWord:
        """Read a word; an empty one where there is none."""
        text, known, has_braces, start = "", WordKnown.ALL, False, self._at
        may_split = False
        while self._at < len(self.text) and self.text[self._at] not in _WORD_END:
            sign, begin = self.text[self._at], self._at
            found, certain = "", WordKnown.ALL
            if sign == "'":
                found = self._single_quoted()
            elif sign == '"':
                found, certain = self._double_quoted()
            elif sign == "\\":
                found = self._escaped()
            elif sign == "$":
                found, certain = self._dollar()
            elif sign == "`":
                raise Uncertain("it holds a substitution in backquotes")
            else:
                found = sign
                self._at += 1
                certain = _unquoted(sign, is_first=not text)
                has_braces = has_braces or sign in "{}"
            text, known = (text + found if known is WordKnown.ALL else text), worst(known, certain)
            if certain is not WordKnown.ALL:
                may_split = may_split or _may_split(self.text[begin : self._at])
        if self._at < len(self.text) and self.text[self._at] == "(":
            raise Uncertain("it holds a function, an array or a pattern in parentheses")
        if has_braces and self.text[start : self._at] not in ("{}", "{", "}"):
            known, may_split = WordKnown.NOTHING, True
        return PlainWord(text, known, may_split)

    def _single_quoted(self) -> str:
        end = self.text.find("'", self._at + 1)
        if end < 0:
            raise Uncertain("a quotation has no end")
        start, self._at = self._at + 1, end + 1
        return self.text[start:end]

    def _double_quoted(self) -> tuple[str, WordKnown]:
        text, known = "", WordKnown.ALL
        self._at += 1
        while self._at < len(self.text):
            sign = self.text[self._at]
            found, certain = sign, WordKnown.ALL
            if sign == '"':
                self._at += 1
                return text, known
            if sign == "`":
                raise Uncertain("it holds a substitution in backquotes")
            if sign == "\\":
                found = self._escaped(only='$`"\\\n')
            elif sign == "$":
                found, certain = self._dollar(quoted=True)
            else:
                self._at += 1
            text, known = (text + found if known is WordKnown.ALL else text), worst(known, certain)
        raise Uncertain("a quotation has no end")

    def _escaped(self, only: str = "") -> str:
        found = self.text[self._at + 1 : self._at + 2]
        self._at += 2
        if not found:
            raise Uncertain("it ends with a backslash")
        if found == "\n":
            return ""
        return found if not only or found in only else f"\\{found}"

    def _dollar(self, *, quoted: bool = False) -> tuple[str, WordKnown]:
        """Read a variable or a substitution."""
        found = _VARIABLE.match(self.text, self._at)
        if found:
            self._at = found.end()
            return "", WordKnown.NOTHING
        count = _PROCESSORS.match(self.text, self._at)
        if count:
            self._at, self.counts = count.end(), True
            return "1", WordKnown.ALL
        following = self.text[self._at + 1 : self._at + 2]
        if following == "(" and self.text[self._at + 2 : self._at + 3] != "(":
            self._at += 2
            self._substitution()
            return "", WordKnown.NOTHING
        if following in ("(", "{", "[") or (following in ("'", '"') and not quoted):
            raise Uncertain("it holds arithmetic, a changed variable or an unusual quotation")
        self._at += 1
        return "$", WordKnown.ALL

    def _substitution(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Uncertain("it is too intricate")
        self.has_blocks = True
        self._pipeline += 1
        documents, self._documents = self._documents, []
        pipeline = self._pipeline
        self.statements(inside=True)
        self._documents, self._pipeline = documents, max(self._pipeline, pipeline) + 1
        self._depth -= 1


def _unquoted(sign: str, *, is_first: bool) -> WordKnown:
    if sign in "*?[":
        return WordKnown.NOTHING if is_first else WordKnown.NAMES
    return WordKnown.NOTHING if sign == "~" else WordKnown.ALL


def _may_split(part: str) -> bool:
    """Whether an uncertain part of a word may become several words."""
    return "$@" in part if part.startswith('"') else _NUMBER.fullmatch(part) is None
