"""Programs that we talk to: lines go in, lines come out, for as long as we live."""

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.processes.head_tail import HeadTail
from ipuaro_jupyter.workspace.processes.subprocesses import (
    check_present,
    end_supervised,
    supervised_argv,
)

_ERRORS_LIMIT = 16_000  # bytes kept of the standard error
_LEAVE_S = 1.0  # for a program that ends by itself once its input has ended
_GONE_S = 8.0  # the supervisor gives up after this: the process hangs in the operating system
_DRAIN_S = 0.2  # for output still in the pipes when the program has ended
_TICK_S = 0.01
_CHUNK = 65536


async def start_stdio_program(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]
) -> "StdioProgram":
    """Start a program in a session of its own, under `supervisor`.

    The program and everything it has started end with this process, even if this process is killed.

    Args:
        argv: The program and its arguments; no shell is involved.
        cwd: The folder to run in.
        env: The complete environment.

    Raises:
        ToolError: "command" when the program is missing or cannot be started.
    """
    check_present(argv[0], cwd, env)
    control, tie = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *supervised_argv(argv, control),
            cwd=cwd,
            env=dict(env),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
            pass_fds=(control,),
        )
    except (OSError, ValueError) as error:
        os.close(tie)
        raise ToolError("command", f"Cannot run {argv[0]!r}: {error}") from error
    except BaseException:
        end_supervised(tie)
        raise
    finally:
        os.close(control)
    return StdioProgram(process, tie)


class StdioProgram:
    """A running program; made by `start_stdio_program`, used on the loop that it was started on."""

    def __init__(self, process: Process, tie: int) -> None:
        self._process = process
        self._tie: int | None = tie
        self._errors = HeadTail(_ERRORS_LIMIT)
        self._collecting = asyncio.create_task(self._collect())

    @property
    def pid(self) -> int:
        """The process id of the supervisor."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, 128 + N when signal N ended it; None while it runs."""
        return self._process.returncode

    @property
    def errors(self) -> str:
        """The beginning and the end of its standard error output."""
        return self._errors.value().decode("utf-8", "replace")

    async def read(self) -> bytes:
        """Read some of its output; empty at the end."""
        assert self._process.stdout is not None  # noqa: S101 - it was started with pipes
        return await self._process.stdout.read(_CHUNK)

    async def write(self, data: bytes) -> None:
        """Send it all of ``data``.

        Raises:
            OSError: It has stopped reading.
        """
        assert self._process.stdin is not None  # noqa: S101 - it was started with pipes
        self._process.stdin.write(data)
        await self._process.stdin.drain()

    async def ended(self, timeout_s: float) -> bool:
        """Wait until it has ended, at most ``timeout_s`` seconds; return whether it has."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                # Process.wait would also wait for the pipes, which others may hold.
                while self._process.returncode is None:  # noqa: ASYNC110
                    await asyncio.sleep(_TICK_S)
        return self._process.returncode is not None

    async def close(self) -> None:
        """End its input, then it and everything it has started; a second call does nothing."""
        if self._tie is None:
            return
        tie, self._tie = self._tie, None
        try:
            assert self._process.stdin is not None  # noqa: S101 - it was started with pipes
            self._process.stdin.close()
            await self.ended(_LEAVE_S)
        finally:
            end_supervised(tie)
        await self.ended(_GONE_S)
        await asyncio.wait([self._collecting], timeout=_DRAIN_S)
        self._collecting.cancel()
        await asyncio.gather(self._collecting, return_exceptions=True)
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - else a warning when somebody holds a pipe

    async def _collect(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - it was started with pipes
        while data := await self._process.stderr.read(_CHUNK):
            self._errors.add(data)
