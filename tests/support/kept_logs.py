"""The logs of servers that tests start, for a person to read after the run."""

import os
import re
from pathlib import Path

LOGS = Path(__file__).parents[1] / "system/artefacts/logs"
_MOST_BYTES = 200_000


def keep_logs(folder: Path) -> None:
    """Copy the ends of the files named ``log`` in and below a folder; the test's name leads."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "no test").rpartition(" (")[0]
    name = re.sub(r"[^\w.-]+", "-", test.removeprefix("tests/system/"))[:150]
    for log in folder.rglob("log"):
        if log.is_file():
            kept = LOGS / name / f"{log.parent.name}.log"
            kept.parent.mkdir(parents=True, exist_ok=True)
            with log.open("rb") as file:
                file.seek(max(0, log.stat().st_size - _MOST_BYTES))
                kept.write_bytes(file.read())
