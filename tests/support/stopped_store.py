"""A real server with its data on disk, which stops at a chosen step of what is asked of it."""

import subprocess
import time
from contextlib import contextmanager

from ipuaro_jupyter.store.binary import find_binary
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect


class Server:
    """A server in a folder; it can be stopped at once and started again with its data."""

    def __init__(self, folder):
        self._folder = folder
        self._socket = folder / "s.sock"
        self._process = None

    def start(self):
        options = ["--port", "0", "--unixsocket", str(self._socket), "--dir", str(self._folder)]
        kept = ["--appendonly", "yes", "--save", ""]
        self._socket.unlink(missing_ok=True)
        program = str(find_binary().path)
        self._process = subprocess.Popen(
            [program, *options, *kept], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not self._socket.exists():
            time.sleep(0.005)

    def stop(self):
        self._process.kill()
        self._process.wait(10)

    def connect(self):
        """A store on it, which never starts it again."""
        return connect(StoreSettings(url=f"unix://{self._socket}"))

    def connect_until(self, step):
        """A store that stops the server at a step: before and after each command is one."""
        opened = self.connect()
        return StoppedStore(opened._client, opened.url, self, step)


class StoppedStore(Store):
    """Stops the server at a step.

    Attributes:
        steps: The number of steps so far.
    """

    def __init__(self, client, url, server, at):
        super().__init__(client, url)
        self.steps = 0
        self._server = server
        self._at = at

    def _step(self):
        if self.steps == self._at:
            self._server.stop()
        self.steps += 1

    def _run(self, *command):
        self._step()
        result = super()._run(*command)
        self._step()
        return result

    @contextmanager
    def batch(self, *, atomic):
        with super().batch(atomic=atomic) as batch:
            yield batch
            self._step()
        self._step()
