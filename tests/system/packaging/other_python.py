"""Try a wheel with the Python of another Debian, in a folder that has nothing else.

    python tests/system/packaging/other_python.py WHEEL [--suite SUITE] [--keep FOLDER]

Needs root, debootstrap and the network; by default the suite is trixie, whose Python is 3.13. The
wheel is installed with every extra, nothing is compiled, the packages have to agree, and every
extra to be importable; then a project is indexed, and a notebook opens it in a real kernel and asks
where a function is used. Ends with an error at the first thing that is wrong. ``--keep`` names a
folder for the system, to be used again.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from release import NEEDED_BY

MIRROR = "http://deb.debian.org/debian"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
PROJECT = {
    "a.ts": "export function total(price: number) { return price * 2 }\n",
    "b.ts": "import { total } from './a'\nexport const sum = total(2)\n",
}
CELLS = (
    "%load_ext ipuaro_jupyter",
    "%ipuaro start /project",
    '%tool find_references {"symbol": "total"}',
)


def debian(folder, suite):
    """Make the system, if it is not there."""
    if not (folder / "usr/bin/python3").exists():
        packages = "--include=python3,python3-venv,ca-certificates,git,libgomp1"
        words = ("debootstrap", "--variant=minbase", packages, suite, folder, MIRROR)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=1200)
    ours = os.environ.get("SSL_CERT_FILE", f"/{CERTIFICATES}")
    shutil.copyfile(ours, folder / CERTIFICATES)


def inside(folder, command, **options):
    """Run a command in the system, in a process and mount namespace that ends with it."""
    words = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", _ENTER, "sh")
    environment = {
        "HOME": "/root",
        "PATH": "/venv/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "PIP_CERT": f"/{CERTIFICATES}",
        "LANG": "C.UTF-8",
    }
    return subprocess.run(
        [*words, folder, *command],
        check=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=1200,
        **options,
    )


_ENTER = """
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"
"""


def notebook():
    """A notebook of `CELLS`."""
    same = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [same | {"id": f"c{n}", "source": text} for n, text in enumerate(CELLS)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def main():
    """Do everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--suite", default="trixie")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="ipuaro-debian-"))
    try:
        debian(folder, asked.suite)
        for name, text in PROJECT.items():
            (folder / "project").mkdir(exist_ok=True)
            (folder / "project" / name).write_text(text)
        shutil.copy(asked.wheel, folder / "root")
        (folder / "root/try.ipynb").write_text(json.dumps(notebook()))
        inside(folder, ("python3", "--version"))
        inside(folder, ("python3", "-m", "venv", "--clear", "/venv"))
        for extra, modules in {"": ("ipuaro_jupyter",), **NEEDED_BY}.items():
            wanted = f"/root/{asked.wheel.name}" + (f"[{extra}]" if extra else "")
            install = ("pip", "install", "--quiet", "--only-binary", ":all:", wanted)
            inside(folder, ("/venv/bin/python", "-m", *install))
            for module in modules:
                inside(folder, ("/venv/bin/python", "-P", "-c", f"import {module}"))
        inside(folder, ("/venv/bin/python", "-m", "pip", "check"))
        inside(folder, ("/venv/bin/ipuaro", "index", "/project"))
        convert = ("jupyter", "nbconvert", "--execute", "--to", "markdown", "--stdout")
        done = inside(folder, (*convert, "/root/try.ipynb"), stdout=subprocess.PIPE)
        told = done.stdout.decode()
        for expected in ("2 files", "a.ts:1", "b.ts:2"):
            if expected not in told:
                raise SystemExit(f"{expected!r} is not in the notebook:\n{told}")
        print("a notebook has found the uses of a function")
    finally:
        if asked.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
