"""A change that a model writes as text: where, what, spliced, parsed, proposed."""

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import islice

from ipuaro_jupyter.agent.answering.choices import Ask, chosen
from ipuaro_jupyter.agent.answering.evidence_answer import Run, WordedAnswer
from ipuaro_jupyter.agent.answering.index_first import IndexFirst
from ipuaro_jupyter.agent.changing.change_request import choice_messages
from ipuaro_jupyter.agent.changing.changed_places import (
    MOST_PLACES,
    ChangedPlace,
    ChangedPlaces,
)
from ipuaro_jupyter.agent.changing.declaration_text import DeclarationText
from ipuaro_jupyter.agent.changing.plain_edits import PlainEdit, plain_edit
from ipuaro_jupyter.agent.changing.several_texts import SeveralTexts, outermost
from ipuaro_jupyter.agent.changing.writing import TextWriter, WantedText
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.questions.message_kind import MessageKind
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.events import Event, IndexAnswered, Noticed, ProposalDecided
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult

_EDIT = re.compile(r"\s*/edit\s+")
_BESIDE_TOKENS = 500


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
        self._writer = TextWriter(first, ask)
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
        if (plain := plain_edit(self._first.project, request)) is not None:
            return (yield from self._made(plain))
        places = ChangedPlaces(self._first.project, request)
        if places.is_elsewhere:
            return WordedAnswer("", IndexAnswer())
        found = yield from self._chosen_places(places, request, before)
        if not found:
            return WordedAnswer("", IndexAnswer())
        brought = beside()
        told = _told_beside(brought)
        meant = [*found.values()]
        for one in meant:
            self._first.project.workspace.note_shown(one.file.path, one.file.hash)
        wanted: WantedText
        if len(found) > 1:
            some = dict(islice(found.items(), MOST_PLACES))
            is_sure = places.is_list and len(_names(meant)) == len(meant)
            several = SeveralTexts(self._writer, some, request, beside=told, is_sure=is_sure)
            wanted = several
            listed = yield from several.listed()
            meant = listed or ([*some.values()] if places.is_everywhere else meant[:1])
        if len(meant) == 1:
            wanted = DeclarationText(self._writer, meant[0], request, told)
        answer = IndexAnswer(looked_at=tuple(one.told for one in meant))
        yield IndexAnswered(answer=answer)
        yield from (Noticed(text=note) for note in brought.notes)
        text = yield from self._told(wanted)
        if others := [one.told for one in found.values() if one not in meant]:
            text += f"\n\nNothing else was changed; {named(others)} may have to be changed, too."
        return WordedAnswer(text, answer)

    def _made(self, plain: PlainEdit) -> Generator[Event, None, WordedAnswer]:
        """Propose a change that needs no text; what is said of it."""
        answer = IndexAnswer(looked_at=(plain.place,))
        yield IndexAnswered(answer=answer)
        if plain.uses:
            yield Noticed(text=plain.uses, level="warning")
        result, _ = yield from self._decided(plain.call)
        if result.error is None:
            return WordedAnswer(plain.done or result.text(), answer)
        is_rejected = result.error.rejected
        kept = f"{plain.place} stays as it is: the change was rejected."
        return WordedAnswer(kept if is_rejected else result.error.message, answer)

    def _chosen_places(
        self, places: ChangedPlaces, request: str, before: Sequence[Message]
    ) -> Generator[Event, None, dict[str, ChangedPlace]]:
        """The declarations to change, by id: those that are named, else those the model chooses.

        It also chooses among some of one name. Of what is to change everywhere, they are all that
        use it. There are none where there are several and the model cannot be held to a list.
        """
        exact = places.using() if places.is_everywhere else []
        exact = exact or places.named(self._first.referred(request, before))
        found, evidence = {f"E{number}": one for number, one in enumerate(exact, 1)}, ""
        if not exact:
            looked = self._first.answer(request, MessageKind("change"), before, Beside()).evidence
            found = {} if looked is None else places.likely(looked)
            evidence = "" if looked is None else looked.text
        if len(exact) == 1:
            return found
        if not (found and self._can_constrain):
            return {}
        if not places.is_everywhere and len(_names(exact)) < len(found):
            listed = "\n".join(f"{one} {place.told}" for one, place in found.items())
            messages = choice_messages(self._first.project, listed, evidence, request)
            ids = (yield from chosen(self._writer.ask, messages, found)) or []
            found = {one: found[one] for one in ids}
        return outermost(found)

    def _told(self, wanted: WantedText) -> Generator[Event, None, str]:
        """Have a text written and propose it; what is said of that."""
        proposed: set[str] = set()
        reason = ""
        while True:
            written = yield from wanted.written(reason)
            if written.call is None:
                return f"There is no new text of {wanted.told} that holds: {written.problem}"
            new = f"{written.call.arguments}"
            if new in proposed:
                return f"{wanted.told} stays as it is: the model wrote the same text again."
            id_ = f"written.{len(proposed) + 1}"
            result, reason = yield from self._decided(written.call.model_copy(update={"id": id_}))
            error = result.error
            if error is None:
                return wanted.changed(written)
            if not error.rejected:
                return error.message
            if not reason or proposed:
                return f"{wanted.told} stays as it is: the change was rejected."
            proposed.add(new)

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


def _names(places: Iterable[ChangedPlace]) -> set[str]:
    """The names without those of their classes."""
    return {one.found.qualified.rpartition(".")[2] for one in places}


def _told_beside(beside: Beside) -> list[str]:
    """What mentions have attached, and the notebook's part, each with little room."""
    told = [f"{one.mention}:\n{one.text}" for one in beside.attached if not one.problem]
    told += [beside.notebook] if beside.notebook else []
    return [shorten(one, _BESIDE_TOKENS) for one in told]
