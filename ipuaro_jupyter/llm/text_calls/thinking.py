"""The marks between which models think aloud, and what stands there."""

from collections.abc import Callable, Mapping, Sequence

from ipuaro_jupyter.llm.text_calls.source import Reading, Source

CLOSING: Mapping[str, str] = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
"""Opening mark -> closing mark, as their models write them; in angle brackets case is ignored.

Each closing mark may stand alone: then the prompt's template has written the opening one.
"""


def read_thinking(
    source: Source,
    at: int,
    *,
    ends: Sequence[str],
    begins: Sequence[str] = (),
    opening: str | None = None,
    add: Callable[[str], None],
) -> Reading[tuple[int, int]]:
    """Read thinking from ``at`` on; return where it ends, and how often it was opened again.

    Args:
        source: The model's text.
        at: After the opening mark.
        ends: What ends it and belongs to it.
        begins: What ends it because something else begins there.
        opening: Its opening mark, if it may be opened again inside.
        add: Called with the pieces of the thinking as they come.
    """
    letters = {mark[0] for mark in (*ends, *begins)}
    opened = 0
    while True:
        text = source.text
        stop = at
        while stop < len(text) and text[stop] not in letters:
            stop += 1
        add(text[at:stop])
        at = stop
        if stop == len(text):
            if not (yield from source.char(at)):
                return at, opened
            continue
        for mark in ends:
            if (yield from source.starts(mark, stop)):
                return stop + len(mark), opened
        for mark in begins:
            if (yield from source.starts(mark, stop)):
                return stop, opened
        opened += opening is not None and (yield from source.starts(opening, stop))
        add(source.text[stop : stop + 1])
        at = stop + 1
