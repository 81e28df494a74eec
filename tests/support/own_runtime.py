"""Our own runtime of weights, with a home for one test."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import psutil
from servers import living
from waiting import until

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.local.local_model import LocalModel
from ipuaro_jupyter.llm.local.own_server import OwnServer
from ipuaro_jupyter.llm.local.server_folder import ServerFolder

WINDOW = 2048


class RuntimeOfTests:
    """A home, and the models that were opened in it.

    Args:
        weights: The file of weights.
    """

    def __init__(self, weights):
        self.weights = weights
        self.home = Path(tempfile.mkdtemp(prefix="ipu-", dir="/tmp"))
        self._opened = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for model in self._opened:
            model.close()
        for process in self.processes():
            process.kill()
        until(lambda: not self.processes())
        shutil.rmtree(self.home)

    def open(self, *, weights=None, idle_s=60, **settings):
        """A model that is asked through its process; it is closed afterwards."""
        asked = LlmSettings(**{"context_window": WINDOW, "temperature": 0, **settings})
        name = f"gguf:{weights or self.weights}"
        model = LocalModel(name, asked, Path.cwd(), idle_s=idle_s)
        self._opened.append(model)
        return model

    def served(self, *, window=WINDOW):
        """The address and the key of a process that other doors may ask."""
        server = OwnServer(self.weights, idle_s=60, unused_s=-1, load_s=60)
        return server, server.running(window, CancelToken())

    def processes(self) -> list[psutil.Process]:
        """The living processes of this home."""
        return living(f"{self.home}/")

    @property
    def folder(self) -> ServerFolder:
        """What is known of the one process."""
        (path,) = self.home.glob("runtime/*")
        return ServerFolder(path)

    def kill(self):
        """Kill the process as the system does, and return when nothing of it is left."""
        os.kill(self.folder.pid, signal.SIGKILL)
        until(lambda: not self.folder.alive)
