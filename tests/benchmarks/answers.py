"""How many questions about published code are answered rightly, by which way of asking.

    python tests/benchmarks/answers.py FOLDER KEPT --model NAME [--ways WAY…] [--rows N] [--table]

FOLDER has ``twenty.json`` (questions, each with what an answer must and never may say) and
``questions.jsonl`` (questions, and the files and symbols that their answers name), each row with a
release. Of the latter, 30 are asked: those with the lowest hashes among the rows that name symbols
and that the weights of the evidence were not chosen on.

Ways: ``evidence`` and ``loop`` set ``llm.way``; ``before`` sets nothing, for an earlier version;
``aider`` is ``aider --chat-mode ask`` on the same server, where it is on the path, and its seconds
include its start. Each answer is a line of the file KEPT, which the next run goes on from;
``--table`` only prints what is there.

An answer to one of the 30 is right when its sentences, code blocks aside, name one of the files,
at most three in all, and one of the symbols; to one of the 20, when it says all that it must. What
the index lists where the model could not be asked is an answer to structural questions alone.
"""

import argparse
import json
import random
import re
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import aider_runs
import psutil
from corpora import package
from evidence import is_same, is_tuned_on, release
from kept_rows import Row, keep, parser, read
from scratch_home import scratch_home

import ipuaro_jupyter
from ipuaro_jupyter.agent.receipts.receipt import receipt_of
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.local.own_server import stop
from ipuaro_jupyter.records.events import TextAdded, TurnFinished

WAYS = ("evidence", "loop", "before", "aider")
_SAMPLE = 30
_WINDOW = 16_384
_MOST_FILES = 3
_PATH = re.compile(r"[\w@.-]*(?:/[\w@.-]+)*\.(?:py|pyi|[cm]?[jt]sx?|toml|cfg|ini|rst|md|txt)\b")
_FENCE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
_DRAWS = 10_000


def rows(data: Path) -> list[Row]:
    """Return the questions, each with its part: "20" or "30"."""
    twenty = json.loads((data / "twenty.json").read_text())
    lines = (data / "questions.jsonl").read_text().splitlines()
    others = [row for row in map(json.loads, lines) if row["symbols"] and not is_tuned_on(row)]
    others.sort(key=lambda row: sha256(row["id"].encode()).digest())
    return [{**row, "part": "20"} for row in twenty] + [
        {**row, "part": "30"} for row in others[:_SAMPLE]
    ]


def project(row: Row) -> Path:
    """Return the folder with the release that a question is about.

    Raises:
        LookupError: It cannot be had.
    """
    name, version = row["package"], row["version"]
    if row.get("from") == "npm":
        return package("npm", f"{name}@{version}") / row.get("folder", "")
    is_whole = row["part"] == "20"
    root = release(name, version, with_tests=is_whole)
    if root is None:
        raise LookupError(f"{name} {version}")
    return next(root.iterdir()) if is_whole else root


def is_right(row: Row, text: str) -> bool:
    """Whether an answer is right."""
    if row["part"] == "20":
        said = [re.search(one, text, re.IGNORECASE) for one in row["must"]]
        return all(said) and not any(re.search(o, text, re.IGNORECASE) for o in row["never"])
    sentences = _FENCE.sub("", text)
    named = _distinct(_PATH.findall(sentences))
    words = set(re.findall(r"\w+", sentences))
    return (
        len(named) <= _MOST_FILES
        and any(is_same(path, meant) for path in named for meant in row["files"])
        and any(symbol.rpartition(".")[2] in words for symbol in row["symbols"])
    )


def _distinct(paths: Iterable[str]) -> list[str]:
    """Return the paths, those that end alike once."""
    found: list[str] = []
    for path in sorted(set(paths), key=len, reverse=True):
        if not any(is_same(path, other) for other in found):
            found.append(path)
    return found


def by_us(root: Path, some: list[Row], way: str, *, model: Any) -> Iterator[Row]:
    """Yield what the assistant answers, each question in a conversation of its own."""
    llm: Row = {"contextWindow": _WINDOW}
    if way != "before":
        llm["way"] = way
    with ipuaro_jupyter.start(root, model=model, new=True, settings={"llm": llm}) as assistant:
        for row in some:
            began, first, spent = time.monotonic(), None, server_s()
            for event in assistant.stream(row["question"]):
                if first is None and isinstance(event, TextAdded) and event.text.strip():
                    first = time.monotonic() - began
                if isinstance(event, TurnFinished):
                    answer = event.answer
            took = time.monotonic() - began
            yield {
                "text": answer.text,
                "unsure": not getattr(answer, "is_sure", True),
                "false": false_names(assistant, answer.text),
                "tokens": getattr(answer.usage, "read_tokens", answer.usage.prompt_tokens),
                "written": answer.usage.completion_tokens,
                "proposals": answer.proposals.model_dump(),
                "ended": f"{answer.ended} {answer.notice}".strip(),
                "first_s": took if first is None else first,
                "whole_s": took,
                "server_s": server_s() - spent,
            }
            assistant.clear()


def server_s() -> float:
    """Return the processor time of the servers that this process has started, in seconds."""
    spent = 0.0
    for program in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if "ipuaro_jupyter.llm.local.server_process" in program.cmdline():
                times = program.cpu_times()
                spent += times.user + times.system
    return spent


def false_names(assistant: ipuaro_jupyter.Assistant, text: str) -> list[str]:
    """Return the names in an answer that are not in the code."""
    code = assistant.project()
    return sorted({mark.named for mark in receipt_of(text, code.index, code.workspace).marks})


def by_aider(root: Path, some: list[Row], *, model: str) -> Iterator[Row]:
    """Yield what aider answers, each question in a process and a repository of its own."""
    nobody = ipuaro_jupyter.ScriptedModel([])
    with (
        aider_runs.served(model, _WINDOW) as where,
        ipuaro_jupyter.start(root, model=nobody, new=True) as assistant,
    ):
        for row in some:
            with tempfile.TemporaryDirectory() as temporary:
                copy = Path(temporary, "project")
                shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", "*.pyc"))
                began, spent = time.monotonic(), server_s()
                said = aider_runs.run(copy, row["question"], where, "--chat-mode", "ask")
                took = time.monotonic() - began
            yield {
                "text": said.text,
                "unsure": False,
                "false": false_names(assistant, said.text),
                "tokens": said.tokens,
                "written": said.written,
                "ended": f"code {said.code}" if said.code else "done",
                "first_s": None,
                "whole_s": took,
                "server_s": server_s() - spent,
            }


def ask(some: list[Row], way: str, *, model: Any, kept: Path) -> None:
    """Ask the questions, and keep the answers."""
    projects = defaultdict(list)
    for row in some:
        projects[project(row)].append(row)
    for root, own in projects.items():
        if way == "aider":
            answers = by_aider(root, own, model=model)
        else:
            answers = by_us(root, own, way, model=model)
        for row, answer in zip(own, answers, strict=True):
            one = {"id": row["id"], "way": way, **answer}
            keep(kept, one)
            mark = "right" if is_right(row, answer["text"]) else "wrong"
            print(f"{way} {row['id']}: {mark}, {answer['whole_s']:.0f} s", flush=True)


def table(questions: list[Row], answers: dict[tuple[str, str], Row]) -> Iterator[str]:
    """Yield the table of the ways, and that of their differences."""
    right = {
        (row["id"], way): is_right(row, answers[row["id"], way]["text"])
        and bool(answers[row["id"], way]["tokens"] or row.get("structural"))
        for row in questions
        for way in WAYS
        if (row["id"], way) in answers
    }
    yield (
        "| of the | way | right | wrong, and not marked | false names an answer "
        "| tokens read: median | first word: median, s | whole: median, s "
        "| processor time of the server: median, s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for part in ("20", "30"):
        ids = [row["id"] for row in questions if row["part"] == part]
        for way in WAYS:
            some = [answers[one, way] for one in ids if (one, way) in answers]
            if not some:
                continue
            wrong = [one for one in some if not right[one["id"], way]]
            silent = sum(not one["false"] and not one["unsure"] for one in wrong)
            false = statistics.mean(len(one["false"]) for one in some)
            yield (
                f"| {part} | {way} | {len(some) - len(wrong)} of {len(some)} | {silent} "
                f"| {false:.2f} | {_median(some, 'tokens')} | {_median(some, 'first_s')} "
                f"| {_median(some, 'whole_s')} | {_median(some, 'server_s')} |"
            )
    yield "\n| of the | evidence against | questions | points more right | 95 % of draws |"
    yield "|---|---|---|---|---|"
    for part in ("20", "30"):
        ids = [row["id"] for row in questions if row["part"] == part]
        for way in WAYS[1:]:
            pairs = [one for one in ids if {(one, "evidence"), (one, way)} <= right.keys()]
            if pairs:
                more = [right[one, "evidence"] - right[one, way] for one in pairs]
                low, high = interval(more)
                mean = 100 * statistics.mean(more)
                yield f"| {part} | {way} | {len(pairs)} | {mean:+.0f} | {low:+.0f} to {high:+.0f} |"


def _median(some: list[Row], key: str) -> str:
    numbers = [one[key] for one in some if one.get(key) is not None]
    return f"{statistics.median(numbers):,.0f}" if numbers else "-"


def interval(differences: list[int]) -> tuple[float, float]:
    """Return between which points the mean lies in 95 % of draws of as many pairs, with a seed."""
    draw = random.Random(7)
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(_DRAWS))
    return 100 * means[_DRAWS // 40], 100 * means[-_DRAWS // 40]


def main(given: argparse.Namespace) -> None:
    """Ask what is not kept, and print the tables."""
    questions = rows(given.data)
    wanted = questions[: given.rows] if given.rows else questions
    for way in () if given.table else given.ways:
        if way in {"evidence", "loop"} and "way" not in LlmSettings.model_fields:
            print(f"{way}: this version has no llm.way")
            continue
        if way == "aider" and shutil.which("aider") is None:
            print("aider is not on the path")
            continue
        known = read(given.kept)
        missing = [row for row in wanted if (row["id"], way) not in known]
        with scratch_home():
            try:
                ask(missing, way, model=given.model, kept=given.kept)
            finally:
                stop()
    print("\n".join(table(questions, read(given.kept))))


if __name__ == "__main__":
    main(parser(WAYS, rows=None).parse_args())
