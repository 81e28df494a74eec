"""The scanner that lets a reply's text pass and takes thinking and calls out of it.

It keeps back only what may turn out to be the beginning of a tag, a fence or a JSON call.
"""

from collections.abc import Callable
from typing import Literal

from ipuaro_jupyter.llm.fences import Fence, ends_line, info_end, is_fence, ticks_end
from ipuaro_jupyter.llm.json_calls import Brackets, is_meant_as_call, may_be_call, read_bare
from ipuaro_jupyter.llm.names import Names
from ipuaro_jupyter.llm.tags import (
    CALL,
    Found,
    Unfinished,
    is_mention,
    is_tag,
    last_end,
    read_tag,
    skip_blanks,
)
from ipuaro_jupyter.llm.thinking import (
    CLOSING,
    FIRST_LETTERS,
    find_mark,
    mark_at,
    may_become_mark,
)
from ipuaro_jupyter.llm.values import BLANKS
from ipuaro_jupyter.llm.xml_calls import read_xml
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall
from ipuaro_jupyter.records.record import Record

_MARKS = frozenset("{[`") | FIRST_LETTERS
_TAGS = (f"<{CALL}", f"</{CALL}")
_LEAST_TAG = len("<tool_")
_CUT_OFF = "The call{of} is cut off: it has no end. It was not run. Write it again in full."


class Piece(Record):
    """A part of a reply as it streams; one field is set."""

    text: str = ""
    thinking: str = ""
    call: ToolCall | None = None
    error: str = ""


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
        self._takes_json = json_calls == "take"
        self._waits_for_json = json_calls == "wait"
        self._source = ""
        self._at = 0
        self._call_end = 0
        self._final = False
        self._worth_reading: Callable[[], bool] | None = None
        self._searched = 0
        self._json_from: int | None = None
        self._thinking_end = ""
        self._thought = False
        self._forgot = False
        self._fence: Fence | None = None
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
        if self._worth_reading is None or self._worth_reading():
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
        self._worth_reading = None
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
        """Read the thinking mark that stands here; False when there is none."""
        mark = mark_at(self._source, self._at)
        if not mark:
            rest = self._source[self._at : self._at + len(_TAGS[1]) + 1].lower()
            grows = any(tag.startswith(rest) for tag in _TAGS)
            if not self._final and (grows or may_become_mark(self._source, self._at)):
                raise Unfinished
            return False
        if self._is_mention(self._at + len(mark)):
            return False
        self._at += len(mark)
        if mark in CLOSING:
            self._thinking_end = CLOSING[mark]
        elif not self._thought:
            self._forget()
        self._thought = True
        return True

    def _forget(self) -> None:
        """Take all that came before for thinking."""
        self._found = []
        self._forgot = True
        self._fence = None
        self._call_end = self._at
        if self._json_calls == "ignore" and self._waits_for_json:
            self._json_calls = "wait"

    def _is_mention(self, end: int) -> bool:
        try:
            return is_mention(self._source, self._at, end)
        except Unfinished:
            if self._final:
                return False
            raise

    def _read_thinking(self) -> None:
        source, mark = self._source, self._thinking_end
        end = find_mark(source, mark, self._at)
        closed = end < len(source)
        if not closed and not self._final:
            end = max(self._at, len(source) - len(mark) + 1)
        if end > self._at:
            self._new.append(Piece(thinking=source[self._at : end]))
        self._at = end + len(mark) if closed else end
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
                    self._wait_for_end()
                    raise
                found = self._cut_off()
            if found is None:
                self._pass_to(at + 1)
            else:
                self._json_calls = "ignore"
                self._add(found)
        else:
            self._pass_to(at + 1)

    def _wait_for_end(self) -> None:
        """Once the opening tag is there or is none, read again only when another end has come."""
        try:
            tag = read_tag(self._source, self._at)
        except Unfinished:
            return
        if tag is None or tag.end < len(self._source):
            _, self._searched = last_end(self._source, max(self._searched, self._at))
            self._worth_reading = self._end_has_come

    def _end_has_come(self) -> bool:
        found, self._searched = last_end(self._source, self._searched)
        return found

    def _is_cut_tag(self) -> bool:
        rest = self._source[self._at : self._at + len(_TAGS[0]) + 1].lower()
        return len(rest) >= _LEAST_TAG and _TAGS[0].startswith(rest)

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
            found = self._read_whole_json()
        except Unfinished:
            if not self._final:
                raise
            found = self._cut_off_json()
        if found is None:
            self._pass_to(at + 1)
        elif self._takes_json:
            self._add(found)
            self._skip_comma()
        else:
            held = self._fence is not None and self._fence.held is not None
            self._json_from = self._fence.start if held and self._fence is not None else at

    def _read_whole_json(self) -> Found | None:
        if not may_be_call(self._source, self._at, self._names):
            return None
        brackets = Brackets(self._at)
        end = brackets.end(self._source)
        if end is None:
            self._worth_reading = lambda: brackets.end(self._source) is not None
            raise Unfinished
        return read_bare(self._source, self._at, end, self._names)

    def _cut_off_json(self) -> Found | None:
        """Return the error for the call that the text ends in; None when it is data."""
        self._json_calls = "ignore"  # whatever follows stands inside of this
        if is_meant_as_call(self._source[self._at :], self._names):
            return Found(len(self._source), errors=(_CUT_OFF.format(of=""),))
        return None

    def _is_in_data(self) -> bool:
        """Whether a bracket here stands in code or in other JSON and begins no call."""
        if self._fence is not None:
            return self._fence.held is None
        before, at = self._nonblank_before(self._at)
        if before in {"[", "{", "(", "="}:
            return True
        return before in {":", ","} and self._nonblank_before(at)[0] in {'"', "}", "]"}

    def _nonblank_before(self, at: int) -> tuple[str, int]:
        """Return the last character before ``at`` and after the last call, and its position."""
        while at > self._call_end and self._source[at - 1] in BLANKS:
            at -= 1
        return (self._source[at - 1], at - 1) if at > self._call_end else ("", at)

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
        if rest._forgot:
            self._found = []
        self._new += pieces
        self._found += rest._found

    def _read_backticks(self) -> None:
        source, at, fence = self._source, self._at, self._fence
        end = ticks_end(source, at, final=self._final)
        if fence is not None and fence.only_calls and end - at >= fence.ticks:
            self._at, self._fence = end, None
        elif not is_fence(source, at, end):
            self._pass_to(end)
        elif fence is not None:
            closes = end - at >= fence.ticks and ends_line(source, end, final=self._final)
            self._pass_to(end)
            self._fence = None if closes else fence
        else:
            line_end = info_end(source, end, final=self._final)
            self._pass_to(end) if line_end is None else self._open_fence(end - at, line_end)

    def _open_fence(self, ticks: int, line_end: int) -> None:
        """Hold the fence's first line back, to see whether a call follows."""
        self._fence = Fence(self._at, ticks, self._source[self._at : line_end])
        self._at = line_end

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
