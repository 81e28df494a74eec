"""The new text of one declaration: spliced, parsed, and tried with its examples."""

import re
from collections.abc import Generator, Sequence
from contextlib import suppress

from ipuaro_jupyter.agent.changing.added_imports import AddedImports, added_imports
from ipuaro_jupyter.agent.changing.change_request import change_messages
from ipuaro_jupyter.agent.changing.changed_places import ChangedPlace
from ipuaro_jupyter.agent.changing.placed_edits import placed_edits
from ipuaro_jupyter.agent.changing.writing import UNCHANGED, ReadText, TextWriter, said
from ipuaro_jupyter.agent.changing.written_text import written_text
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.agent.written_edits import WrittenEdit, written_edits
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.declared_lines import Declarations, DeclaredLines
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.syntax_errors import syntax_problems
from ipuaro_jupyter.project.examples.doc_examples import DocExamples
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.events import Event
from ipuaro_jupyter.tools.replace_symbol import Replacement, replacement
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.files.text_file import TextFile

_EXPORT = re.compile(r"\bexport(?:s|ed|ing)?\b", re.IGNORECASE)
_REJECTED = (
    "The developer did not take this text: {reason}\nWrite another one of the whole declaration "
    "`{name}`, in one code fence."
)


class DeclarationText:
    """One declaration that is written anew.

    Args:
        writer: Asks the model.
        place: The declaration.
        request: What is asked for.
        beside: What else the model has to know.
    """

    def __init__(
        self, writer: TextWriter, place: ChangedPlace, request: str, beside: Sequence[str]
    ) -> None:
        self._writer = writer
        self._place = place
        self._may_export = _EXPORT.search(request) is not None
        first = writer.first
        self._project = first.project
        self._messages = change_messages(
            first.project,
            place,
            request,
            text=first.hidden(place.text, place.file.path),
            beside=beside,
            hidden=first.hidden,
        )
        self._last = Reply()

    @property
    def told(self) -> str:
        """Its name and its place."""
        return self._place.told

    def written(self, reason: str = "") -> Generator[Event, None, ReadText]:
        """Have it written, anew where the last one was rejected for a reason."""
        path, name = self._place.file.path, self._place.found.qualified
        if reason:
            self._messages += said(self._last, _REJECTED.format(reason=reason, name=name))
        examples = _examples(self._project, self._place)

        def failed(after: bytes) -> str:
            return self._writer.first.hidden(examples.failed(after), path)

        made = yield from self._writer.written(
            self._messages, self._read, name=name, failed=failed if examples.can_tell else None
        )
        self._last = made.reply
        return made

    def changed(self, written: ReadText) -> str:
        """What is said of it once it is applied."""
        if written.changed is not None:
            return f"Changed {written.changed.told}."
        return f"Changed `{self._place.found.qualified}` in {now(self._project, self._place)}."

    def _read(self, reply: Reply) -> ReadText:
        """The text in a reply, spliced and parsed."""
        file, found = self._place.file, self._place.found
        text = reply.raw if reply.calls else reply.text
        edits = [] if reply.cut_off else written_edits(text)
        if any(one.old is not None for one in edits):
            return self._read_edits(reply, edits)
        written = written_text(text, file, found, may_export=self._may_export)
        if reply.cut_off or written.problem:
            if edits and not written.code:  # another declaration, or a file
                other = self._read_edits(reply, edits)
                if other.call is not None:
                    return other
            told = "The reply ended before it was whole." if reply.cut_off else written.problem
            return ReadText(reply, problem=told)
        made = replacement(file, written.text, found)
        if made.after == file.data:
            return ReadText(reply, problem=UNCHANGED)
        imports = added_imports(file, made, written.code, self._project.index)
        problem = imports.problem
        if errors := syntax_problems(file.path, file.data, made.after):
            problem = f"With it, {file.path} has a {errors[0]}."
        if problem:
            return ReadText(reply, problem=problem)
        after = TextFile(file.path, made.after, file.mode)
        return ReadText(reply, imports.added_to(after), _call(self._place, made, imports))

    def _read_edits(self, reply: Reply, edits: Sequence[WrittenEdit]) -> ReadText:
        """What a reply replaces where it says so itself."""
        made = placed_edits(self._project, edits, self._place)
        if not made.lines:
            return ReadText(reply, problem=UNCHANGED)
        after = made.files.get(self._place.file.path, self._place.file.data)
        return ReadText(reply, after, made.call, changed=made)


def by_now(place: ChangedPlace, file: TextFile) -> ChangedPlace | None:
    """A declaration in another version of its file; None where it has none there."""
    same: list[DeclaredLines] = []
    with suppress(ParsingTooSlow):
        same = Declarations(file.path, file.data).exactly(place.found.qualified)
    if not same:
        return None
    start = place.found.start
    return ChangedPlace(file, min(same, key=lambda one: abs(one.start - start)))


def now(project: Project, place: ChangedPlace) -> str:
    """The place of a declaration in its file as that is by now."""
    found = None
    with suppress(ToolError):  # it is gone, or grew
        found = by_now(place, project.workspace.read(place.file.path))
    return f"{place.file.path}:{(found or place).found.start}"


def _examples(project: Project, place: ChangedPlace) -> DocExamples:
    """The examples in the documentation of what is changed."""
    file, found = place.file, place.found
    documentation = "\n".join(file.lines[found.comments - 1 : found.end])
    return DocExamples(
        project.workspace, file.path, name=found.qualified, documentation=documentation
    )


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
