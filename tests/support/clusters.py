"""Real clusters of this machine: a controller or scheduler, and engines, each a process.

The engines see an empty folder in place of the project's, where bubblewrap can give them one.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from kept_logs import keep_logs


class Cluster:
    """A cluster without engines.

    Args:
        folder: A new one, for its files.
        hidden: The folder that engines find empty if it exists when they start; None: they see
            all.
    """

    executor = ""

    def __init__(self, folder, hidden=None):
        self.folder = folder
        self.hidden = hidden
        self.engines = []
        self._all = []

    def engine(self, package=None):
        """Start an engine, with the package in another folder if it is given; return it."""
        process = self._start(self.engine_command(), package=package, is_engine=True)
        self.engines.append(process)
        return process

    def engine_command(self):
        raise NotImplementedError

    def _start(self, command, *, package=None, is_engine=False):
        place = Path(tempfile.mkdtemp(dir=self.folder))
        environment = {n: v for n, v in os.environ.items() if not n.startswith(("COV", "IPUARO"))}
        environment |= self.environment()
        if package is not None:
            environment["PYTHONPATH"] = str(package)
        if is_engine and self.hidden is not None and self.hidden.exists():
            command = [
                *("bwrap", "--dev-bind", "/", "/", "--tmpfs", str(self.hidden)),
                *("--chdir", str(place), "--", *command),
            ]
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=place,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        process.log = place / "log"
        self._all.append(process)
        return process

    def environment(self):
        return {}

    def close(self):
        """End all processes, and keep their logs."""
        for process in reversed(self._all):
            for one in tree(process.pid):
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            process.wait()
        keep_logs(self.folder)


class IpyparallelCluster(Cluster):
    """A controller of a profile of its own, and its engines."""

    def __init__(self, folder, hidden=None):
        super().__init__(folder, hidden)
        self.executor = "ipyparallel:cluster"
        self._profile = f"--profile-dir={folder / 'ipython/profile_cluster'}"
        (folder / "ipython/profile_cluster").mkdir(parents=True)
        command = [sys.executable, "-m", "ipyparallel.controller", self._profile, "--ip=127.0.0.1"]
        self.scheduler = self._start(command)
        security = folder / "ipython/profile_cluster/security"
        wait_until((security / "ipcontroller-engine.json").exists)
        wait_until((security / "ipcontroller-client.json").exists)

    def environment(self):
        return {"IPYTHONDIR": str(self.folder / "ipython")}

    def engine_command(self):
        return [sys.executable, "-m", "ipyparallel.engine", self._profile]

    def known(self):
        """How many engines the controller knows."""
        import ipyparallel  # noqa: PLC0415 - an extra

        client = ipyparallel.Client(
            str(self.folder / "ipython/profile_cluster/security/ipcontroller-client.json"),
            timeout=20,
        )
        try:
            return len(client.ids)
        finally:
            client.close()


class DaskCluster(Cluster):
    """A scheduler and its workers."""

    def __init__(self, folder, hidden=None):
        super().__init__(folder, hidden)
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            [
                *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"),
                *("--port", "0", "--no-dashboard", "--scheduler-file", str(file)),
            ]
        )
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        self.executor = f"dask:{self.address}"

    def engine_command(self):
        return [
            *(sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--nthreads", "1"),
            *("--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)),
        ]

    def known(self):
        """How many workers the scheduler knows."""
        import distributed  # noqa: PLC0415 - an extra

        with distributed.Client(self.address, timeout=20, set_as_default=False) as client:
            return len(client.scheduler_info(n_workers=-1)["workers"])


CLUSTERS = {"ipyparallel": IpyparallelCluster, "dask": DaskCluster}


def tree(pid):
    """A process and those below it; none if it has ended."""
    try:
        top = psutil.Process(pid)
        return [*top.children(recursive=True), top]
    except psutil.NoSuchProcess:
        return []


def stop(process):
    """Stop an engine with all that it has started, as a machine that hangs."""
    for one in tree(process.pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(signal.SIGSTOP)


def kill(process):
    """Kill an engine with all that it has started."""
    for one in tree(process.pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait()


def wait_until(happens, seconds=60):
    """Wait for something that is to happen soon."""
    until = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.1)
