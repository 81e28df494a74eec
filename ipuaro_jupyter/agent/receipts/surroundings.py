"""What the words around a name say of it: to be made, not there, or foreign."""

import re
from bisect import bisect_right

_MAKING = re.compile(
    r"\b(?:create|creating|created|add|adding|introduc(?:e|ing)|extract(?:ing)?|rename[ds]?|renaming"
    r"|move|moving|propos(?:e|ed|al|ing)|suggest(?:s|ed|ion|ing)?|recommend(?:ed|ing)?|consider"
    r"|could|should|would|might|let'?s|let me|(?:I|we|you)(?:'ll| will| can| need| want)|imagine"
    r"|suppose|instead|hypothetical(?:ly)?|call it|write a|writing a|define a|implement(?:ing)? an?"
    r"|make a|making a|split(?:ting)?|replac(?:e|ed|ing)|new (?:file|folder|module|function|method"
    r"|class|type|interface|component|hook|helper|test|constant|option|property|field|name|script)"
    r"|a new|to be (?:created|added)|will be|planned|plan|to-?do|place ?holder|if you|such as an?"
    r"|anlegen|angelegt|erstell\w*|hinzufüg\w*|umbenenn\w*|könnte\w*|sollte\w*|würde\w*|neue[nrs]?"
    r"|créer|ajout\w*|renomm\w*|devrait|pourrait|nouveau|nouvelle|crear|añad\w*|renombr\w*|debería"
    r"|podría|nuev[oa])\b|создать|создайте|добав\w*|переимен\w*",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"\b(?:no longer|not exist|n'?t exist|not found|n'?t (?:find|see|have|contain|define|declare)"
    r"|not (?:find|see|have|contain|define|declare|defined|declared|present|in|part|there|anywhere"
    r"|available|implemented)|isn'?t|aren'?t|wasn'?t|there(?:'s| is| are| was| were) no(?:t|ne)?"
    r"|no such|nowhere|missing|misspel\w*|typo|lacks?|lacking|without an?|never (?:exists?"
    r"|declared)"
    r"|remov(?:e|ed|es|ing)|delet(?:e|ed|es|ing)|drop(?:ped)?|gone|used to|formerly|previously"
    r"|has no|have no|had no|was (?:called|named)|rather than|invented|made up|existiert nicht"
    r"|gibt es nicht|kein\w*|fehlt|n'existe pas|aucune?|no existe|ningun[oa]?)\b",
    re.IGNORECASE,
)
_NO_BEFORE = re.compile(r"\b(?:no|not|neither|nor|kein\w*|aucune?|ningun[oa]?)\W*$", re.IGNORECASE)
_FOREIGN = re.compile(
    r"\b(?:librar(?:y|ies)|packages?(?!\.json)|framework|built-?ins?|standard|third[- ]party"
    r"|external|upstream|npm|pnpm|yarn|pip|PyPI|browsers?|Node(?:\.?js)?|React|Vue|Svelte|Angular"
    r"|Django|Flask|FastAPI|pydantic|Express|Redux|RxJS|lodash|jQuery|numpy|pandas|pytest|jest"
    r"|vitest|mocha|webpack|vite|rollup|babel|eslint|prettier|docker|kubernetes|git|GitHub|Redis"
    r"|Postgres\w*|MySQL|MongoDB|SQL|HTTP|header|languages?|environment variable|env var"
    r"|JavaScript|TypeScript|ECMAScript|Python|Java|Rust|Go|DOM|CSS|HTML|POSIX|Linux|Windows|macOS"
    r"|like in|similar to|equivalent|analogous|convention|idiom|pattern|in general|typically"
    r"|usually|commonly|other projects|Bibliothek|bibliothèque|biblioteca|библиотек\w*)\b"
)
_SENTENCE_END = re.compile(r"[.!?;](?=[\s)*_\"']|$)|\n")
_BLANK = re.compile(r"\n[ \t]*\n")
_LEAD_IN = re.compile(r":\W*$|^\s*#{1,6}\s|^\s*\*\*[^*]+\*\*\W*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s|^\s*\|")


class Surroundings:
    """The sentences of an answer.

    Args:
        text: The answer; code is ignored, see `says`.
    """

    def __init__(self, text: str) -> None:
        self._text = re.sub(r"`[^`\n]*`", lambda span: " " * len(span[0]), text)
        self._ends = [found.end() for found in _SENTENCE_END.finditer(self._text)]

    def is_free(self, start: int, end: int) -> bool:
        """Whether what stands there is to be made, or said not to be there."""
        sentence = self._sentence(start, end)
        before = self._text[max(0, start - 24) : start]
        said = f"{self._lead_in(start)}\n{sentence}"
        return bool(_MAKING.search(said) or _DENYING.search(sentence) or _NO_BEFORE.search(before))

    def is_foreign(self, start: int, end: int) -> bool:
        """Whether the sentence speaks of a library, a language or the like."""
        return _FOREIGN.search(self._sentence(start, end)) is not None

    def paragraph(self, at: int) -> tuple[int, int]:
        """The beginning and the end of the paragraph, list or table that a place is in."""
        before = [found.end() for found in _BLANK.finditer(self._text, 0, at)]
        after = _BLANK.search(self._text, at)
        return (before[-1] if before else 0), (after.start() if after else len(self._text))

    def _sentence(self, start: int, end: int) -> str:
        """The sentence around a name."""
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, end)
        begin = self._ends[first - 1] if first else 0
        return self._text[begin : self._ends[last] if last < len(self._ends) else None]

    def _lead_in(self, start: int) -> str:
        """The line above a list that what stands there belongs to; "" outside of lists."""
        lines = self._text[:start].split("\n")
        if not _ITEM.match(lines[-1]):
            return ""
        for line in reversed(lines[:-1]):
            if line.strip() and not _ITEM.match(line) and not line.startswith((" ", "\t")):
                return line if _LEAD_IN.search(line) else ""
        return ""
