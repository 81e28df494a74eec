"""The head of a file of weights: what the model is, without loading it.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import mmap
import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from ipuaro_jupyter.errors import ModelError

_MAGIC = b"GGUF"
_LITTLE_ENDIAN = (2, 3)
_STRING, _ARRAY = 8, 9
_NUMBERS: Mapping[int, str] = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_MOST_ENTRIES = 1_000_000
_MOST_DIMENSIONS = 8
_LONG_ARRAY = 4096
_WINDOWED_ARCHITECTURES: Mapping[str, int] = {
    "gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "cohere2": 4,
}  # fmt: skip
_BYTES_PER_VALUE = 2
_BLOCKS: Mapping[int, tuple[int, int]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""The values in a block of a tensor, and its bytes, by the tensor's type."""
_ALIGNMENT = 32


class WeightsHead(NamedTuple):
    """What the head of a file says.

    Attributes:
        values: The metadata; arrays of more than 4096 entries are left out.
        parameter_count: The number of the model's parameters.
        vocabulary: The number of its tokens; 0 when the file has none.
        least_bytes: The size of the file if it has all its tensors; a shorter one was cut.
    """

    values: Mapping[str, Any]
    parameter_count: int
    vocabulary: int
    least_bytes: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the file's head.

        Raises:
            ModelError: It cannot be read, or is no such file.
        """
        try:
            stat = path.stat()
            return cls(*_read(path, stat.st_size, stat.st_mtime_ns))
        except OSError as error:
            raise ModelError(f"Cannot read {str(path)!r}: {error.strerror}.") from error
        except (ValueError, struct.error, IndexError, RecursionError) as error:
            raise ModelError(
                f"{str(path)!r} is no file of weights in the GGUF format ({error}): pull it again, "
                "or name another file."
            ) from error

    @property
    def architecture(self) -> str:
        """The family, such as "llama" or "qwen2"."""
        return str(self.values.get("general.architecture", ""))

    @property
    def trained_window(self) -> int | None:
        """The tokens for which the model was trained."""
        length = self._own("context_length")
        return length if isinstance(length, int) and length > 0 else None

    @property
    def template(self) -> str:
        """The Jinja template of conversations; "" when there is none."""
        template = self.values.get("tokenizer.chat_template", "")
        return template if isinstance(template, str) else ""

    def cache_bytes(self, window: int) -> int:
        """The memory for what the model keeps of a prompt that fills ``window`` tokens."""
        layers = self._count("block_count")
        if latent := self._count("attention.kv_lora_rank"):
            values = layers * (latent + self._count("rope.dimension_count"))
            return values * window * _BYTES_PER_VALUE
        heads = self._own("attention.head_count")
        queries = max(heads, default=1) if isinstance(heads, list) else heads or 1
        each = self._count("embedding_length") // max(1, queries)
        width = (self._count("attention.key_length") or each) + (
            self._count("attention.value_length") or each
        )
        kept = self._own("attention.head_count_kv")
        per_layer = kept if isinstance(kept, list) else [queries if kept is None else kept] * layers
        tokens = self._tokens_of_layers(len(per_layer), window)
        in_heads = sum(
            int(n) * kept_tokens for n, kept_tokens in zip(per_layer, tokens, strict=True)
        )
        return in_heads * width * _BYTES_PER_VALUE

    def _tokens_of_layers(self, layers: int, window: int) -> list[int]:
        """The tokens that each layer keeps: some look back a few hundred tokens only."""
        short = self._count("attention.sliding_window")
        pattern = self._own("attention.sliding_window_pattern")
        if not short:
            return [window] * layers
        if isinstance(pattern, list) and len(pattern) == layers:
            return [min(short, window) if is_short else window for is_short in pattern]
        each = pattern if isinstance(pattern, int) and not isinstance(pattern, bool) else None
        each = each or _WINDOWED_ARCHITECTURES.get(self.architecture, 1)
        return [
            window if (layer + 1) % each == 0 else min(short, window) for layer in range(layers)
        ]

    def _own(self, key: str) -> Any:
        return self.values.get(f"{self.architecture}.{key}")

    def _count(self, key: str) -> int:
        value = self._own(key)
        return value if isinstance(value, int) and value > 0 else 0


@lru_cache(maxsize=16)
def _read(path: Path, size: int, changed_ns: int) -> tuple[dict[str, Any], int, int, int]:
    del changed_ns  # part of the cache's key
    if not size:
        raise ValueError("it is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _Reader(data).head()


class _Reader:
    """Reads the head from its beginning."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def head(self) -> tuple[dict[str, Any], int, int, int]:
        if self._data[:4] != _MAGIC:
            raise ValueError("it does not begin with GGUF")
        self._at = 4
        version, tensors, entries = self._number("I"), self._number("Q"), self._number("Q")
        if version not in _LITTLE_ENDIAN:
            raise ValueError(f"version {version}")
        if max(tensors, entries) > _MOST_ENTRIES:
            raise ValueError("its head is too long")
        values: dict[str, Any] = {}
        vocabulary = 0
        for _ in range(entries):
            key = self._text()
            count, value = self._value(self._number("I"))
            if key == "tokenizer.ggml.tokens":
                vocabulary = count
            if value is not None:
                values[key] = value
        sizes = [self._tensor() for _ in range(tensors)]
        parameters = sum(count for count, _ in sizes)
        alignment = values.get("general.alignment", _ALIGNMENT)
        begin = -(-self._at // alignment) * alignment
        return values, parameters, vocabulary, max((begin + end for _, end in sizes), default=0)

    def _tensor(self) -> tuple[int, int]:
        """The number of values of a tensor, and where it ends at least, from the first one on."""
        self._text()
        dimensions = self._number("I")
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError(f"a tensor of {dimensions} dimensions")
        size = 1
        for _ in range(dimensions):
            size *= self._number("Q")
        values, block_bytes = _BLOCKS.get(self._number("I"), (1, 0))
        return size, self._number("Q") + -(-size // values) * block_bytes

    def _value(self, kind: int) -> tuple[int, Any]:
        """The number of entries, and the value; None for a long array."""
        if kind == _STRING:
            return 1, self._text()
        if kind == _ARRAY:
            return self._array()
        return 1, self._number(_code(kind))

    def _array(self) -> tuple[int, Any]:
        kind, count = self._number("I"), self._number("Q")
        if count > len(self._data) - self._at:
            raise ValueError("an array is longer than the file")
        if count <= _LONG_ARRAY:
            return count, [self._value(kind)[1] for _ in range(count)]
        if kind == _STRING:
            for _ in range(count):
                self._skip(self._number("Q"))
        elif kind == _ARRAY:
            raise ValueError("a long array of arrays")
        else:
            self._skip(count * struct.calcsize(f"<{_code(kind)}"))
        return count, None

    def _number(self, code: str) -> Any:
        form = f"<{code}"
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return value

    def _text(self) -> str:
        length = self._number("Q")
        start = self._at
        self._skip(length)
        return self._data[start : self._at].decode("utf-8", "replace")

    def _skip(self, length: int) -> None:
        self._at += length
        if self._at > len(self._data):
            raise ValueError("it ends too early")


def _code(kind: int) -> str:
    if kind not in _NUMBERS:
        raise ValueError(f"an entry of the unknown type {kind}")
    return _NUMBERS[kind]
