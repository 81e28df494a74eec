"""A change that a model writes as text: where, what, spliced, parsed, proposed."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import islice

from ipuaro_jupyter.agent.answering.choices import Ask, chosen
from ipuaro_jupyter.agent.answering.evidence_answer import Run, WordedAnswer
from ipuaro_jupyter.agent.answering.index_first import IndexFirst
from ipuaro_jupyter.agent.changing.change_request import (
    PATH_SCHEMA,
    choice_messages,
    path_messages,
)
from ipuaro_jupyter.agent.changing.changed_places import (
    MOST_PLACES,
    ChangedPlace,
    ChangedPlaces,
)
from ipuaro_jupyter.agent.changing.declaration_text import DeclarationText
from ipuaro_jupyter.agent.changing.new_places import NewPlace, NewPlaces
from ipuaro_jupyter.agent.changing.new_text import NewText
from ipuaro_jupyter.agent.changing.plain_edits import PlainEdit, plain_edit
from ipuaro_jupyter.agent.changing.several_texts import SeveralTexts, outermost
from ipuaro_jupyter.agent.changing.writing import TextWriter, WantedText
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.questions.message_kind import MessageKind
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.events import Event, IndexAnswered, Noticed, ProposalDecided
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult

_EDIT = re.compile(r"\s*/edit\s+")
_BESIDE_TOKENS, _EVIDENCE_TOKENS = 500, 700


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
        if places.new:
            return (yield from self._added(places, request, before, beside))
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

    def _added(
        self,
        places: ChangedPlaces,
        request: str,
        before: Sequence[Message],
        beside: Callable[[], Beside],
    ) -> Generator[Event, None, WordedAnswer]:
        """Have something new written; what is said of it, "" where its place is not known."""
        new = NewPlaces(self._first.project, request, places)
        place, evidence = new.named(), ""
        if place is None or place.file is None:
            found = self._first.answer(request, MessageKind("change"), before, Beside()).evidence
            evidence = "" if found is None else found.text
            if place is None and self._can_constrain:
                known = {} if found is None else places.likely(found)
                place = yield from self._new_place(new, known, request, evidence)
        if place is None:
            return WordedAnswer("", IndexAnswer())
        brought = beside()
        context = _told_beside(brought)
        if place.file is None:
            context += [shorten(evidence, _EVIDENCE_TOKENS)] if evidence else []
        else:
            self._first.project.workspace.note_shown(place.path, place.file.hash)
        answer = IndexAnswer(looked_at=(place.told,))
        yield IndexAnswered(answer=answer)
        yield from (Noticed(text=note) for note in brought.notes)
        text = yield from self._told(NewText(self._writer, place, request, context))
        return WordedAnswer(text, answer)

    def _new_place(
        self, new: NewPlaces, known: Mapping[str, ChangedPlace], request: str, evidence: str
    ) -> Generator[Event, None, NewPlace | None]:
        """The place that the model chooses: a path, or the declaration that goes before."""
        project = self._first.project
        if new.is_file:
            wanted = AskedFor(has_tools=False, schema=PATH_SCHEMA, is_shown=False)
            reply = yield from self._writer.ask(path_messages(project, request), wanted)
            return new.file(reply.raw)
        listed = "\n".join(f"{one} {at.told}" for one, at in known.items())
        messages = choice_messages(project, listed, evidence, request, is_new=True)
        ids = (yield from chosen(self._writer.ask, messages, known)) if known else []
        behind = [known[one] for one in (ids or [])[:1]]
        return next((new.behind(one.file.path, one.found.qualified) for one in behind), None)

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
