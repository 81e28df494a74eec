"""How a test starts one of our programs such that what runs in it counts as tested.

The package starts them without site-packages, where coverage cannot follow.
"""

import sys
from pathlib import Path

_RULES = Path(__file__).with_name("programs.coveragerc")


def measured(*what: str) -> list[str]:
    """Return what runs ``-m module`` or a script, under coverage when this process is."""
    command = [sys.executable, "-P"]
    coverage = sys.modules.get("coverage")
    current = coverage and coverage.Coverage.current()
    if current:
        data = Path(current.config.data_file).absolute()
        command += ["-m", "coverage", "run", f"--rcfile={_RULES}", f"--data-file={data}"]
        command += ["--branch"] if current.config.branch else []
    return [*command, *what]
