"""aider on a model of our own runtime, one message in a process of its own, for comparisons."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm.local.model_name import GGUF, weights_path
from ipuaro_jupyter.llm.local.own_server import OwnServer

_LONGEST_S = 900
_ENDED = 124
_TOKENS = re.compile(r"Tokens: ([\d.]+)(k?) sent, ([\d.]+)(k?) received")
_OPTIONS = (
    *("--no-stream", "--no-pretty", "--yes-always", "--analytics-disable", "--no-gitignore"),
    *("--no-auto-commits", "--no-check-update", "--no-show-model-warnings", "--no-detect-urls"),
    *("--no-show-release-notes", "--no-suggest-shell-commands"),
)


class AiderRun(NamedTuple):
    """What came of a message.

    Attributes:
        text: What the model said.
        tokens: The tokens read.
        written: The tokens written.
        code: The exit status; 124 where it was ended after fifteen minutes.
    """

    text: str
    tokens: int
    written: int
    code: int


@contextmanager
def served(model: str, window: int) -> Iterator[tuple[str, str]]:
    """Serve a model of our own runtime; the address and the key.

    Raises:
        SystemExit: It is another model.
    """
    if not model.startswith(GGUF):
        raise SystemExit(f"aider is asked on our own runtime: --model {GGUF}PATH")
    server = OwnServer(weights_path(model, Path.cwd(), None), idle_s=60, unused_s=-1, load_s=300)
    running = server.running(window, CancelToken())
    try:
        yield f"{running.address}/v1", running.key
    finally:
        server.leave()


def run(folder: Path, message: str, where: tuple[str, str], *options: str) -> AiderRun:
    """Send a message in a folder, which becomes a repository; options may name files."""
    for words in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-qm", "x"]):
        who = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
        subprocess.run(["git", *who, *words], check=True, cwd=folder)
    host, key = where
    said = folder.parent / "said.md"
    to = ["--openai-api-base", host, "--openai-api-key", key, "--model", "openai/local"]
    asked = ["--message", message, "--chat-history-file", str(said)]
    try:
        done = subprocess.run(
            ["aider", *_OPTIONS, *to, *asked, *options],
            check=False, cwd=folder, capture_output=True, text=True, timeout=_LONGEST_S,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return AiderRun("", 0, 0, _ENDED)
    _, _, reply = said.read_text().rpartition(f"#### {message}")
    counts = _TOKENS.search(reply + done.stdout)
    read, written = (_number(*counts.groups()[at : at + 2]) if counts else 0 for at in (0, 2))
    text = "\n".join(one for one in reply.splitlines() if not one.startswith(">")).strip()
    return AiderRun(text, read, written, done.returncode)


def _number(digits: str, unit: str) -> int:
    return round(float(digits) * (1000 if unit else 1))
