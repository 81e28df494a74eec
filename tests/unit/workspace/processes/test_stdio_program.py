import asyncio
import os
import subprocess
import sys

import psutil
import pytest
from waiting import become, has_ended

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.processes.stdio_program import start_stdio_program

ECHO = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)\n"
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""


def in_loop(coroutine):
    return asyncio.run(coroutine)


async def line(program):
    said = b""
    while not said.endswith(b"\n"):
        said += await program.read()
    return said


async def start(code, folder, **env):
    return await start_stdio_program(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, **env}
    )


def test_program_answers_what_it_is_given(tmp_path):
    async def talk():
        program = await start(ECHO, tmp_path)
        await program.write(b"one\n")
        first = await line(program)
        await program.close()
        return first, program.exit_code

    assert in_loop(talk()) == (b"ONE\n", 0)


def test_program_that_ends_leaves_its_exit_code_and_its_errors(tmp_path):
    async def talk():
        program = await start("import sys; sys.stderr.write('no luck'); sys.exit(3)", tmp_path)
        ended = await program.ended(30)
        await program.close()
        await program.close()
        return ended, program.exit_code, program.errors

    assert in_loop(talk()) == (True, 3, "no luck")


def test_errors_keep_both_ends(tmp_path):
    async def talk():
        code = "import sys; sys.stderr.write('first\\n' + 'x\\n' * 100_000 + 'last\\n')"
        program = await start(code, tmp_path)
        await program.ended(30)
        await program.close()
        return program.errors

    errors = in_loop(talk())
    assert errors.startswith("first\n")
    assert errors.endswith("last\n")
    assert "bytes left out" in errors
    assert len(errors) < 20_000


def test_closing_ends_what_ignores_it_with_its_children(tmp_path):
    async def talk():
        program = await start(STUBBORN, tmp_path)
        child = int(await line(program))
        await program.close()
        return child, program.exit_code

    child, code = in_loop(talk())
    assert become(lambda: has_ended(child))
    assert code is not None


def test_program_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ToolError, match="no-such-program"):
        in_loop(start_stdio_program(["no-such-program"], cwd=tmp_path, env={"PATH": "/usr/bin"}))


def test_program_ends_when_its_kernel_is_killed(tmp_path):
    kernel = f"""
import asyncio, os, pathlib, sys
from ipuaro_jupyter.workspace.processes.stdio_program import start_stdio_program

async def main():
    program = await start_stdio_program(
        [sys.executable, "-c", {STUBBORN!r}], cwd=pathlib.Path({str(tmp_path)!r}), env=os.environ
    )
    print(program.pid, flush=True)
    while said := await program.read():
        print(said.decode(), end="", flush=True)

asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", kernel], stdout=subprocess.PIPE)
    with process:
        try:
            pids = [int(process.stdout.readline()) for _ in range(2)]
        finally:
            process.kill()
    assert become(lambda: all(map(has_ended, pids)))


def test_folder_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ToolError, match="Cannot run"):
        in_loop(start_stdio_program([sys.executable], cwd=tmp_path / "none", env=os.environ))


def test_start_that_is_broken_off_leaves_nothing_behind(tmp_path, running_in):
    async def talk():
        starting = asyncio.create_task(start("import time; time.sleep(600)", tmp_path))
        await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    in_loop(talk())
    assert become(lambda: not running_in(tmp_path))


def test_program_has_a_process_id(tmp_path):
    async def talk():
        program = await start(ECHO, tmp_path)
        exists = psutil.pid_exists(program.pid)
        await program.close()
        return exists

    assert in_loop(talk())
