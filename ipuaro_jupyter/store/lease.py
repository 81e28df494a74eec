"""A lock between all clients of a server, kept for as long as its holder lives.

The key holds a token of the holder's own. A thread renews it, so that a short life is enough: when
the holder is killed, the next one waits a few seconds. Renewing, releasing and writing compare the
token first: a holder that was held up until another took over changes nothing any more.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.connection import FREE_LOCK, Store

_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class LeaseLostError(Exception):
    """Another process took over while this one was held up."""


class Lease:
    """One acquisition of a lock; for one thread, besides the one that renews it.

    Args:
        store: The server.
        key: The lock's key.
        life_s: Seconds after which the lock is free when the holder was killed.
    """

    def __init__(self, store: Store, key: str, *, life_s: float) -> None:
        self._store = store
        self._key = key
        self._life_s = life_s
        self._token = secrets.token_bytes(16)
        self._ended = threading.Event()
        self._sending = threading.Lock()
        self._is_lost = False

    def take(self) -> bool:
        """Try once to acquire the lock; return whether it is held now."""
        if not self._store.set(self._key, self._token, ex_s=self._life_s, nx=True):
            self._store.evaluate(FREE_LOCK, self._key)
            return False
        threading.Thread(target=self._keep, name="ipuaro-lease", daemon=True).start()
        return True

    def release(self) -> None:
        """Release the lock if it is still ours."""
        self._ended.set()
        with self._sending, suppress(StorageError):  # it expires by itself
            self._store.evaluate(_RELEASE, self._key, self._token)

    def check(self) -> None:
        """Raise LeaseLostError unless the lock is still ours.

        Raises:
            LeaseLostError: Another process holds it.
        """
        with self._sending:
            self._renew()

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Collect write commands and send them at the end of the block, all of them or none.

        Raises:
            LeaseLostError: The lock was no longer ours; nothing was written.
        """
        batch = Batch()
        yield batch
        with self._sending:  # renewing in between would look like another holder
            self._renew()
            if not self._store.send_while(self._key, self._token, batch):
                self._is_lost = True
                raise LeaseLostError

    def _renew(self) -> None:
        life_ms = round(self._life_s * 1000)
        if not self._is_lost and self._store.evaluate(_RENEW, self._key, self._token, life_ms):
            return
        self._is_lost = True
        raise LeaseLostError

    def _keep(self) -> None:
        while not self._ended.wait(self._life_s / 3):
            try:
                with self._sending:
                    if not self._ended.is_set():
                        self._renew()
            except LeaseLostError:
                return
            except StorageError:  # the holder will meet the error itself
                continue
