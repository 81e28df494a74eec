"""Whether a model fits into memory, said before it is loaded."""

from pathlib import Path

from ipuaro_jupyter.llm.local.gguf_file import WeightsHead
from ipuaro_jupyter.llm.local.model_name import split_files

_TOKENS_AT_ONCE = 512
_BYTES_PER_SCORE = 4
_RUNTIME_BYTES = 150_000_000
_GB = 1e9


def needed_bytes(size_bytes: int, head: WeightsHead, window: int) -> int:
    """The memory that the runtime takes for a model: weights, window and working space."""
    working = _TOKENS_AT_ONCE * head.vocabulary * _BYTES_PER_SCORE
    return size_bytes + head.cache_bytes(window) + working + _RUNTIME_BYTES


def too_little(path: Path, window: int, available: int) -> str | None:
    """What to tell the user when the model does not fit; None when it does.

    Args:
        path: The file of weights.
        window: The tokens that prompt and reply may take.
        available: The bytes that are left.

    Raises:
        ModelError: The file cannot be read.
    """
    head = WeightsHead.of(path)
    files = [path.with_name(name) for name in split_files(path.name)]
    size = sum(file.stat().st_size for file in files if file.exists())
    needed = needed_bytes(size, head, window)
    if needed <= available:
        return None
    cache = head.cache_bytes(window)
    return (
        f"{path.name} needs about {_gb(needed)} of memory ({_gb(size)} for the weights, "
        f"{_gb(cache)} for a window of {window} tokens) and {_gb(available)} are left. Use a "
        f"smaller model or a smaller llm.contextWindow (now {window}), or close other programs."
    )


def _gb(size: int) -> str:
    return f"{size / _GB:.1f} GB"
