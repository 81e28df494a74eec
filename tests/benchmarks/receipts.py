"""Answers with seeded false claims: how many are marked, and how many marks are right.

    python tests/benchmarks/receipts.py [--answers N] [--seed SEED] [--show]

Answers are put together from the sentences of ``answer_forms.toml``, with names of real projects,
all drawn by the seed. In some, one claim is made false in one of the ways of `FALSE`, each checked
against the files themselves, not against the index. A mark at any other place is a false one.
"""

import argparse
import random
import re
import statistics
import string
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from corpora import corpus, package
from scratch_home import scratch_home

from ipuaro_jupyter import start
from ipuaro_jupyter.agent.receipts.receipt import receipt_of
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.records.receipt import Receipt

ANSWERS = 500
FALSE = {
    "path: misspelt": "path",
    "path: another folder": "path",
    "path: made up": "path",
    "path:line: past the end": "line",
    "path:line: another place of the file": "line",
    "symbol in another file": "path",
    "symbol: misspelt": "function",
    "symbol: made up": "function",
    "Class.method: made up": "method",
    "Class.method: of another class": "method",
}
_FORMS = tomllib.loads((Path(__file__).parent / "answer_forms.toml").read_text())
_ROOT = Path(__file__).parents[2]
_SENTENCES = (3, 7)
_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}")
_FAR = 12  # lines


class Declared(NamedTuple):
    """A name of a project, with the lines of its declaration; the last one is included."""

    name: str
    path: str
    first: int
    last: int


@dataclass
class Drawable:
    """What can be drawn from a project.

    Attributes:
        texts: The files, by path.
        words: All words of all files.
    """

    texts: dict[str, str]
    words: frozenset[str]
    classes: list[Declared] = field(default_factory=list)
    methods: list[Declared] = field(default_factory=list)
    functions: list[Declared] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)


@dataclass
class Seeded:
    """An answer; ``false`` is the name of its false claim as written, ``kind`` how it came."""

    text: str
    kind: str = ""
    false: tuple[str, ...] = ()


def drawable(root: Path, index: CodeIndex) -> Drawable:
    """Return what can be drawn from a project."""
    texts = {}
    for path in index.paths():
        text = (root / path).read_text("utf-8", "replace")
        texts[path] = text
    found = Drawable(texts, frozenset(re.findall(r"[\w$]+", "\n".join(texts.values()))))
    for path in texts:
        facts = index.facts(path)
        if facts is None:
            continue
        for one in facts.functions:
            if "." not in one.qualified and len(one.name) > len("abcd"):
                found.functions.append(Declared(one.name, path, one.line_start, one.line_end))
        for holder in facts.classes:
            if "." in holder.qualified:
                continue
            found.classes.append(Declared(holder.name, path, holder.line_start, holder.line_end))
            if not holder.extends:
                found.closed.add(holder.name)
            found.methods += [
                Declared(f"{holder.name}.{m.name}", path, m.line_start, m.line_end)
                for m in holder.methods
                if m.name.isidentifier() and not m.name.startswith("__")
            ]
    once = Counter(one.name for one in found.classes)
    found.closed = {name for name in found.closed if once[name] == 1}
    found.classes = [one for one in found.classes if once[one.name] == 1]
    return found


class Writer:
    """Writes answers about a project."""

    def __init__(self, project: Drawable, draw: random.Random) -> None:
        self._project = project
        self._draw = draw

    def answer(self, kind: str) -> Seeded:
        """Return an answer with one false claim of a kind; "" for none."""
        count = self._draw.randint(*_SENTENCES)
        forms = self._draw.sample(_FORMS["claims"], count)
        forms += self._draw.sample(_FORMS["others"], self._draw.randint(1, 3))
        self._draw.shuffle(forms)
        written = [self._sentence(form) for form in forms]
        if not kind:
            return Seeded(self._together(written))
        able = [form for form in _FORMS["claims"] if self._takes(form, kind)]
        while (seeded := self._false(self._draw.choice(able), kind)) is None:
            pass
        sentence, false = seeded
        written.insert(self._draw.randint(0, len(written)), sentence)
        return Seeded(self._together(written), kind, false)

    def _together(self, sentences: Sequence[str]) -> str:
        """Put sentences together, half of them in paragraphs."""
        ends = (self._draw.choice(("\n\n", " ")) for _ in sentences)
        text = ""
        for sentence, end in zip(sentences, ends, strict=True):
            is_block = sentence.startswith(("|", "-", "*", "1.", "2.")) or "```" in sentence
            text += f"\n\n{sentence}\n\n" if is_block else f"{sentence}{end}"
        return text.strip()

    @staticmethod
    def _takes(form: str, kind: str) -> bool:
        slots = _SLOT.findall(form)
        named = {"class", "method", "function"} & set(slots)
        if kind in ("symbol in another file", "path:line: another place of the file"):
            is_said = re.search(
                r"`\{\w+\}`(?: is (?:defined|declared) in| \(in| class in| \()", form
            )
            with_line = "line" in slots
            return bool(is_said and named) and with_line == kind.startswith("path:line")
        return FALSE[kind] in slots

    def _sentence(self, form: str) -> str:
        return self._filled(form, *self._names(form))

    def _names(self, form: str) -> tuple[list[Declared], str]:
        """Draw a name for each slot of a form; the place is that of the last one."""
        slots = _SLOT.findall(form)
        kinds = [slot for slot in slots if slot in ("class", "method", "function")] or ["function"]
        pools = {
            "class": self._project.classes,
            "method": self._project.methods,
            "function": self._project.functions,
        }
        new = "".join(self._draw.choice(string.ascii_lowercase) for _ in range(4))
        return [self._draw.choice(pools[kind]) for kind in kinds], f"draw{new.title()}Value"

    def _filled(self, form: str, names: Sequence[Declared], new: str, **instead: str) -> str:
        left = list(names)
        place = names[0] if len(names) == 1 else names[-1]

        def fill(slot: re.Match[str]) -> str:
            name = slot[1]
            if name in instead:
                return instead[name]
            if name in ("class", "method", "function"):
                return left.pop(0).name
            return {
                "path": place.path,
                "line": str(place.first),
                "end": str(place.last),
                "new": new,
                "foreign": self._draw.choice(_FORMS["foreign"]),
                "package": self._draw.choice(_FORMS["packages"]),
            }[name]

        return _SLOT.sub(fill, form).replace("{}", "{ }")

    def _false(self, form: str, kind: str) -> tuple[str, tuple[str, ...]] | None:
        """Return a sentence with a false claim, and how the claim is named; None to draw again."""
        names, new = self._names(form)
        one = names[-1]
        slot, way = FALSE[kind], kind.rpartition(": ")[2]
        made: str | None
        if slot == "path":
            made = self._path(one.path, way) if kind.startswith("path") else self._other_file(one)
            if made is None:
                return None
            return self._filled(form, names, new, path=made), (made, one.name)
        if slot == "line":
            line = self._line(one, way)
            if line is None:
                return None
            told = self._filled(form, names, new, line=str(line), end=str(line + 2))
            return told, (one.path, one.name)
        made = self._symbol(one.name, way)
        if made is None:
            return None
        return self._filled(form, [*names[:-1], one._replace(name=made)], new), (made,)

    def _path(self, path: str, way: str) -> str | None:
        folder, _, name = path.rpartition("/")
        stem, dot, ending = name.partition(".")
        if way == "misspelt":
            made = f"{folder}/{_misspelt(stem, self._draw)}{dot}{ending}"
        elif way == "another folder":
            folders = sorted({known.rpartition("/")[0] for known in self._project.texts})
            made = f"{self._draw.choice(folders)}/{name}"
        else:
            made = f"{folder}/{self._compound()}{dot}{ending}"
        made = made.removeprefix("/")
        if "/" not in made or any(
            f"/{known}".endswith(f"/{made}") for known in self._project.texts
        ):
            return None
        return made

    def _other_file(self, one: Declared) -> str | None:
        """Draw a file in whose text a name does not stand."""
        path = self._draw.choice(sorted(self._project.texts))
        last = one.name.rpartition(".")[2]
        has = last.lower() in self._project.texts[path].lower()
        is_code = path.rpartition(".")[2] in ("ts", "tsx", "js", "py")
        return path if is_code and not has else None

    def _line(self, one: Declared, way: str) -> int | None:
        lines = self._project.texts[one.path].split("\n")
        if way == "past the end":
            return len(lines) + self._draw.randint(3, 300)
        word = re.compile(rf"(?<![\w$]){re.escape(one.name.rpartition('.')[2])}(?![\w$])")
        line = self._draw.randint(1, max(1, len(lines) - 3))
        near = lines[max(0, line - _FAR) : line + _FAR]
        is_within = one.first - _FAR <= line <= one.last + _FAR
        return None if is_within or any(word.search(text) for text in near) else line

    def _symbol(self, name: str, way: str) -> str | None:
        owner, _, last = name.rpartition(".")
        if way == "of another class":
            other = self._draw.choice(self._project.methods).name.rpartition(".")
            is_there = any(
                one.name == owner and other[2] in self._project.texts[one.path]
                for one in self._project.classes
            )
            return None if is_there or owner not in self._project.closed else f"{owner}.{other[2]}"
        if owner and owner not in self._project.closed:
            return None
        made = _misspelt(last, self._draw) if way == "misspelt" else self._compound()
        if made in self._project.words:
            return None
        return f"{owner}.{made}" if owner else made

    def _compound(self) -> str:
        """Put together the beginning of a name and the end of another."""
        names = [self._draw.choice(self._project.functions).name for _ in range(2)]
        parts = [_WORDS.findall(name) for name in names]
        if not all(parts):
            return self._compound()
        is_snake = "_" in names[0]
        first, second = parts[0][0].lower(), parts[1][-1].lower()
        return f"{first}_{second}" if is_snake else f"{first}{second.title()}"


def _misspelt(name: str, draw: random.Random) -> str:
    """Swap, drop or double a letter that is not the first."""
    at = draw.randint(1, max(1, len(name) - 2))
    way = draw.choice(("swap", "drop", "double"))
    if way == "swap":
        return name[:at] + name[at : at + 2][::-1] + name[at + 2 :]
    return name[:at] + ("" if way == "drop" else name[at] * 2) + name[at + 1 :]


@dataclass
class Result:
    """What came of the answers."""

    seeded: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    false_marks: int = 0
    marks: int = 0
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def add(self, answer: Seeded, receipt: Receipt) -> None:
        """Count the marks of an answer."""
        right = [m for m in receipt.marks if any(name in m.named for name in answer.false)]
        self.marks += len(receipt.marks)
        self.false_marks += len(receipt.marks) - len(right)
        self.shown += [f"FALSE {m.told}" for m in receipt.marks if m not in right]
        if answer.kind:
            self.seeded[answer.kind] += 1
            self.found[answer.kind] += bool(right)
            if not right:
                self.shown.append(f"MISSED {answer.kind}: {answer.false}")

    def table(self) -> str:
        """Return the figures as Markdown."""
        rows = ["| false claim | seeded | marked |", "|---|---|---|"]
        rows += [f"| {kind} | {n} | {self.found[kind]} |" for kind, n in self.seeded.items()]
        seeded, found = self.seeded.total(), self.found.total()
        precision = 1 - self.false_marks / max(1, self.marks)
        told = (
            f"precision {precision:.3f} of {self.marks} marks",
            f"recall {found / max(1, seeded):.3f} of {seeded} claims",
            f"{statistics.median(self.ms):.0f} ms at the median of {len(self.ms)} answers",
            f"{statistics.quantiles(self.ms, n=20)[-1]:.0f} ms at the 95th percentile",
            f"{statistics.median(self.cpu_ms):.0f} ms of this process's CPU time at the median",
        )
        return "\n".join([*rows, "", "; ".join(told)])


def projects() -> Iterator[tuple[str, Path]]:
    """Yield the projects by name."""
    for name in ("rxjs", "zod", "lexical"):
        yield name, corpus(name)
    for spec in ("click==8.1.7", "httpx==0.28.1"):
        yield spec, package("pypi", spec)


def measured(
    answers: int, seed: int, *, chosen: Callable[[], Iterator[tuple[str, Path]]] = projects
) -> Result:
    """Return what comes of so many answers, shared by the projects."""
    result, roots = Result(), list(chosen())
    kinds = ["", *FALSE]
    for number, (name, root) in enumerate(roots):
        draw = random.Random(f"{seed} {name}")
        with scratch_home(), start(root) as assistant:
            project = assistant.project()
            writer = Writer(drawable(root, project.index), draw)
            for turn in range(answers // len(roots) + (number < answers % len(roots))):
                answer = writer.answer(kinds[turn % len(kinds)])
                began, began_cpu = time.perf_counter(), time.process_time()
                receipt = receipt_of(answer.text, project.index, project.workspace)
                result.ms.append((time.perf_counter() - began) * 1000)
                result.cpu_ms.append((time.process_time() - began_cpu) * 1000)
                result.add(answer, receipt)
    return result


def marked_documents() -> tuple[int, list[str]]:
    """Return how many paragraphs this project's documents have, and what is marked in them."""
    with scratch_home(), start(_ROOT) as assistant:
        project, ignored = assistant.project(), assistant.tool_names
        files = [*_ROOT.glob("*.md"), *_ROOT.glob("notebooks/*.md")]
        texts = [text for file in files for text in file.read_text("utf-8").split("\n\n")]
        found = [
            mark.told
            for text in texts
            for mark in receipt_of(text, project.index, project.workspace, ignored=ignored).marks
        ]
    return len(texts), found


def told(result: Result) -> str:
    """Return everything as Markdown."""
    paragraphs, marks = marked_documents()
    rest = f"{len(marks)} marks in {paragraphs} paragraphs of this project's documents"
    return f"{result.table()}; {rest}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="the false marks and the missed claims")
    options = parser.parse_args()
    result = measured(options.answers, options.seed)
    if options.show:
        print("\n".join(result.shown), file=sys.stderr)
    print(told(result))


if __name__ == "__main__":
    main()
