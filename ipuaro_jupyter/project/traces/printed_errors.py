"""The errors in the output of a program, with their frames.

The forms are those of Python and IPython, pytest, V8 (node with tsx, ts-node or source maps, Deno,
Bun, jest, mocha), vitest, tsc and esbuild, Go and Rust.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ipuaro_jupyter.records.kernel import RaisedError, RaisedFrame
from ipuaro_jupyter.records.terminal_codes import without_codes

_Kind = Literal["python", "pytest", "v8", "vitest", "place"]

_FAR = 60
_MOST_ERRORS, _MOST_FRAMES, _LINE, _MESSAGE, _BEFORE, _AFTER = 10, 50, 1000, 500, 6, 5
_TOLD = r":?(?:(?: -)? (?:ERROR: |error )?(?P<told>.*))?"
_FRAMES: tuple[tuple[_Kind, re.Pattern[str]], ...] = (
    ("python", re.compile(r'[\s|]*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<in>.+))?')),
    ("python", re.compile(r"File (?P<file>\S.*?):(?P<line>\d+)(?:, in (?P<in>[\w.<>]+).*)?")),
    ("pytest", re.compile(r"(?P<file>[^\s:][^:]*\.py):(?P<line>\d+):(?: in (?P<in>\S+)| [\w.]*)?")),
    (
        "v8",
        re.compile(
            r"\s*at (?:async )?(?:(?P<in>.+?) \()?(?P<file>.+?):(?P<line>\d+):\d+\)?(?: \{)?"
        ),
    ),
    ("vitest", re.compile(r" *\u276f (?:(?P<in>.+?) )?(?P<file>[^\s:]+):(?P<line>\d+):\d+")),
    ("place", re.compile(r"thread .*panicked at (?P<file>\S[^:]*\.rs):(?P<line>\d+):\d+:?")),
    ("place", re.compile(r"(?P<file>[^\s:(][^:(]*)\((?P<line>\d+),\d+\): error (?P<told>.*)")),
    ("place", re.compile(r" *(?P<file>\S[^:]*\.\w+):(?P<line>\d+):\d+" + _TOLD)),
    ("place", re.compile(r"\t(?P<file>\S[^:]*\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")),
    ("place", re.compile(r" +--> (?P<file>\S[^:]*\.rs):(?P<line>\d+):\d+")),
)
_PLACES = tuple(one for one in _FRAMES if one[0] == "place")
_CUE = re.compile(r"File |\.\w+:\d|\(\d+,\d+\)|^\s*at |\u276f")
_OUTERMOST_FIRST = frozenset({"python", "pytest"})
_RUNNERS = frozenset({"pytest", "vitest"})
_BREAK: dict[_Kind, re.Pattern[str]] = {
    "python": re.compile(r"[\s|+-]*Traceback \(most recent call last\)"),
    "pytest": re.compile(r"_{3,} .+ _{3,}|={3,} .+ ={3,}"),
    "vitest": re.compile(r" FAIL |\u23af{3,}|Caused by: "),
    "v8": re.compile(r"(?!\s*at )"),
    "place": re.compile(r"\s*$|goroutine "),
}
_CAUSE = "The above exception was the direct cause"
_CONTEXT = "During handling of the above exception"
_BAR = re.compile(r"^(?: *\| )+")  # beside the errors of a group
_HEADLINE = re.compile(r"[\s|]*(?:E +)?(?P<type>[A-Za-z_$][\w.$]*)(?:: (?P<message>.*))?")
_V8_HEADLINE = re.compile(
    r"\s*(?:Uncaught |\[cause\]: )?(?P<type>[A-Z_$][\w.$]*(?: \[\w+\])?)(?:: (?P<message>.*?))?\s*"
)
_LONG_HEADLINE = re.compile(r"(?:Uncaught )?(?P<type>[A-Z]\w*(?:Error|Exception)): (?P<message>.*)")
_ASSERTED = re.compile(r"E +(?P<message>assert .*)")
_THROWN = re.compile(r"(?P<file>(?:file://)?(?:/|[A-Za-z]:\\).+?):(?P<line>\d+)")
_CARETS = re.compile(r"\s*[\^~]+\s*")
_SCHEME = re.compile(
    r"(?:webpack(?:-internal)?://[^/]*/|https?://[^/]+/|vite-node:|file://(?=/))"
    r"(?:\([\w-]+\)/)?(?:\./)?"
)
_QUERY = re.compile(r"\?[^/\\]*$")
_INTERNAL = ("node:", "internal/", "<", "native", "[")


class _Found(NamedTuple):
    """A frame, and the number of its line in the output."""

    kind: _Kind
    at: int
    frame: RaisedFrame


def printed_errors(text: str) -> tuple[RaisedError, ...]:
    """The errors that an output tells of, the one that matters most first.

    That is the last one of a program, which ended it, followed by what led to it; of test runners,
    the first one. The frames are the outermost first; their files are as printed, without scheme
    and query: absolute, or relative to a folder that is not known.
    """
    lines = [one[:_LINE].rstrip("\r") for one in without_codes(text).split("\n")]
    groups = list(_groups(lines))
    chains = list(_chains(lines, groups))
    if not any(group[0].kind in _RUNNERS for group in groups):
        chains.reverse()
    told = [one for chain in chains if any(error.frames for error in chain) for one in chain]
    return tuple(told[:_MOST_ERRORS])


def ends_in_error(text: str) -> bool:
    """Whether an output has an error at its end, as that of a program that an error has ended.

    A place alone, such as ``src/a.ts:12:5: const``, is what searches and linters print, too.
    """
    lines = [one[:_LINE].rstrip("\r") for one in without_codes(text).split("\n")]
    last = max((one.at for one in _found(lines) if one.kind != "place"), default=None)
    return last is not None and sum(bool(one.strip()) for one in lines[last + 1 :]) <= _AFTER


def _groups(lines: Sequence[str]) -> Iterator[list[_Found]]:
    """Yield the frames of each error."""
    found = list(_found(lines))
    if not found:
        return
    group = [found[0]]
    for before, one in pairwise(found):
        between = lines[before.at + 1 : one.at]
        ends = _BREAK[one.kind]
        if before.kind != one.kind or any(ends.match(line) for line in between):
            yield group
            group = []
        group.append(one)
    yield group


def _found(lines: Sequence[str]) -> Iterator[_Found]:
    for at, line in enumerate(lines):
        if _CUE.search(line) is None:
            continue
        for kind, form in _FRAMES:
            match = form.fullmatch(line)
            if match is None:
                continue
            known = match.groupdict()
            code = lines[at + 1].strip(" \t|") if kind == "python" and at + 1 < len(lines) else ""
            frame = RaisedFrame(
                file=_file(known["file"]),
                line=max(1, int(known["line"][:9])),
                function=_function(known.get("in") or ""),
                code="" if line.startswith("File ") else code,
            )
            yield _Found(kind, at, frame)
            break


def _file(file: str) -> str:
    """A path as a file system knows it."""
    path = _QUERY.sub("", _SCHEME.sub("", file))
    return unquote(path) if file.startswith("file://") else path


def _function(name: str) -> str:
    """The name of a function, without what V8 adds to it."""
    short = re.sub(r" \[as [^\]]+\]$|^Object\.<anonymous>$", "", name)
    return re.sub(r"^(?:new |get |set )|(?<=\.)(?:get |set )", "", short)


def _chains(lines: Sequence[str], groups: Sequence[list[_Found]]) -> Iterator[list[RaisedError]]:
    """Yield the errors that belong together, each time the one that was raised last first."""
    chain: list[RaisedError] = []
    for group in groups:
        error, first, kind = _error(lines, group), group[0].at, group[0].kind
        before = "\n".join(lines[max(0, first - _BEFORE) : first])
        if chain and kind == "v8" and "[cause]: " in before.rpartition("\n")[2]:
            chain.append(error.model_copy(update={"link": "cause"}))
        elif chain and kind == "python" and (_CAUSE in before or _CONTEXT in before):
            link = "cause" if _CAUSE in before else "context"
            chain = [error, chain[0].model_copy(update={"link": link}), *chain[1:]]
        else:
            if chain:
                yield chain
            chain = [error]
    if chain:
        yield chain


def _error(lines: Sequence[str], group: Sequence[_Found]) -> RaisedError:
    """An error from its frames and the lines around them."""
    kind, first = group[0].kind, group[0].at
    frames = [one.frame for one in group if not one.frame.file.startswith(_INTERNAL)]
    if kind not in _OUTERMOST_FIRST:
        frames.reverse()
    name, message = _headline(lines, kind, first, group[-1].at)
    thrown = _thrown(lines, first) if kind == "v8" else None
    if thrown is not None and all(one.file != thrown.file for one in frames):
        frames.insert(0, thrown)
    left = max(0, len(frames) - _MOST_FRAMES)
    return RaisedError(type=name, message=message[:_MESSAGE], frames=tuple(frames[left:]))


def _headline(lines: Sequence[str], kind: _Kind, first: int, last: int) -> tuple[str, str]:
    """The class of an error and its message; "Error" where neither is told."""
    if kind == "place":
        told = [form.fullmatch(lines[first]) for _, form in _PLACES]
        said = [one.groupdict().get("told") for one in told if one is not None]
        return "Error", next((one for one in said if one), "")
    form = _HEADLINE
    if kind == "python":
        after = [_BAR.sub("", one) for one in lines[last + 1 : last + 6]]
        near = [one for one in after if one[:1].strip(" \t|")]
    elif kind == "pytest":
        near = _pytest_lines(lines, first, last)
        if near and (asserted := _ASSERTED.fullmatch(near[0])) is not None:
            return "AssertionError", asserted["message"]
    else:
        form = _V8_HEADLINE
        near = list(reversed(lines[max(0, first - _BEFORE) : first]))
    for line in near:
        match = form.fullmatch(line.removesuffix(" {"))
        if match is not None and not (match["message"] or "").endswith(("[", "{")):
            return match["type"], match["message"] or ""
    return _long_headline(lines, first) or ("Error", near[0].strip() if near else "")


def _pytest_lines(lines: Sequence[str], first: int, last: int) -> list[str]:
    """What pytest tells of an error: above its last frame, below the name of the test."""
    start = max(0, first - _FAR)
    breaks = [at for at in range(start, first) if _BREAK["pytest"].match(lines[at])]
    told = lines[breaks[-1] if breaks else start : last + 6]
    return [one for one in told if re.match(r"E +\w", one)]


def _long_headline(lines: Sequence[str], first: int) -> tuple[str, str] | None:
    """The class and the message of an error whose message has many lines, as ZodError's."""
    for at in range(first - 1, max(0, first - _FAR) - 1, -1):
        match = _LONG_HEADLINE.fullmatch(lines[at])
        if match is not None:
            said = [match["message"], *(one.strip() for one in lines[at + 1 : first])]
            return match["type"], " ".join(said)
    return None


def _thrown(lines: Sequence[str], first: int) -> RaisedFrame | None:
    """The place that node prints above the message, with its line and carets below."""
    for at in range(max(0, first - 2 * _BEFORE), first):
        match = _THROWN.fullmatch(lines[at])
        between = lines[at + 1 : first]
        if any(re.match(r"\s*at ", one) for one in between):
            continue
        if match and any(_CARETS.fullmatch(one) for one in lines[at + 2 : at + 4]):
            return RaisedFrame(file=_file(match["file"]), line=int(match["line"][:9]), function="")
    return None
