"""Commands typed as a message, like "/undo": they are run instead of asking the model.

A message is a command when it is one line that begins with a slash and a name of letters and
hyphens. Paths are not: "/src/a.ts is slow" is for the model, and so are "/src", where there is such
a folder, and any message that begins with a blank. What follows "/edit" is for it, too. A name may
also be that of a question in a file (`question_templates`), which is for the model as well.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import not_
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.assistant.asked_ways import WAYS
from ipuaro_jupyter.assistant.templates.question_templates import (
    question_templates,
    without_use,
)
from ipuaro_jupyter.assistant.templates.template_file import QuestionTemplate, named
from ipuaro_jupyter.assistant.undone import undo_list_of
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import IpuaroError, SettingsError
from ipuaro_jupyter.llm.hosts import remote_host
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.events import Event, Noticed, PhaseChanged, TextAdded, TurnFinished
from ipuaro_jupyter.records.markdown import fenced
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.settings.removed_settings import removed_command
from ipuaro_jupyter.status import auto_apply, auto_apply_text, leaving
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.views.markup import counted

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant.assistant import Assistant

_IN_A_CELL = ("config", "fit", "pull", "replay", "start", "stop")
_UNDO_OPTIONS = ("turn", "skip", "list")
_TYPED = re.compile(r"/(?P<name>[A-Za-z][\w-]*)(?:[ \t]+(?P<rest>.*))?")


@dataclass(frozen=True)
class SlashCommand:
    """A command: its syntax, its effect, and its function.

    ``run`` gets the words after the name, if ``takes`` allows any; it returns the text to show, or
    the result of a failed tool. ``lacking`` is for a command about earlier turns of the session:
    what a new one lacks, as in "nothing to undo". ``subcommand`` is the name in ``%ipuaro`` when it
    differs.
    """

    usage: str
    summary: str
    run: "Callable[[Assistant, list[str], CancelToken], str | ToolResult]"
    takes: Callable[[list[str]], bool] = not_
    lacking: str = ""
    subcommand: str = ""


@dataclass(frozen=True)
class Typed:
    """A typed command; ``command`` is None when the name is unknown.

    ``others`` are the names that may have been meant beside those of commands.
    """

    message: str
    name: str
    words: list[str]
    command: SlashCommand | None
    others: tuple[str, ...] = ()

    def answer(self, assistant: "Assistant", cancel: CancelToken) -> Answer:
        """Run the command and return its text as an answer.

        Raises:
            IpuaroError: It cannot be done; the message says why.
        """
        said = self.said(assistant, cancel)
        return Answer(question=self.message, text=said if isinstance(said, str) else said.text())

    def said(self, assistant: "Assistant", cancel: CancelToken) -> str | ToolResult:
        """Run the command and return its text, or the result of a failed tool.

        Raises:
            IpuaroError: It cannot be done; the message says why.
        """
        if self.command is None:
            return _unknown(self)
        self.check()
        return self.command.run(assistant, self.words, cancel)

    def check(self) -> None:
        """Check the words without running anything.

        Raises:
            SettingsError: There is no such command, or it does not take these words.
        """
        if self.command is None:
            raise SettingsError(_unknown(self))
        if not self.command.takes(self.words):
            raise SettingsError(
                f"Write {self.command.usage}: it {self.command.summary} "
                "To send it to the model, put a blank in front."
            )

    def events(self, assistant: "Assistant", cancel: CancelToken) -> Iterator[Event]:
        """Run the command; the last event is `TurnFinished`."""
        yield PhaseChanged(phase="running", detail=f"/{self.name}")
        try:
            answer = self.answer(assistant, cancel)
        except IpuaroError as error:
            yield Noticed(text=str(error), level="error")
            answer = Answer(question=self.message, ended="error", notice=str(error))
        else:
            yield TextAdded(text=answer.text)
        yield TurnFinished(answer=answer)


def typed_command(message: str, root: Path) -> Typed | None:
    """The command that a message is; None when it is for the model.

    Args:
        message: As the user typed it.
        root: The project: if it has a folder "/src", that is not a misspelt command.
    """
    match = _TYPED.fullmatch(message.rstrip())
    if match is None:
        return None
    name, words = named(match["name"]), (match["rest"] or "").split()
    if name in WAYS:
        return None
    command = COMMANDS.get(name)
    if command is not None:
        return Typed(message, name, words, command)
    others = tuple(question_templates(root, RESERVED))
    if name not in others and (told := removed_command(name, f"/{name}")):
        said = SlashCommand(f"/{name}", "", lambda *_: told, takes=lambda _: True)
        return Typed(message, name, words, said)
    if name in others or not _is_meant(match["name"], root):
        return None
    return Typed(message, name, words, None, others)


def _is_meant(name: str, root: Path) -> bool:
    """Whether an unknown name was meant as a command: it is neither a folder nor an identifier."""
    is_plain = not set(name) & set("_0123456789") and name.isascii()
    places = (root / name, Path("/", name))
    return is_plain and not any(os.path.exists(place) for place in places)  # noqa: PTH110 - a name may be too long


def _unknown(typed: Typed) -> str:
    name = typed.name
    if name in _IN_A_CELL:
        return f"/{name} is for a cell of its own: %ipuaro {' '.join([name, *typed.words])}"
    known = (*COMMANDS, *WAYS, *typed.others)
    near = closest(name, known, limit=1, cutoff=0.4)
    meant = f" Did you mean /{near[0]}?" if near else ""
    listed = ", ".join(f"/{one}" for one in known)
    return (
        f"There is no command /{name}.{meant} There are: {listed}. "
        "To send it to the model, put a blank in front."
    )


def _help(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words, cancel
    told = [f"- `{command.usage}` {command.summary}" for command in COMMANDS.values()]
    told += [f"- `/{name} [QUESTION]` {summary}" for name, summary in WAYS.items()]
    own = question_templates(assistant.root, RESERVED).values()
    asked = [f"- `{f'/{one.name} {one.hint}'.rstrip()}` {_about(one)}" for one in own]
    asked += [f"- {line}" for line in without_use(assistant.root, RESERVED)]
    return "\n".join([*told, *(["", "Questions in files:", "", *asked] if asked else [])])


def _about(template: QuestionTemplate) -> str:
    """What a question in a file is for, and where it is."""
    return template.problem or f"{template.summary} ({template.place})".strip()


def _undo(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    del cancel
    named = [word.removeprefix("--") for word in words]
    if "list" in named:
        return undo_list_of(assistant).text()
    result = assistant.undo(turn="turn" in named, skip="skip" in named)
    return result.text() if result.success else result


def _redo(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    del words, cancel
    result = assistant.redo()
    return result.text() if result.success else result


def _apply(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    result = assistant.apply(*words, cancel=cancel)
    return fenced(result.text()) if result.success else result


def _clear(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words, cancel
    assistant.clear()
    return "The conversation is empty. What was changed can still be undone."


def _status(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words, cancel
    return "\n".join(f"- {line}" for line in str(assistant.status()).splitlines())


def _sessions(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    if words[:1] == ["load"]:
        return _load(assistant, words[1:], cancel)
    if words[:1] == ["delete"]:
        return f"Deleted session {assistant.delete_session(words[1])}."
    told = [
        f"- {info.id}: {info.title or 'no title'} ({counted(info.messages, 'message')})"
        for info in assistant.sessions()
    ]
    return "\n".join(told) or "There are no sessions yet."


def _load(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del cancel
    return assistant.load(words[0]).resumed()


def _reindex(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words
    return str(assistant.reindex(cancel=cancel))


def _auto_apply(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del cancel
    if words:
        assistant.approve = auto_apply(assistant.approve, on=words == ["on"])
    return auto_apply_text(assistant.approve)


def _eval(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words
    found = assistant.evaluate(cancel)
    rows = [f"- {verdict}: {named} ({told})" for named, verdict, told in found.table().rows]
    parts = [found.table().title, "\n".join(rows), found.review, found.notice]
    return "\n\n".join(part for part in parts if part)


def _model(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del cancel
    if words:
        assistant.use_model(words[0])
    return f"{assistant.model.name} answers{leaving(remote_host(assistant.model))}."


def _diff(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    return _called(assistant, "git_diff", {"path": _path(words)}, cancel)


def _export(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del cancel
    (name,) = _names(words)
    return f"Written: {assistant.export(name, force=len(words) > 1).absolute()}"


def _allow(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words, cancel
    remembered = enumerate(assistant.remembered, 1)
    told = [f"{number}. {known.tool} {known.pattern}" for number, known in remembered]
    if not told:
        return "Nothing is allowed without a question but what the settings allow."
    return "\n".join([*told, "", "To be asked again: %ipuaro allow revoke N, in a cell."])


def _todos(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    return _called(assistant, "get_todos", {"path": _path(words)}, cancel)


def _complexity(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    return _called(assistant, "get_complexity", {"path": _path(words)}, cancel)


def _impact(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str | ToolResult:
    return _called(assistant, "get_impact", {"diff": _path(words)}, cancel)


def _graph(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del cancel
    return fenced(assistant.graph(_path(words) or "").text())


def _tools(assistant: "Assistant", words: list[str], cancel: CancelToken) -> str:
    del words, cancel
    return ", ".join(assistant.tool_names)


def _names(words: list[str]) -> list[str]:
    return [word for word in words if word != "--force"]


def _names_a_session(words: list[str]) -> bool:
    return words in ([], ["list"]) or (len(words) == 2 and words[0] in {"load", "delete"})  # noqa: PLR2004


def _at_most_one(words: list[str]) -> bool:
    return len(words) <= 1


COMMANDS: dict[str, SlashCommand] = {
    "help": SlashCommand("/help", "lists the commands.", _help),
    "status": SlashCommand("/status", "shows project, model, index and session.", _status),
    "apply": SlashCommand(
        "/apply [N...]",
        "proposes the edits that the last answer holds as text, or only those with these numbers.",
        _apply,
        takes=lambda _: True,
        lacking="to apply",
    ),
    "undo": SlashCommand(
        "/undo [turn|skip|list]",
        "takes back the newest change, or all of the newest message's; skip forgets one that "
        "cannot be taken back, list shows what there is.",
        _undo,
        takes=lambda words: (
            words == [] or (len(words) == 1 and words[0].removeprefix("--") in _UNDO_OPTIONS)
        ),
        lacking="to undo",
    ),
    "redo": SlashCommand(
        "/redo", "makes again what the latest undo took back.", _redo, lacking="to redo"
    ),
    "clear": SlashCommand(
        "/clear", "forgets the conversation; changes stay.", _clear, lacking="to forget"
    ),
    "sessions": SlashCommand(
        "/sessions [list|load ID|delete ID]",
        "lists the project's sessions, resumes one, or deletes one.",
        _sessions,
        takes=_names_a_session,
    ),
    "load": SlashCommand(
        "/load ID",
        "resumes another session.",
        _load,
        takes=lambda words: len(words) == 1,
        subcommand="sessions load",
    ),
    "reindex": SlashCommand("/reindex", "reads every file again.", _reindex),
    "auto-apply": SlashCommand(
        "/auto-apply [on|off]",
        "applies edits without a question, or says whether it does.",
        _auto_apply,
        takes=lambda words: words in ([], ["on"], ["off"]),
    ),
    "model": SlashCommand(
        "/model [NAME]", "says which model answers, or takes another.", _model, takes=_at_most_one
    ),
    "allow": SlashCommand("/allow", "lists what is applied without a question.", _allow),
    "export": SlashCommand(
        "/export FILE [--force]",
        "writes the session as a notebook, FILE.ipynb.",
        _export,
        takes=lambda words: len(_names(words)) == 1,
        lacking="to export",
    ),
    "diff": SlashCommand(
        "/diff [PATH]", "shows what has changed since the last commit.", _diff, takes=_at_most_one
    ),
    "todos": SlashCommand("/todos [PATH]", "lists the TODO comments.", _todos, takes=_at_most_one),
    "complexity": SlashCommand(
        "/complexity [PATH]", "measures the files.", _complexity, takes=_at_most_one
    ),
    "graph": SlashCommand(
        "/graph [PATH]", "lists which file imports which.", _graph, takes=_at_most_one
    ),
    "impact": SlashCommand(
        "/impact [REV]", "shows what a change touches and reaches.", _impact, takes=_at_most_one
    ),
    "eval": SlashCommand(
        "/eval", "checks the last answer against the code.", _eval, lacking="to check"
    ),
    "tools": SlashCommand("/tools", "lists the tools.", _tools),
}


RESERVED = frozenset([*COMMANDS, *WAYS, *_IN_A_CELL])
"""The names that a question in a file cannot have."""


def _called(
    assistant: "Assistant", tool: str, arguments: dict[str, str | None], cancel: CancelToken
) -> str | ToolResult:
    """The text of a tool, line by line; its result when it has failed."""
    result = assistant.call(tool, arguments, cancel)
    return fenced(result.text()) if result.success else result


def _path(words: list[str]) -> str | None:
    return words[0] if words else None
