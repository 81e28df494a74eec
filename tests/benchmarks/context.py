"""How well requests fit a model's window, and how well tokens are guessed.

    python tests/benchmarks/context.py                 the tables
    python tests/benchmarks/context.py --record FILE   counts the texts anew (needs tiktoken)

The reference is the tokenizer of Qwen: FILE is the ``qwen.tiktoken`` that the package dashscope
holds. The texts are in ``tests/unit/agent/context/token_counts.json`` with its counts, so that the
tables and the tests need neither.
"""

import argparse
import base64
import json
import statistics
import sys
import tempfile
from itertools import product
from pathlib import Path

from scratch_home import scratch_home

HERE = Path(__file__).resolve().parent
COUNTS = HERE.parent / "unit/agent/context" / "token_counts.json"
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHARS_PER_TOKEN = 3.2  # what one guesses without looking


def record(file: Path) -> None:
    """Count the texts with Qwen's tokenizer and keep the counts."""
    import tiktoken

    lines = file.read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    qwen = tiktoken.Encoding("qwen", pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})
    rows = json.loads(COUNTS.read_text(encoding="utf-8"))
    counted = [{**row, "tokens": len(qwen.encode(row["text"]))} for row in rows]
    COUNTS.write_text(json.dumps(counted, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(counted)} texts counted.")


def print_guesses() -> None:
    """Print by how much tokens are guessed wrong, by kind of text."""
    from ipuaro_jupyter.agent.context.tokens import count_tokens

    rows = json.loads(COUNTS.read_text(encoding="utf-8"))
    print("| kind | texts | median | too small by at most | too large by at most | chars / 3.2 |")
    print("|---|---|---|---|---|---|")
    for kind in dict.fromkeys(row["kind"] for row in rows):
        of_kind = [row for row in rows if row["kind"] == kind]
        errors = [count_tokens(row["text"]) / row["tokens"] - 1 for row in of_kind]
        plain = [len(row["text"]) / CHARS_PER_TOKEN / row["tokens"] - 1 for row in of_kind]
        print(
            f"| {kind} | {len(errors)} | {statistics.median(errors):+.0%} "
            f"| {max(0.0, -min(errors)):.0%} | {max(0.0, *errors):.0%} "
            f"| {statistics.median(plain):+.0%} |"
        )


def print_prompts() -> None:
    """Print how much the prompts and the tools take."""
    from ipuaro_jupyter.agent.context import prompt_files
    from ipuaro_jupyter.agent.context.tokens import count_tokens, schemas_tokens
    from ipuaro_jupyter.agent.context.tool_texts import described, fitted_schemas
    from ipuaro_jupyter.tools import load_tools

    folder = Path(prompt_files.__file__).with_name("prompts")
    told = [f"{f.name} {count_tokens(f.read_text()):.0f}" for f in sorted(folder.glob("*.md"))]
    print(f"\nTokens of the prompts: {', '.join(told)}")
    schemas = [tool.schema for tool in load_tools()]
    least = fitted_schemas(schemas, 0, size=len)
    for name, shown in (("in full", schemas), ("as short as they get", least)):
        print(
            f"Tokens of {len(schemas)} tools {name}: {count_tokens(described(shown)):.0f} as text, "
            f"{schemas_tokens(shown):.0f} as schemas"
        )


def print_sessions(turns: int) -> None:
    """Print how long conversations fit windows of several sizes."""
    sys.path.insert(0, str(HERE.parent / "support"))
    from long_session import CountingModel, make_files, questions

    import ipuaro_jupyter

    print(
        f"\n| window | tools | counts | {turns} turns: requests | over the window | highest fill ",
        end="",
    )
    print("| median fill | summaries | stubs in a request | guess against the count |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    limits = {"maxRepeats": 10_000, "maxRounds": 100}
    for window, native, reports in product((4096, 8192, 32_768), (False, True), ("all", "no")):
        with tempfile.TemporaryDirectory() as folder:
            make_files(Path(folder, "project"))
            model = CountingModel(window, native_tools=native, reports=reports)
            with ipuaro_jupyter.start(
                Path(folder, "project"),
                model=model,
                auto_apply=True,
                settings={"context": limits, "watchdog": {"enabled": False}},
            ) as assistant:
                for question in questions(turns):
                    assistant.ask(question)
        print_session(model, window, native=native, reports=reports)


def print_session(model, window: int, *, native: bool, reports: str) -> None:
    """Print the row of one conversation."""
    from ipuaro_jupyter.agent.context.tokens import messages_tokens, schemas_tokens

    reply = min(2048, window // 4)
    tokens = [request.tokens for request in model.requests]
    fills = [(count + reply) / window for count in tokens]
    guesses = [
        (messages_tokens(r.messages) + schemas_tokens(r.tools)) / r.tokens - 1
        for r in model.requests
    ]
    stubs = [
        sum(m.role == "tool" and m.content.startswith("[Left out") for m in r.messages)
        for r in model.requests
    ]
    print(
        f"| {window} | {'schemas' if native else 'text'} "
        f"| {'reported' if reports == 'all' else 'not reported'} | {len(tokens)} "
        f"| {sum(fill > 1 for fill in fills)} | {max(fills):.0%} | {statistics.median(fills):.0%} "
        f"| {sum(request.is_summary for request in model.requests)} | {max(stubs)} "
        f"| {statistics.median(guesses):+.0%} ({min(guesses):+.0%} to {max(guesses):+.0%}) |"
    )


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, metavar="QWEN_FILE")
    parser.add_argument("--turns", type=int, default=200)
    arguments = parser.parse_args()
    if arguments.record:
        record(arguments.record)
        return
    print_guesses()
    print_prompts()
    with scratch_home():
        print_sessions(arguments.turns)


if __name__ == "__main__":
    main()
