"""Several declarations that are written anew: a list of what changes, then each, as one change."""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.changing.change_request import list_messages
from ipuaro_jupyter.agent.changing.changed_places import ChangedPlace
from ipuaro_jupyter.agent.changing.declaration_text import DeclarationText, by_now, now
from ipuaro_jupyter.agent.changing.placed_edits import PlacedEdits
from ipuaro_jupyter.agent.changing.placed_lines import NewLines
from ipuaro_jupyter.agent.changing.writing import ReadText, TextWriter, said
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.events import Event, Noticed
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, matches
from ipuaro_jupyter.workspace.files.text_file import TextFile

_COMPARED = 200_000
_LIST_TOKENS = 1600
_LONGEST = 120
_REJECTED = "The developer did not take the changes: {reason}\nWrite the list anew."
_REASON = "\nAn earlier text was not taken: {reason}"
_OTHERS = "The reply changes other files, too."


class _ListedChange(NamedTuple):
    """A declaration, and one line of what changes there; why it is left as it is, or ""."""

    place: ChangedPlace
    line: str
    problem: str = ""


class SeveralTexts:
    """Declarations that are changed as one.

    Args:
        writer: Asks the model.
        places: Those that may have to change, by id; none lies in another one.
        request: What is asked for.
        beside: What else the model has to know.
        is_sure: Whether all of them have to change, until the user says otherwise.
    """

    def __init__(
        self,
        writer: TextWriter,
        places: Mapping[str, ChangedPlace],
        request: str,
        *,
        beside: Sequence[str],
        is_sure: bool,
    ) -> None:
        self._writer = writer
        self._places = places
        self._request = request
        self._beside = beside
        self._is_sure = is_sure
        hidden, most = writer.first.hidden, _LIST_TOKENS // max(len(places), 1)
        texts = {
            f"{id_} {one.told}": shorten(hidden(one.text, one.file.path), most)
            for id_, one in places.items()
        }
        self._messages = list_messages(writer.first.project, texts, request)
        self._last = Reply()
        self._parts = [_ListedChange(place, "") for place in places.values()]

    @property
    def told(self) -> str:
        """The places that are changed."""
        return ", ".join(one.place.told for one in self._parts)

    def listed(self, reason: str = "") -> Generator[Event, None, list[ChangedPlace]]:
        """Have the model list what changes, and show that; the places, none where it lists none."""
        if reason:
            self._messages += said(self._last, _REJECTED.format(reason=reason))
        item = {
            "type": "object",
            "properties": {
                "id": {"enum": [*self._places]},
                "change": {"type": "string", "maxLength": _LONGEST},
            },
            "required": ["id", "change"],
        }
        schema = {"type": "array", "items": item, "maxItems": len(self._places)}
        wanted = AskedFor(has_tools=False, schema=schema, is_shown=False)
        self._last = yield from self._writer.ask(self._messages, wanted)
        lines = _lines(self._last.raw)
        if self._is_sure and not reason:
            lines = {id_: lines.get(id_, "") for id_ in self._places}
        listed = [
            _ListedChange(self._places[one], lines[one]) for one in lines if one in self._places
        ]
        self._parts = listed or self._parts
        if len(listed) > 1:
            told = "; ".join(map(_worded, listed))
            yield Noticed(text=f"Several places are to change: {told}.")
        return [one.place for one in listed]

    def written(self, reason: str = "") -> Generator[Event, None, ReadText]:
        """Have each written, in its file with the others; one that has no text is left out."""
        if reason:
            yield from self.listed(reason)
        files: dict[str, TextFile] = {}
        parts, self._parts = self._parts, []
        for place, line, _ in parts:
            path = place.file.path
            there = by_now(place, files.get(path, place.file)) or place
            asked = f"{self._request}\nHere, change `{place.found.qualified}` alone."
            asked += _REASON.format(reason=reason) if reason else ""
            text = DeclarationText(self._writer, there, asked, self._beside)
            made = yield from text.written()
            problem = made.problem
            if made.changed is not None and {*made.changed.files} != {path}:
                problem = _OTHERS
            if problem:
                yield Noticed(text=f"{place.told} is left out: {problem}", level="warning")
            else:
                files[path] = TextFile(path, made.after, place.file.mode)
            self._parts.append(_ListedChange(place, line, problem))
        before = {one.place.file.path: one.place.file for one in parts}
        lines = [new for path, file in files.items() for new in _new_lines(before[path], file)]
        if not lines:
            told = " ".join(dict.fromkeys(one.problem for one in self._parts))
            return ReadText(Reply(), problem=told)
        edits = PlacedEdits(tuple(lines), {path: one.data for path, one in files.items()})
        return ReadText(self._last, call=edits.call, changed=edits)

    def changed(self, _written: ReadText) -> str:
        """What has become of each place."""
        return "\n".join(map(self._told_of, self._parts))

    def _told_of(self, part: _ListedChange) -> str:
        place, project = part.place, self._writer.first.project
        if part.problem:
            return f"- {place.told} stays as it is: {part.problem}"
        try:
            there = by_now(place, project.workspace.read(place.file.path))
        except ToolError:
            there = None
        if there is not None and there.text == place.text:
            return f"- {place.told} stays as it is: it was left out."
        return f"- Changed `{place.found.qualified}` in {now(project, place)}."


def _worded(part: _ListedChange) -> str:
    return f"{part.place.told} ({part.line})" if part.line else part.place.told


def outermost(places: Mapping[str, ChangedPlace]) -> dict[str, ChangedPlace]:
    """The places without those that lie in another one."""

    def is_inside(one: ChangedPlace, other: ChangedPlace) -> bool:
        (file, inner), (others, outer) = one, other
        is_near = file.path == others.path and outer.comments <= inner.comments
        return one is not other and is_near and inner.end <= outer.end

    known = places.items()
    return {id_: one for id_, one in known if not any(is_inside(one, other) for _, other in known)}


def _lines(reply: str) -> dict[str, str]:
    """What changes, by id, as a reply says it."""
    try:
        found = json.loads(reply)
    except ValueError:
        return {}
    items = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    lines: dict[str, str] = {}
    for one in items:
        lines.setdefault(f"{one.get('id')}", " ".join(f"{one.get('change', '')}".split()))
    return lines


def _new_lines(before: TextFile, after: TextFile) -> Iterator[NewLines]:
    """Yield the lines in which two versions of a file differ."""
    old, new = before.lines, after.lines
    at_old = at_new = 0
    rest = MatchingBlock(len(old), len(new), 0)
    for block in [*matches(old, new, ComparisonBudget(_COMPARED)), rest]:
        if (at_old, at_new) != (block.old, block.new):
            content = "".join(f"{line}\n" for line in new[at_new : block.new])
            yield NewLines(before.path, at_old + 1, block.old, content)
        at_old, at_new = block.old + block.size, block.new + block.size
