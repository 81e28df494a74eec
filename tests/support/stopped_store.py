"""A real server with its data on disk, which stops at a chosen step of what is asked of it."""

import subprocess
import time

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.binary import find_binary
from ipuaro_jupyter.store.client import Client
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
        deadline = time.monotonic() + 20
        while True:  # until it has read its data
            try:
                self.connect().close()
            except StorageError:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            else:
                return

    def stop(self):
        self._process.kill()
        self._process.wait(10)

    def connect(self):
        """A store on it, which never starts it again."""
        return connect(StoreSettings(url=f"unix://{self._socket}"))

    def connect_until(self, step):
        """A store that stops the server at a step, and its client, which counts the steps."""
        url = f"unix://{self._socket}"
        client = StoppedClient(url, server=self, at=step)
        return Store(client, url), client


class StoppedClient(Client):
    """Stops the server at a step: before and after each command, or transaction, is one.

    Attributes:
        steps: The number of steps so far.
    """

    def __init__(self, url, *, server, at):
        super().__init__(url, name="The server", remedy="Start it.")
        self.steps = 0
        self._server = server
        self._at = at

    def run(self, *command, **options):
        return self._between(lambda: super(StoppedClient, self).run(*command, **options))

    def run_all(self, commands, *, atomic):
        self._between(lambda: super(StoppedClient, self).run_all(commands, atomic=atomic))

    def _between(self, send):
        self._step()
        result = send()
        self._step()
        return result

    def _step(self):
        if self.steps == self._at:
            self._server.stop()
        self.steps += 1
