"""What one edit of a long file costs: calls of our functions, and reads of the file."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel

LINES = 2000
MOST_CALLS = 16_000
MOST_READS = 2
_FUNCTION = """\
export function compute{n}(left: number, right: number): number {{
  const total = left * {n} + right; // of both
  if (total > {n}) {{
    return helper(total, "text {n}");
  }}
  return `${{total}} of {n}`.length;
}}

"""


class Counter:
    """Counts while it is entered: calls of the package's functions, and openings of a file to read.

    An audit hook stays for as long as the interpreter lives: this is for a process of its own.
    """

    def __init__(self, file: Path) -> None:
        self.calls = self.reads = 0
        self._file = file
        self._package = str(Path(ipuaro_jupyter.__file__).parent)
        self._is_on = False
        sys.addaudithook(self._audited)
        threading.setprofile(self._profiled)

    def __enter__(self) -> Self:
        self._is_on = True
        sys.setprofile(self._profiled)
        return self

    def __exit__(self, *_raised: object) -> None:
        sys.setprofile(None)
        self._is_on = False

    def _profiled(self, frame, event, _argument):
        if self._is_on and event == "call":
            self.calls += frame.f_code.co_filename.startswith(self._package)

    def _audited(self, event, arguments):
        if self._is_on and event == "open" and isinstance(arguments[0], str | bytes):
            is_file = Path(os.fsdecode(arguments[0])).name == self._file.name
            self.reads += is_file and not arguments[2] & os.O_WRONLY


def measure(root: Path) -> dict[str, object]:
    """Edit a line of a long file, and count."""
    file = root / "long.ts"
    file.write_text("".join(_FUNCTION.format(n=n) for n in range(LINES // 8)))
    counter = Counter(file)
    asked = []
    with ipuaro_jupyter.start(
        root,
        model=ScriptedModel([]),
        confirm=lambda proposal: asked.append(proposal) or True,
        # It would compare the index with the disk later, in a thread of its own.
        settings={"watchdog": {"enabled": False}},
    ) as assistant:
        edit = {"path": "long.ts", "start": 1002, "end": 1002, "content": "  const total = 0;"}
        with counter:
            result = assistant.call("edit_lines", edit)
        (symbol,) = assistant.call("find_definition", {"symbol": "compute7"}).output.definitions
    return {
        "calls": counter.calls,
        "reads": counter.reads,
        "asked": len(asked),
        "result": result.to_dict(),
        "line": file.read_text().split("\n")[1001],
        "symbol": symbol.line,
    }


def test_an_edit_reads_the_file_again_only_after_the_question(tmp_path):
    """One decoded file goes through all steps; after the decision the disk is compared with it."""
    command = [sys.executable, __file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["result"]["success"]
    assert (found["asked"], found["line"], found["symbol"]) == (1, "  const total = 0;", 57)
    assert 1 <= found["reads"] <= MOST_READS
    assert 100 < found["calls"] <= MOST_CALLS


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]))))
