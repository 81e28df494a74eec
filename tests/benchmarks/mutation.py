"""How many small mistakes put into the code the tests notice, by area.

    python tests/benchmarks/mutation.py [AREA…] [--ends DIGIT] [--folder FOLDER]

needs ``pip install mutmut``. mutmut makes one change at a time, such as ``<`` for ``<=``, and runs
the tests that reach the place. Of the mutants of each function those are tried whose number ends
in DIGIT, 3 unless told: about a tenth. The survivors are shown; each is either a gap in the tests
or means the same as the code.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AREAS = {
    "workspace": (
        (
            "workspace/approval workspace/permission workspace/workspace workspace/files/paths "
            "workspace/files/text_file workspace/commands/command_policy "
            "workspace/commands/command_options "
            "workspace/commands/denied_commands workspace/changes/undo_stack "
            "workspace/changes/undo_changes globs project/search/nearest_lines "
            "project/search/search project/project_tests/test_results"
        ),
        "workspace project test_globs.py",
    ),
    "budget": (
        (
            "agent/context/budget agent/context/calibration agent/context/context_window "
            "agent/context/truncation agent/context/history "
            "agent/context/summary agent/context/tokens"
        ),
        "agent/context",
    ),
    "text calls": (
        (
            "llm/text_calls/announced llm/text_calls/call_format llm/text_calls/forms/harmony "
            "llm/text_calls/forms/announcing_lines llm/text_calls/forms/tagged "
            "llm/text_calls/forms/special_tokens "
            "llm/text_calls/forms/unmarked llm/text_calls/json_calls llm/text_calls/lenient_json "
            "llm/text_calls/markdown llm/text_calls/pieces llm/text_calls/python_calls "
            "llm/text_calls/reply_parser llm/text_calls/reply_text llm/text_calls/results "
            "llm/text_calls/tool_names"
        ),
        "llm/text_calls",
    ),
}
"""By name: the modules, and where their tests are."""
LEFT_OUT = "not long_session and not real_server and not time_grows and not goes_on_and_on"
"""Tests that take long, and show nothing that shorter ones do not."""
CACHES = "fresh_caches"
"""A plugin of pytest: mutants run in forks of a process in which the tests have filled caches."""
PLUGIN = """
import functools, gc

def pytest_sessionstart():
    for found in gc.get_objects():
        if isinstance(found, functools._lru_cache_wrapper) and "ipuaro" in (found.__module__ or ""):
            found.cache_clear()
"""
COPIED = ["ipuaro_jupyter", "labextension-config", "notebooks", "README.md", "CHANGELOG.md"]
SURVIVED, UNTESTED = 0, (5, 33)


def settings(area: str) -> str:
    """Return what mutmut reads of an area, as TOML."""
    modules, tests = AREAS[area]
    only = [f"ipuaro_jupyter/{module}.py" for module in modules.split()]
    chosen = [f"tests/unit/{folder}" for folder in tests.split()]
    options = ["-p", CACHES, "-p", "no:cacheprovider", "-n0", "-k", LEFT_OUT]
    values = {
        "source_paths": ["ipuaro_jupyter"],
        "only_mutate": only,
        "pytest_add_cli_args_test_selection": chosen,
        "pytest_add_cli_args": options,
        "also_copy": [*COPIED, f"{CACHES}.py"],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    return "\n".join(["", "[tool.mutmut]", *lines, ""])


def run(area: str, copy: Path, ends: str) -> None:
    """Try mutants in a copy of the last commit."""
    subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    (copy / f"{CACHES}.py").write_text(PLUGIN)
    with (copy / "pyproject.toml").open("a") as file:
        file.write(settings(area))
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", "1", f"*__mutmut_*{ends}"]
    in_ci = {**os.environ, "CI": "true"}  # hypothesis tries the same examples every time then
    subprocess.run(command, cwd=copy, env=in_ci, check=True)


def verdicts(copy: Path) -> dict[str, int]:
    """Return the exit status of the tests for each mutant that was tried."""
    found = {}
    for meta in sorted((copy / "mutants").rglob("*.meta")):
        found |= json.loads(meta.read_text())["exit_code_by_key"]
    return {name: status for name, status in found.items() if status is not None}


def report(area: str, copy: Path) -> None:
    """Print the row of an area, and its survivors."""
    tried = verdicts(copy)
    kinds = Counter(
        "survived" if status == SURVIVED else "untested" if status in UNTESTED else "noticed"
        for status in tried.values()
    )
    share = kinds["noticed"] / max(1, len(tried))
    print("\n| area | mutants | noticed | survived | reached by no test | score |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {area} | {len(tried)} | {kinds['noticed']} | {kinds['survived']} "
        f"| {kinds['untested']} | {share:.0%} |\n",
        flush=True,
    )
    for name, status in tried.items():
        if status == SURVIVED:
            subprocess.run([sys.executable, "-m", "mutmut", "show", name], cwd=copy, check=False)


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}")
    parser.add_argument("--ends", default="3", metavar="DIGIT", help='"" for all mutants')
    parser.add_argument("--folder", type=Path, help="where copies are kept afterwards")
    arguments = parser.parse_args()
    if unknown := set(arguments.areas) - set(AREAS):
        parser.error(f"There is no area {sorted(unknown)}; there are {', '.join(AREAS)}.")
    with tempfile.TemporaryDirectory() as temporary:
        for area in arguments.areas or AREAS:
            copy = (arguments.folder or Path(temporary)) / area.replace(" ", "-")
            run(area, copy, arguments.ends)
            report(area, copy)


if __name__ == "__main__":
    main()
