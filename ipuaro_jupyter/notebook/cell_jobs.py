"""The jobs of the magics: a turn with the model, one tool, one subcommand."""

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from ipuaro_jupyter.errors import ModelError, SettingsError
from ipuaro_jupyter.llm.no_model import NONE
from ipuaro_jupyter.notebook.branch import branch
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.commands.command import HELP_FLAGS
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.notebook.tool_arguments import explained, read_arguments
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall, Usage
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    IndexAnswered,
    Noticed,
    PhaseChanged,
    ProposalDecided,
    TextAdded,
    TroubleDecided,
    TurnFinished,
    TurnPlace,
    UsageReported,
)
from ipuaro_jupyter.records.outputs import Plain, ToolFailure, ToolResult
from ipuaro_jupyter.views.decided import applied_lines
from ipuaro_jupyter.views.prose import markdown

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant

_OF_SERVERS = "mcp__"  # their tools are known once their server is open


class CellJob(Protocol):
    """Work to do outside the kernel's main thread."""

    doing: str

    def run(self, thread: AnyCellThread) -> Any:
        """Do the work and return the value of the cell."""

    def partial(self) -> Any:
        """The result so far, when the user stopped the job; None if there is nothing to show."""


class AskJob:
    """A message to the model and everything that follows until the answer."""

    doing = "Thinking"

    def __init__(self, project: OpenProject, message: str, notices: list[str]) -> None:
        if not message.strip():
            raise SettingsError("There is nothing to ask: write the message below %%ask.")
        self._project = project
        self._assistant: Assistant | None = None
        self._message = message
        self._notices = notices
        self._started: dict[str, tuple[ToolCall, float]] = {}
        self._called: list[CalledTool] = []
        self._decided: list[ProposalDecided] = []
        self._place: TurnPlace | None = None
        self._text = ""
        self._usage = Usage()
        self._noting = threading.Lock()  # the worker may go on while `partial` reads

    def run(self, thread: AnyCellThread) -> Answer:
        """Run the turn, or the command that was typed, reporting each event.

        Raises:
            ProjectError: No project is open, and the user has not agreed to open the notebook's.
            IpuaroError: The command cannot be run; the message says why.
        """
        from ipuaro_jupyter.assistant.slash_commands import typed_command  # noqa: PLC0415 - loads every room
        from ipuaro_jupyter.notebook.project_offer import open_offered  # noqa: PLC0415 - rare

        if not self._project.is_open:
            open_offered(self._project, thread)
        # The views load here, while the model does, and not in the kernel's own thread.
        markdown.html("```ts\nconst a = 1;\n```")
        for notice in self._notices:
            thread.post(Noticed(text=notice))
        with self._project.asking(thread) as assistant:
            self._assistant = assistant
            if typed := typed_command(self._message, assistant.root):
                self._tell_place(assistant, thread)
                thread.post(PhaseChanged(phase="running", detail=f"/{typed.name}"))
                return typed.answer(assistant, thread.cancel)
            alone = self._begun(assistant, thread)
            self._tell_place(assistant, thread)
            for event in assistant.stream(self._message, thread.cancel, alone=alone):
                self._note(event)
                thread.post(event)
                if isinstance(event, CallFinished):  # a tool may have changed the branch
                    self._tell_place(assistant, thread)
                if isinstance(event, TurnFinished):
                    return event.answer
        raise AssertionError  # every turn ends with TurnFinished

    def _begun(self, assistant: "Assistant", thread: AnyCellThread) -> str:
        """Show what the index says, and make the model ready where one is needed.

        Returns:
            Why the index has to answer alone; "" where it does not.

        Raises:
            ModelError: The model cannot be asked, and the index cannot answer this.
        """
        from ipuaro_jupyter.notebook.model_offer import make_ready  # noqa: PLC0415 - loads every room

        found = assistant.found(self._message)
        if found is not None:
            thread.post(IndexAnswered(answer=found))
        if assistant.model.name == NONE or (found is not None and found.is_answer):
            return ""
        try:
            make_ready(assistant, thread)
        except ModelError as error:
            if found is None:
                raise
            return str(error)
        return ""

    def partial(self) -> Answer:
        """The turn as far as it got."""
        with self._noting:
            text, usage = self._text.strip(), self._usage
            called, started = tuple(self._called), tuple(self._started.values())
        return Answer(
            question=self._message,
            text=text,
            tool_calls=(*called, *_unfinished(started)),
            edits=() if self._assistant is None else self._assistant.changes,
            usage=usage,
            ended="stopped",
            notice="Stopped.",
        )

    def _tell_place(self, assistant: "Assistant", thread: AnyCellThread) -> None:
        place = TurnPlace(model=assistant.model.name, branch=branch(assistant.root))
        if place != self._place:
            self._place = place
            thread.post(place)

    def _note(self, event: object) -> None:
        with self._noting:
            if isinstance(event, TextAdded):
                self._text += event.text
            elif isinstance(event, CallStarted):
                self._started[event.call.id] = event.call, time.monotonic()
            elif isinstance(event, CallFinished):
                self._started.pop(event.call.id, None)
                said, decided = self._text.strip(), applied_lines(self._decided)
                self._called.append(
                    CalledTool(
                        call=event.call,
                        result=event.result,
                        said=said,
                        decided=decided,
                        proposals=event.proposals,
                    )
                )
                self._text = ""
                self._decided.clear()
            elif isinstance(event, ProposalDecided):
                self._decided.append(event)
            elif isinstance(event, TroubleDecided):
                self._text = ""  # it is repeated, or is in the answer
            elif isinstance(event, UsageReported):
                self._usage = event.usage


def _unfinished(started: Iterable[tuple[ToolCall, float]]) -> list[CalledTool]:
    """The calls that were running when the user stopped, with the times they began."""
    now_s = time.monotonic()
    return [
        CalledTool(
            call=call,
            result=ToolResult(
                tool=call.name,
                error=ToolFailure(type="cancelled", message="Stopped before it had ended."),
                duration_ms=round(1000 * (now_s - started_s)),
            ),
        )
        for call, started_s in started
    ]


class ToolJob:
    """One call of one tool."""

    def __init__(self, project: OpenProject, line: str) -> None:
        name, _, rest = line.strip().partition(" ")
        asked = name.rstrip("?")  # as IPython's own help is asked for
        self._is_help = rest.strip() in HELP_FLAGS or (asked != name and not rest)
        name = asked if self._is_help else name
        if not self._is_help:
            project.check_open()
        self._project = project
        if not name:
            raise SettingsError(f"Which tool? Write %tool NAME ARGUMENTS. {project.listed_tools()}")
        self._name, self._rest = name, rest
        if not name.lower().startswith(_OF_SERVERS):
            self._find()  # errors in the line are reported at once
        self.doing = f"Running {self._name}"

    def run(self, thread: AnyCellThread) -> Any:
        """Run the tool and return its result, or its help."""
        if self._is_help:
            return Plain(text=explained(self._project.find_tool(self._name)))
        with self._project.asking(thread) as assistant:
            assistant.connect(tool=self._name, cancel=thread.cancel)
            name, arguments = self._find()
            return assistant.call(name, arguments, thread.cancel)

    def _find(self) -> tuple[str, dict[str, Any]]:
        """The tool's own name, and its arguments."""
        tool = self._project.find_tool(self._name)
        self._name = tool.name
        if self._is_help:
            return tool.name, {}
        return tool.name, read_arguments(self._rest, tool.schema.parameters["properties"])

    def partial(self) -> None:
        """None: a tool has no partial result."""


class CommandJob:
    """One subcommand of ``%ipuaro``."""

    def __init__(self, project: OpenProject, line: str) -> None:
        name, _, rest = line.strip().partition(" ")
        self._project = project
        self._command = find_command(name or "status")
        if not HELP_FLAGS.isdisjoint(rest.split()):
            self._command, rest = find_command("help"), self._command.name
        self._arguments = self._command.read(rest)
        self._thread: AnyCellThread | None = None
        self.doing = f"%ipuaro {self._command.name}"

    def run(self, thread: AnyCellThread) -> Any:
        """Run the subcommand and return its value."""
        self._thread = thread
        return self._command.run(self._project, thread, self._arguments)

    def partial(self) -> Any:
        """What the subcommand has so far; None for most of them."""
        return None if self._thread is None else self._thread.so_far
