"""The mentions in an answer: files and folders, their lines, and symbols of the code."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{0,19}://\S+|\bmailto:\S+")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_LINE = r"(?:lines?|zeilen?|lignes?|l[ií]neas?|righe|riga|строк\w*|行)"
_DASH = "[-\u2013\u2014]"
_RANGE = rf"L?(?P<a>\d{{1,7}})(?:\s?(?:{_DASH}|\.\.|to|and|bis|und)\s?L?(?P<b>\d{{1,7}}))?"
_AFTER = re.compile(
    rf"(?::|#L|\s*[(,]?\s*(?:(?:at|on|in|auf)\s+)?{_LINE}\s+){_RANGE}", re.IGNORECASE
)
_BEFORE = re.compile(rf"\b{_LINE}\s+{_RANGE}\s+(?:of|in|von)\s+(?:the file\s+)?$", re.IGNORECASE)
_AT = (
    rf"(?::(?P<a>\d{{1,7}})(?::\d+)?(?:\s?{_DASH}\s?(?P<b>\d{{1,7}})(?::\d+)?)?"
    r"|#L(?P<c>\d{1,7})(?:-L?(?P<d>\d{1,7}))?)?"
)
_GROUP = r"(?<=/)\([\w.@-]{1,99}\)(?=[\w./\[])"  # a folder such as "(shop)" in app/(shop)/page.tsx
_QUOTED_PATH = re.compile(rf"(?P<path>(?:[^\s:#`'\"<>|*?;,(){{}}=]|{_GROUP})+?)" + _AT)
_UNUSUAL_PATH = re.compile(r"(?P<path>[^`\n]+?)" + _AT)
_PART = rf"(?:[\w@.+~$-]|\[{{1,2}}[\w.-]{{1,99}}\]{{1,2}}|{_GROUP})"
_FOLDER = rf"{_PART}{{1,255}}/"
_BARE_PATH = re.compile(
    rf"(?<![\w@./~`+$\]-])(?P<path>(?:\.{{1,2}}/|/)?(?!\[)(?:{_FOLDER}){{0,30}}"
    rf"(?:[\w@+~$-]|(?<=/)(?=\[)){_PART}{{0,255}}\.[A-Za-z]\w*|"
    rf"(?!\[)(?:{_FOLDER}){{1,30}}(?=[\s,;:)*]|$))" + _AT
)
_NAME = r"[#$A-Za-z_][\w$]*(?:(?:\?\.|\.|::|#)[#$A-Za-z_][\w$]*)*"
_WORDS_BEFORE = (
    r"(?:(?:export|default|declare|async|await|new|return|throw|typeof|abstract|public|private|"
    r"protected|static|readonly|function\*?|class|interface|type|enum|namespace|const|let|var|def|"
    r"import|extends|implements)\s+)*"
)
_QUOTED_SYMBOL = re.compile(
    rf"(?:{_WORDS_BEFORE}(?P<name>{_NAME})(?:<[^`]*>)?(?:\(.*\))?(?:\s+(?:extends|implements)\s.*)?"
    rf"|</?(?P<tag>[A-Z][\w.]*)[^`]*>)[;:,]?"
)
_CALL = re.compile(rf"(?<![\w$.#`/])(?P<name>{_NAME})\((?P<end>\))?")
_QUALIFIED = re.compile(r"(?<![\w$.#`/@-])(?P<name>[A-Z][\w$]*(?:\.[#$A-Za-z_][\w$]*)+)(?![\w(/-])")
_OWNERS = re.compile(r"^(?:this|self|super|cls|window|globalThis)(?:\?\.|\.)")
_WORDS = frozenset(
    {
        *("true", "false", "null", "undefined", "None", "True", "False", "NaN", "Infinity", "this"),
        *("self", "super", "void", "any", "unknown", "never", "string", "number", "boolean", "int"),
        *("bigint", "symbol", "object", "str", "bool", "float", "bytes", "if", "else", "for", "of"),
        *("while", "do", "switch", "case", "break", "continue", "try", "catch", "finally", "in"),
        *("throw", "return", "await", "async", "yield", "new", "delete", "typeof", "instanceof"),
        *("class", "function", "interface", "type", "enum", "const", "let", "var", "import", "def"),
        *("export", "default", "extends", "implements", "static", "public", "private", "protected"),
        *("readonly", "abstract", "declare", "namespace", "module", "with", "as", "from", "is"),
        *("not", "and", "or", "lambda", "pass", "raise", "except", "global", "nonlocal", "assert"),
    }
)
_FILLER = r"[\s()\[\]*_:,|\u2013\u2014-]*"
_IN = re.compile(
    rf"{_FILLER}(?:(?:is|are|which|that|now|defined|declared|implemented|exported|found|lives?|"
    rf"located|L?\d{{1,7}}|{_LINE}|und|and|to|{_DASH}|"
    r"function|class|method|type|interface|component|hook|helper|constant|in|at|from|on|of|"
    r"the|file|see|line|ist|sind|definiert|steht|datei|der|die|est|définie?|dans|le|fichier|está|"
    rf"definid[oa]|en|el|archivo){_FILLER})*",
    re.IGNORECASE,
)
_HAS = re.compile(
    rf"{_FILLER}(?:(?:defines?|declares?|exports?|contains?|has|holds|implements?|the|a|an|"
    rf"function|class|method|type|interface|component|hook|definiert|enthält|die|der){_FILLER})*",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"\s+(?:in|of|by|von)\s+`*")  # "src/a.ts:3 in load, src/b.ts:4 in save"
_LONGEST_GAP = 60
_MOST = 300


class MentionedPath(NamedTuple):
    """A file or folder that an answer names.

    Attributes:
        start: Its beginning in the answer, in characters; ``end`` is one past its end.
        end: See ``start``.
        path: As written, without lines.
        first: The first line, 1-based; None when no line is named.
        last: The last line, included.
        is_quoted: Whether it is marked as code.
    """

    start: int
    end: int
    path: str
    first: int | None
    last: int | None
    is_quoted: bool

    @property
    def text(self) -> str:
        """Its normal form: path, path:line or path:first-last."""
        if self.first is None:
            return self.path
        lines = str(self.first) if self.last == self.first else f"{self.first}-{self.last}"
        return f"{self.path}:{lines}"


class Symbol(NamedTuple):
    """A code name in an answer; ``is_quoted`` as for a `MentionedPath`."""

    start: int
    end: int
    name: str
    is_quoted: bool


class AnswerMentions(NamedTuple):
    """The mentions in an answer, in order; ``beside`` pairs symbols with their stated places."""

    places: Sequence[MentionedPath]
    symbols: Sequence[Symbol]
    beside: Sequence[tuple[Symbol, MentionedPath]]


def answer_mentions(answer: str) -> AnswerMentions:
    """The mentions in an answer in Markdown, code blocks and web links excluded.

    At most the first three hundred places and symbols each.
    """
    text = _URL.sub(_blanks, _FENCE.sub(_blanks, answer))
    places: list[MentionedPath] = []
    symbols: list[Symbol] = []
    for span in _SPAN.finditer(text):
        found = _quoted(text, span)
        if isinstance(found, MentionedPath):
            places.append(found)
        elif found is not None:
            symbols.append(found)
    bare = _SPAN.sub(_blanks, text)
    places += _bare_places(bare)
    symbols += _bare_symbols(bare, places)
    places = sorted(places)[:_MOST]
    symbols = sorted(symbols)[:_MOST]
    return AnswerMentions(places, symbols, list(_beside(text, places, symbols)))


def unusual_paths(answer: str) -> list[MentionedPath]:
    """The code spans that are places only if there is such a file: a path may have blanks."""
    text = _FENCE.sub(_blanks, answer)
    found: list[MentionedPath] = []
    for span in _SPAN.finditer(text):
        match = _UNUSUAL_PATH.fullmatch(span[2].strip())
        if match and _has_ending(match["path"]) and not _QUOTED_PATH.fullmatch(match[0]):
            found.append(_place(match, span.start(), span.end(), text))
    return found[:_MOST]


def _blanks(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _quoted(text: str, span: re.Match[str]) -> MentionedPath | Symbol | None:
    """The mention in a code span; when it could be either, a symbol, such as "a.b"."""
    code = span[2].strip()
    match = _QUOTED_PATH.fullmatch(code)
    path = match["path"] if match else ""
    is_path = _has_ending(path) or ("(" not in path and "/" in path)
    if match and (match["a"] or match["c"] or is_path):
        return _place(match, span.start(), span.end(), text)
    match = _QUOTED_SYMBOL.fullmatch(code)
    if match is None:
        return None
    name = _plain(match["name"] or match["tag"])
    if name in _WORDS:
        return None
    return Symbol(span.start(), span.end(), name, is_quoted=True)


def _has_ending(path: str) -> bool:
    """Whether a name without folders is that of a file rather than of a member."""
    name, dot, ending = path.rpartition(".")
    return bool(dot) and (ending.lower() in ENDINGS or not name)


ENDINGS = frozenset(
    {
        *("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "jsonc", "yaml", "yml"),
        *("py", "pyi", "ipynb", "md", "mdx", "txt", "toml", "cfg", "ini", "css", "scss", "less"),
        *("html", "svg", "vue", "svelte", "astro", "sh", "lock", "sql", "graphql", "proto", "xml"),
        *("rs", "go", "java", "rb", "php", "c", "h", "cpp", "hpp", "cs", "kt", "swift", "env"),
    }
)
"""The file extensions by which a name is taken for a file's."""


def _place(match: re.Match[str], start: int, end: int, text: str) -> MentionedPath:
    """The place of a match; its lines may be in the text before or after it."""
    first, last = match["a"] or match["c"], match["b"] or match["d"]
    if first is None and (behind := _AFTER.match(text, end)):
        first, last, end = behind["a"], behind["b"], behind.end()
    elif first is None and (before := _BEFORE.search(text, max(0, start - 60), start)):
        first, last = before["a"], before["b"]
    one = int(first) if first else None
    other = int(last) if last else one
    if one is not None and other is not None and other < one:
        one, other = other, one
    return MentionedPath(start, end, match["path"].rstrip("."), one, other, text[start] == "`")


def _bare_places(text: str) -> Iterator[MentionedPath]:
    for match in _BARE_PATH.finditer(text):
        path = match["path"].rstrip(".")
        is_element = "[" in path and "/" not in path  # as in rows[0].c
        if (_has_ending(path) and not is_element) or path.endswith("/"):
            yield _place(match, match.start(), match.end(), text)


def _bare_symbols(text: str, places: Sequence[MentionedPath]) -> Iterator[Symbol]:
    """Yield names that are called, and members with their class, in the text outside of code."""
    taken = [(place.start, place.end) for place in places]
    for match in (*_CALL.finditer(text), *_QUALIFIED.finditer(text)):
        name = match["name"]
        if any(start <= match.start() < end for start, end in taken):
            continue
        is_call = "end" in match.re.groupindex
        if is_call and not (match["end"] or re.search(r"[a-z][A-Z]|[._$]", name)):
            continue
        plain = _plain(name)
        if plain not in _WORDS:
            yield Symbol(match.start(), match.start() + len(name), plain, is_quoted=False)


def _plain(name: str) -> str:
    return re.sub(r"\?\.|::|(?<=\w)#", ".", _OWNERS.sub("", name))


def _beside(
    text: str, places: Sequence[MentionedPath], symbols: Sequence[Symbol]
) -> Iterator[tuple[Symbol, MentionedPath]]:
    """Yield each place with the symbol stated to be there: "`a` in p.ts", "p.ts has `a`"."""
    for place in places:
        before = [s for s in symbols if place.start - _LONGEST_GAP <= s.end <= place.start]
        behind = [s for s in symbols if place.end <= s.start <= place.end + _LONGEST_GAP]
        is_taken = before and any(
            _OF_IT.fullmatch(text[other.end : before[-1].start]) for other in places
        )
        if before and not is_taken and _joins(_IN, text[before[-1].end : place.start]):
            yield before[-1], place
        elif behind and _joins(_HAS, text[place.end : behind[0].start]):
            yield behind[0], place


def _joins(words: re.Pattern[str], between: str) -> bool:
    return (
        "\n" not in between
        and words.fullmatch(between.removeprefix("`").removesuffix("`")) is not None
    )
