"""The store: typed commands on a Redis server, the user's own or the embedded one.

Importing this module is light; redis is loaded by `connect`.
"""

import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import Field

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.address import masked, ping_command
from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.key_commands import KeyCommands

if TYPE_CHECKING:
    from ipuaro_jupyter.store.client import Client

_LOCK_STEP_S = 0.02
FREE_LOCK = """
if redis.call('PTTL', KEYS[1]) == -1 then return redis.call('UNLINK', KEYS[1]) end
return 0
"""
"""Every lock ends by itself: what does not is none, and would never make room."""
_UNLOCK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class StoreSettings(Record):
    """The server that keeps the data."""

    url: str | None = Field(
        None,
        description="A Redis server of your own (redis://, rediss://, unix://), or those of "
        "sentinels (redis+sentinel://) or a cluster (redis+cluster://), never reconfigured; null "
        "is the embedded one.",
    )
    failover_s: float = Field(
        60.0,
        ge=0,
        le=3600,
        description="Seconds to wait until sentinels or a cluster have another server take over.",
    )
    keeper_idle_s: float = Field(
        600.0, gt=0, description="Seconds without clients after which the embedded server stops."
    )
    unused_days: int = Field(
        90,
        ge=1,
        description="Days after which the embedded server drops a project that was not used "
        "and is not open.",
    )
    max_memory_mb: int | None = Field(
        None,
        ge=8,
        description="The most memory that the embedded server's data may take: indexes, sessions "
        "and what can be undone. When it is full, what is there stays; null is no limit.",
    )


def connect(settings: StoreSettings) -> "Store":
    """Open a store; without a URL, on the embedded server, which is started if need be.

    Raises:
        StorageError: The server cannot be reached or used; names its URL and the remedy.
    """
    if settings.url is None:
        return _embedded(settings)
    from ipuaro_jupyter.store.client import Client  # noqa: PLC0415 - loads redis

    shown = masked(settings.url)
    losses: list[str] = []
    client = Client(
        settings.url,
        name=f"The Redis server {shown}",
        losses=losses,
        remedy=f"Is it running? Try `{ping_command(settings.url)}`; start it (`redis-server`), or "
        "remove redis.url from the settings, or IPUARO_REDIS_URL from the environment, to use the "
        "embedded server.",
    )
    return _opened(client, shown, settings, losses=losses)


def _embedded(settings: StoreSettings) -> "Store":
    if sys.platform == "win32":
        raise StorageError(
            "there is no embedded Redis server on Windows; run one elsewhere (WSL, Docker, "
            "another machine) and name it in redis.url, for example redis://localhost:6379/0"
        )
    from ipuaro_jupyter.store.client import Client  # noqa: PLC0415 - loads redis
    from ipuaro_jupyter.store.embedded import EmbeddedServer  # noqa: PLC0415 - not on Windows

    server = EmbeddedServer(
        keeper_idle_s=settings.keeper_idle_s, max_memory_mb=settings.max_memory_mb
    )
    with server.running() as socket:
        url = f"unix://{quote(str(socket))}"
        client = Client(
            url,
            name=f"The embedded Redis server {url}",
            remedy="Try again: it is started anew when it has gone. "
            f"Its log is {str(server.data.log)!r}.",
            revive=server.running,
        )
        return _opened(client, url, settings, losses=server.losses)


def _opened(client: "Client", url: str, settings: StoreSettings, *, losses: list[str]) -> "Store":
    try:
        client.begin(failover_s=settings.failover_s)
        return Store(client, url, settings, losses=losses)
    except BaseException:
        client.close()
        raise


class Store(KeyCommands):
    """An open connection: commands, batches of them and locks; thread-safe.

    Every method raises StorageError, which names the URL and the remedy, when the server has gone
    or refuses. A store on the embedded server starts it again when it has gone. If that happens
    during a command that must not be executed twice, it raises, since the command may or may not
    have been executed.

    Attributes:
        url: For messages, with the password masked.
        settings: Those with which another process can open it; None when it is not known how.
    """

    def __init__(
        self,
        client: "Client",
        url: str,
        settings: StoreSettings | None = None,
        *,
        losses: list[str] | None = None,
    ) -> None:
        super().__init__(client)
        self.settings = settings
        self._losses = [] if losses is None else losses
        self.url = url

    def take_losses(self) -> list[str]:
        """Sentences on data that the server has lost, each returned once."""
        found: list[str] = []
        while self._losses:
            found.append(self._losses.pop(0))
        return found

    def tell_loss(self, told: str) -> None:
        """Have the user told, in a sentence, of data that is lost."""
        self._losses.append(told)

    @property
    def kind(self) -> str:
        """What it is on: "embedded", "server", "sentinel" or "cluster"."""
        return self._client.kind

    def infos(self, section: str) -> list[tuple[str, dict[str, Any]]]:
        """What each server tells of itself: its address, and a section of INFO, empty if hidden."""
        from ipuaro_jupyter.store.routes import address_of  # noqa: PLC0415 - loads redis

        return [
            (address_of(one), self._client.info(section, one)) for one in self._client.servers()
        ]

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._client.closed

    @property
    def is_forked(self) -> bool:
        """Whether this is a fork of the process that opened it, the only one that may use it."""
        return self._client.is_forked

    def check_process(self) -> None:
        """Raise StorageError when `is_forked`."""
        self._client.check_process()

    def close(self) -> None:
        """Close the connections; a command after that raises StorageError."""
        self._client.close()

    @contextmanager
    def batch(self, *, atomic: bool) -> Iterator[Batch]:
        """Collect write commands and send them in one go at the end of the block.

        Nothing is sent when the block raises.

        Args:
            atomic: Send them in one transaction, so that no reader sees only some of them done.
        """
        batch = Batch()
        yield batch
        if batch.commands:
            self._client.run_all(batch.commands, atomic=atomic)

    def send_while(self, key: str, value: bytes, batch: Batch) -> bool:
        """Send a batch at once, as a transaction, if ``key`` keeps this value until it is done.

        Returns:
            Whether it was executed; else nothing has changed.
        """
        return self._client.run_while(key, value, batch.commands)

    @contextmanager
    def lock(self, name: str, *, timeout_s: float, wait_s: float) -> Iterator[bool]:
        """Hold a lock between all clients of the server; yields whether it was acquired.

        Args:
            name: The lock's key.
            timeout_s: Seconds after which it is free again even if its holder was killed.
            wait_s: Seconds to wait for it; 0: one try.
        """
        token = secrets.token_bytes(16)
        deadline = time.monotonic() + wait_s
        while not (had := self.set(name, token, ex_s=timeout_s, nx=True)):
            if self.evaluate(FREE_LOCK, name):
                continue
            if time.monotonic() >= deadline:
                break
            time.sleep(_LOCK_STEP_S)
        try:
            yield had
        finally:
            if had:
                with suppress(StorageError):  # it frees itself after timeout_s
                    self._run("EVAL", _UNLOCK, 1, name, token)
