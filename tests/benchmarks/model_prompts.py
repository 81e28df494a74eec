"""How large the prompts are, and how much of them a local server has to read again.

By counts of tokens alone: a scripted model looks at a file for each question, then answers.
"""

import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import qwen

LARGE = ("effect", "rxjs", "theia-core", "zod")
WINDOWS = (8192, 32_768)
_ANSWER = "It is about `{path}`: the lines above show what it exports and what it needs. " * 3
_CALL = (
    '<tool_call name="get_lines">\n<path>{path}</path>\n<start>1</start>\n<end>40</end>\n'
    "</tool_call>"
)
_SUMMARY = "The user asks what files do, one after the other."
_SUMS_UP = "You sum up"
_ABOUT = "What does "


class Prompt(NamedTuple):
    """The tokens before the conversation, and of the first request."""

    head: int
    request: int
    schemas: int


class Steadiness(NamedTuple):
    """What the turns after the first read again: shares of their first requests' tokens.

    ``read`` counts the tokens that all requests read, with what is shared with the one before in
    memory, ``sent`` without.
    """

    turns: int
    unchanged: int
    median: float
    worst: float
    read: int
    sent: int


@contextmanager
def projects(*, quick: bool) -> Iterator[dict[str, Path]]:
    """Provide the demo and a large project in a temporary folder."""
    from corpora import corpus

    from ipuaro_jupyter.demo.folder import DemoFolder

    with tempfile.TemporaryDirectory(prefix="ipuaro-benchmark-") as folder:
        demo = DemoFolder(Path(folder, "demo").resolve())
        demo.path.mkdir()
        demo.fill()
        large = Path(folder, "large").resolve()
        for name in ("rxjs",) if quick else LARGE:
            shutil.copytree(corpus(name), large / name, symlinks=True)
        yield {"demo": demo.app, "large": large}


def first_prompt(root: Path, window: int, *, native: bool) -> Prompt:
    """Return the size of the first request."""
    with _asked(root, window, native=native, turns=1) as (requests, _):
        request = requests[0]
        told = qwen.parts(request)
        bare = request.__class__(request.messages, ())
        head = qwen.count(told[0])
        return Prompt(head, sum(map(qwen.count, told)), head - qwen.count(qwen.head(bare)))


def steadiness(root: Path, window: int, *, native: bool, turns: int) -> Steadiness:
    """Return how much of its requests a conversation shares with those before."""
    with _asked(root, window, native=native, turns=turns) as (requests, begun):
        told = [qwen.parts(request) for request in requests]
        firsts = [_answering(requests, first) for first in begun]
    read = [sum(map(qwen.count, told[0]))]
    read += [sum(map(qwen.count, now)) - qwen.shared(then, now) for then, now in pairwise(told)]
    sizes = [sum(map(qwen.count, one)) for one in told]
    again = [read[n] / sizes[n] for n in firsts[1:]]
    heads = [told[n][0] for n in firsts]
    return Steadiness(
        turns=len(firsts),
        unchanged=sum(then == now for then, now in pairwise(heads)),
        median=statistics.median(again),
        worst=max(again),
        read=sum(read),
        sent=sum(sizes),
    )


def _answering(requests: list, first: int) -> int:
    """Return the number of a turn's first request that is not for a summary of what was before."""
    numbers = range(first, len(requests))
    return next(n for n in numbers if not requests[n].messages[0].content.startswith(_SUMS_UP))


@contextmanager
def _asked(
    root: Path, window: int, *, native: bool, turns: int
) -> Iterator[tuple[list, list[int]]]:
    """Have a conversation; provide its requests, and the number of each turn's first one."""
    import ipuaro_jupyter
    from ipuaro_jupyter import ScriptedModel

    def reply(messages):
        last = messages[-1]
        asked = next(m.content for m in reversed(messages) if m.role == "user")
        path = asked.rpartition(_ABOUT)[2].partition(" do?")[0]
        if _ABOUT not in asked:
            return _SUMMARY
        if last.role == "tool":
            return _ANSWER.format(path=path)
        return _calling(path, native=native)

    model = ScriptedModel(
        [reply] * (8 * turns + 8),
        name="qwen2.5-coder:7b-instruct",
        native_tools=native,
        context_tokens=window,
        count=qwen.count,
    )
    settings = {"watchdog": {"enabled": False}}
    with ipuaro_jupyter.start(root, model=model, settings=settings, new=True) as assistant:
        firsts = []
        for path in _paths(assistant, turns):
            firsts.append(len(model.requests))
            assistant.ask(f"{_ABOUT}{path} do?")
        yield [one for one in model.requests if one.messages[0].role == "system"], firsts


def _calling(path: str, *, native: bool):
    from ipuaro_jupyter.llm import Chunk
    from ipuaro_jupyter.records.chat import ToolCall

    if not native:
        return _CALL.format(path=path)
    call = ToolCall(name="get_lines", arguments={"path": path, "start": 1, "end": 40})
    return [Chunk(calls=(call,))]


def _paths(assistant, count: int) -> Sequence[str]:
    """Return files with code from all over the project, each another one as long as they last."""
    from ipuaro_jupyter.languages.registry import is_code

    paths = [path for path in assistant.project().index.paths() if is_code(path)]
    step = max(1, len(paths) // count)
    return [paths[(n * step) % len(paths)] for n in range(count)]
