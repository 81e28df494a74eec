"""Hashes of ranges of lines, each line hashed once."""

from collections.abc import Iterable
from hashlib import blake2b

_PRIME, _BASE = 2**61 - 1, 1_000_003_000_009


class LineDigests:
    """The hashes of all ranges of some lines, without the blanks around each line.

    They are polynomials of the lines' own hashes, so that a range costs as much as a line.

    Args:
        lines: The lines of a file.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._sums = [0]
        for line in lines:
            digest = blake2b(line.strip().encode("utf-8", "replace"), digest_size=7).digest()
            self._sums.append((self._sums[-1] * _BASE + int.from_bytes(digest) + 1) % _PRIME)

    def of(self, first: int, last: int) -> str:
        """The hash of a range of lines, 1-based, both included; "" where it is not in the file."""
        if not 1 <= first <= last < len(self._sums):
            return ""
        power = pow(_BASE, last - first + 1, _PRIME)
        return f"{(self._sums[last] - self._sums[first - 1] * power) % _PRIME:016x}"

    def find(self, digest: str, count: int, near: int) -> int | None:
        """The first line of the range of ``count`` lines with a hash, the nearest to a line."""
        if not 1 <= count < len(self._sums):
            return None
        wanted, power = int(digest, 16), pow(_BASE, count, _PRIME)
        pairs = zip(self._sums, self._sums[count:], strict=False)
        found = (n for n, (a, b) in enumerate(pairs, 1) if (b - a * power) % _PRIME == wanted)
        return min(found, key=lambda line: abs(line - near), default=None)
