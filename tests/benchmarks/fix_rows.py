"""Fixes of TypeScript packages, as changelogs word them, with the functions that they changed.

    python tests/benchmarks/fix_rows.py [PER_PACKAGE]

A row is a release with one entry in its changelog, which is a fix: the entry, without links and
names of people, is what is asked; the functions that differ between the release before and this one
are what is meant. Both are fetched from npm, once, as tarballs. The rows are written to
``fixes.jsonl`` in the folder of `corpora.cache`, and the sources of each release before beside it.
"""

import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpora import cache

from ipuaro_jupyter.index.extract.facts_format import declared_spans
from ipuaro_jupyter.index.extract.parse import parse_file

PACKAGES = ("viem", "mobx", "rxjs", "ox", "@atproto/api")
_RELEASE = re.compile(r"^#{1,3} \[?v?(?P<version>\d+\.\d+\.\d+)\b", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}[-*] +(?P<text>\S.*(?:\n {2,}\S.*)*)", re.MULTILINE)
_FIX = re.compile(
    r"\bfix|\bbug|\bcorrect|\bno longer|\bissue|\bwrong|\bregress|\bleak", re.IGNORECASE
)
_NOISE = re.compile(
    r"\[`?[0-9a-f]{7,40}`?\]\([^)]*\)|\[#\d+\]\([^)]*\)|Thanks \[[^!]*!? ?-? ?|\(?#\d+\)?"
    r"|https?://\S+|\bby \[?@\S+|\b[0-9a-f]{40}\b|Updated dependencies.*",
    re.DOTALL,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BUILT = re.compile(r"(?:^|/)(?:_\w+|dist|lib|build|es|cjs|node_modules)/")
_LEAST_CHARACTERS, _MOST_FILES, _LEAST_SOURCES = 25, 3, 50


class Fix(NamedTuple):
    """A release with one fix, the release before it, and the words of the changelog."""

    package: str
    before: str
    version: str
    text: str


def fixes(package: str, changelog: str) -> Iterator[Fix]:
    """Yield the releases of a changelog that have one entry, a fix, the newest first."""
    heads = list(_RELEASE.finditer(changelog))
    for head, older in pairwise(heads):
        entries = list(_ENTRY.finditer(changelog, head.end(), older.start()))
        if len(entries) == 1:
            text = " ".join(_LINK.sub(r"\1", _NOISE.sub(" ", entries[0]["text"])).split())
            if _FIX.search(text) and len(text) >= _LEAST_CHARACTERS:
                yield Fix(package, older["version"], head["version"], text.strip(" -:()`"))


def sources(spec: str) -> Path | None:
    """Return the folder with the TypeScript of a release; None when npm does not have it."""
    folder = cache() / "fixes" / spec.replace("/", "-")
    if folder.is_dir():
        return folder
    folder.parent.mkdir(exist_ok=True)
    packed = ["npm", "pack", "--silent", "--pack-destination", str(folder.parent), spec]
    done = subprocess.run(packed, check=False, capture_output=True, text=True)
    if done.returncode:
        return None
    archive = folder.parent / done.stdout.split()[-1]
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            place = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if member.isfile() and _is_source(str(place)):
                file, content = folder / place, tar.extractfile(member)
                file.parent.mkdir(parents=True, exist_ok=True)
                assert content is not None
                file.write_bytes(content.read())
    archive.unlink()
    return folder if folder.is_dir() else None


def changelog(package: str) -> str:
    """Return the newest changelog of a package, which its sources are beside."""
    folder = sources(package)
    return "" if folder is None else (folder / "CHANGELOG.md").read_text()


def _is_source(path: str) -> bool:
    if path == "CHANGELOG.md":
        return True
    is_code = path.endswith((".ts", ".tsx")) and not path.endswith((".d.ts", ".test.ts"))
    return is_code and not _BUILT.search(path) and "__tests__" not in path


def changed(before: Path, after: Path) -> dict[str, set[str]]:
    """Return the functions and the like that differ, by the path of their file, as it was before.

    One that is new stands for nothing that was there, and does not count.
    """
    found = {}
    for file in sorted(before.rglob("*.ts*")):
        path = file.relative_to(before).as_posix()
        later = after / path
        if not later.is_file() or later.read_bytes() == file.read_bytes():
            continue
        old, new = _texts(path, file.read_bytes()), _texts(path, later.read_bytes())
        names = {name for name, text in old.items() if new.get(name) != text}
        if names and "version" not in file.stem.lower():
            found[path] = names
    return found


def _texts(path: str, data: bytes) -> dict[str, str]:
    lines = data.decode(errors="replace").split("\n")
    texts: dict[str, str] = {}
    for _, qualified, _, line, end in declared_spans(parse_file(path, data)[0].facts):
        texts[qualified] = texts.get(qualified, "") + "\n".join(lines[line - 1 : end])
    return texts


def rows(per_package: int) -> Iterator[dict[str, object]]:
    """Yield the rows of all packages, at most so many of each."""
    for package in PACKAGES:
        count = 0
        for fix in fixes(package, changelog(package)):
            if count == per_package:
                break
            before, after = (sources(f"{package}@{one}") for one in (fix.before, fix.version))
            if before is None or after is None or len(list(before.rglob("*.ts*"))) < _LEAST_SOURCES:
                continue
            files = changed(before, after)
            if 0 < len(files) <= _MOST_FILES:
                count += 1
                yield {
                    "id": f"{package}@{fix.version}",
                    "package": package,
                    "version": fix.before,
                    "issue": fix.text,
                    "files": sorted(files),
                    "symbols": sorted(f"{path}::{name}" for path in files for name in files[path]),
                }


def main(per_package: int) -> None:
    """Write the rows."""
    target = cache() / "fixes.jsonl"
    with target.open("w") as file:
        for row in rows(per_package):
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(row["id"], row["issue"], row["files"], flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
