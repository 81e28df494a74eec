"""Small files in the GGUF format, without weights."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_STRING, _ARRAY, _UINT32, _BOOL = 8, 9, 4, 7

QWEN: Mapping[str, Any] = {
    "general.architecture": "qwen2",
    "qwen2.context_length": 32_768,
    "qwen2.block_count": 28,
    "qwen2.embedding_length": 3584,
    "qwen2.attention.head_count": 28,
    "qwen2.attention.head_count_kv": 4,
    "tokenizer.ggml.tokens": [f"t{number}" for number in range(5000)],
    "tokenizer.chat_template": "{% if tools %}{{ tools | tojson }}{% endif %}{{ messages }}",
}
"""The head of Qwen2.5-Coder-7B, with fewer tokens."""


def write_gguf(
    path: Path,
    values: Mapping[str, Any] = QWEN,
    *,
    tensors: Mapping[str, Sequence[int]] | None = None,
    size_bytes: int = 0,
) -> Path:
    """Write a file with this head; ``size_bytes`` is its size, which takes no room on the disk."""
    shapes = tensors or {"token_embd.weight": (3584, 5000)}
    content = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values))
    for key, value in values.items():
        content += _text(key) + _value(value)
    for name, shape in shapes.items():
        content += _text(name) + struct.pack("<I", len(shape))
        content += struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if size_bytes:
        with path.open("r+b") as file:
            file.truncate(size_bytes)
    return path


def _value(value: Any) -> bytes:
    match value:
        case str():
            return struct.pack("<I", _STRING) + _text(value)
        case bool():
            return struct.pack("<I?", _BOOL, value)
        case int():
            return struct.pack("<II", _UINT32, value)
        case _:
            each = [_value(entry) for entry in value]
            head = struct.pack("<I4sQ", _ARRAY, each[0][:4], len(each))
            return head + b"".join(entry[4:] for entry in each)


def _text(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content
