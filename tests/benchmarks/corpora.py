"""Public code that benchmarks and comparisons run on, fetched once from npm and PyPI.

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

POPULAR = {
    "npm": (
        *("lodash@4.17.21", "lodash-es@4.17.21", "underscore@1.13.7", "ramda@0.30.1"),
        *("react@18.3.1", "react-dom@18.3.1", "vue@3.5.13", "svelte@5.10.0", "preact@10.25.1"),
        *("express@4.21.2", "koa@2.15.3", "fastify@5.1.0", "axios@1.7.9", "undici@7.1.0"),
        *("commander@12.1.0", "yargs@17.7.2", "debug@4.4.0", "semver@7.6.3", "ws@8.18.0"),
        *("rxjs@7.8.1", "redux@5.0.1", "mobx@6.13.5", "immer@10.1.1", "date-fns@4.1.0"),
        *("ajv@8.17.1", "graphql@16.9.0", "webpack@5.97.1", "eslint@9.16.0", "fp-ts@2.16.9"),
        "core-js@3.39.0",
    ),
    "pypi": (
        *("requests==2.32.3", "urllib3==2.2.3", "httpx==0.28.1", "aiohttp==3.11.10"),
        *("flask==3.1.0", "werkzeug==3.1.3", "jinja2==3.1.4", "click==8.1.7", "django==5.1.4"),
        *("fastapi==0.115.6", "starlette==0.41.3", "pydantic==2.10.3", "attrs==24.2.0"),
        *("sqlalchemy==2.0.36", "celery==5.4.0", "tornado==6.4.2", "twisted==24.11.0"),
        *("numpy==2.2.0", "pandas==2.2.3", "sympy==1.13.3", "networkx==3.4.2"),
        *("matplotlib==3.9.3", "rich==13.9.4", "pygments==2.18.0", "docutils==0.21.2"),
        *("pytest==8.3.4", "hypothesis==6.122.3", "mypy==1.13.0", "setuptools==75.6.0"),
        "pip==24.3.1",
    ),
}
"""Packages that many use, by registry, as those name them with their versions."""

NODE_MODULES = (
    "typescript@5.9.3",
    "@types/react@18.3.12",
    "eslint@9.39.5",
    "@typescript-eslint/parser@8.73.0",
    "madge@8.0.0",
    "pyright@1.1.414",
    "@vue/compiler-sfc@3.5.13",
    "svelte@5.10.0",
    "@astrojs/compiler@2.10.3",
    "tsx@4.23.15",
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
    return _fetched(name, spec, lambda folder: _from_npm(spec, folder))


def package(registry: str, spec: str) -> Path:
    """Return the folder with a package as it is installed, fetched when it is not there.

    Git tracks its files, so that ``dist`` and its like belong to the project.

    Args:
        registry: "npm" or "pypi".
        spec: The package with its version, as in `POPULAR`.

    Raises:
        subprocess.CalledProcessError: npm or pip cannot fetch it.
    """
    fetch = _from_npm if registry == "npm" else _from_pypi

    def fetch_tracked(folder: Path) -> Path:
        content = fetch(spec, folder)
        for words in (["init", "--quiet"], ["add", "--all", "--force"]):
            subprocess.run(["git", "-c", "core.autocrlf=false", *words], check=True, cwd=content)
        return content

    return _fetched(f"{registry}-{spec.replace('/', '-')}", spec, fetch_tracked)


def _fetched(name: str, spec: str, fetch: Callable[[Path], Path]) -> Path:
    """Return a folder of the cache, which ``fetch`` fills in another folder when it is not there.

    Args:
        name: The folder.
        spec: What is in it.
        fetch: Fetches that into a folder, and returns the folder with the content.
    """
    folder = cache() / name
    mark = folder / ".corpus"
    with _locked(name):
        if mark.is_file() and mark.read_text() == spec:
            return folder
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            content = fetch(Path(temporary))
            (content / ".corpus").write_text(spec)
            shutil.rmtree(folder, ignore_errors=True)
            content.rename(folder)
    return folder


def _from_npm(spec: str, folder: Path) -> Path:
    packed = ["npm", "pack", "--silent", "--pack-destination", str(folder), spec]
    subprocess.run(packed, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tgz")
    unpacked = folder / "unpacked"
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked, filter="data")
    (content,) = unpacked.iterdir()
    return content


def _from_pypi(spec: str, folder: Path) -> Path:
    words = ["--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), spec]
    subprocess.run([sys.executable, "-m", "pip", "download", *words], check=True)
    (archive,) = folder.glob("*.whl")
    shutil.unpack_archive(archive, folder / "unpacked", format="zip")
    return folder / "unpacked"


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


@contextlib.contextmanager
def node_lines(script: Path, *arguments: str) -> Iterator[Iterator[str]]:
    """Provide the lines that a script for node prints, as it prints them; it is killed at the end.

    Args:
        script: The script.
        arguments: Its arguments.

    Raises:
        subprocess.CalledProcessError: The script fails.
    """
    environment = {**os.environ, "NODE_PATH": str(node_folder() / "node_modules")}
    node = subprocess.Popen(
        ["node", "--max-old-space-size=4096", str(script), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    stream = node.stdout
    assert stream is not None

    def told() -> Iterator[str]:
        for line in stream:
            yield line.decode()
        if node.wait():
            raise subprocess.CalledProcessError(node.returncode, node.args)

    try:
        yield told()
    finally:
        node.kill()
        node.wait()
        stream.close()


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
