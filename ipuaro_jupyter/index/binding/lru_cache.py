"""A cache of the most recently used values, which bounds memory."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Keeps the most recently used values.

    Args:
        most: The maximum number of values.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value for ``key``, made when it is not cached.

        Args:
            key: The key.
            make: Makes the value; it may look up others.
        """
        value = self._kept.pop(key) if key in self._kept else make()
        self._kept[key] = value
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return value
