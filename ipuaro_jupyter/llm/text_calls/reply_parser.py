"""A model's reply taken apart into text, thinking and calls, as a whole or while it streams."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ipuaro_jupyter.llm import reply_marks, turn_marks
from ipuaro_jupyter.llm.reply_marks import THINKING as CLOSING
from ipuaro_jupyter.llm.text_calls import results
from ipuaro_jupyter.llm.text_calls.forms import Form, all_forms, forms_by_mark
from ipuaro_jupyter.llm.text_calls.markdown import TICKS, Markdown
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm, Part, ReplyPiece, ReplyPieces, Thinking
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, Mark, MarkFinder, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.records.chat import ParsedReply, ToolCall, ToolSchema

__all__ = ["ReplyPiece", "StreamParser", "meant_call", "parse_reply"]

CLOSINGS = frozenset(CLOSING.values())
_SHORT = 64
_SPOKEN = re.compile(" [a-z]")
_ROLE = re.compile(r"[ \t]*\w*")
_LONGEST_END = 60
_ByMark = dict[str, list[Form]]
_CUT_OFF = (
    "The call{called} is cut off: it has no end. It was not run. Write it again in full; in JSON, "
    'write a quote inside of a text as \\".'
)


def parse_reply(
    text: str,
    schemas: Sequence[ToolSchema],
    *,
    aliases: Mapping[str, str],
    unknown_calls: bool = False,
) -> ParsedReply:
    """Take a model's text apart; for the arguments see `StreamParser`."""
    parser = StreamParser(schemas, aliases=aliases, unknown_calls=unknown_calls)
    parser.feed(text)
    parser.finish()
    return parser.reply


def meant_call(
    call: ToolCall, schemas: Sequence[ToolSchema], *, aliases: Mapping[str, str]
) -> ToolCall:
    """A model's native call under the name of the tool that it means, if there is one."""
    schema = ToolNames(schemas, aliases).choose(call.name, call.arguments)
    return call if schema is None else call.model_copy(update={"name": schema.name})


class StreamParser:
    """Takes a model's text apart while it streams.

    The text passes up to the next mark. What stands there is kept back until it has come in full;
    then the first form that takes it parses it, else it is text. Calls without a mark count only
    when the reply holds none with one, and the likes of Python only where no prose follows them, so
    the text from there on is kept back until the reply has ended.

    Args:
        schemas: The tools that may be called.
        aliases: Lower-case misnaming -> name of a read-only tool. An alias applies to calls whose
            parameters that tool has, and a tool of that very name comes first if it has them too.
        unknown_calls: What becomes of a call in tags of a tool that does not exist: a call with
            its arguments as text, which the caller has to answer, or (False) an error.
        ids: What the ids of the calls begin with, their number follows; None gives them none.
        changing: The tools that change something. With prose before it, a call of theirs that only
            looks like one is an error.

    Attributes:
        calls_elsewhere: The reply has calls that are not in its text, so that JSON in it is text.
        end: Where the reply counts no longer, in characters, as the model goes on with a result
            that it invents behind a call; None without one.
    """

    def __init__(
        self,
        schemas: Sequence[ToolSchema],
        *,
        aliases: Mapping[str, str],
        unknown_calls: bool = False,
        ids: str | None = None,
        changing: Collection[str] = (),
    ) -> None:
        self._tools = ToolNames(schemas, aliases, unknown_calls=unknown_calls)
        self._marks = _marked(self._tools.names)[-1]
        self._reply = ReplyText()
        self._at = self._next = self._data_end = 0
        self._pieces = ReplyPieces(ids, frozenset(changing))
        self._markdown = Markdown(self._reply, self._pieces)
        self._thinking: Thinking | None = None
        self._before = self._reopened = 0  # parts kept before it; marks that open it again inside
        self._has_thought = self._is_past_thinking = False  # as a mark, or a form has said
        self._closings: set[str] = set()
        self.calls_elsewhere = False
        self.end: int | None = None

    @property
    def reply(self) -> ParsedReply:
        """All that was found; complete once `finish` has been called.

        It differs from the pieces in one case: some models close a thinking block that their
        prompt has opened. What came before that is thinking, and in no part of the reply, calls
        included.
        """
        return self._pieces.reply

    def feed(self, text: str) -> list[ReplyPiece]:
        """What the next part of the text completes, in order."""
        if self.end is not None:
            return []
        self._reply.append(text)
        if len(self._reply.text) >= self._next:
            self._read()
        return self._pieces.take()

    def finish(self) -> list[ReplyPiece]:
        """What was kept back; the text ends here."""
        self._reply.has_ended = True
        self._read()
        return self._pieces.take()

    def _read(self) -> None:
        """Read on; what is kept back is not read again before there is a quarter more of it.

        So reading takes linear time, whatever a model writes.
        """
        try:
            while self._at < len(self._reply.text):
                self._read_on()
        except CutOff:
            self._pieces.add_begun(self._reply.calling or "", self._at)
        if self._reply.has_ended:
            self._pieces.settle(has_marked=self.calls_elsewhere)
            self._markdown.finish()
        length = len(self._reply.text)
        self._next = length + max(0, length - self._at - _SHORT) // 4

    def _read_on(self) -> None:
        """Let the text pass up to the next mark, and read what stands there."""
        self._reply.calling, thinking = None, self._thinking
        mark = self._marks.find(self._reply, self._at)
        self._pass_to(mark.start)
        if not mark.text:
            if mark.start < len(self._reply.text):
                raise CutOff
        elif thinking is not None:
            self._read_in_thinking(thinking, mark)
        elif mark.text in TICKS:
            self._at = self._markdown.read_backticks(mark.start)
        elif not self._is_spoken_of(mark):
            self._read_mark(mark)

    def _is_spoken_of(self, mark: Mark) -> bool:
        """Whether the mark stands in quotes or in code and means nothing; then it has passed."""
        is_any = mark.text in CLOSING or mark.text in CLOSINGS or mark.text in turn_marks.MARKS
        end = self._markdown.code_end(mark.start, anywhere=is_any)
        if end < 0 and len(mark.text) > 1 and self._reply.is_mention(mark.start, mark.end):
            end = mark.end
        if end >= 0:
            self._pass_to(end)
        return end >= 0

    def _read_mark(self, mark: Mark) -> None:
        if mark.text in CLOSING:
            self._open_thinking(mark)
        elif mark.text in CLOSINGS:
            self._close_thinking(mark)
        elif self._reads_turn(mark):
            return
        elif self._begins_result(mark):
            self._end_at(mark.start)
        elif mark.text in self._closings and not self._reply.is_in_code:
            self._go_on(mark.end)  # it closes nothing
        else:
            in_line, anywhere, _ = _marked(self._tools.names)
            at = anywhere.get(mark.text, [])
            if self._reply.begins_line(mark.start):
                at = in_line.get(mark.text, []) + at
            if any(self._read_form(form, mark) for form in at):
                return
            if mark.text == "<|start|>" and not self._is_quoted_turn(mark):
                self._go_on(mark.end)
            else:
                self._pass_to(mark.start + 1)

    def _reads_turn(self, mark: Mark) -> bool:
        """Whether the mark ends the turn or begins one, and is read; not in code.

        A turn of somebody else cuts off the reply, and so does all behind what the model has said,
        but for harmony's next message. A mark before that is dropped.
        """
        reply, kind = self._reply, mark.text
        if kind not in turn_marks.MARKS or self._is_quoted_turn(mark):
            return False
        end, is_other = self._begins_other(mark)
        following = reply.after_blanks(end) if kind == "<|end|>" else mark.start
        is_harmony = any(reply.starts(each, following) for each in turn_marks.HARMONY)
        if is_harmony and not is_other and following == mark.start:
            return False  # its form reads it
        has_said = self._pieces.has_text or self._pieces.has_calls or self.calls_elsewhere
        if is_other or (has_said and not is_harmony and kind not in turn_marks.BESIDE):
            self._end_at(mark.start)
        else:
            self._go_on(end)
        return True

    def _begins_other(self, mark: Mark) -> tuple[int, bool]:
        """The end of a mark with the role behind it, and whether that is not the model's."""
        is_named = mark.text in turn_marks.BEGINS
        end = self._reply.run(_ROLE, mark.end) if is_named else mark.end
        role = self._reply.text[mark.end : end].strip().lower()
        return end, mark.text in turn_marks.OTHERS or role not in turn_marks.OWN_ROLES

    def _is_quoted_turn(self, mark: Mark) -> bool:
        """Whether a mark of turns is text: in code or a sentence, or the tag of an element."""
        text, fence = self._reply.text, self._reply.fence
        if mark.text == "</s>" and text.find("<s>", self._reply.begin, mark.start) >= 0:
            return True
        if text[mark.start - 1 : mark.start] == " " and mark.text not in turn_marks.OTHERS:
            self._reply.wait(mark.end, 2)
            if _SPOKEN.match(text, mark.end):
                return True
        if fence is not None and (fence.held is None or not fence.has_calls):
            fence.has_turns = True
            return True
        return self._markdown.is_indented(mark.start)

    def _begins_result(self, mark: Mark) -> bool:
        """Whether a result is invented there: behind a call, and not in code."""
        in_line = mark.text in reply_marks.RESULT_LINES and self._reply.begins_line(mark.start)
        if self._reply.is_in_code or not (in_line or mark.text in reply_marks.RESULTS):
            return False
        if self._reply.has_ended:
            self._pieces.settle(has_marked=False)
        return self._pieces.has_calls or self.calls_elsewhere

    def _end_at(self, at: int) -> None:
        self.end = at
        self._reply.text, self._reply.has_ended = self._reply.text[:at], True

    def _open_thinking(self, mark: Mark) -> None:
        """Begin to think; in a fence that is quoted, and so are the calls in it."""
        closing, block = CLOSING[mark.text], self._reply.block
        if block is None:
            self._go_on(mark.end)
            self._begin_thinking(Thinking(ends=(closing,), opening=mark.text))
            return
        quoted = MarkFinder((closing, "\n" + block.ticks * block.sign)).find(self._reply, mark.end)
        if not quoted.text and not self._reply.has_ended:
            raise CutOff
        self._pass_to(quoted.end if quoted.text == closing else quoted.start)

    def _begin_thinking(self, thinking: Thinking) -> None:
        self._thinking, self._before, self._reopened = thinking, len(self._pieces), 0
        marks = {*thinking.ends, *thinking.begins, thinking.opening, *turn_marks.TURNS}
        self._marks = MarkFinder(marks - {""})

    def _read_in_thinking(self, thinking: Thinking, mark: Mark) -> None:
        """Read a mark that opens thinking again, ends it, or begins something else."""
        if mark.text in turn_marks.TURNS - {*thinking.begins} and self._ends_thinking(mark):
            self._end_at(mark.start)
        elif mark.text in {thinking.opening, *turn_marks.TURNS} - {*thinking.begins}:
            self._pass_to(mark.end)
            self._reopened += mark.text == thinking.opening
        else:
            self._go_on(mark.start if mark.text in thinking.begins else mark.end)
            self._has_thought, self._thinking = True, None
            self._marks = _marked(self._tools.names)[-1]

    def _ends_thinking(self, mark: Mark) -> bool:
        """Whether somebody else's turn begins there, behind the mark of an end and in no fence."""
        text, begin, at = self._reply.text, self._reply.begin, mark.start
        before = text[max(begin, at - _LONGEST_END) : at].rstrip().lower()
        is_end = before.endswith((*turn_marks.ENDS,)) and self._begins_other(mark)[1]
        return is_end and text.count(TICKS[2], begin, at) % 2 == 0

    def _close_thinking(self, mark: Mark) -> None:
        """Take what came before for thinking: its opening mark was inside of it, or in the prompt.

        A mark that closes nothing is dropped.
        """
        self._go_on(mark.end)
        if self._reopened:
            self._reopened -= 1
            self._take_back(self._before)
        elif not self._has_thought:
            self._take_back(0)
        self._has_thought = True

    def _take_back(self, count: int) -> None:
        self._data_end = 0
        self._pieces.take_back(count)
        self._reply.fence = None

    def _read_form(self, form: Form, mark: Mark) -> bool:
        if not form.is_marked and (mark.start < self._data_end or self._reply.is_in_code):
            return False
        self._reply.has_shown, self._reply.calling = self._pieces.has_text, None
        try:
            parsed = form.parse(self._reply, mark, self._tools)
        except CutOff:
            if not self._reply.has_ended:
                raise
            return self._read_cut_off(form, mark)
        return parsed is not None and self._take(form, mark, parsed)

    def _read_cut_off(self, form: Form, mark: Mark) -> bool:
        """Tell of the call that the reply ends in, unless thinking ends that has left it off."""
        name, is_marked = self._reply.calling, form.is_marked
        if name is not None and self._markdown.shows(mark.start, len(self._reply.text)):
            return False
        closing = self._lone_closing(mark.start)
        if name is None or (not is_marked and (closing >= 0 or self._is_data(mark.start))):
            self._data_end = self._data_end if is_marked else len(self._reply.text)
            return False
        if closing >= 0:
            self._pass_to(closing)
        else:
            told = (_CUT_OFF.format(called=f" of {name}" if name else ""),)
            self._add(form, mark, ParsedForm(len(self._reply.text), told, form.needs_end))
        return True

    def _is_data(self, before: int | None = None) -> bool:
        """Whether what only looks like a call is none, as there are calls with a mark.

        They have come already, or stand behind the position ``before``.
        """
        if self._pieces.has_marked or self.calls_elsewhere or before is None:
            return self._pieces.has_marked or self.calls_elsewhere
        rest = StreamParser((), aliases={})
        rest._tools, rest._marks, rest._data_end = self._tools, self._marks, len(self._reply.text)
        rest.feed(self._reply.text[before:])
        rest.finish()
        return rest._pieces.settle(has_marked=False)

    def _lone_closing(self, start: int) -> int:
        """Where thinking ends from ``start`` on that no mark has opened; -1: nowhere."""
        text = self._reply.text
        places = [] if self._has_thought else [text.find(mark, start) for mark in CLOSINGS]
        unquoted = [at for at in places if at >= 0 and text[at - 1 : at] not in {"`", "'", '"'}]
        return min(unquoted, default=-1)

    def _take(self, form: Form, mark: Mark, parsed: ParsedForm) -> bool:
        """Take what was parsed out of the text, if it is used: not quoted, and not data.

        Whether it is cannot be told of all forms before the reply has ended, which it does where a
        result is invented behind the call.
        """
        if not form.is_marked and not any(isinstance(o, ToolCall) for o in parsed.outcomes):
            closing = self._lone_closing(mark.start)
            if not parsed.outcomes or self._is_data() or 0 <= closing < parsed.end:
                self._data_end = parsed.end
                return False
        quotes = {"'", '"'} if form.is_marked else {"'"}
        before = self._reply.text[mark.start - 1 : mark.start]
        is_shown = before in quotes and self._reply.is_mention(mark.start, parsed.end)
        if parsed.outcomes:
            is_shown = is_shown or self._markdown.shows(mark.start, parsed.end)
            needs_end = form.needs_end or parsed.needs_end or self._markdown.explains
            parsed = replace(parsed, needs_end=needs_end)
        if is_shown or (not form.is_marked and self._is_data()):
            self._pass_to(parsed.end)
            return True
        if not self._reply.has_ended and (parsed.needs_end or not form.is_marked):
            result = results.result_at(self._reply, parsed.end)
            if result < 0 or self._reply.is_in_code:
                raise CutOff
            self._end_at(result)
        self._add(form, mark, parsed)
        return True

    def _add(self, form: Form, mark: Mark, parsed: ParsedForm) -> None:
        if parsed.ends_thinking and not self._is_past_thinking:
            self._take_back(0)
            self._is_past_thinking = True
        fence = self._reply.fence
        if parsed.outcomes:
            opening = ""
            if form.is_marked and not parsed.needs_end:
                names = [each.name for each in parsed.outcomes if isinstance(each, ToolCall)]
                self._pieces.add_begun("".join(names[:1]), self._at)
            elif fence is not None and fence.held:
                opening, fence.held = fence.held, ""
            if fence is not None:
                fence.has_calls = True
            text = opening + self._reply.text[mark.start : parsed.end]
            part = Part(text, parsed.outcomes, opening, fence, form.is_marked, parsed.needs_end)
            self._pieces.add(part)
        self._closings.update(form.closings)
        self._go_on(parsed.end)
        if parsed.thinking is not None:
            self._begin_thinking(parsed.thinking)

    def _go_on(self, at: int) -> None:
        """Read on from here: what came before is no text."""
        self._at = self._reply.begin = at

    def _pass_to(self, end: int) -> None:
        """Let the text pass up to ``end``; thinking is no part of the reply."""
        text, self._at = self._reply.text[self._at : end], end
        if self._thinking is not None:
            self._pieces.add_thinking(text)
        else:
            self._markdown.add(text)


@lru_cache(maxsize=20)
def _marked(tools: frozenset[str]) -> tuple[_ByMark, _ByMark, MarkFinder]:
    """The forms by the marks that begin a line and by others, and what finds all marks."""
    in_line, anywhere = (forms_by_mark(tools, in_line=each) for each in (True, False))
    closings = {mark for form in all_forms() for mark in form.closings}
    marks = {*CLOSING, *CLOSINGS, *anywhere, *closings, *reply_marks.RESULTS, *turn_marks.MARKS}
    return in_line, anywhere, MarkFinder(marks, {*TICKS, *in_line, *reply_marks.RESULT_LINES})
