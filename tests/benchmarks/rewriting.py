"""How fast a passage is written again with one line changed, with the runtime's guesses or without.

    python tests/benchmarks/rewriting.py WEIGHTS [--functions N]

Functions of 20 to 60 lines of a published package, those with the lowest hashes; a model writes
each again, at temperature 0, with a remark added to one line. Printed are the tokens a second with
the guesses from the prompt (`server_process.parameters`) and without, and the differences of the
texts. A question about each function, which is answered in prose, shows what the guesses cost.
"""

import argparse
import ast
import json
import statistics
import tempfile
from collections.abc import Iterator
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import xllamacpp
from evidence import release

from ipuaro_jupyter.llm.local.server_process import Orders, parameters

_PACKAGE = ("xarray", "2025.7.1")
_LINES = range(20, 61)
_LONGEST_LINE = 80
_WINDOW, _MOST_TOKENS, _PROSE_TOKENS = 8192, 1500, 120
_KEY = "benchmark"
_ASKED_S = 600


class _Function(NamedTuple):
    place: str
    source: str
    line: str

    def change(self) -> str:
        """Ask for it with one line changed."""
        asked = f"`{self.line}` becomes `{self.line}  # checked`"
        return f"{self._shown}Change one line: {asked}. Reply with the whole function in a fence."

    def question(self) -> str:
        """Ask what it does."""
        return f"{self._shown}What does it do? Answer in a few sentences."

    @property
    def _shown(self) -> str:
        return f"{self.place}\n```python\n{self.source}\n```\n\n"


def functions(most: int) -> list[_Function]:
    """Return the functions, each with the line that is to be changed.

    Raises:
        SystemExit: The package cannot be had.
    """
    root = release(*_PACKAGE)
    if root is None:
        raise SystemExit(f"{' '.join(_PACKAGE)} cannot be had")
    found = [one for path in root.rglob("*.py") for one in _functions(path, root)]
    found.sort(key=lambda one: sha256(one.place.encode()).digest())
    return found[:most]


def _functions(path: Path, root: Path) -> Iterator[_Function]:
    text = path.read_text("utf-8")
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef) or node.end_lineno is None:
            continue
        own = lines[node.lineno - 1 : node.end_lineno]
        set_ = [one.strip() for one in own if " = " in one and len(one) < _LONGEST_LINE]
        if len(own) in _LINES and set_:
            place = f"{path.relative_to(root)} {node.name}:{node.lineno}"
            yield _Function(place, "\n".join(own), set_[len(set_) // 2])


def answers(weights: str, asked: list[str], most: int, *, guesses: bool) -> list[dict[str, Any]]:
    """Return the replies with the server's own times."""
    with tempfile.TemporaryDirectory() as folder:
        orders = Orders(folder, weights, folder, _WINDOW, -1, -1, 0)
        told = parameters(xllamacpp, orders, _KEY)
        if not guesses:
            told.speculative.types = [
                xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NONE
            ]
        server = xllamacpp.Server(told)
        return [_answer(server.listening_address, one, most) for one in asked]


def _answer(address: str, asked: str, most: int) -> dict[str, Any]:
    message = {"role": "user", "content": asked}
    body = {"messages": [message], "temperature": 0, "max_tokens": most}
    request = Request(
        f"{address}/v1/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {_KEY}"},
    )
    with urlopen(request, timeout=_ASKED_S) as response:
        reply = json.load(response)
    said = reply["choices"][0]["message"]["content"]
    return {"text": said, "per_s": reply["timings"]["predicted_per_second"]}


def main(weights: str, most: int) -> None:
    """Ask for everything twice, and print what differs."""
    some = functions(most)
    print("| asked for | tokens a second | with guesses | ratio: median, least | same texts |")
    print("|---|---|---|---|---|")
    for name, asked, tokens in (
        ("a function with one line changed", [one.change() for one in some], _MOST_TOKENS),
        ("what a function does", [one.question() for one in some], _PROSE_TOKENS),
    ):
        without, with_ = (answers(weights, asked, tokens, guesses=on) for on in (False, True))
        pairs = list(zip(without, with_, strict=True))
        ratios = [two["per_s"] / one["per_s"] for one, two in pairs]
        per_s = [statistics.median(one["per_s"] for one in side) for side in (without, with_)]
        same = sum(one["text"] == two["text"] for one, two in pairs)
        print(
            f"| {name} | {per_s[0]:.1f} | {per_s[1]:.1f} | {statistics.median(ratios):.2f}, "
            f"{min(ratios):.2f} | {same} of {len(pairs)} |"
        )
        for function, (one, two) in zip(some, pairs, strict=True):
            if one["text"] != two["text"]:
                texts = (one["text"].split("\n"), two["text"].split("\n"))
                print(function.place, *unified_diff(*texts, lineterm="", n=0), sep="\n")


if __name__ == "__main__":
    given = argparse.ArgumentParser()
    given.add_argument("weights")
    given.add_argument("--functions", type=int, default=30)
    options = given.parse_args()
    main(options.weights, options.functions)
