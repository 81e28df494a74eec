"""A long conversation with a model that counts what it is sent, strictly.

Used by the tests of the context and by ``tests/benchmarks/context.py``.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.ollama.messages import to_ollama
from ipuaro_jupyter.llm.wire_messages import wire_tool
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema, Usage

FIRST = "Explain how a fee is found, then tidy the module up. Never touch src/legacy.ts."
LATER = "Go on. From now on use only the standard library!"
SUMMARY = "The user tidies the module up. fee() stands in src/mod0.ts:3; tax is 7 percent."

_TOKEN = re.compile(
    r"[A-Z]?[a-z]{1,9}|[A-Z]{1,3}|\d|[ \t]{2,}|\t|[\r\n]+|[!-/:-@\[-`{-~]{1,2}|[^\x00-\x7f]"
)
LATER_WISH = "From now on use only the standard library!"


def settings(**context: object) -> dict[str, object]:
    """Settings of an assistant that holds a long session."""
    limits = {"maxRepeats": 1000, "maxRounds": 60}
    return {"context": {**limits, **context}, "watchdog": {"enabled": False}}


def strict_tokens(text: str) -> int:
    """Count as a tokenizer with a small vocabulary might: 10 to 20 % more than Qwen's for code."""
    return len(_TOKEN.findall(text))


@dataclass
class CountedRequest:
    """What the model was asked, and how many tokens that was by its own count."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    tokens: int

    @property
    def is_summary(self) -> bool:
        """Whether it asked to sum up what came before."""
        return self.messages[0].content.startswith("You sum up")


@dataclass
class CountingModel:
    """Looks at files and edits them for some rounds, then answers; counts every request.

    Args:
        context_tokens: Its window.
        native_tools: Whether it takes schemas.
        reports: Whether it says how many tokens it counted, and how: all of them, or only those
            that are new since the last request, as a server does that has cached the others.
        summary: What it sums up; None for a reply that is empty.
    """

    context_tokens: int
    native_tools: bool = False
    reports: str = "all"
    summary: str | None = SUMMARY
    name: str = "counting"
    seed: int = 7
    requests: list[CountedRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._rounds = 0
        self._counted = 0

    def check(self) -> None:
        """It is always there."""

    def prepare(self, cancel: CancelToken) -> None:
        """It is always ready."""

    def close(self) -> None:
        """It holds nothing."""

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Answer, or call a tool."""
        cancel.check()
        sent: list[Any] = to_ollama(messages, native_tools=self.native_tools)
        around = 5 * len(sent) + sum(20 for _ in tools)
        counted = around + sum(
            strict_tokens(m["content"]) + strict_tokens(json.dumps(m.get("tool_calls") or ""))
            for m in sent
        )
        counted += sum(strict_tokens(json.dumps(wire_tool(tool))) for tool in tools)
        request = CountedRequest(tuple(messages), tuple(tools), counted)
        self.requests.append(request)
        text, calls = (self.summary or "", ()) if request.is_summary else self._reply()
        usage = None
        if self.reports == "all":
            usage = Usage(prompt_tokens=counted, completion_tokens=strict_tokens(text))
        elif self.reports == "new":
            usage = Usage(prompt_tokens=max(1, counted - self._counted), completion_tokens=1)
        self._counted = counted
        yield Chunk(text=text, calls=calls, usage=usage)

    def _reply(self) -> tuple[str, tuple[ToolCall, ...]]:
        if self._rounds == 0:
            self._rounds = self._random.choice([1, 1, 2, 3, 3, 5, 9])
        self._rounds -= 1
        if self._rounds == 0:
            return f"Found it in step {len(self.requests)}: " + "the fee comes from a table. " * (
                self._random.choice([1, 3, 12, 40])
            ), ()
        wanted = [self._call() for _ in range(self._random.choice([1, 1, 1, 2, 4]))]
        if self.native_tools:
            return "Let me look.", tuple(wanted)
        return "Let me look.\n" + "\n".join(map(written, wanted)), ()

    def _call(self) -> ToolCall:
        path = f"src/mod{self._random.randrange(12)}.ts"
        start = self._random.randrange(1, 150)
        kind = self._random.choice(["lines", "lines", "grep", "edit", "structure", "data"])
        match kind:
            case "lines":
                return ToolCall(name="get_lines", arguments={"path": path, "start": start})
            case "grep":
                return ToolCall(name="grep", arguments={"pattern": f"value{start}"})
            case "edit":
                many = self._random.choice([1, 4, 60])
                content = "\n".join(f"  // {start} tidied up, line {n}" for n in range(many))
                edit = {"path": path, "start": start, "end": start, "content": content}
                return ToolCall(name="edit_lines", arguments=edit)
            case "structure":
                return ToolCall(name="get_structure", arguments={"path": "src", "depth": start})
            case _:
                return ToolCall(name="get_lines", arguments={"path": "data.json", "start": start})


def written(call: ToolCall) -> str:
    """Return a call as text."""
    tags = "".join(f"<{name}>{value}</{name}>\n" for name, value in call.arguments.items())
    return f'<tool_call name="{call.name}">\n{tags}</tool_call>'


def make_files(root: Path) -> None:
    """Write a project with files of some hundred lines of several kinds."""
    (root / "src").mkdir(parents=True)
    for number in range(12):
        lines = [f"// module {number}", "export function fee(kg: number): number {"]
        lines += [f"  const value{n} = kg * {n} + lookUp('key-{n:04x}', {n});" for n in range(180)]
        (root / "src" / f"mod{number}.ts").write_text("\n".join([*lines, "  return 0", "}", ""]))
    rows = [{"id": n, "名前": f"項目{n}", "hash": f"{n * 7919:032x}"} for n in range(200)]
    (root / "data.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1))


def questions(count: int) -> Iterator[str]:
    """Yield what the user says, turn by turn."""
    yield FIRST
    yield "And how is the tax found?"
    yield LATER
    for number in range(count - 3):
        size = [1, 1, 1, 8, 30][number % 5]
        yield f"Question {number}: " + "look at the next part of the module, please. " * size
