"""The versions that CI installs, in `.ci/constraints.txt`.

    python tests/support/lock.py

makes them anew: what pip chooses today, on this platform and Python, for the extras ``dev`` and
``local``.
"""

import json
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
LOCK = CHECKOUT / ".ci/constraints.txt"
HEAD = "# What CI installs; made by: python tests/support/lock.py\n"


def chosen() -> dict[str, str]:
    """What pip would install into an empty environment, by name."""
    command = [
        *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"),
        *("--report", "-", f"{CHECKOUT}[dev,local]"),
    ]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600)
    told = [one["metadata"] for one in json.loads(report.stdout)["install"]]
    return {one["name"].lower(): one["version"] for one in told if one["name"] != "ipuaro-jupyter"}


if __name__ == "__main__":
    lines = (f"{name}=={version}\n" for name, version in sorted(chosen().items()))
    LOCK.write_text(HEAD + "".join(lines))
