"""All that the README says of the index, measured anew: its tables as Markdown.

    python tests/benchmarks [--quick] [--only SECTION…]

fetches the code that it runs on from npm (see `corpora`), compares with the programs that are
installed, and says which are missing. ``--quick`` does it all on the smallest of the projects.
What the comparisons print on their way goes to standard error.
"""

import argparse
import shutil
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context

from sections import ROWS, SECTIONS, measured

_PEERS = {
    "node": "apt-get install nodejs",
    "npm": "apt-get install npm",
    "ctags": "apt-get install universal-ctags",
    "rg": "apt-get install ripgrep",
}
_PACKAGES = {
    "radon": "pip install radon",
    "networkx": "pip install networkx",
    "tiktoken": "pip install tiktoken",
    "dashscope": "pip install --no-deps dashscope",
}


def _missing() -> dict[str, str]:
    """Return the programs and packages that are not there, and what installs them."""
    programs = {name: how for name, how in _PEERS.items() if shutil.which(name) is None}
    return programs | {name: how for name, how in _PACKAGES.items() if find_spec(name) is None}


def main() -> int:
    """Print the tables; return 1 when one could not be made."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="on the smallest project, once")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    options = parser.parse_args()
    missing = _missing()
    for name, how in missing.items():
        print(f"{name} is missing, what compares with it is left out: {how}", file=sys.stderr)
    wanted = [
        name
        for name in SECTIONS
        if name in options.only and not set(SECTIONS[name][1]) & {*missing}
    ]
    results = _results(wanted, quick=options.quick)
    rows = [results[name] for name in wanted if name in ROWS and name in results]
    if rows:
        print("| compared with | on | result |\n|---|---|---|", *rows, sep="\n")
    for name in results:
        if name not in ROWS:
            print(f"\n{results[name]}")
    return int(len(results) < len(wanted))


def _results(wanted: Sequence[str], *, quick: bool) -> dict[str, str]:
    """Return what the sections make; what goes wrong in one is told and stops no other."""
    # A process for each: what one imports or changes is not to slow another down.
    found = {}
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as fresh:
        made = {name: fresh.submit(measured, name, quick=quick) for name in wanted}
        for name, result in made.items():
            try:
                found[name] = result.result()
            except Exception:  # noqa: BLE001 - of whatever it calls
                print(f"{name} could not be measured:", file=sys.stderr)
                traceback.print_exc()
    return found


if __name__ == "__main__":
    sys.exit(main())
