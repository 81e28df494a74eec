"""Something new: a declaration, members of a class, or a file; written, placed and parsed."""

import re
from collections.abc import Generator, Iterator, Sequence
from posixpath import splitext
from textwrap import dedent

from ipuaro_jupyter.agent.changing.added_imports import added_imports
from ipuaro_jupyter.agent.changing.new_places import NewPlace
from ipuaro_jupyter.agent.changing.placed_edits import PlacedEdits
from ipuaro_jupyter.agent.changing.placed_lines import NewLines
from ipuaro_jupyter.agent.changing.writing import ReadText, TextWriter, said
from ipuaro_jupyter.agent.changing.written_text import (
    ECMASCRIPT_FRAMES,
    fenced_codes,
    left_out,
)
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.index.declared_lines import Declarations
from ipuaro_jupyter.languages.syntax_errors import new_syntax_errors, syntax_problems
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.events import Event
from ipuaro_jupyter.tools.insert_near import insertion
from ipuaro_jupyter.tools.replace_symbol import Replacement
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

_HEAD_TOKENS, _BESIDE_TOKENS = 200, 700
_REJECTED = "The developer did not take this: {reason}\nWrite it anew, in one code fence."
_NOTHING = "The reply holds nothing new for {path} in one code fence."
_CALLED = re.compile(
    r"\s*(?:@|(?:export |default |declare |abstract |public |private |protected |static )*"
    r"(?:async |def |class |function\b|interface |type |enum |get |set |\*?#?[\w$]+\s*[(<])"
    r"|.*=>|.*\bfunction\b)"
)
"""The first line of what is no value, such as that of an example of its use."""


class NewText:
    """Something new that is written.

    Args:
        writer: Asks the model.
        place: Where it goes.
        request: What is asked for.
        context: What else the model has to know.
    """

    def __init__(
        self, writer: TextWriter, place: NewPlace, request: str, context: Sequence[str]
    ) -> None:
        self._writer = writer
        self._place = place
        self._names: list[str] = []
        self._last = Reply()
        project = writer.first.project
        parts = [*context, *self._around(), f"Request: {request}"]
        rules = prompt_file("new.md", project=project.workspace.root.name)
        self._messages = [
            Message(role="system", content=rules),
            Message(role="user", content="\n\n".join(parts)),
        ]

    @property
    def told(self) -> str:
        """The place."""
        return self._place.told

    def written(self, reason: str = "") -> Generator[Event, None, ReadText]:
        """Have it written, anew where the last one was rejected for a reason."""
        if reason:
            self._messages += said(self._last, _REJECTED.format(reason=reason))
        made = yield from self._writer.written(self._messages, self._read)
        self._last = made.reply
        return made

    def changed(self, written: ReadText) -> str:
        """What is said of it once it is applied."""
        lines = written.changed.lines[-1:] if written.changed is not None else ()
        where = named([one.told for one in lines])
        if not self._names:
            return f"Created {where}."
        return f"Added {named([f'`{one}`' for one in self._names])} at {where}."

    def _around(self) -> Iterator[str]:
        """Yield what the new code stands beside."""
        place, file = self._place, self._place.file
        if file is None:
            yield f"It becomes the new file {place.path}."
            return
        hidden = self._writer.first.hidden
        known = Declarations(file.path, file.data)
        own = known.exactly(place.owner) if place.owner else []
        shown = own[0] if own else place.after
        starts = [one.comments for name in known.names for one in known.exactly(name)]
        head = "\n".join(file.lines[: min(starts, default=len(file.lines) + 1) - 1]).strip()
        if head:
            text = hidden(shorten(head, _HEAD_TOKENS), file.path)
            yield f"{file.path} begins:\n```\n{text}\n```"
        if shown is not None:
            lines = "\n".join(file.lines[shown.comments - 1 : shown.end])
            text = hidden(shorten(lines, _BESIDE_TOKENS), file.path)
            goes = f"into the class `{place.owner}`" if own else f"behind `{shown.qualified}`"
            yield f"It goes {goes} of {file.path}:\n```\n{text}\n```"
        others = [one for one in known.names if "." not in one]
        if others:
            yield f"{file.path} also has: {', '.join(others[:40])}."

    def _read(self, reply: Reply) -> ReadText:
        """What is new in a reply, in its place."""
        if reply.cut_off:
            return ReadText(reply, problem="The reply ended before it was whole.")
        path, file = self._place.path, self._place.file
        text = reply.raw if reply.calls else reply.text
        for code in fenced_codes(text):
            if file is None:
                return self._made(reply, [NewLines(path, 0, 0, f"{code}\n")], None, code.encode())
            new = self._new_in(code, file)
            if not new:
                continue
            if line := left_out(new.split("\n"), file):
                return ReadText(reply, problem=f"`{line}` stands for a part that was left out.")
            if self._place.after is None:
                at, gap = len(file.lines) + 1, "\n\n" if file.text.strip() else ""
                new = f"{gap}{new}\n"
            else:
                made = insertion(file, new, self._place.after, "after")
                at, new = made.line, made.text
            after = file.replaced(at, at - 1, new)
            put = Replacement(LineSpan(at, at - 1), new, after, ())
            imports = added_imports(file, put, code, self._writer.first.project.index)
            if imports.problem:
                return ReadText(reply, problem=imports.problem)
            lines = [NewLines(path, at, at - 1, new)]
            if imports.line:
                lines.insert(0, NewLines(path, imports.line, imports.line - 1, imports.text))
                after = imports.added_to(TextFile(path, after, file.mode))
            return self._made(reply, lines, file, after)
        return ReadText(reply, problem=_NOTHING.format(path=path))

    def _made(
        self, reply: Reply, lines: Sequence[NewLines], file: TextFile | None, after: bytes
    ) -> ReadText:
        """The new lines as a change, if the file can be parsed with them."""
        path = self._place.path
        if errors := syntax_problems(path, None if file is None else file.data, after):
            return ReadText(reply, problem=f"With it, {path} has a {errors[0]}.")
        changed = PlacedEdits(tuple(lines), {path: after})
        return ReadText(reply, after, changed.call, changed=changed)

    def _new_in(self, code: str, file: TextFile) -> str:
        """What a code declares that its place does not have; "" for nothing."""
        is_python = splitext(file.path)[1] in (".py", ".pyi")
        path = f"reply{splitext(file.path)[1]}"
        own = {*Declarations(file.path, file.data).names}
        owner = self._place.owner
        last = owner.rpartition(".")[2]
        for head, tail in ECMASCRIPT_FRAMES[: 1 if is_python else 2]:
            framed = f"{head}{dedent(code)}{tail}"
            if new_syntax_errors(path, None, framed.encode()):
                continue
            known = Declarations(path, framed.encode())
            within = "A." if head else f"{last}." if last in known.names else ""
            parts = {
                name: "\n\n".join(
                    "\n".join(framed.split("\n")[one.comments - 1 : one.end])
                    for one in known.exactly(f"{within}{name}")
                )
                for name in (one.removeprefix(within) for one in known.names)
                if "." not in name and f"{within}{name}" in known.names
                if (f"{owner}.{name}" if owner else name) not in own
            }
            kept = _with_used({name: part for name, part in parts.items() if part})
            if kept:
                self._names = [f"{owner}.{one}" if owner else one for one in kept]
                gap = "\n\n\n" if is_python and not owner else "\n\n"
                return gap.join(kept.values())
        return ""


def _with_used(parts: dict[str, str]) -> dict[str, str]:
    """The parts without values that no other part uses, such as the result of an example."""
    texts = [one for one in parts.values() if _CALLED.match(_first_code(one))]
    return {
        name: part
        for name, part in parts.items()
        if part in texts
        or any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) for text in texts)
        or not texts
    }


def _first_code(text: str) -> str:
    """The first line of a declaration that is no comment."""
    bare = re.sub(r"/\*.*?\*/|^\s*(?:#|//).*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return next((line for line in bare.split("\n") if line.strip()), "")
