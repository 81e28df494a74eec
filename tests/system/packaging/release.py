"""Build a release, and check what somebody who installs it gets.

    python tests/system/packaging/release.py [--out FOLDER] [--python PYTHON]

Writes into FOLDER (``dist``, which git ignores) the sdist and the wheel, ``licences.md``, which
lists every package that an installation brings with its licence, and ``sbom.cdx.json``, a software
bill of materials (CycloneDX). Checked are: both archives (``twine check --strict``); an
installation without anything else, in which nothing may be compiled; then each extra, which has to
agree with what is there (``pip check``) and to be importable; and that every licence is one of
`LICENCES`. Needs the extra ``dev``; ends with an error at the first thing that is wrong.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
NEEDED_BY = {
    "languages": ("tree_sitter_go", "tree_sitter_java", "tree_sitter_rust"),
    "pandas": ("pandas",),
    "ipyparallel": ("ipyparallel",),
    "dask": ("distributed",),
    "local": ("huggingface_hub", "xllamacpp"),
    "chat": ("jupyter_ai_acp_client", "ipuaro_jupyter.acp.chat_persona"),
}
"""What each extra is for, as it is imported."""
LICENCES = (
    *("0BSD", "Apache", "BSD", "CC0", "CNRI-Python", "DFSG approved", "Historical Permission"),
    *("ISC", "MIT", "MPL", "Mozilla Public License", "PSF", "Python Software Foundation"),
    *("The Unlicense", "Unlicense", "Zlib", "zlib", "Public Domain"),
)
"""How licences begin that a package under MIT may ask its users to accept."""
TOLD = {"agent-client-protocol": "Apache-2.0"}
"""The licence of packages whose metadata lack it, as the file in them says."""


def step(title):
    """Say what comes next, and how many seconds have passed."""
    print(f"-- {title} ({time.monotonic() - BEGAN:.0f}s)", flush=True)


BEGAN = time.monotonic()


def run(*command, **options):
    """Run a program that has to succeed, within ten minutes."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "COV"))
    }
    return subprocess.run(
        [str(word) for word in command],
        check=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=600,
        **options,
    )


def build(out):
    """Build and check both archives; return the wheel."""
    step("sdist and wheel")
    for old in (*out.glob("*.whl"), *out.glob("*.tar.gz")):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", out, CHECKOUT, stdout=subprocess.DEVNULL)
    archives = [*out.glob("*.whl"), *out.glob("*.tar.gz")]
    run(sys.executable, "-m", "twine", "check", "--strict", *archives)
    (wheel,) = out.glob("*.whl")
    return wheel


def install(wheel, venv, extra=""):
    """Install the wheel, with an extra if there is one; nothing is compiled."""
    step(f"the extra {extra}" if extra else "the wheel alone")
    python = venv / "bin/python"
    wanted = f"{wheel}[{extra}]" if extra else wheel
    run(python, "-m", "pip", "-q", "install", "--only-binary", ":all:", wanted)
    run(python, "-m", "pip", "check")
    for module in NEEDED_BY.get(extra, ("ipuaro_jupyter",)):
        run(python, "-P", "-c", f"import {module}", cwd=venv)


def installed(venv):
    """The packages of the environment, by name, with their licences, without pip itself."""
    found = run(
        *(sys.executable, "-m", "piplicenses", "--python", venv / "bin/python"),
        *("--from", "mixed", "--format", "json", "--with-urls"),
        *("--ignore-packages", "ipuaro-jupyter", "pip", "setuptools"),
        stdout=subprocess.PIPE,
    )
    return {one["Name"]: one for one in json.loads(found.stdout)}


def licences(packages, out):
    """Write the list of licences, and end when one is not among ours."""
    step("licences")
    lines = ["| package | version | licence | where |", "| --- | --- | --- | --- |"]
    wrong = []
    for name, one in sorted(packages.items(), key=lambda known: known[0].lower()):
        told = TOLD.get(name, " ".join(one["License"].split())[:120])
        if not is_known(told):
            wrong.append(f"{name} {one['Version']}: {told}")
        lines.append(f"| {name} | {one['Version']} | {told} | {one['URL']} |")
    (out / "licences.md").write_text("\n".join(lines) + "\n")
    if wrong:
        sys.exit("\n".join(["licences that nobody has looked at:", *wrong]))
    print(f"{len(packages)} packages")


def is_known(licence):
    """Whether at least one of alternatives, and each of those that hold together, is known."""
    return all(
        any(alternative.strip(" ()").startswith(LICENCES) for alternative in part.split(" OR "))
        for part in re.split(r" AND |;", licence)
    )


def bill(venv, packages, out):
    """Write the bill of materials, and end when it lacks a package."""
    step("bill of materials")
    place = out / "sbom.cdx.json"
    run(
        *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"),
        *("--pyproject", CHECKOUT / "pyproject.toml", "--of", "JSON", "-o", place),
        venv / "bin/python",
    )
    told = {one["name"].lower() for one in json.loads(place.read_text())["components"]}
    if missing := {name.lower() for name in packages} - told:
        sys.exit(f"the bill of materials lacks {', '.join(sorted(missing))}")


def main():
    """Do everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=CHECKOUT / "dist", help="the folder")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the venv")
    asked = parser.parse_args()
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    if extras := set(project["optional-dependencies"]) ^ {*NEEDED_BY, "test", "dev"}:
        sys.exit(f"NEEDED_BY and pyproject.toml differ in {', '.join(sorted(extras))}")
    asked.out.mkdir(exist_ok=True)
    wheel = build(asked.out)
    folder = Path(tempfile.mkdtemp(prefix="ipuaro-release-"))
    try:
        venv = folder / "venv"
        run(asked.python, "-m", "venv", venv)
        install(wheel, venv)
        run(venv / "bin/ipuaro", "--version")
        for extra in NEEDED_BY:
            install(wheel, venv, extra)
        packages = installed(venv)
        licences(packages, asked.out)
        bill(venv, packages, asked.out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    step("done")


if __name__ == "__main__":
    main()
