"""What a request to a model takes, however it ends."""

from collections.abc import Callable, Generator, Iterable

from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.chat import Usage

Spent = Callable[[str, Usage | None], object]
"""Gets the text of a reply, as far as it came, and the usage that the model told, if it did."""


def metered(chunks: Iterable[Chunk], spent: Spent) -> Generator[Chunk, None, None]:
    """Pass on the pieces of a reply, and tell what it took: at its end, or where it is stopped.

    Args:
        chunks: The reply.
        spent: Called once; never for a request that failed before the model began to read it.
    """
    text, usage, began = "", None, False
    try:
        for chunk in chunks:
            calls = (f"{call.name}{call.arguments}" for call in chunk.calls)
            text += "".join((chunk.text, chunk.thinking, *calls))
            usage = chunk.usage or usage
            began = began or bool(text or usage) or chunk.phase == "generating"
            yield chunk
    finally:
        if began:
            spent(text, usage)
