"""A real Ollama on the loopback, with the models of ``tests/system/real_models``."""

import os
import re
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
from waiting import until

SCRIPT = Path(__file__).parents[1] / "system/real_models/ollama.sh"
PLAIN, ABLE, BRIEF = MODELS = "smollm2", "smollm2-able", "smollm2-brief"
START_S = 60


def create_models(program: str, folder: Path) -> None:
    """Create the models in a folder; see the script."""
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", str(SCRIPT), str(folder), "models"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr


class RealOllama:
    """A server in a process of its own.

    Args:
        program: The ``ollama`` to run.
        folder: Where its models are.
    """

    def __init__(self, program: str, folder: Path) -> None:
        self._log = tempfile.NamedTemporaryFile("w+b", suffix=".log")  # noqa: SIM115 - until the end
        self.process = psutil.Popen(
            [program, "serve"],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder / "home"),
                "OLLAMA_MODELS": str(folder / "models"),
                "OLLAMA_HOST": "127.0.0.1:0",
                "OLLAMA_NO_CLOUD": "1",
                "OLLAMA_DEBUG": "1",
                "OLLAMA_KEEP_ALIVE": "5m",
            },
        )
        self.url = f"http://127.0.0.1:{self._port()}"

    def _port(self) -> int:
        deadline = time.monotonic() + START_S
        while (found := re.search(r"Listening on 127\.0\.0\.1:(\d+)", self.log())) is None:
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)
        return int(found[1])

    def log(self) -> str:
        """Return what the server has logged."""
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def runners(self) -> list[psutil.Process]:
        """Return the processes that run models."""
        with suppress(psutil.NoSuchProcess):
            return [child for child in self.process.children() if child.is_running()]
        return []

    def working_s(self) -> float:
        """Return the processor time that its models have used."""
        return sum(sum(runner.cpu_times()[:2]) for runner in self.runners())

    def wait_until_idle(self) -> None:
        """Wait until no model works any more."""

        def rests():
            before = self.working_s()
            time.sleep(0.3)
            return self.working_s() - before < 0.05

        until(rests)

    def kill(self) -> None:
        """End it at once, and what it would leave behind."""
        runners = self.runners()
        for process in (self.process, *runners):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(10)

    def stop(self) -> None:
        """End it and what it has started."""
        runners = self.runners()
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(psutil.TimeoutExpired):
                self.process.wait(10)
        _, left = psutil.wait_procs(runners, timeout=5)
        if left or self.process.poll() is None:
            self.kill()
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._log.close()
