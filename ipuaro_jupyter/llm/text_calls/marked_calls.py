"""Calls that begin with a mark: in tags, behind a mark, or with a tag around them."""

from collections.abc import Callable
from contextlib import suppress

from ipuaro_jupyter.llm.text_calls.call_lists import ListReader
from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.llm.text_calls.marks import Mark, mark_at
from ipuaro_jupyter.llm.text_calls.names import Names
from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source, finished, skip_blanks
from ipuaro_jupyter.llm.text_calls.tags import read_tag
from ipuaro_jupyter.llm.text_calls.xml_calls import XmlReader

_CUT_OFF = "The call{of} is cut off: it has no end. It was not run. Write it again in full."


class MarkedCalls:
    """Reads what is called behind a mark.

    Args:
        source: The model's text.
        names: The tools that may be called.
        unknown_calls: Whether calls of other tools are calls, too, instead of errors.
        begun: Called with the name of the tool whose call begins.
    """

    def __init__(
        self, source: Source, names: Names, *, unknown_calls: bool, begun: Callable[[str], None]
    ) -> None:
        self._source = source
        self._lists = ListReader(source, names, unknown_calls=unknown_calls)
        self._xml = XmlReader(source, names, unknown_calls=unknown_calls, begun=begun)

    def read(self, mark: Mark) -> Reading[Found | None]:
        """Return what a mark of a call, a list of calls or a tag around them brings; None: text.

        Raises:
            CutOff: The text ends inside a call.
        """
        match mark.kind:
            case "list":
                return self._lists.read(mark)
            case "wrapper":
                return self._read_wrapper(mark)
            case _:
                return self._xml.read(mark.start, mark.text)

    def read_addressed(self, name: str, at: int) -> Reading[Found]:
        """Return the call of the tool ``name`` whose arguments stand at ``at``.

        Raises:
            CutOff: The text ends inside of them.
        """
        return self._lists.read_addressed(name, at)

    def cut_off(self, start: int, name: str) -> Found | None:
        """Return the error for the call that the text ends in; None when it is only spoken of."""
        source = self._source
        tag = None
        if source.text.startswith("<", start):
            with suppress(CutOff):
                tag = finished(read_tag(source, start))
        if tag is not None and not name:
            name = tag.attributes.get("name", "")
            begin = skip_blanks(source.text, tag.end)
            if not name and begin < len(source.text) and source.text[begin] not in "<{[":
                return None
        return Found(len(source.text), errors=(_CUT_OFF.format(of=f" of {name}" if name else ""),))

    def cut_tag(self) -> Found:
        """Return the error for the call in whose tag's name the text ends."""
        return Found(len(self._source.text), errors=(_CUT_OFF.format(of=""),))

    def _read_wrapper(self, mark: Mark) -> Reading[Found | None]:
        """Read a tag that stands around calls; None when it stands around something else."""
        source = self._source
        try:
            tag = yield from read_tag(source, mark.start)
        except CutOff:
            return None
        if tag is None:
            return None
        body = yield from source.after_blanks(tag.end)
        letter = yield from source.char(body)
        if letter != "<":
            is_json = letter != "" and letter in "{["
            return (yield from self._lists.read_wrapped(body)) if is_json else None
        inner = yield from mark_at(source, body)
        if inner is None or inner.kind not in {"call", "foreign"}:
            return None
        is_call = yield from self._xml.is_call(inner.start, inner.text)
        return Found(tag.end) if is_call else None
