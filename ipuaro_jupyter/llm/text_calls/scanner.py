"""The scanner that lets a reply's text pass and takes thinking and calls out of it.

It keeps back only what may turn out to be the beginning of a mark, a fence or a JSON call.
"""

from collections.abc import Sequence
from copy import copy
from typing import Literal

from ipuaro_jupyter.llm.text_calls import harmony
from ipuaro_jupyter.llm.text_calls.bare_json import BareJson
from ipuaro_jupyter.llm.text_calls.fences import Markdown
from ipuaro_jupyter.llm.text_calls.found import Found
from ipuaro_jupyter.llm.text_calls.marked_calls import MarkedCalls
from ipuaro_jupyter.llm.text_calls.marks import FIRST_LETTERS, Mark, mark_at
from ipuaro_jupyter.llm.text_calls.names import Names
from ipuaro_jupyter.llm.text_calls.pieces import Piece, Pieces
from ipuaro_jupyter.llm.text_calls.source import CutOff, Reading, Source, finished
from ipuaro_jupyter.llm.text_calls.tags import CALL, is_mention, read_tag
from ipuaro_jupyter.llm.text_calls.thinking import CLOSING, read_thinking
from ipuaro_jupyter.records.chat import ParsedReply

_STOPS = frozenset("{[`") | FIRST_LETTERS
_CUT_TAG, _LEAST_CUT_TAG = f"<{CALL}", len("<tool_")
_QUOTES = frozenset("`'\"")


class Scanner:
    """A reply's text, and how far it has been read.

    Args:
        names: The tools that may be called.
        unknown_calls: Whether calls of other tools are calls, too, instead of errors.
        ids: What the ids of the calls begin with; None gives them none.
    """

    def __init__(self, names: Names, *, unknown_calls: bool, ids: str | None = None) -> None:
        self._names = names
        self._unknown_calls = unknown_calls
        self._pieces = Pieces(ids)
        self._json: Literal["wait", "take", "ignore", "off"] = "wait"
        self._takes_json = True
        self._at = 0
        self._call_end = 0
        self._json_from: int | None = None
        self._has_thought = False
        self._reopened = 0
        self._before_thinking = 0
        self._has_channels = False
        self._has_wrapper = False
        self._begin(Source())

    def _begin(self, source: Source) -> None:
        """Read from this source, from the current place on."""
        self._source = source
        self._calls = MarkedCalls(
            source, self._names, unknown_calls=self._unknown_calls, begun=self._pieces.add_begun
        )
        self._bare = BareJson(source, self._names)
        self._markdown = Markdown(source, self._pieces.add_text)
        self._reading = self._read()

    @property
    def reply(self) -> ParsedReply:
        """What was found so far."""
        return self._pieces.reply

    def feed(self, text: str) -> list[Piece]:
        """Return what the next part of the text completes."""
        self._source.text += text
        next(self._reading, None)
        return self._pieces.take()

    def finish(self, *, takes_json: bool = True) -> list[Piece]:
        """Return what was kept back; JSON calls count only if ``takes_json``."""
        self._source.final = True
        if not takes_json:
            self._json, self._takes_json = "ignore", False
        next(self._reading, None)
        return self._pieces.take()

    def _read(self) -> Reading[None]:
        while self._json_from is None and (letter := (yield from self._next_stop())):
            if letter == "`":
                self._at = yield from self._markdown.read_backticks(self._at)
            elif (yield from self._read_mark()) or (yield from self._read_json(letter)):
                continue
            elif letter == "<" and self._is_cut_tag():
                self._add(self._calls.cut_tag())
            else:
                self._pass_to(self._at + 1)
        if self._json_from is None:
            self._markdown.finish()
            return
        while not self._source.final:
            yield
        self._decide_json(self._json_from)

    def _next_stop(self) -> Reading[str]:
        """Let the text pass up to where something else may begin; return what stands there."""
        while True:
            text, at = self._source.text, self._at
            while at < len(text) and text[at] not in _STOPS:
                at += 1
            self._pass_to(at)
            if at < len(text) or self._source.final:
                return text[at : at + 1]
            yield

    def _read_mark(self) -> Reading[bool]:
        """Read the mark that stands here; False when there is none, or it is text."""
        mark = yield from mark_at(self._source, self._at)
        if mark is None:
            return False
        if (yield from self._is_spoken_of(mark)):
            return True
        match mark.kind:
            case "think":
                yield from self._think(mark.end, ends=(CLOSING[mark.text],), opening=mark.text)
            case "thought":
                self._close_thinking(mark)
            case "channel":
                return (yield from self._read_channel(mark))
            case "control" | "foreign end" | "end":
                return (yield from self._drop(mark))
            case _:
                return (yield from self._read_call(mark))
        return True

    def _is_spoken_of(self, mark: Mark) -> Reading[bool]:
        """Whether the mark stands in quotes or in code and means nothing; then it has passed."""
        is_thinking = mark.kind in {"think", "thought"}
        code_end = yield from self._markdown.code_end(self._at, anywhere=is_thinking)
        if code_end >= 0:
            self._pass_to(code_end)
            self._markdown.end_code()
            return True
        if mark.kind not in {"call", "foreign"} and (
            yield from is_mention(self._source, mark.start, mark.end)
        ):
            self._pass_to(mark.end)
            return True
        fence = self._markdown.fence
        if mark.kind != "think" or fence is None or fence.in_line:
            return False
        yield from self._show_thinking(mark, "`" * fence.ticks)
        return True

    @property
    def _is_in_fence(self) -> bool:
        fence = self._markdown.fence
        return fence is not None and not fence.in_line

    def _show_thinking(self, mark: Mark, fence: str) -> Reading[None]:
        """Let thinking pass that is quoted in a fence; the calls in it are quoted, too."""
        self._pass_to(mark.end)
        closing = CLOSING[mark.text]
        end, _ = yield from read_thinking(
            self._source, self._at, ends=(closing,), begins=(f"\n{fence}",), add=self._markdown.add
        )
        last = self._source.text[self._at : end][-len(closing) :]
        self._at = end
        if last.lower() == closing.lower():
            self._markdown.add(last)

    def _think(
        self,
        at: int,
        *,
        ends: Sequence[str],
        begins: Sequence[str] = (),
        opening: str | None = None,
    ) -> Reading[None]:
        self._before_thinking = len(self._pieces)
        end, self._reopened = yield from read_thinking(
            self._source,
            at,
            ends=ends,
            begins=begins,
            opening=opening,
            add=self._pieces.add_thinking,
        )
        self._go_on(end)
        self._has_thought = True

    def _close_thinking(self, mark: Mark) -> None:
        """Take what came before for thinking: its opening mark was inside of it, or in the prompt.

        A mark that closes nothing is dropped.
        """
        self._go_on(mark.end)
        if self._reopened:
            self._reopened -= 1
            self._take_back(self._before_thinking)
        elif not self._has_thought:
            self._take_back(0)
        self._has_thought = True

    def _take_back(self, count: int) -> None:
        self._pieces.take_back(count)
        self._markdown.reset()
        self._call_end = self._at
        if self._json != "take" and self._takes_json and not self._pieces.has_calls:
            self._json = "wait"

    def _read_channel(self, mark: Mark) -> Reading[bool]:
        """Read a header of gpt-oss, and the thinking or the call behind it."""
        if self._is_in_fence:
            return False
        start = mark.end if mark.text == harmony.START else mark.start
        try:
            header = yield from harmony.read_header(self._source, start)
        except CutOff:
            return False
        if header is None:
            return False
        self._has_channels = True
        if header.recipient:
            call = self._calls.read_addressed(header.recipient, header.end)
            yield from self._add_call(call, start=mark.start, name=header.recipient)
        elif header.is_thinking:
            yield from self._think(header.end, ends=harmony.ENDS, begins=harmony.BEGINS)
        else:
            self._go_on(header.end)
        return True

    def _drop(self, mark: Mark) -> Reading[bool]:
        """Drop a mark that closes nothing, or nothing that matters; False when it is text."""
        if mark.kind == "control" and (self._is_in_fence or not self._has_channels):
            return False
        if mark.kind == "foreign end" and not self._has_wrapper:
            return False
        end = mark.end
        if mark.kind != "control":
            try:
                tag = yield from read_tag(self._source, mark.start)
            except CutOff:
                tag = None
            if tag is None or (yield from is_mention(self._source, mark.start, tag.end)):
                return False
            end = tag.end
        self._go_on(end)
        return True

    def _read_call(self, mark: Mark) -> Reading[bool]:
        """Read the calls behind a mark; False when it is text."""
        has_read = yield from self._add_call(self._calls.read(mark), start=mark.start)
        self._has_wrapper = self._has_wrapper or (mark.kind == "wrapper" and has_read)
        return has_read

    def _add_call(
        self, reading: Reading[Found | None], *, start: int, name: str = ""
    ) -> Reading[bool]:
        """Add what is read; False when it is no call."""
        try:
            found = yield from reading
        except CutOff:
            closing = self._lone_closing(start)
            if closing is not None:
                self._pass_to(closing)
                return True
            found = self._calls.cut_off(start, name)
        if found is None:
            return False
        quoted = self._source.text[start - 1 : start] in {'"', "'"}
        if quoted and (yield from is_mention(self._source, start, found.end)):
            self._pass_to(found.end)
            return True
        if found.calls or found.errors:
            self._json = "ignore"
        self._add(found)
        return True

    def _lone_closing(self, start: int) -> int | None:
        """Return where thinking ends in whose middle a call was begun at ``start`` and left off."""
        text = self._source.text
        places = [text.find(mark, start) for mark in CLOSING.values() if not self._has_thought]
        lone = [at for at in places if at >= 0 and text[at - 1 : at] not in _QUOTES]
        return min(lone, default=None)

    def _is_cut_tag(self) -> bool:
        """Whether the text ends in what must have become a call's tag."""
        rest = self._source.text[self._at : self._at + len(_CUT_TAG) + 1].lower()
        return len(rest) >= _LEAST_CUT_TAG and _CUT_TAG.startswith(rest)

    def _read_json(self, letter: str) -> Reading[bool]:
        """Read the JSON that begins here with this letter; False when it is data, or none.

        Calls in it count once the reply has ended without calls of another form.
        """
        at, fence = self._at, self._markdown.fence
        if letter not in "{[" or self._json == "off" or (fence is not None and fence.is_code):
            return False
        if fence is None and self._bare.is_in_data(at, begin=self._call_end):
            return False
        if (yield from self._markdown.code_end(at, anywhere=False)) >= 0:
            return False
        found = yield from self._bare.read(at)
        if (
            found is None
            or (self._json == "ignore" and not found.calls)
            or (self._bare.is_cut_off and self._lone_closing(at) is not None)
        ):
            if self._bare.is_cut_off:
                self._json = "off"  # whatever follows stands inside of it
            return False
        quoted = self._source.text[at - 1 : at] == "'"
        if self._json == "ignore" or (
            quoted and (yield from is_mention(self._source, at, found.end))
        ):
            self._pass_to(found.end)  # a call that is quoted in it is none
        elif self._json == "take":
            self._add(found)
            self._call_end = yield from self._bare.after_separator(found.end)
            self._go_on(self._call_end)
        else:
            self._json_from = at if fence is None else fence.start
        return True

    def _decide_json(self, start: int) -> None:
        """Read the rest of the reply for calls of other forms, and for JSON if there are none."""
        pieces = copy(self).reread(start, "ignore")
        if self._takes_json and not pieces.has_calls:
            pieces = copy(self).reread(start, "take")
        self._pieces = pieces

    def reread(self, start: int, json: Literal["take", "ignore"]) -> Pieces:
        """Read a text that has ended anew from ``start`` on; return all that is in the reply."""
        self._pieces = self._pieces.branch()
        self._json, self._takes_json, self._json_from, self._at = json, False, None, start
        begin = self._markdown.begin
        self._begin(Source(self._source.text, final=True))
        self._markdown.begin = begin
        finished(self._reading)
        return self._pieces

    def _add(self, found: Found) -> None:
        self._pieces.add(found)
        self._call_end = found.end
        self._go_on(found.end)
        if self._markdown.fence is not None and (found.calls or found.errors):
            self._markdown.fence.has_calls = True

    def _go_on(self, at: int) -> None:
        """Read on from here: what came before is no text."""
        self._at = self._markdown.begin = at

    def _pass_to(self, end: int) -> None:
        text, self._at = self._source.text[self._at : end], end
        self._markdown.add(text)
