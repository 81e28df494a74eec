"""What the mentions of a question attach to it, each within bounds and without secrets."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.context.question_mentions import (
    Mention,
    MentionReading,
    question_mentions,
)
from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.redaction import Redaction, path_of
from ipuaro_jupyter.errors import SeveralMeant, ToolError
from ipuaro_jupyter.index.declared_ranges import declared_ranges
from ipuaro_jupyter.index.suggestions import similar_names
from ipuaro_jupyter.records.chat import Attachment
from ipuaro_jupyter.records.counted import counted, line_range, named
from ipuaro_jupyter.records.outputs import Output, ToolFailure, ToolResult
from ipuaro_jupyter.records.result_room import ResultRoom, cut
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.tools.find_definition import Definition, Definitions
from ipuaro_jupyter.tools.git_status import GitStatus
from ipuaro_jupyter.tools.last_error import error_report
from ipuaro_jupyter.tools.notebook_cells import NotebookCells
from ipuaro_jupyter.tools.notebook_kernel import KernelAccess
from ipuaro_jupyter.tools.source_lines import is_notebook
from ipuaro_jupyter.tools.tool import Project

_MOST, _MOST_DECLARATIONS, _MOST_KNOWN, _CLOSE = 20, 3, 100_000, 3
_LEAST_TOKENS = 40
_PACKAGE = re.compile(r"([a-z0-9~-][a-z0-9._~-]*)/([a-z0-9._~-]+)(?:/\S*)?")
_NO_KERNEL = "it names the user's notebook, and this is asked from elsewhere"
_TAGS = frozenset(
    {  # of CSS, and of documentation in JavaScript, Java and PHP
        *("charset", "container", "counter-style", "font-face", "import", "keyframes", "layer"),
        *("media", "namespace", "page", "property", "scope", "supports", "apply", "tailwind"),
        *("include", "mixin", "use", "forward", "extend", "if", "else", "each", "for", "while"),
        *("param", "params", "returns", "return", "throws", "exception", "type", "typedef", "see"),
        *("deprecated", "since", "example", "template", "callback", "default", "description"),
        *("link", "todo", "version", "author", "private", "public", "protected", "internal"),
        *("override", "abstract", "readonly", "class", "constructor", "enum", "function", "module"),
        *("this", "yields", "async", "event", "fires", "global", "ignore", "inheritDoc", "kind"),
        *("license", "memberof", "name", "summary", "typeParam", "remarks", "alpha", "beta"),
        *("staticmethod", "classmethod", "abstractmethod", "dataclass", "overload", "cached"),
    }
)


class AttachingCall(NamedTuple):
    """What a mention asks for: a call of a tool, and what it gives, in words."""

    tool: str
    arguments: Mapping[str, Any]
    title: str


class Attaching:
    """Attaches what the mentions of a question name.

    Args:
        project: The project, with the kernel of a notebook if there is one.
        redaction: Hides secrets.
    """

    def __init__(self, project: Project, redaction: Redaction) -> None:
        self._project = project
        self._redaction = redaction
        self._left = 0.0
        self._done: set[str] = set()

    @cached_property
    def _tools(self) -> Tools:
        return load_tools()

    def attached(self, question: str, tokens: float) -> tuple[Attachment, ...]:
        """What is attached, and what is not and why, in the order of the mentions.

        Args:
            question: The user's message.
            tokens: The maximum size of all attachments.

        Raises:
            StorageError: Redis has gone.
            Cancelled: The user pressed stop.
        """
        self._left = tokens
        self._done.clear()
        mentions = list(question_mentions(question))
        found: list[Attachment] = []
        for place, mention in enumerate(mentions):
            self._project.cancel.check()
            if sum(not one.problem for one in found) >= _MOST:
                rest = ", ".join(one.text for one in mentions[place:])
                why = f"a question takes {_MOST} attachments"
                return (*found, Attachment(mention=rest, problem=why))
            found += self._of(mention, len(mentions) - place)
        return tuple(found)

    def _of(self, mention: Mention, share: int) -> Iterator[Attachment]:
        """Yield what one mention attaches; nothing for what is only text."""
        failed: ToolError | None = None
        for reading in mention.readings:
            try:
                asked = list(self._asked(reading, is_quoted=mention.is_quoted))
            except ToolError as error:
                failed = error
                if error.recoverable:  # it may be that punctuation follows
                    continue
                break
            if asked:
                typed = mention.text if mention.is_quoted else f"@{reading.typed}"
                for number, one in enumerate(asked):
                    yield from self._ran(typed, one, share * (len(asked) - number))
                return
        if reason := self._problem(mention, failed):
            yield Attachment(mention=mention.text, problem=reason)

    def _asked(self, reading: MentionReading, *, is_quoted: bool) -> Iterator[AttachingCall]:
        """Yield the calls for what a reading names; none when it names nothing.

        Raises:
            ToolError: It cannot be attached.
        """
        if not is_quoted and (reading.typed in ("error", "diff") or reading.cell is not None):
            yield AttachingCall(f"@{reading.typed}", {}, reading.typed)
            return
        is_word = reading.is_symbol and not reading.is_path and not is_quoted
        place = self._place(reading.name, is_exact=is_word and "." not in reading.name)
        if place is not None:
            yield self._of_path(place, reading)
        elif reading.is_symbol and not is_quoted:
            result = self._tools.call("find_definition", {"symbol": reading.symbol}, self._project)
            if isinstance(result.output, Definitions):
                yield from self._of_symbol(result.output)

    def _place(self, name: str, *, is_exact: bool) -> str | None:
        """The path that a name means; None when there is nothing.

        Raises:
            ToolError: It leads out of the project, or may mean several paths.
        """
        workspace = self._project.workspace
        if is_exact:
            try:
                return workspace.relative(name)
            except ToolError:
                return None
        try:
            return workspace.relative(workspace.meant(name, kind="any", exact=True).path)
        except ToolError as error:
            if error.type != "file" or not error.recoverable:
                raise
        inner = name.replace("\\", "/").removeprefix("./").strip("/")
        ends = [path for path in self._paths if path.endswith(f"/{inner}")] if inner else []
        if len(ends) > 1:
            told = f"it could mean {len(ends)} files: {named(ends)}."
            raise SeveralMeant("file", told, suggestion="Give the whole path.")
        return ends[0] if ends else None

    @cached_property
    def _paths(self) -> list[str]:
        return self._project.index.known_paths("", limit=_MOST_KNOWN)

    def _of_path(self, path: str, reading: MentionReading) -> AttachingCall:
        if (self._project.workspace.root / path).is_dir():
            if reading.first is not None:
                raise ToolError("validation", f"{path or '.'} is a folder and has no lines.")
            return AttachingCall("get_structure", {"path": path}, f"the files of {path or '.'}/")
        if reading.first is None:
            return AttachingCall("get_lines", {"path": path}, path)
        lines = {"path": path, "start": reading.first, "end": reading.last}
        title = f"{path} {line_range(reading.first, reading.last or reading.first)}"
        return AttachingCall("get_lines", lines, title)

    def _of_symbol(self, found: Definitions) -> Iterator[AttachingCall]:
        """Yield the declarations, the first ones; where the others are stays in the last title."""
        ranges = list(dict.fromkeys(self._range(one) for one in found.definitions))
        shown = ranges[:_MOST_DECLARATIONS]
        for number, (path, start, end) in enumerate(shown, 1):
            title = f"{found.symbol} in {path} {line_range(start, end)}"
            if number == len(shown) < len(ranges):
                rest = [f"{path}:{line}" for path, line, _ in ranges[number:]]
                title += f" (not attached: {counted(len(rest), 'declaration')} in {named(rest, 3)})"
            if is_notebook(path):
                yield AttachingCall(
                    "find_definition", {"symbol": found.symbol}, f"{found.symbol} in {path}"
                )
                return
            yield AttachingCall("get_lines", {"path": path, "start": start, "end": end}, title)

    def _range(self, one: Definition) -> tuple[str, int, int]:
        """The lines of a declaration, all of them as far as they are known."""
        facts = self._project.index.facts(one.path)
        known = [] if facts is None else list(declared_ranges(facts))
        if facts is not None:
            known += [(c.qualified, c.line_start, c.line_end) for c in facts.classes]
        ends = [end for name, start, end in known if name == one.name and start == one.line]
        last = one.context_start + max(len(one.context) - 1, 0)
        return one.path, one.line, max(ends, default=max(one.line, last))

    def _ran(self, typed: str, asked: AttachingCall, share: int) -> Iterator[Attachment]:
        """Yield what a call gives, within its share of the room, unless it is attached already."""
        if asked.title in self._done:
            return
        self._done.add(asked.title)
        if asked.tool.startswith("@"):
            title, result = self._special(asked.title)
        else:
            title = asked.title
            result = self._tools.call(asked.tool, asked.arguments, self._project)
        if result.error is not None:
            yield Attachment(mention=typed, problem=self._hidden(_told(result.error)))
            return
        room = ResultRoom(self._left / share, count_tokens)
        if room.tokens < _LEAST_TOKENS:
            yield Attachment(mention=typed, problem="there is no room for more")
            return
        whole, path = result.text(), path_of(asked.arguments)
        known = self._redaction.known(asked.arguments, whole, self._project)
        text = cut(self._redaction.text(result.within(room), path, known), room)
        self._left = max(0.0, self._left - count_tokens(text))
        if not room.holds(whole):
            title += ", in part"
        yield Attachment(mention=typed, title=title, text=text)

    def _hidden(self, text: str) -> str:
        return self._redaction.text(text)

    def _special(self, name: str) -> tuple[str, ToolResult]:
        """What ``@diff``, ``@error`` and ``@cell:N`` name: a title, and the content."""
        if name == "diff":
            return self._diff()
        try:
            title, output = self._of_kernel(name)
        except ToolError as error:
            return name, ToolResult(tool=name, error=ToolFailure.of(error))
        return title, ToolResult(tool=name, output=output)

    def _diff(self) -> tuple[str, ToolResult]:
        """The uncommitted changes; untracked files, which have none, are named in the title."""
        result = self._tools.call("git_diff", {}, self._project)
        status = self._tools.call("git_status", {}, self._project).output
        untracked = status.files.untracked if isinstance(status, GitStatus) else ()
        title = "the uncommitted changes"
        if untracked:
            files = f"{counted(len(untracked), 'untracked file')}: {named(untracked, 5)}"
            title += f", without {files}"
            if result.error is not None:
                told = f"{result.error.message} There is, without a diff, {files}."
                error = result.error.model_copy(update={"message": told, "suggestion": None})
                result = result.model_copy(update={"error": error})
        return title, result

    def _of_kernel(self, name: str) -> tuple[str, Output]:
        """The last error, or a cell of the notebook.

        Raises:
            ToolError: There is none, or the user does not allow it.
        """
        access = self._project.kernel
        if access is None:
            raise ToolError("validation", f"{_NO_KERNEL}.")
        if name == "error":
            return self._error(access)
        number = int(name.partition(":")[2])
        access.allow(f"cell [{number}] with its output")
        cells = access.kernel.cells()
        ran = [cell for cell in cells if cell.number == number]
        if not ran:
            near = sorted(cells, key=lambda one: abs(one.number - number))[:_CLOSE]
            told = ", ".join(f"@cell:{number}" for number in sorted(one.number for one in near))
            raise ToolError(
                "validation",
                f"no cell [{number}] is known: it was not run, or long ago, or is a question.",
                suggestion=f"Close: {told}." if told else "No cell was run.",
            )
        return f"cell [{number}] with its output", NotebookCells(cells=tuple(ran))

    def _error(self, access: KernelAccess) -> tuple[str, Output]:
        failed = access.kernel.failed(None)
        if failed is None:
            why = "no cell has failed, or it has run without an error since."
            raise ToolError("validation", why)
        access.allow(f"the error of cell [{failed.number}]")
        return f"the error of cell [{failed.number}]", error_report(self._project, failed)

    def _problem(self, mention: Mention, failed: ToolError | None) -> str:
        """Why a mention names nothing; "" when it is only text."""
        problem = "" if failed is None else _told(failed)
        reading = mention.readings[-1]
        is_text = not problem and not mention.is_quoted and self._is_text(reading)
        if mention.is_code or is_text:
            return ""
        is_path = mention.is_quoted or reading.is_path
        if isinstance(failed, SeveralMeant):
            return problem
        close = list(islice(self._close(reading, is_path=is_path), _CLOSE))
        if problem:
            return f"{problem} Close: {', '.join(close)}." if close else problem
        is_package = _PACKAGE.fullmatch(reading.name) and "." not in reading.name
        if is_package and not mention.is_quoted and not close:
            return ""  # of npm, most likely
        what = "file or folder" if is_path else "file or symbol"
        near = f"; close: {', '.join(close)}" if close else ""
        return f"there is no such {what}{near}."

    def _is_text(self, reading: MentionReading) -> bool:
        """Whether a name that names nothing here is a tag or a package of elsewhere."""
        if reading.name in _TAGS:
            return True
        package = _PACKAGE.fullmatch(reading.name)
        if package is None:
            return not (reading.is_path or reading.is_name)
        name = f"@{package[1]}/{package[2]}"
        if (self._project.workspace.root / "node_modules" / name).exists():
            return True
        manifests = [path for path in self._paths if path.rpartition("/")[2] == "package.json"]
        texts = self._project.index.texts(manifests[: _MOST_DECLARATIONS * _MOST])
        return any(f'"{name}"'.encode() in text for text, _ in texts.values())

    def _close(self, reading: MentionReading, *, is_path: bool) -> Iterator[str]:
        """Yield mentions of names that are close to an unknown one."""
        if not is_path or "/" not in reading.name:
            words = ["error", "diff", "cell:1"] if self._project.kernel else ["diff"]
            yield from (f"@{one}" for one in closest(reading.name, words, limit=1, cutoff=0.75))
        if reading.is_symbol:
            result = self._tools.call("find_definition", {"symbol": reading.symbol}, self._project)
            if isinstance(result.output, Definitions):
                names = dict.fromkeys(one.name for one in result.output.suggestions)
                yield from (f"@{name}" for name in names)
        if is_path:
            paths = self._paths
            wanted = reading.name.replace("\\", "/").strip("/")
            by_file: dict[str, list[str]] = {}
            for path in paths:
                by_file.setdefault(path.rpartition("/")[2], []).append(path)
            near = similar_names(wanted, paths, limit=_CLOSE) if "/" in wanted else []
            for file in similar_names(wanted.rpartition("/")[2], by_file, limit=_CLOSE):
                near += by_file[file][:_CLOSE]
            yield from (f'@"{one}"' if " " in one else f"@{one}" for one in dict.fromkeys(near))


def _told(failed: ToolError | ToolFailure) -> str:
    """What went wrong, and what to do, unless the user knows: what was rejected."""
    advice = "" if failed.rejected else failed.suggestion or ""
    return f"{failed.message} {advice}".strip()
