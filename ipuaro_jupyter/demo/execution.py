"""Run a notebook in a real kernel of this Python, and stop that kernel in any case."""

import ast
import asyncio
import json
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from ipuaro_jupyter.errors import IpuaroError

_STARTUP_S = 60
_LAST_WORDS = 2000


class CellError(IpuaroError):
    """A cell of the notebook failed; the message says which and how."""


class Stopped(IpuaroError):  # noqa: N818 - a request, not a fault
    """The user or the system asked to stop; ``signal_number`` is the number of the signal."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"Stopped by {signal.Signals(signal_number).name}.")
        self.signal_number = signal_number


def strip(notebook: NotebookNode) -> None:
    """Remove every trace of an earlier execution."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def execute(
    notebook: NotebookNode,
    folder: Path,
    *,
    timeout_s: int,
    after_cell: Callable[[NotebookNode], None],
    probe: str,
) -> Any:
    """Execute the cells in order in ``folder`` and fill in their outputs.

    Args:
        notebook: Is changed in place, cell by cell.
        folder: The kernel's current folder.
        timeout_s: Seconds for each cell.
        after_cell: Called with each code cell after it has run, while the kernel lives.
        probe: A Python expression, evaluated in the kernel after the last cell.

    Returns:
        The value of the probe, which must be serializable as JSON.

    Raises:
        CellError: A cell raised an error or took too long, or the kernel died.
        Stopped: SIGINT or SIGTERM came. The kernel and its children are gone.
    """
    with tempfile.TemporaryFile() as log:
        run = _run(notebook, folder, log, timeout_s=timeout_s, after_cell=after_cell, probe=probe)
        return asyncio.run(_stoppable(run))


async def _stoppable(run: Any) -> Any:
    """Await ``run``; a signal cancels it, which lets it stop its kernel."""
    task = asyncio.ensure_future(run)
    received: list[int] = []

    def stop(signal_number: int) -> None:
        if not received:  # a second one must not interrupt the kernel's shutdown
            received.append(signal_number)
            task.cancel()

    loop = asyncio.get_running_loop()
    watched = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in watched}
    if before[signal.SIGHUP] is signal.SIG_IGN:  # nohup
        del before[signal.SIGHUP]
    with suppress(ValueError, RuntimeError, NotImplementedError):  # not the main thread
        for number in before:
            loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except (asyncio.CancelledError, CellError):  # nbclient takes a cancellation for a dead kernel
        if received:
            raise Stopped(received[0]) from None
        raise
    finally:
        for number, handler in before.items():
            if loop.remove_signal_handler(number):
                signal.signal(number, handler)


async def _run(
    notebook: NotebookNode,
    folder: Path,
    log: IO[bytes],
    *,
    timeout_s: int,
    after_cell: Callable[[NotebookNode], None],
    probe: str,
) -> Any:
    async with _kernel(notebook, folder, log, timeout_s=timeout_s) as client:
        number = 0
        try:
            for index, cell in enumerate(notebook.cells):
                if cell.cell_type != "code":
                    continue
                number += 1
                await client.async_execute_cell(cell, index)
                after_cell(cell)
            return await _evaluate(client, probe)
        except CellExecutionError as error:
            raise CellError(f"Cell {number} failed: {error.ename}: {error.evalue}") from error
        except CellTimeoutError as error:
            raise CellError(f"Cell {number} took longer than {timeout_s} s.") from error
        except DeadKernelError as error:
            raise CellError(f"The kernel died in cell {number}. {_last_words(log)}") from error


@asynccontextmanager
async def _kernel(
    notebook: NotebookNode, folder: Path, log: IO[bytes], *, timeout_s: int
) -> AsyncIterator[NotebookClient]:
    """Start a kernel of this very Python, whatever "python3" means elsewhere on the machine."""
    specs = KernelSpecManager(kernel_dirs=[])  # leaves only the specification that ipykernel ships
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs)
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=timeout_s,
        startup_timeout=_STARTUP_S,
        store_widget_state=False,
    )
    try:
        await client.async_start_new_kernel(cwd=str(folder), stdout=log, stderr=log)
        try:
            await client.async_start_new_kernel_client()
        except RuntimeError as error:
            raise CellError(f"The kernel did not start. {_last_words(log)}") from error
        yield client
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel()


async def _evaluate(client: NotebookClient, expression: str) -> Any:
    """The value of an expression in the kernel, without a trace in its history."""
    wrapped = f"__import__('json').dumps({expression})"
    if client.kc is None:
        raise CellError("The kernel has gone.")
    message = client.kc.execute(
        "", silent=True, store_history=False, user_expressions={"probe": wrapped}
    )
    reply = await client.async_wait_for_reply(message)
    if reply is None:
        raise CellError("The kernel does not tell what it did.")
    told = reply["content"]["user_expressions"]["probe"]
    if told["status"] != "ok":
        raise CellError(f"The kernel cannot tell what it did: {told['ename']}: {told['evalue']}")
    return json.loads(ast.literal_eval(told["data"]["text/plain"]))


def _last_words(log: IO[bytes]) -> str:
    """The end of the kernel's output to its terminal."""
    log.seek(0)
    return log.read()[-_LAST_WORDS:].decode(errors="replace").strip()
