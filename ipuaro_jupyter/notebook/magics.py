"""``%ipuaro``, ``%%ask``, ``%ask`` and ``%tool``."""

import asyncio
import atexit
import inspect
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

import comm
import traitlets
from comm.base_comm import BaseComm
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, no_var_expand

from ipuaro_jupyter.errors import Cancelled, IpuaroError, ModelError, ProjectError
from ipuaro_jupyter.notebook import first_cell
from ipuaro_jupyter.notebook.awaiting import asking, awaiting, is_ours, is_question, is_silenced
from ipuaro_jupyter.notebook.cell import TICK_S, run_awaiting, run_blocking
from ipuaro_jupyter.notebook.cell_jobs import AskJob, CellJob, CommandJob, ToolJob
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread, Asked, CellThread, Said, nobody
from ipuaro_jupyter.notebook.commands import documentation
from ipuaro_jupyter.notebook.confirm import FrontEnd, decide_in_cell
from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.kernel_values import expanded, interpolate
from ipuaro_jupyter.notebook.live import LiveView
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.notebook.output import ShownOutputs, show_reading, shown_outputs
from ipuaro_jupyter.notebook.tab_completion import Completion
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.outputs import Shape, ToolResult
from ipuaro_jupyter.records.record import Drawn
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.terminal_turn import TerminalView, decide_in_terminal
from ipuaro_jupyter.views import install_in_terminal
from ipuaro_jupyter.views.answer import ending
from ipuaro_jupyter.views.drawing import Shown
from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.notebook.widgets.question import AskingCell
    from ipuaro_jupyter.records.change import Decision

# How long a new cell waits for a stopped job that is still running.
LEFTOVER_S = 5.0
_ASK_CALLS = ("get_ipython().run_cell_magic('ask'", "get_ipython().run_line_magic('ask'")
AnyView = LiveView | TerminalView
TARGET = "ipuaro.turn"
FAILED = "ipuaro.failed"
OPEN = "ipuaro.open"


class _Notice(BaseComm):
    """A comm that exists and says nothing: front ends list it, and its id is all that it tells."""

    def publish_msg(self, *_args: Any, **_options: Any) -> None:
        """Send nothing: a front end that does not know the target would answer with an error."""


class FrontEndNotices:
    """What front ends are told of cells, as comms of the kernel while a project is open.

    A front end asks for them with a ``comm_info_request``, which needs no widget, runs no code and
    is answered after a reload of the page too. The id of each is its target, a cell's number and
    its id in the notebook, which may be empty, with slashes between them. There is one of `OPEN`,
    with the cell of the latest question, whose number is 0 without one, and one of `FAILED` for
    each cell that failed.

    Args:
        project: The project of the kernel.
        cells: The cells that the kernel has run.
    """

    def __init__(self, project: OpenProject, cells: RunCells) -> None:
        self._project = project
        self._cells = cells
        self._asked: tuple[int, str | None] = 0, None
        self._told: dict[str, _Notice] = {}

    def renew(self, result: Any = None) -> None:
        """Tell what is so now; IPython calls it with the result of each cell."""
        info = getattr(result, "info", None)
        if info is not None and info.store_history and is_question(info.raw_cell):
            self._asked = result.execution_count or 0, info.cell_id
        if not self._project.is_open:
            return self._tell({})
        failures = {_name(FAILED, *cell): FAILED for cell in self._cells.failures()}
        return self._tell({_name(OPEN, *self._asked): OPEN} | failures)

    def close(self) -> None:
        """Tell nothing any more."""
        self._tell({})

    def _tell(self, wanted: dict[str, str]) -> None:
        known = comm.get_comm_manager().comms
        for name in self._told.keys() - wanted:
            self._told.pop(name).close()
        for name in sorted(wanted.keys() - known):
            self._told[name] = _Notice(target_name=wanted[name], comm_id=name, primary=False)
            comm.get_comm_manager().register_comm(self._told[name])


class RunningTurn:
    """The cell of ours that runs, for front ends that open a comm of `TARGET`.

    The answer is a message with the cell's request, number, id and outputs, if one runs. Other
    requests than those of comms are not answered while a cell awaits.
    """

    def __init__(self) -> None:
        self._told: tuple[AskingCell, ShownOutputs] | None = None

    def begin(self) -> None:
        """Answer from now on."""
        comm.get_comm_manager().register_target(TARGET, self._answer)

    def close(self) -> None:
        """Answer no more."""
        comm.get_comm_manager().unregister_target(TARGET, self._answer)

    @contextmanager
    def told(self, place: "AskingCell") -> Iterator[None]:
        """Tell of the running cell in the block."""
        self._told = place, shown_outputs()
        try:
            yield
        finally:
            self._told = None

    def _answer(self, opened: Any, _message: object) -> None:
        if self._told is not None:
            place, shown = self._told
            opened.send({**place._asdict(), "outputs": shown.told()})
        opened.close()


@magics_class
class IpuaroMagics(Magics):
    """The magics of one kernel, and its open project."""

    ack_timeout_s = traitlets.Float(
        None,
        allow_none=True,
        help="Seconds until a question that no front end has ever drawn is rejected. "
        "None: display.frontEndTimeoutS of the project's settings, 15 by default.",
    ).tag(config=True)
    ask_timeout_s = traitlets.Float(
        None,
        allow_none=True,
        help="Seconds until a question that nobody answers is rejected. "
        "None: display.askTimeoutS of the project's settings, 1800 by default.",
    ).tag(config=True)

    def __init__(self, shell: Any) -> None:
        self.project = OpenProject(self._attach)
        self.cells = RunCells(shell)
        self.notices = FrontEndNotices(self.project, self.cells)
        self.turn = RunningTurn()
        self.completion = Completion(self.project)
        self._shell = shell
        self._front_end = FrontEnd(shell)
        self._last: AnyCellThread | None = None
        self._said: dict[str, Decision] = {}  # to the model seeing this notebook, by session
        super().__init__(shell)

    @no_var_expand
    @line_magic
    def ipuaro(self, line: str) -> Any:
        """Open a project and look after it; ``%ipuaro`` alone shows the status.

        Then ``%%ask`` sends a cell to the model and ``%tool NAME ARGUMENTS`` runs one tool.
        """
        return self._blocking("ipuaro", line, None)

    @no_var_expand
    @line_cell_magic
    def ask(self, line: str, cell: str | None = None) -> Any:
        """Send the cell (``%%ask``) or the line (``%ask``) to the model; returns an `Answer`.

        The text is sent as typed; only ``$`expression` `` outside code fences inserts a value from
        the kernel. The answer is also in ``_``. ``%%ask ;`` shows no record of the turn.
        """
        return self._blocking("ask", line, cell)

    @no_var_expand
    @line_magic
    def tool(self, line: str) -> Any:
        """Run one tool: ``%tool NAME ARGUMENTS``; returns a `ToolResult`.

        The arguments are a JSON object, ``key=value`` pairs, or values in the tool's order: ``%tool
        get_lines src/a.ts start=2``. Quote as in a shell.
        """
        return self._blocking("tool", line, None)

    async def awaited(self, magic: str, line: str, cell: str | None) -> Any:
        """Run a magic while its cell awaits, so that its questions can be answered."""
        silent = cell is not None and is_silenced(line)
        try:
            job = self._job(magic, line, cell)
            await self._free()
            wait_s = 0.0 if magic == "ask" else 0.4
            view = LiveView(job.doing, wait_s=wait_s, ended=self._front_end.note_result)
            thread = self._last = CellThread(job.run)
            try:
                with self._front_end.reachable(), self.turn.told(self._front_end.place()):
                    by_itself = await run_awaiting(thread, view, self._decide)
            finally:
                self._front_end.end_checks()
            if by_itself:
                value = self._finished(thread, view, silent=silent)
                self.project.begin_reading(show_reading)
                if silent:
                    self._keep(value)
                return value
            self._show_partial(job, thread, view, silent=silent)
        except IpuaroError as error:
            raise quiet(error) from None
        except asyncio.CancelledError:
            pass
        told = "Stopped. Cells queued after this one have not run."
        raise quiet(Cancelled(told)) from None

    def close(self) -> None:
        """Stop what is running and close the open project."""
        if self._last is not None:
            self._last.cancel.cancel()
        self.project.close()

    def _blocking(self, magic: str, line: str, cell: str | None) -> Any:
        """Run a magic where awaiting is impossible: in a terminal, or inside a function."""
        silent = cell is not None and is_silenced(line)
        in_terminal = getattr(self._shell, "kernel", None) is None
        try:
            job = self._job(magic, line, cell)
            if self._last is not None and not self._last.wait(LEFTOVER_S):
                raise _still_running(self._last)
            view = TerminalView() if in_terminal else LiveView(job.doing, whole_cell=False)
            thread = self._last = CellThread(job.run)
            by_itself = run_blocking(
                thread, view, decide_in_terminal if in_terminal else self._reject
            )
            if by_itself:
                value = self._finished(thread, view, silent=silent)
                self.project.begin_reading(None if in_terminal else show_reading)
                return self._printed(value) if in_terminal else value
            view.finish(silent=silent, ending="Stopped")
        except IpuaroError as error:
            raise quiet(error) from None
        raise quiet(KeyboardInterrupt("Stopped.")) from None

    def _job(self, magic: str, line: str, cell: str | None) -> CellJob:
        if magic == "ipuaro":
            return CommandJob(self.project, expanded(line, self._shell.user_ns))
        if magic == "tool":
            return ToolJob(self.project, line)
        text = line if cell is None else cell
        if cell is not None and line.strip() and not is_silenced(line):
            text = f"{line}\n{cell}"
        message, notices = interpolate(text.strip("\n"), self._shell.ev)
        return AskJob(self.project, message, notices)

    def _attach(self, assistant: "Assistant") -> None:
        """Give a newly opened assistant this kernel, if it is a notebook's."""
        from ipuaro_jupyter.agent.redaction import Redaction, redaction_key  # noqa: PLC0415 - loads every room
        from ipuaro_jupyter.notebook.front_end_notebooks import (  # noqa: PLC0415 - the same
            FrontEndNotebooks,
        )
        from ipuaro_jupyter.notebook.kernel.open_kernel import kernel_of  # noqa: PLC0415 - the same

        if getattr(self._shell, "kernel", None) is not None:
            is_redacted = assistant.settings.context.redact
            hidden = Redaction(redaction_key(home()), enabled=is_redacted).text
            kernel = kernel_of(self._shell, self.cells, hidden)
            notebooks = FrontEndNotebooks(self._front_end).access()
            assistant.attach(kernel, notebooks, said=self._said)

    async def _free(self) -> None:
        """Wait for a stopped job that is still running."""
        until_s = time.monotonic() + LEFTOVER_S
        while self._last is not None and not self._last.ended:
            if time.monotonic() > until_s:
                raise _still_running(self._last)
            await asyncio.sleep(TICK_S)

    async def _decide(self, asked: Asked) -> Said:
        from ipuaro_jupyter.settings.settings import DisplaySettings  # noqa: PLC0415 - loads every room

        display = (
            self.project.assistant.settings.display if self.project.is_open else DisplaySettings()
        )
        ack_timeout_s, ask_timeout_s = self.ack_timeout_s, self.ask_timeout_s
        return await decide_in_cell(
            asked,
            self._front_end,
            ack_timeout_s=display.front_end_timeout_s if ack_timeout_s is None else ack_timeout_s,
            ask_timeout_s=display.ask_timeout_s if ask_timeout_s is None else ask_timeout_s,
            cancel_check=self.project.cancel_check,
        )

    def _reject(self, asked: Asked) -> Said:
        is_alone = is_ours(self._shell.history_manager.input_hist_raw[-1])
        reason = "a magic inside other code cannot ask; give it a cell of its own"
        if not can_await(self._shell):
            reason = "questions need ipykernel 7.4 or newer; run: pip install -U ipykernel"
        elif is_alone:  # it was read before `load`
            reason = "the extension was loaded by this cell, which cannot ask yet; run it again"
        if isinstance(asked, Proposal) and not is_alone:  # what other code gets may not be shown
            sys.stderr.write(f"{visible(asked.title)}: rejected, because {reason}.\n")
        return nobody(asked, reason)

    def _finished(self, thread: AnyCellThread, view: AnyView, *, silent: bool) -> Any:
        """The job's value, after its live view has been cleared."""
        try:
            value = thread.result()
        except BaseException:
            view.finish(silent=True)
            raise
        if isinstance(value, ToolResult):
            self._front_end.note_result(value)
        if not isinstance(value, Answer):
            view.finish(silent=silent)
            is_bare = isinstance(value, get_args(Shape)) and not isinstance(value, Drawn)
            return Shown(value) if is_bare else value
        is_error = value.ended == "error"
        told = value.notice if is_error or not silent else ""
        if not is_error and not silent:  # the record lists what was attached
            told = "\n".join([told, *(one.told for one in value.attached)])
        view.finish(silent=silent, ending=ending(value), shown=told)
        if is_error:
            self._show_before_error(value, silent=silent)
            raise ModelError(value.notice)
        return value

    def _show_partial(
        self, job: CellJob, thread: AnyCellThread, view: AnyView, *, silent: bool
    ) -> None:
        """Show the partial result of a stopped job; it is in ``_`` too."""
        partial = job.partial()
        if thread.ended:
            try:
                partial = thread.result()
            except IpuaroError:
                partial = None
        view.finish(silent=silent or partial is None)
        if isinstance(partial, Answer):
            keep = self._keep if silent else self._shell.displayhook
            keep(partial if partial.duration_ms else _timed(partial, view))
        elif isinstance(partial, Drawn):
            self._shell.displayhook(partial)

    def _keep(self, value: Any) -> None:
        """Put a value into ``_`` that the display hook skips because it shows nothing."""
        self._shell.displayhook.update_user_ns(value)

    def _show_before_error(self, answer: Answer, *, silent: bool) -> None:
        """Show the turn up to the error; the cell raises the error itself."""
        if (answer.tool_calls or answer.text) and not silent:
            self._shell.displayhook(answer.model_copy(update={"notice": ""}))

    def _printed(self, value: Any) -> Any:
        """Keep an answer that the terminal has already printed out of the display."""
        typed = self._shell.history_manager.input_hist_parsed[-1]
        alone = typed.startswith(_ASK_CALLS)
        if not isinstance(value, Answer) or not alone:
            return value
        self._keep(value)
        return None


def _documented() -> str:
    """The help text for ``%ipuaro?``: the magic's own, and every subcommand's."""
    return f"{inspect.getdoc(IpuaroMagics.ipuaro)}\n\n{documentation()}\n"


# IPython asks an object for this before it reads ``__doc__``; the subcommands load only then.
IpuaroMagics.ipuaro.__dict__["getdoc"] = _documented


def load(shell: Any) -> None:
    """Register the magics, silently; a second call does nothing."""
    if IpuaroMagics.__name__ in shell.magics_manager.registry:
        return
    if getattr(shell, "kernel", None) is None:
        install_in_terminal()
    magics = IpuaroMagics(shell)
    shell.register_magics(magics)
    shell.Completer.custom_matchers.append(magics.completion.match)
    magics.cells.begin()
    shell.events.register("pre_run_cell", magics.cells.about_to_run)
    shell.events.register("post_run_cell", magics.cells.note)
    shell.events.register("post_run_cell", magics.notices.renew)
    magics.turn.begin()
    shell.input_transformers_cleanup.append(awaiting if can_await(shell) else asking)
    atexit.register(magics.close)


def unload(shell: Any) -> None:
    """Close the open project and unregister everything that `load` registered."""
    magics = shell.magics_manager.registry.pop(IpuaroMagics.__name__, None)
    if magics is None:
        return
    magics.close()
    atexit.unregister(magics.close)
    lazy = getattr(shell.magics_manager, "lazy_magics", {})  # IPython before 7.32 has none
    for kind, found in magics.magics.items():
        for name in found:
            shell.magics_manager.magics[kind].pop(name, None)
            lazy.pop(name, None)  # else its next use loads it again
    shell.events.unregister("pre_run_cell", magics.cells.about_to_run)
    shell.events.unregister("post_run_cell", magics.cells.note)
    shell.events.unregister("post_run_cell", magics.notices.renew)
    magics.notices.close()
    magics.turn.close()
    first_cell.unload_ipython_extension(shell)
    shell.configurables.remove(magics)
    shell.Completer.custom_matchers.remove(magics.completion.match)
    for ours in (awaiting, asking):
        if ours in shell.input_transformers_cleanup:
            shell.input_transformers_cleanup.remove(ours)


def can_await(shell: Any) -> bool:
    """Whether widgets work while a cell awaits: ipykernel 7.4 and later."""
    if getattr(shell, "kernel", None) is None:
        return False
    import ipykernel  # noqa: PLC0415 - only in a kernel

    # not in an __all__, but public
    return tuple(ipykernel.version_info[:2]) >= (7, 4)  # type: ignore[attr-defined]


def quiet(error: BaseException) -> BaseException:
    """The error in a form that IPython shows as one sentence, as an error of the cell."""
    error.__dict__["_render_traceback_"] = lambda: [visible(str(error))]
    return error


def _still_running(thread: AnyCellThread) -> ProjectError:
    if thread.cancel.cancelled:
        return ProjectError("The last cell was stopped, and its work has not ended yet; try again.")
    return ProjectError("Another cell is still at work; stop it, or wait until it has ended.")


def _timed(answer: Answer, view: AnyView) -> Answer:
    return answer.model_copy(update={"duration_ms": round(view.elapsed_s * 1000)})


def _name(target: str, number: int, cell: str | None) -> str:
    return f"{target}/{number}/{cell or ''}"
