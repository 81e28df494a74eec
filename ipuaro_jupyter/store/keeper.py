"""Stop the embedded server when nobody has used it for a while.

``python -m ipuaro_jupyter.store.keeper FOLDER IDLE_SECONDS DESCRIPTOR`` is started beside the
server. It does not rely on clients to say goodbye but asks the server who is connected, so a kernel
that was killed counts as gone at once. It ends when the server has ended.
"""

import os
import signal
import sys
import time
from pathlib import Path

from ipuaro_jupyter.store.data_folder import DataFolder, clients
from ipuaro_jupyter.store.wire import Refused, Wire

_LONGEST_STEP_S = 10.0
_SHORTEST_STEP_S = 0.05
_RETRY_S = 0.2


def keep(data: DataFolder, *, idle_s: float, sign_of_life: int) -> None:
    """Watch the server until it ends, by itself or because it was idle for ``idle_s``.

    Args:
        data: The server's folder.
        idle_s: Seconds without clients.
        sign_of_life: The descriptor that holds the keeper's lock; closed at the end, while no
            server can be started, so that a new server is never without a keeper.
    """
    step_s = min(_LONGEST_STEP_S, max(_SHORTEST_STEP_S, idle_s / 10))
    while True:
        idle = _idle(data, idle_s=idle_s, step_s=step_s, sign_of_life=sign_of_life)
        if not data.is_kept_by(sign_of_life):
            return
        with data.changing():
            ended = data.stop_server(only_unused=True) if idle else not data.alive
            if ended:
                os.close(sign_of_life)
                return
        time.sleep(_RETRY_S)


def _idle(data: DataFolder, *, idle_s: float, step_s: float, sign_of_life: int) -> bool:
    """Wait for ``idle_s`` without clients and return True, or False once the server is gone."""
    socket = data.socket
    if socket is None:
        return False
    used = time.monotonic()
    try:
        with Wire(socket) as wire:
            while time.monotonic() - used < idle_s:
                if wire.closed_within(step_s):
                    return False
                if clients(wire):
                    used = time.monotonic()
                elif not data.is_kept_by(sign_of_life):
                    _abandon(wire)
                    return False
    except (Refused, OSError):
        return False
    return True


def _abandon(wire: Wire) -> None:
    """End a server that can no longer be found because its folder was deleted.

    A clean shutdown would remove the socket of the server started in its place.
    """
    if wire.server_pid:
        os.kill(wire.server_pid, signal.SIGKILL)


def main() -> None:
    """Run as the keeper of the folder named in the arguments."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder, idle_s, sign_of_life = sys.argv[1:]
    keep(DataFolder(Path(folder)), idle_s=float(idle_s), sign_of_life=int(sign_of_life))


if __name__ == "__main__":
    main()
