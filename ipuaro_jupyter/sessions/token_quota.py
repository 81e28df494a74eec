"""The tokens that a user's questions may take a day, over all projects on a server."""

from contextlib import suppress
from datetime import datetime, timedelta

import psutil

from ipuaro_jupyter.errors import SettingsError, StorageError, WrongKeyType
from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import COUNT, tokens_key

_KEPT_MS = 2 * 86_400_000
_FIELD = "tokens"
_SPEND = """
local sum = redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return sum
"""


class TokenQuota:
    """Counts tokens by the local day, together with the user's other kernels.

    A request that begins below the limit is made, and so is one more for the last words of a turn
    that has reached it: so the count may end above the limit.

    Args:
        store: The server.
        most: The limit; None for none, which counts nothing.
        source: The file that sets it, or the like.
    """

    def __init__(self, store: Store, most: int | None, source: str) -> None:
        self._store = store
        self._most = most
        self._source = source

    def spend(self, usage: Usage) -> None:
        """Count what a request has taken, unless Redis has gone, which the turn tells."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self._most is not None and tokens:
            with suppress(StorageError):
                self._store.evaluate(_SPEND, self._key, _FIELD, tokens, _KEPT_MS)

    @property
    def used(self) -> int:
        """The tokens of today; 0 without a limit.

        Raises:
            StorageError: Redis has gone.
        """
        if self._most is None:
            return 0
        with suppress(WrongKeyType):
            count = self._store.hget(self._key, _FIELD) or b"0"
            if COUNT.fullmatch(count):
                return int(count)
        self._store.delete(self._key)
        self._store.tell_loss("The count of today's tokens was damaged, and begins anew.")
        return 0

    def reached(self) -> str:
        """What the user is told once the limit is reached; "" before, and when Redis has gone."""
        used = 0
        with suppress(StorageError):  # which the turn tells
            used = self.used
        if self._most is None or used < self._most:
            return ""
        return (
            f"Today's tokens are used up: {used:,} of {self._most:,} (llm.maxTokensPerDay in "
            f"{self._source}). They count anew from {_next_day()}."
        )

    def check(self) -> None:
        """Raise an error when the limit is reached.

        Raises:
            SettingsError: It is; the message says who set it and when it ends.
        """
        if told := self.reached():
            raise SettingsError(told)

    def status(self) -> str:
        """How much of it is used, for the status; "" without a limit.

        Raises:
            StorageError: Redis has gone.
        """
        if self._most is None:
            return ""
        return (
            f"{self.used:,} of {self._most:,} (llm.maxTokensPerDay in {self._source}), anew from "
            f"{_next_day()}"
        )

    @property
    def _key(self) -> str:
        user = psutil.Process().username()  # whatever the environment says
        return tokens_key(user, f"{_now():%Y-%m-%d}")


def _now() -> datetime:
    return datetime.now().astimezone()


def _next_day() -> str:
    return f"{_now() + timedelta(days=1):00:00 on %Y-%m-%d}"
