"""The part of `container` that runs inside: a project in memory, and commands run in it."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

HOME, ROOT, SEED, LOG = (Path("/run") / name for name in ("home", "project", "seed", "connections"))
PRECIOUS = {"d/keep": "precious\n", "d/e/keep": "precious\n", "tracked": "changed\n"}


def begin():
    (ROOT / "d/e").mkdir(parents=True)
    (ROOT / "tracked").write_text("old\n")
    (ROOT / "one").write_text("one\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@x", *words],
            cwd=ROOT,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    for name, text in PRECIOUS.items():
        (ROOT / name).write_text(text)
    shutil.copytree(ROOT, SEED, symlinks=True)


def touched():
    """The parts that a command which never runs would have changed."""
    found = [
        name
        for name, text in PRECIOUS.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text() != text
    ]
    with suppress(FileNotFoundError):
        found += [] if (ROOT / "d").stat().st_mode & 0o777 == 0o755 else ["mode"]
    return found


def state():
    return {
        str(path): (path.lstat().st_mode, _hash(path))
        for folder in (ROOT, HOME)
        for path in sorted(folder.rglob("*"))
        if path != ROOT / ".git/index"  # git keeps the times of files there
    }


def _hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def run(text, variables, strace):
    words = ["/bin/bash", "-c", text]
    if strace:
        words = [strace, "-f", "-qq", "-e", "trace=connect", "-o", str(LOG), *words]
    process = subprocess.Popen(
        words,
        cwd=ROOT,
        env={**variables, "HOME": str(HOME), "TMPDIR": "/run"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(4)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main():
    strace = shutil.which("strace") if sys.argv[1] else None
    os.umask(0o022)
    begin()
    before = state()
    for line in sys.stdin:
        text, variables = json.loads(line)
        run(text, variables, strace)
        after = state()
        changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        network = strace is not None and "AF_INET" in LOG.read_text()
        found = {"text": text, "touched": touched(), "written": sorted(changed)[:5]}
        sys.stdout.write(json.dumps({**found, "network": network}) + "\n")
        sys.stdout.flush()
        if changed:
            shutil.rmtree(ROOT)
            shutil.copytree(SEED, ROOT, symlinks=True)


main()
