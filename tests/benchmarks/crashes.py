"""Seeded crashes: is the culprit among the first three places that the model is shown?

    python tests/benchmarks/crashes.py [--each N] [--seed SEED] [--only PROJECT…]
                                     [--settings SETTING…] [--show]

In copies of packages of PyPI and npm, faults are drawn by the seed in functions that the
cells of ``crash_cases.toml`` reach. Those that make a cell fail in a process of its own are run in
a real kernel: Python in a cell, as a script and by pytest, TypeScript by commands of a cell. The
culprit, the function with the fault, has to be among the first three places of ``last_error()``,
and of what ``%%ask`` sends to the model.

A fault may also end in no crash, but in a wrong result, which the case itself notices: then its own
``assert`` or ``throw`` is the innermost frame of the error, nothing of the project is in it, and
what was wrong long before is in no way told. These are counted apart, beside the crashes.

Each crash is shown in several settings, which differ in what git can tell of the changes that are
on the disk: the fault, and harmless changes of other functions that run, all drawn by the seed; see
`SETTINGS`.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora import corpus, node_folder, package
from crash_faults import Function, Site, Source, drawn, sources
from crash_history import SETTINGS, History, Versions, harmless
from scratch_home import scratch_home

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from kernels import Kernel
from ollama_server import OllamaServer

EACH, PLACES, LIMIT_S = 20, 3, 60
CASES = tomllib.loads((Path(__file__).parent / "crash_cases.toml").read_text())
_SHELL = ("!", "%%bash", "subprocess")
FORMS = {".py": ("cell", "cell", "script", "pytest"), ".ts": _SHELL, ".mjs": _SHELL}
"""How a case is run; drawn for each crash."""
NO_GIT = next(iter(SETTINGS))
_ENDING_S = 10
_KILLED = 128 + signal.SIGKILL
_LIMITED = f"timeout -s KILL {LIMIT_S}"
"""Ends all that a command starts, also when nobody waits any more: a fault may loop without end."""
_ALONE = "PYTHONDONTWRITEBYTECODE=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"
"""Without plugins of pytest, which may use the project themselves."""
_PLACE = re.compile(
    r"^\d+\. (?:cell \[\d+\], line \d+|(?P<path>[^\s:]+):(?P<line>\d+))", re.MULTILINE
)
_TRACER = """\
import sys, threading
ran = set()
def note(frame, event, arg):
    if event == "call":
        ran.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))
sys.setprofile(note)
exec(compile(open(sys.argv[1]).read(), "case", "exec"), {"__name__": "case"})
sys.setprofile(None)
print("\\n".join(f"RAN {file}:{line}" for file, line in ran))
"""


@dataclass
class Subject:
    """A copy of a project, with what cells do with it."""

    name: str
    root: Path
    files: list[str]
    cases: list[str]
    ran: set[Function] = field(default_factory=set)

    @property
    def suffix(self) -> str:
        return Path(self.files[0]).suffix

    def command(self, form: str, number: int) -> str:
        """The command that runs a case."""
        if self.suffix == ".ts":
            tsx = node_folder() / "node_modules" / ".bin" / "tsx"
            return f"cd {self.root} && {_LIMITED} {tsx} case_{number}.ts"
        if self.suffix == ".mjs":
            return f"cd {self.root} && {_LIMITED} node case_{number}.mjs"
        runner = "-m pytest -q -p no:cacheprovider" if form == "pytest" else "-B"
        file = f"test_case_{number}.py" if form == "pytest" else f"case_{number}.py"
        python = f"PYTHONPATH=. {_ALONE} {_LIMITED} {sys.executable}"
        return f"cd {self.root} && {python} {runner} {file}"

    def cell(self, form: str, number: int) -> str:
        """The cell that runs a case."""
        if form == "cell":
            return self.cases[number]
        command = self.command(form, number)
        if form == "%%bash":
            return f"%%bash\n{command}"
        if form == "subprocess":
            return f"import subprocess\nsubprocess.run({command!r}, shell=True, check=True)"
        return f"!{command}"


@dataclass
class Shown:
    """What came of one crash.

    ``at`` is, in each setting, the rank of the culprit in `last_error` and in what the model was
    sent, None where it is not among the places at all.
    """

    form: str
    kind: str
    path: str
    line: int
    at: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    elapsed_s: dict[str, float] = field(default_factory=dict)
    text: dict[str, str] = field(default_factory=dict)
    is_noticed: bool = False
    """Whether the case has noticed a wrong result, without a crash."""

    def is_found(self, setting: str) -> bool:
        return all(one is not None and one <= PLACES for one in self.at[setting])


def copied(name: str, folder: Path) -> Subject:
    """A copy of a project with its cases."""
    known = CASES[name]
    origin = _origin(known)
    root = folder / name
    shutil.copytree(origin, root, ignore=shutil.ignore_patterns(".git", "tests"))
    if "built" in known:  # as if it were written by hand
        (root / "src").mkdir()
        (root / known["built"]).rename(root / known["files"][0])
    subject = Subject(name, root, _expanded(known["files"]), known["cases"])
    for number, case in enumerate(subject.cases):
        (root / f"case_{number}{subject.suffix}").write_text(case)
        if subject.suffix == ".py":
            body = "".join(f"    {one}\n" if one else "\n" for one in case.split("\n"))
            (root / f"test_case_{number}.py").write_text(f"def test_case():\n{body}")
    return subject


def _origin(known: dict[str, Any]) -> Path:
    if "corpus" in known:
        return corpus(known["corpus"])
    return package("npm", known["npm"]) if "npm" in known else package("pypi", known["package"])


def _expanded(patterns: list[str]) -> list[str]:
    found = []
    for pattern in patterns:
        before, brace, rest = pattern.partition("{")
        names, _, after = rest.partition("}")
        found += [f"{before}{one}{after}" for one in names.split(",")] if brace else [pattern]
    return found


def reached(subject: Subject, files: list[Source]) -> set[Function]:
    """The functions that the cases reach while nothing is wrong."""
    if subject.suffix == ".py":
        return _reached_in_python(subject, files)
    known = {f"{one.path}:{f.first}:{f.last}": f for one in files for f, _ in one.functions()}
    for one in files:
        content = one.content
        for function, body in sorted(one.functions(), key=lambda found: -found[1].start_byte):
            mark = f"console.log('RAN {one.path}:{function.first}:{function.last}');".encode()
            content = content[: body.start_byte + 1] + mark + content[body.start_byte + 1 :]
        (subject.root / one.path).write_bytes(content)
    told = "".join(_ran(subject.command("!", number))[1] for number in range(len(subject.cases)))
    for one in files:
        (subject.root / one.path).write_bytes(one.content)
    return {known[one] for one in re.findall(r"RAN (\S+)", told)}


def _reached_in_python(subject: Subject, files: list[Source]) -> set[Function]:
    tracer = subject.root.parent / "tracer.py"
    tracer.write_text(_TRACER)
    told = ""
    for number in range(len(subject.cases)):
        command = f"cd {subject.root} && PYTHONPATH=. {sys.executable} -B {tracer} case_{number}.py"
        told += _ran(command)[1]
    starts = {(f"{subject.root}/{f.path}", f.first): f for one in files for f, _ in one.functions()}
    found = re.findall(r"RAN (\S+):(\d+)", told)
    # a decorated function begins, for Python, at its first decorator
    near = ((file, int(line) + more) for file, line in found for more in range(6))
    return {starts[one] for one in near if one in starts}


def _ran(command: str) -> tuple[int, str]:
    try:
        done = subprocess.run(
            ["bash", "-c", command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, ""
    return done.returncode, done.stdout + done.stderr


def _fails(command: str) -> bool:
    status, _ = _ran(command)
    return status > 0 and status != _KILLED


def is_noticed(subject: Subject, number: int) -> bool:
    """Whether a case has crashed by its own check of a result."""
    _, told = _ran(subject.command("script", number))
    if subject.suffix == ".py":
        frames, check = re.findall(r'File "([^"]+)", line', told)[-1:], r"^AssertionError\b"
    else:
        frames = re.findall(r"^ +at .*?([^\s(]+):\d+:\d+", told, re.MULTILINE)[:1]
        check = "^Error: "
    is_mine = [Path(one).stem for one in frames] == [f"case_{number}"]
    return is_mine and re.search(check, told, re.MULTILINE) is not None


class Notebook:
    """A kernel in which the project is open, before a server that keeps what it is asked."""

    def __init__(self, subject: Subject, server: OllamaServer, settings: Sequence[str]) -> None:
        self._subject, self._server, self._settings = subject, server, settings
        self._kernel = self._opened()

    def _opened(self) -> Any:
        kernel: Any = Kernel(self._subject.root.parent)
        kernel.run(f"import os, sys; os.environ['OLLAMA_HOST'] = {self._server.url!r}")
        kernel.run(
            f"sys.path.insert(0, {str(self._subject.root)!r}); sys.dont_write_bytecode = True"
        )
        kernel.run("%load_ext ipuaro_jupyter")
        return kernel

    def crash(
        self, site: Site, known: Versions, history: History, *, form: str, number: int
    ) -> Shown | None:
        """What the model is shown of a crash; None when the cell ends well there, or never."""
        self._kernel.run(
            f"for m in [m for m, one in sys.modules.items() if {str(self._subject.root)!r} in"
            " str(getattr(one, '__file__', None))]:\n    del sys.modules[m]"
        )
        self._start()
        sent = self._kernel.send(self._subject.cell(form, number))
        try:
            ran = self._kernel.collect(sent, timeout_s=LIMIT_S + _ENDING_S)
        except AssertionError:  # in a kernel it goes on without end
            self._kernel.stop()
            self._kernel = self._opened()
            return None
        if form in ("cell", "%%bash", "subprocess") and ran.reply["status"] == "ok":
            return None
        line = known.pristine[site.function.path].count(b"\n", 0, site.start) + 1
        shown = Shown(form, site.kind, site.function.path, line)
        for setting in self._settings:
            if setting != NO_GIT:
                history.show(setting, known)
                self._start()
            self._ask(setting, site, shown)
            if setting != NO_GIT:
                history.hide()
            shown.text[setting] = f"{ran.text}\n{shown.text[setting]}"
        return shown

    def _start(self) -> None:
        started = self._kernel.run(f"%ipuaro start {self._subject.root} --model coder --new")
        assert started.reply["status"] == "ok", started.text

    def _ask(self, setting: str, site: Site, shown: Shown) -> None:
        """Add what the model is shown in a setting."""
        self._server.replies.append(["Seen."])
        asked = self._kernel.run("%%ask\nWhy did the last cell fail?")
        assert "Seen." in asked.text, asked.text
        sent = self._server.requests[-1][1]["messages"][-1]["content"]
        told = self._kernel.run("%tool last_error")
        shown.at[setting] = _rank(self._tool_text(), site.function), _rank(sent, site.function)
        shown.elapsed_s[setting] = told.elapsed_s
        shown.text[setting] = sent

    def _tool_text(self) -> str:
        code = "print(get_ipython().run_line_magic('tool', 'last_error').text())"
        return str(self._kernel.run(code).text)

    def stop(self) -> None:
        self._kernel.stop()


def _rank(text: str, culprit: Function) -> int | None:
    """The number of the first place that is in the culprit; 1-based."""
    for number, match in enumerate(_PLACE.finditer(text), 1):
        is_there = match["path"] == culprit.path
        if is_there and culprit.first <= int(match["line"]) <= culprit.last:
            return number
    return None


def crashes(subject: Subject, server: OllamaServer, options: argparse.Namespace) -> Iterator[Shown]:
    """Yield what the model is shown of so many crashes."""
    seed = options.seed
    files = sources(subject.root, subject.files)
    ran = reached(subject, files)
    assert ran, f"The cases of {subject.name} reach nothing."
    for number in range(len(subject.cases)):
        status, told = _ran(subject.command("script", number))
        assert status == 0, told
    draw = random.Random(f"{seed} forms of {subject.name}")
    history, notebook = History(subject.root), Notebook(subject, server, options.settings)
    found = 0
    try:
        for _, site in drawn(files, ran, f"{seed} {subject.name}"):
            form, order = draw.choice(FORMS[subject.suffix]), list(range(len(subject.cases)))
            draw.shuffle(order)
            others = random.Random(f"{seed} {subject.name} {site.start} {site.function}")
            known = Versions.of(files, harmless(files, ran, site.function, others), site)
            history.write(known.all)
            failing = (one for one in order if _fails(subject.command(form, one)))
            number = next(failing, None)
            shown = None
            if number is not None:
                shown = notebook.crash(site, known, history, form=form, number=number)
            if shown is not None:
                shown.is_noticed = is_noticed(subject, number)
            history.write(known.pristine)
            if shown is not None:
                yield shown
                found += not shown.is_noticed
            if found == options.each:
                return
    finally:
        notebook.stop()


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=EACH, help="how many crashes of each")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--show", action="store_true", help="show what was missed")
    options = parser.parse_args()
    with scratch_home() as home, tempfile.TemporaryDirectory() as folder:
        (home / "settings.json").write_text(json.dumps({"context": {"notebook": "always"}}))
        server = OllamaServer()
        server.start()
        server.add_model("coder", capabilities=["tools"])
        print(f"| project | {' | '.join(options.settings)} | first | median, worst s |")
        print(f"| --- |{' --- |' * len(options.settings)} --- | --- |", flush=True)
        for name in options.only:
            subject = copied(name, Path(os.path.realpath(folder)))
            found = list(_told(crashes(subject, server, options), options))
            crashed = [one for one in found if not one.is_noticed]
            noticed = [one for one in found if one.is_noticed]
            counts = (f"{_count(crashed, one)}; {_count(noticed, one)}" for one in options.settings)
            first = sum(one.at[options.settings[0]] == (1, 1) for one in crashed)
            times = [time for one in found for time in one.elapsed_s.values()]
            speed = f"{statistics.median(times):.2f}, {max(times):.2f}"
            print(f"| {name} | {' | '.join(counts)} | {first} | {speed} |", flush=True)
        server.stop()


def _count(some: list[Shown], setting: str) -> str:
    return f"{sum(one.is_found(setting) for one in some)} of {len(some)}"


def _told(found: Iterator[Shown], options: argparse.Namespace) -> Iterator[Shown]:
    for one in found:
        mark = ", noticed by the case" if one.is_noticed else ""
        at = ", ".join(f"{setting} {both}" for setting, both in one.at.items())
        print(f"{at}; {one.form}: {one.kind}, {one.path}:{one.line}{mark}", file=sys.stderr)
        for setting in options.settings if options.show else ():
            if not one.is_found(setting):
                print(f"{setting}:\n{one.text[setting]}", file=sys.stderr)
        yield one


if __name__ == "__main__":
    main()
