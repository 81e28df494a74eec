"""The scanner that lets a reply's text pass and takes thinking and calls out of it.

It keeps back only what may turn out to be the beginning of a tag, a fence or a JSON call.
"""

from typing import Literal

from ipuaro_jupyter.llm.json_calls import is_meant_as_call, read_bare
from ipuaro_jupyter.llm.names import Names
from ipuaro_jupyter.llm.tags import (
    CALL,
    Found,
    Unfinished,
    is_mention,
    is_tag,
    read_tag,
    skip_blanks,
)
from ipuaro_jupyter.llm.values import BLANKS
from ipuaro_jupyter.llm.xml_calls import read_xml
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_THINKING = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
}
_LONE_CLOSINGS = ("</think>", "</thinking>", "[/think]", "◁/think▷")
_MARKERS = (*_THINKING, *_LONE_CLOSINGS, f"<{CALL} ", f"</{CALL} ")
_LONGEST_MARKER = max(map(len, _MARKERS))
_MARKS = frozenset("<[{◁`")
_ENDS = frozenset('>}]"')
_LEAST_TAG = len("<tool_")
_FENCE = 3
_LONGEST_INFO = 100
_CUT_OFF = "The call{of} is cut off: it has no end. It was not run. Write it again in full."


class Piece(Record):
    """A part of a reply as it streams; one field is set."""

    text: str = ""
    thinking: str = ""
    call: ToolCall | None = None
    error: str = ""


class _Fence:
    """The Markdown code fence that is open.

    ``held`` is its text so far, not yet let go, while it holds nothing but calls and blanks.
    """

    def __init__(self, start: int, ticks: int, held: str) -> None:
        self.start = start
        self.ticks = ticks
        self.held: str | None = held
        self.has_calls = False

    @property
    def only_calls(self) -> bool:
        return self.has_calls and self.held is not None


class Scanner:
    """A reply's text, and how far it has been read.

    ``json_calls``: "wait" for the end of the reply, as JSON counts only without calls in tags;
    "take" them at once; or "ignore" them.
    """

    def __init__(
        self,
        names: Names,
        *,
        unknown_calls: bool,
        json_calls: Literal["wait", "take", "ignore"] = "wait",
    ) -> None:
        self._names = names
        self._unknown_calls = unknown_calls
        self._json_calls = json_calls
        self._source = ""
        self._at = 0
        self._call_end = 0
        self._final = False
        self._in_call = False
        self._json_from: int | None = None
        self._thinking_end = ""
        self._thought = False
        self._fence: _Fence | None = None
        self._new: list[Piece] = []
        self._found: list[Piece] = []

    @property
    def reply(self) -> ParsedReply:
        """What was found so far."""
        return ParsedReply(
            text="".join(piece.text for piece in self._found).strip(),
            calls=tuple(piece.call for piece in self._found if piece.call is not None),
            errors=tuple(piece.error for piece in self._found if piece.error),
        )

    def feed(self, text: str) -> list[Piece]:
        """Return what the next part of the text completes."""
        self._source += text
        if not self._in_call or not _ENDS.isdisjoint(text):
            self._scan()
        return self._take()

    def finish(self) -> list[Piece]:
        """Return what was kept back."""
        self._final = True
        self._scan()
        if self._json_from is not None:
            self._decide_json(self._json_from)
        if self._fence is not None and self._fence.held and not self._fence.has_calls:
            self._let_go(self._fence.held, held=True)
        return self._take()

    def _take(self) -> list[Piece]:
        """Return the new pieces, neighbouring texts as one."""
        joined: list[Piece] = []
        for piece in self._new:
            if joined and joined[-1].text and piece.text:
                joined[-1] = Piece(text=joined[-1].text + piece.text)
            else:
                joined.append(piece)
        self._new = []
        return joined

    def _scan(self) -> None:
        self._in_call = False
        try:
            while self._at < len(self._source) and self._json_from is None:
                if self._thinking_end:
                    self._read_thinking()
                else:
                    self._read_text()
        except Unfinished:
            if self._final:
                raise AssertionError from None  # at the end everything is decided

    def _read_text(self) -> None:
        """Let the text pass up to the next mark, and read what stands there."""
        source, at = self._source, self._at
        while at < len(source) and source[at] not in _MARKS:
            at += 1
        self._pass_to(at)
        if at == len(source):
            return
        if source[at] == "`":
            self._read_backticks()
        elif not self._read_marker():
            if source[at] == "<":
                self._read_tag()
            elif source[at] in "{[":
                self._read_json()
            else:
                self._pass_to(at + 1)

    def _read_marker(self) -> bool:
        """Read the thinking marker that stands here; False when there is none."""
        here = self._source[self._at : self._at + _LONGEST_MARKER].lower()
        for marker in (*_THINKING, *_LONE_CLOSINGS):
            if here.startswith(marker):
                if self._is_mention(self._at + len(marker)):
                    return False
                self._at += len(marker)
                if marker in _THINKING:
                    self._thinking_end = _THINKING[marker]
                elif not self._thought:
                    self._found = []
                    self._json_calls = "wait" if self._json_calls == "ignore" else self._json_calls
                self._thought = True
                return True
        if not self._final and any(marker.startswith(here) for marker in _MARKERS):
            raise Unfinished
        return False

    def _is_mention(self, end: int) -> bool:
        try:
            return is_mention(self._source, self._at, end)
        except Unfinished:
            if self._final:
                return False
            raise

    def _read_thinking(self) -> None:
        source, marker = self._source, self._thinking_end
        end = self._at
        while end < len(source) and source[end : end + len(marker)].lower() != marker:
            end += 1
        closed = end < len(source)
        if not closed and not self._final:
            end = max(self._at, len(source) - len(marker) + 1)
        if end > self._at:
            self._new.append(Piece(thinking=source[self._at : end]))
        self._at = end + len(marker) if closed else end
        if closed:
            self._thinking_end = ""
        elif not self._final:
            raise Unfinished

    def _read_tag(self) -> None:
        source, at = self._source, self._at
        if is_tag(source, at, "/" + CALL):
            self._read_lone_end()
        elif is_tag(source, at, CALL) or self._is_cut_tag():
            try:
                found = read_xml(source, at, self._names, unknown_calls=self._unknown_calls)
            except Unfinished:
                if not self._final:
                    self._in_call = True
                    raise
                found = self._cut_off()
            if found is None:
                self._pass_to(at + 1)
            else:
                self._json_calls = "ignore"
                self._add(found)
        else:
            self._pass_to(at + 1)

    def _is_cut_tag(self) -> bool:
        rest = self._source[self._at :].lower()
        return len(rest) >= _LEAST_TAG and f"<{CALL}".startswith(rest)

    def _read_lone_end(self) -> None:
        """Drop a ``</tool_call>`` that closes nothing, unless it is spoken of."""
        try:
            tag = read_tag(self._source, self._at)
        except Unfinished:
            if not self._final:
                raise
            tag = None
        if tag is None or self._is_mention(tag.end):
            self._pass_to(self._at + 1)
        else:
            self._at = tag.end

    def _cut_off(self) -> Found | None:
        """Return the error for the call that the text ends in; None when it is only spoken of."""
        try:
            tag = read_tag(self._source, self._at)
        except Unfinished:
            tag = None
        name = tag.attributes.get("name", "") if tag is not None else ""
        if tag is not None and not name:
            begin = skip_blanks(self._source, tag.end)
            if begin < len(self._source) and self._source[begin] not in "<{[":
                return None
        return Found(len(self._source), errors=(_CUT_OFF.format(of=f" of {name}" if name else ""),))

    def _read_json(self) -> None:
        at = self._at
        if self._json_calls == "ignore" or self._is_in_data():
            self._pass_to(at + 1)
            return
        try:
            found = read_bare(self._source, at, self._names)
        except Unfinished:
            if not self._final:
                self._in_call = True
                raise
            meant = is_meant_as_call(self._source[at:], self._names)
            error = _CUT_OFF.format(of="")
            found = Found(len(self._source), errors=(error,)) if meant else None
        if found is None:
            self._pass_to(at + 1)
        elif self._json_calls == "take":
            self._add(found)
            self._skip_comma()
        else:
            held = self._fence is not None and self._fence.held is not None
            self._json_from = self._fence.start if held and self._fence is not None else at

    def _is_in_data(self) -> bool:
        """Whether a bracket here stands in code or in other JSON and begins no call."""
        if self._fence is not None:
            return self._fence.held is None
        before = self._source[self._call_end : self._at].rstrip(BLANKS)
        if before.endswith(("[", "{", "(", "=")):
            return True
        return before.endswith((":", ",")) and before[:-1].rstrip(BLANKS).endswith(('"', "}", "]"))

    def _skip_comma(self) -> None:
        comma = skip_blanks(self._source, self._at)
        if self._source.startswith(",", comma):
            following = skip_blanks(self._source, comma + 1)
            if self._source.startswith("{", following):
                self._at = self._call_end = following

    def _decide_json(self, start: int) -> None:
        """Read the rest of the reply for calls in tags, and for JSON calls if there are none."""
        self._fence = None
        for choice in ("ignore", "take"):
            rest = Scanner(self._names, unknown_calls=self._unknown_calls, json_calls=choice)
            rest._source, rest._at, rest._thought = self._source, start, self._thought
            pieces = rest.finish()
            if choice == "take" or rest.reply.calls or rest.reply.errors:
                break
        if rest._thought and not self._thought:
            self._found = []
        self._new += pieces
        self._found += rest._found

    def _read_backticks(self) -> None:
        source, at = self._source, self._at
        end = at
        while end < len(source) and source[end] == "`":
            end += 1
        if end == len(source) and not self._final:
            raise Unfinished
        ticks, fence = end - at, self._fence
        line = source[source.rfind("\n", 0, at) + 1 : at]
        if fence is not None and fence.only_calls and ticks >= fence.ticks:
            self._at, self._fence = end, None
        elif ticks < _FENCE or line.strip(BLANKS):
            self._pass_to(end)
        elif fence is not None:
            closes = ticks >= fence.ticks and self._ends_line(end)
            self._pass_to(end)
            self._fence = None if closes else fence
        else:
            self._open_fence(end)

    def _ends_line(self, at: int) -> bool:
        while self._source[at : at + 1] in {" ", "\t", "\r"}:
            at += 1
        if at == len(self._source) and not self._final:
            raise Unfinished
        return self._source[at : at + 1] in {"", "\n"}

    def _open_fence(self, info: int) -> None:
        """Hold the fence's first line back, to see whether a call follows."""
        source, start = self._source, self._at
        end = info
        while end < len(source) and source[end] not in "\n<{[`":
            end += 1
        if end == len(source) and not self._final and end - info < _LONGEST_INFO:
            raise Unfinished
        if source[end : end + 1] in {"", "`"}:
            self._pass_to(info)
            return
        self._at = end + (source[end] == "\n")
        self._fence = _Fence(start, info - start, source[start : self._at])

    def _add(self, found: Found) -> None:
        pieces = [Piece(call=call) for call in found.calls]
        pieces += [Piece(error=error) for error in found.errors]
        self._new += pieces
        self._found += pieces
        self._at = self._call_end = found.end
        if self._fence is not None:
            self._fence.has_calls = True

    def _pass_to(self, end: int) -> None:
        text, self._at = self._source[self._at : end], end
        self._let_go(text)

    def _let_go(self, text: str, *, held: bool = False) -> None:
        """Let text pass; blanks of a fence that may hold only calls are kept back with it."""
        fence = self._fence
        if fence is not None and fence.held is not None and not held:
            if not text.strip(BLANKS):
                fence.held += text
                return
            text, fence.held = fence.held + text, None
        if text:
            piece = Piece(text=text)
            self._new.append(piece)
            self._found.append(piece)
