"""JSON calls that stand in a reply's text as they are, without any mark."""

from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.llm.text_calls.json_calls import is_meant_as_call, not_json, read_bare
from ipuaro_jupyter.llm.text_calls.json_text import Likeness, json_end, likeness
from ipuaro_jupyter.llm.text_calls.names import Names
from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source
from ipuaro_jupyter.llm.text_calls.values import BLANKS

_CUT_OFF = (
    "The call is cut off: its JSON has no end, or a quote inside of a text is not written as "
    '\\". It was not run. Write it again in full.'
)


class BareJson:
    """Reads the JSON calls in a text.

    Args:
        source: The model's text.
        names: The tools that may be called.

    Attributes:
        is_cut_off: The text ends inside the JSON that was read last.
    """

    def __init__(self, source: Source, names: Names) -> None:
        self._source = source
        self._names = names
        self.is_cut_off = False

    def read(self, at: int) -> Reading[Found | None]:
        """Return what the bracket at ``at`` calls; None for data.

        What is meant as a call and has no end is an error.
        """
        like: Likeness = ""
        self.is_cut_off = False
        try:
            like = yield from likeness(self._source, at, self._names)
            if not like:
                return None
            quotes = "\"'" if like == "loose" else '"'
            end = yield from json_end(self._source, at, quotes=quotes)
        except CutOff:
            self.is_cut_off = True
            return self._cut_off(at, like)
        text = self._source.text[at:end]
        if like == "loose":
            return Found(end, errors=(not_json(text),))
        read = read_bare(text, self._names, named=like == "call")
        return read and Found(end, calls=tuple(read[0]), errors=tuple(read[1]))

    def is_in_data(self, at: int, *, begin: int) -> bool:
        """Whether a bracket at ``at`` stands in code or in other JSON and begins no call.

        ``begin`` is where the text begins: after the last call.
        """
        before, place = self._nonblank_before(at, begin)
        if before in {"[", "{", "(", "="}:
            return True
        return before in {":", ","} and self._nonblank_before(place, begin)[0] in {'"', "}", "]"}

    def after_separator(self, end: int) -> Reading[int]:
        """Return where the next object begins, if only a comma or the like stands before it."""
        at = yield from self._source.after_blanks(end)
        if (yield from self._source.char(at)) in {",", ";"}:
            following = yield from self._source.after_blanks(at + 1)
            if (yield from self._source.char(following)) == "{":
                return following
        return end

    def _cut_off(self, at: int, like: Likeness) -> Found | None:
        text = self._source.text[at:]
        if like == "loose" or (like and is_meant_as_call(text, self._names, named=like == "call")):
            return Found(len(self._source.text), errors=(_CUT_OFF,))
        return None

    def _nonblank_before(self, at: int, begin: int) -> tuple[str, int]:
        """Return the last character before ``at``, blanks aside, and its position."""
        text = self._source.text
        while at > begin and text[at - 1] in BLANKS:
            at -= 1
        return (text[at - 1], at - 1) if at > begin else ("", at)
