"""Public code that benchmarks and comparisons run on, fetched once from npm.

Everything lands in ``~/.cache/ipuaro-benchmarks`` (``IPUARO_BENCHMARKS`` names another folder),
never in the repository. Run as a script, it fetches what it is told: ``python corpora.py rxjs``,
or everything.
"""

import argparse
import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

CORPORA = {
    "effect": "effect@4.1.0",
    "ethers": "ethers@6.17.0",
    "lexical": "lexical@0.53.0",
    "rxjs": "rxjs@7.8.2",
    "theia-core": "@theia/core@1.75.0",
    "theia-plugin-ext": "@theia/plugin-ext@1.75.0",
    "three": "three@0.187.0",
    "tldraw": "tldraw@5.1.1",
    "viem": "viem@2.57.20",
    "zod": "zod@4.6.7",
}
"""What is fetched for each name: a package of npm that ships its sources."""

NODE_MODULES = (
    "typescript@5.9.3",
    "eslint@9.39.5",
    "@typescript-eslint/parser@8.73.0",
    "madge@8.0.0",
)
"""The programs to compare with, all in one folder; see `node_folder`."""


def cache() -> Path:
    """Return the folder for what is fetched."""
    home = os.environ.get("IPUARO_BENCHMARKS") or "~/.cache/ipuaro-benchmarks"
    folder = Path(home).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def corpus(name: str) -> Path:
    """Return the folder with the code of one of `CORPORA`, fetched when it is not there.

    Raises:
        KeyError: There is no such corpus.
        subprocess.CalledProcessError: npm cannot fetch it.
    """
    spec = CORPORA[name]
    folder = cache() / name
    mark = folder / ".corpus"
    with _locked(name):
        if mark.is_file() and mark.read_text() == spec:
            return folder
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            packed = ["npm", "pack", "--silent", "--pack-destination", temporary, spec]
            subprocess.run(packed, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(temporary).glob("*.tgz")
            unpacked = Path(temporary) / "unpacked"
            with tarfile.open(archive) as tar:
                tar.extractall(unpacked, filter="data")
            (content,) = unpacked.iterdir()
            (content / ".corpus").write_text(spec)
            shutil.rmtree(folder, ignore_errors=True)
            content.rename(folder)
    return folder


def node_folder() -> Path:
    """Return the folder in whose node_modules `NODE_MODULES` are, installed when they are not."""
    folder = cache() / "node"
    with _locked("node"):
        missing = [spec for spec in NODE_MODULES if not _is_installed(folder, spec)]
        if missing:
            folder.mkdir(exist_ok=True)
            if not (folder / "package.json").exists():
                (folder / "package.json").write_text('{"private": true}\n')
            install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *missing]
            subprocess.run(install, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return folder


def run_node(script: Path, *arguments: str, text: str = "") -> str:
    """Return what a script for node prints; it finds `NODE_MODULES` by ``require``.

    Args:
        script: The script.
        arguments: Its arguments.
        text: Its standard input.

    Raises:
        subprocess.CalledProcessError: The script fails.
    """
    environment = {**os.environ, "NODE_PATH": str(node_folder() / "node_modules")}
    done = subprocess.run(
        ["node", "--max-old-space-size=4096", str(script), *arguments],
        check=True,
        stdout=subprocess.PIPE,
        env=environment,
        input=text.encode(),
    )
    return done.stdout.decode()


def compare_all(
    compare: Callable[[str, Path, argparse.Namespace], object], parser: argparse.ArgumentParser
) -> None:
    """Compare the corpora that the command line names.

    Args:
        compare: Compares one: its name, its folder, and the options.
        parser: Reads the options; it gets those that all comparisons have.
    """
    parser.add_argument("corpora", nargs="*", default=list(CORPORA), help="a name or NAME=FOLDER")
    parser.add_argument("--show", type=int, default=0, help="how many differences to show")
    parser.add_argument("--files", type=int, help="compare so many files only")
    options = parser.parse_args()
    for given in options.corpora:
        name, _, folder = given.partition("=")
        compare(name, Path(folder).resolve() if folder else corpus(name), options)


def _is_installed(folder: Path, spec: str) -> bool:
    name, _, version = spec.rpartition("@")
    package = folder / "node_modules" / name / "package.json"
    return package.is_file() and f'"version": "{version}"' in package.read_text()


@contextlib.contextmanager
def _locked(name: str) -> Iterator[None]:
    """Let one process at a time fetch a thing."""
    with (cache() / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    for wanted in sys.argv[1:] or CORPORA:
        print(corpus(wanted))
    print(node_folder())
