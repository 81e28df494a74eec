"""A change that a model writes as text: where, what, spliced, parsed, proposed."""

import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import NamedTuple

from ipuaro_jupyter.agent.answering.choices import Ask, chosen
from ipuaro_jupyter.agent.answering.evidence_answer import Run, WordedAnswer
from ipuaro_jupyter.agent.answering.index_first import IndexFirst
from ipuaro_jupyter.agent.changing.added_imports import AddedImports, added_imports
from ipuaro_jupyter.agent.changing.change_request import (
    change_messages,
    choice_messages,
)
from ipuaro_jupyter.agent.changing.changed_places import ChangedPlace, ChangedPlaces
from ipuaro_jupyter.agent.changing.written_text import written_text
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.questions.message_kind import MessageKind
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.syntax_errors import syntax_problems
from ipuaro_jupyter.llm.wishes import Sampling
from ipuaro_jupyter.project.examples.doc_examples import DocExamples
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.events import Event, IndexAnswered, Noticed, ProposalDecided
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.tools.replace_symbol import Replacement, replacement
from ipuaro_jupyter.tools.tool import Project

_EDIT = re.compile(r"\s*/edit\s+")
_EXPORT = re.compile(r"\bexport(?:s|ed|ing)?\b", re.IGNORECASE)
_LIKELIEST = Sampling(temperature=0)
_BESIDE_TOKENS = 500
_MOST_TRIES, _MOST_SAMPLED_S = 2, 120
_AGAIN = "{problem} Write the whole declaration `{name}` with that mended, in one code fence."
_UNCHANGED = "The reply changes nothing."
_WHICH = (
    "That is the old text, which is not what is asked for. Say in one sentence which line has to "
    "change, and how."
)
_REJECTED = (
    "The developer did not take this text: {reason}\nWrite another one of the whole declaration "
    "`{name}`, in one code fence."
)


class _ReadText(NamedTuple):
    """A new text, ready to be proposed, or why there is none.

    Attributes:
        reply: The reply that holds it.
        after: The file with it.
        call: The call of a tool that makes the change; None where there is a problem.
        problem: What is wrong with the reply, for the model.
        failed: The examples in the documentation that fail with it; "" as far as is known.
    """

    reply: Reply
    after: bytes = b""
    call: ToolCall | None = None
    problem: str = ""
    failed: str = ""

    @property
    def told(self) -> str:
        """What is wrong, a sentence."""
        return self.problem or f"With it, examples in the documentation fail:\n{self.failed}\n"


class TextChange:
    """Leads a model through one change.

    Args:
        first: The index.
        ask: Sends a request.
        propose: Runs the call that makes the edit, with its question.
        can_constrain: Whether the model can be held to a list of ids.
    """

    def __init__(self, first: IndexFirst, ask: Ask, propose: Run, *, can_constrain: bool) -> None:
        self._first = first
        self._ask = ask
        self._propose = propose
        self._can_constrain = can_constrain

    def changed(
        self, message: str, before: Sequence[Message], beside: Callable[[], Beside]
    ) -> Generator[Event, None, WordedAnswer]:
        """Yield the events up to the end of the change, and return what is said of it.

        That is "" where the loop has to see to the request.

        Args:
            message: As typed.
            before: The earlier messages.
            beside: Returns what the message brings with it.

        Raises:
            Cancelled: The user pressed stop.
            TurnEnded: The model cannot be asked, or Redis has gone.
        """
        request = _EDIT.sub("", message, count=1)
        places = ChangedPlaces(self._first.project, request)
        if places.is_elsewhere:
            return WordedAnswer("", IndexAnswer())
        meant, answer = yield from self._chosen_places(places, request, before)
        if not meant:
            return WordedAnswer("", IndexAnswer())
        yield IndexAnswered(answer=answer)
        brought = beside()
        yield from (Noticed(text=note) for note in brought.notes)
        text = yield from self._told(meant[0], request, _told_beside(brought))
        if others := ", ".join(one.told for one in meant[1:]):
            text += f"\n\nNothing else was changed; {others} may have to be changed, too."
        return WordedAnswer(text, answer)

    def _chosen_places(
        self, places: ChangedPlaces, request: str, before: Sequence[Message]
    ) -> Generator[Event, None, tuple[list[ChangedPlace], IndexAnswer]]:
        """The declaration to change, first: one that is named, else one that the model chooses.

        After it come those that the model has chosen as well. None is chosen where there are
        several and the model cannot be held to a list.
        """
        named = places.named(self._first.referred(request, before))
        found = {f"E{number}": one for number, one in enumerate(named, 1)}
        ids, evidence = [*found], ""
        if not named:
            looked = self._first.answer(request, MessageKind("change"), before, Beside()).evidence
            found = {} if looked is None else places.likely(looked)
            evidence = "" if looked is None else looked.text
        if len(named) != 1:
            can_choose = found and self._can_constrain
            ids = (yield from self._chosen(found, evidence, request)) if can_choose else []
        meant = [found[one] for one in ids]
        return meant, IndexAnswer(looked_at=tuple(one.told for one in meant[:1]))

    def _chosen(
        self, found: Mapping[str, ChangedPlace], evidence: str, request: str
    ) -> Generator[Event, None, list[str]]:
        """The ids of the places that have to change, as the model chooses them; maybe none."""
        listed = "\n".join(f"{one} {place.told}" for one, place in found.items())
        messages = choice_messages(self._first.project, listed, evidence, request)
        return (yield from chosen(self._ask, messages, found)) or []

    def _told(
        self, place: ChangedPlace, request: str, beside: Sequence[str]
    ) -> Generator[Event, None, str]:
        """Have the text written and propose it; what is said of that."""
        project, file, name = self._first.project, place.file, place.found.qualified
        project.workspace.note_shown(file.path, file.hash)
        shown = self._first.hidden(place.text, file.path)
        messages = change_messages(
            project, place, request, text=shown, beside=beside, hidden=self._first.hidden
        )
        proposed: set[bytes] = set()
        while True:
            written = yield from self._written(place, request, messages)
            if written.call is None:
                return f"There is no new text of {place.told} that holds: {written.problem}"
            if written.after in proposed:
                return f"{place.told} stays as it is: the model wrote the same text again."
            id_ = f"written.{len(proposed) + 1}"
            result, reason = yield from self._decided(written.call.model_copy(update={"id": id_}))
            error = result.error
            if error is None:
                return f"Changed `{name}` in {_now(project, place)}."
            if not error.rejected:
                return error.message
            if not reason or proposed:
                return f"{place.told} stays as it is: the change was rejected."
            proposed.add(written.after)
            told = _REJECTED.format(reason=reason, name=name)
            messages = [*messages, *_said(written.reply, told)]

    def _decided(self, call: ToolCall) -> Generator[Event, None, tuple[ToolResult, str]]:
        """Run a call; yield its events, and return it with the reason of a rejection."""
        reason = ""
        with closing(self._propose(call)) as events:
            while True:
                try:
                    event = next(events)
                except StopIteration as ended:
                    result: ToolResult = ended.value
                    return result, reason
                if isinstance(event, ProposalDecided) and event.decision.action == "reject":
                    reason = event.decision.reason
                yield event

    def _written(
        self, place: ChangedPlace, request: str, messages: Sequence[Message]
    ) -> Generator[Event, None, _ReadText]:
        """A text that can be read, and with which the examples in its documentation hold.

        What is wrong with one goes back to the model once. Where examples tell, others follow.
        """
        examples = _examples(self._first.project, place)
        until_s = time.monotonic() + _MOST_SAMPLED_S
        asked, kept = messages, _ReadText(Reply())
        for number in range(_MOST_TRIES + self._first.samples * examples.can_tell):
            is_sample = number >= _MOST_TRIES
            if is_sample and time.monotonic() > until_s:
                break
            sampling = None if is_sample else _LIKELIEST
            wanted = AskedFor(has_tools=False, is_shown=False, by_card=is_sample, sampling=sampling)
            reply = yield from self._ask(messages if is_sample else asked, wanted)
            try:
                written = self._read(place, request, reply)
            except (ToolError, ParsingTooSlow) as error:
                written = _ReadText(reply, problem=f"{error}")
            if written.call is not None:
                failed = self._first.hidden(examples.failed(written.after), place.file.path)
                written = written._replace(failed=failed)
                if not failed:
                    return written
            kept = written if kept.call is None else kept
            if not number:
                yield Noticed(text=f"{written.told} It is asked once more.")
                asked = yield from self._again(place, written, messages)
        if kept.failed:
            yield Noticed(text=kept.told, level="warning")
        return kept

    def _again(
        self, place: ChangedPlace, written: _ReadText, messages: Sequence[Message]
    ) -> Generator[Event, None, list[Message]]:
        """The request for another text; of one that changed nothing, the model first says more."""
        name, wrong = place.found.qualified, written.told
        if written.problem == _UNCHANGED:
            messages = [*messages, *_said(written.reply, _WHICH)]
            wanted = AskedFor(has_tools=False, is_shown=False, sampling=_LIKELIEST)
            reply = yield from self._ask(messages, wanted)
            written, wrong = _ReadText(reply), ""
        told = _AGAIN.format(problem=wrong, name=name).lstrip()
        return [*messages, *_said(written.reply, told)]

    def _read(self, place: ChangedPlace, request: str, reply: Reply) -> _ReadText:
        """The text in a reply, spliced and parsed."""
        file, found = place.file, place.found
        said = reply.raw if reply.calls else reply.text
        may_export = _EXPORT.search(request) is not None
        written = written_text(said, file, found, may_export=may_export)
        if reply.cut_off or written.problem:
            told = "The reply ended before it was whole." if reply.cut_off else written.problem
            return _ReadText(reply, problem=told)
        made = replacement(file, written.text, found)
        if made.after == file.data:
            return _ReadText(reply, problem=_UNCHANGED)
        imports = added_imports(file, made, written.code, self._first.project.index)
        problem = imports.problem
        if errors := syntax_problems(file.path, file.data, made.after):
            problem = f"With it, {file.path} has a {errors[0]}."
        if problem:
            return _ReadText(reply, problem=problem)
        return _ReadText(reply, made.after, _call(place, made, imports))


def _told_beside(beside: Beside) -> list[str]:
    """What mentions have attached, and the notebook's part, each with little room."""
    told = [f"{one.mention}:\n{one.text}" for one in beside.attached if not one.problem]
    told += [beside.notebook] if beside.notebook else []
    return [shorten(one, _BESIDE_TOKENS) for one in told]


def _examples(project: Project, place: ChangedPlace) -> DocExamples:
    """The examples in the documentation of what is changed."""
    file, found = place.file, place.found
    documentation = "\n".join(file.lines[found.comments - 1 : found.end])
    return DocExamples(
        project.workspace, file.path, name=found.qualified, documentation=documentation
    )


def _said(reply: Reply, told: str) -> Iterator[Message]:
    """Yield a reply and what is said to it."""
    yield Message(role="assistant", content=reply.text.strip() or "(nothing)")
    yield Message(role="user", content=told)


def _call(place: ChangedPlace, made: Replacement, imports: AddedImports) -> ToolCall:
    """The call of a tool that makes the change."""
    path, name = place.file.path, place.found.qualified
    start, end = made.lines
    edit = {"path": path, "start": start, "end": end, "content": made.text}
    if imports.line:
        line, text = imports.line, imports.text
        added = {"path": path, "start": line, "end": line - 1, "content": text}
        return ToolCall(name="propose_changes", arguments={"changes": [added, edit]}, id="written")
    if len(Declarations(path, place.file.data).named(name)) == 1:
        replaced = {"path": path, "name": name, "content": made.text}
        return ToolCall(name="replace_symbol", arguments=replaced, id="written")
    return ToolCall(name="edit_lines", arguments=edit, id="written")


def _now(project: Project, place: ChangedPlace) -> str:
    """The place of a declaration in its file as that is by now."""
    path, found = place.file.path, place.found
    same: list[DeclaredLines] = []
    with suppress(ToolError, ParsingTooSlow):  # it is gone, or grew
        same = Declarations(path, project.workspace.read(path).data).exactly(found.qualified)
    starts = [one.start for one in same] or [found.start]
    return f"{path}:{min(starts, key=lambda start: abs(start - found.start))}"
