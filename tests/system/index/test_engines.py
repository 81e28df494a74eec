"""Parsing on the engines of real clusters: the same index, whatever happens to an engine."""

import os
import shutil
import sys
import time
from pathlib import Path

import clusters
import pytest
from clusters import CLUSTERS, wait_until
from extras import need
from poisoned_parser import POISON

import ipuaro_jupyter
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.engines.engines import CLUSTERS as LIBRARIES
from ipuaro_jupyter.index.engines.engines import Engines
from ipuaro_jupyter.index.storage.index_settings import IndexSettings

PACKAGE = Path(ipuaro_jupyter.__file__).parent
COUNT = 120
FILES = {
    f"src/f{i}.ts": "".join(
        f"export function f{i}_{j}(a: number) {{ return f{i % 7}_{j}(a) + {j} }}\n"
        for j in range(200)
    )
    for i in range(COUNT)
}


@pytest.fixture(params=list(CLUSTERS))
def cluster(request, tmp_path, monkeypatch):
    """A cluster whose engines find an empty folder where the project is."""
    need("ipyparallel", "distributed", install="pip install '.[ipyparallel,dask]'")
    hidden = tmp_path / "project0"
    folder = tmp_path / "cluster"
    folder.mkdir()
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    made = CLUSTERS[request.param](folder, hidden if shutil.which("bwrap") else None)
    yield made
    made.close()


@pytest.fixture
def start_engines(cluster):
    """Return a function that starts engines, each with a package or None, and waits for them."""

    def start(*packages):
        before = cluster.known()
        for package in packages:
            cluster.engine(package)
        wait_until(lambda: cluster.known() == before + len(packages))
        return cluster.executor

    return start


@pytest.fixture
def poison(tmp_path, monkeypatch):
    """A folder on the path of Python in which one file kills the parser."""
    folder = tmp_path / "poison"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def elsewhere(cluster, make_index, open_index, contents):
    """Return a function that indexes `FILES` here, then by the cluster; it returns what is told.

    Both indexes have to be equal.
    """

    def index(*, patience_s=15.0, progress=None, files=FILES, cancel=None):
        here, root = make_index(files)
        before = contents(here)
        settings = IndexSettings(executor=cluster.executor)
        engines = Engines(settings, patience_s=patience_s)
        there = open_index(root, inline_bytes=0, open_workers=engines.open)
        try:
            report = there.refresh(full=True, progress=progress, cancel=cancel)
        finally:
            assert contents(there) == before
        assert report.parsed == len(files)
        return engines.take_told()

    return index


def during_parsing(act):
    """A receiver of progress that acts once, when the first files have been parsed."""
    acted = []

    def look(progress):
        if progress.phase == "parsing" and progress.done and not acted:
            acted.append(True)
            act()

    return look


def test_engines_without_the_files_make_the_same_index(
    cluster, start_engines, make_index, open_index, contents
):
    here, root = make_index({**FILES, "bad.ts": "function (", "a.py": "x = 1\n", "b.md": "# B\n"})
    start_engines(None, None)
    if cluster.hidden is None:
        assert not os.environ.get("CI"), "bubblewrap is missing: apt install bubblewrap"
    else:
        assert root == cluster.hidden
        assert engines_see(cluster, root) == []
    there = open_index(root, inline_bytes=0, executor=cluster.executor)
    told = there.refresh(full=True).notice
    assert contents(there) == contents(here)
    assert f"parsed by {cluster.executor}" in told
    assert "parsed here" not in told
    assert told in there.summary().notice


def engines_see(cluster, folder):
    """What an engine lists in a folder."""
    kind, _, address = cluster.executor.partition(":")
    connected = LIBRARIES[kind](address)
    try:
        return connected.executor.submit(os.listdir, str(folder)).result(timeout=30)
    finally:
        connected.close()


def test_a_cluster_with_an_engine_of_another_version_gets_no_more(
    start_engines, elsewhere, tmp_path
):
    other = tmp_path / "other"
    shutil.copytree(PACKAGE, other / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    version = other / PACKAGE.name / "version.py"
    version.write_text(version.read_text().replace("__version__ = ", "__version__ = '0.0.7' or "))
    task = other / PACKAGE.name / "index/engines/engine_task.py"
    task.write_text(f"{task.read_text()}\n# changed\n")
    start_engines(None, other)
    told = elsewhere()
    assert "parsed here: an engine has ipuaro-jupyter 0.0.7" in told
    assert f"here it is {ipuaro_jupyter.__version__} (" in told
    assert "install the same there, on " in told


def test_of_an_engine_with_other_code_its_format_is_told(start_engines, elsewhere, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(PACKAGE, other / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    parser = other / PACKAGE.name / "index/extract/parse.py"
    parser.write_text(f"{parser.read_text()}\n# changed\n")
    start_engines(other)
    told = elsewhere()
    version = ipuaro_jupyter.__version__
    assert f"parsed here: an engine has ipuaro-jupyter {version} (index format " in told


def test_an_engine_without_the_package_says_what_to_do(start_engines, elsewhere, tmp_path):
    lacking = tmp_path / "lacking"
    (lacking / PACKAGE.name).mkdir(parents=True)
    (lacking / PACKAGE.name / "__init__.py").write_text("raise ImportError('not here')\n")
    start_engines(lacking)
    told = elsewhere()
    assert "Is the same ipuaro-jupyter installed there?" in told


def test_a_killed_engine_costs_no_fact(cluster, start_engines, elsewhere):
    start_engines(None, None)
    told = elsewhere(progress=during_parsing(lambda: clusters.kill(cluster.engines[0])))
    assert f"parsed by {cluster.executor}" in told


def test_what_a_hanging_engine_holds_is_parsed_here(cluster, start_engines, elsewhere):
    start_engines(None, None)
    told = elsewhere(
        patience_s=2.0, progress=during_parsing(lambda: clusters.stop(cluster.engines[0]))
    )
    assert "parsed here: its engine did not answer within 2 s" in told
    assert f"parsed by {cluster.executor}" in told


def test_a_cluster_that_hangs_is_given_up(cluster, start_engines, elsewhere):
    start_engines(None)
    began = time.monotonic()
    told = elsewhere(
        patience_s=2.0, progress=during_parsing(lambda: clusters.stop(cluster.engines[0]))
    )
    assert "parsed here: its engine did not answer within 2 s" in told
    assert time.monotonic() - began < 60


def test_a_scheduler_that_is_killed_costs_no_fact(cluster, start_engines, elsewhere):
    start_engines(None)
    told = elsewhere(
        patience_s=2.0, progress=during_parsing(lambda: clusters.kill(cluster.scheduler))
    )
    assert "parsed here" in told


def test_a_file_that_kills_the_parser_costs_only_its_facts(
    start_engines, make_index, open_index, contents, poison
):
    files = {f"a{i}.ts": f"const a{i} = 1\n" for i in range(20)} | {"dies.ts": "const b = 1\n"}
    here, root = make_index(files, inline_bytes=0)
    executor = start_engines(poison)
    there = open_index(root, inline_bytes=0, executor=executor)
    told = there.refresh(full=True).notice
    assert contents(there) == contents(here)
    assert "died" in there.facts("dies.ts").parse_error
    assert "parsed here" in told


def test_stop_ends_what_is_waiting(cluster, start_engines, elsewhere):
    start_engines(None)
    cancel = CancelToken()
    stopped = []

    def stop():
        cancel.cancel()
        stopped.append(time.monotonic())

    with pytest.raises(Cancelled):
        elsewhere(progress=during_parsing(stop), cancel=cancel)
    assert time.monotonic() - stopped[0] < 5
    assert isinstance(engines_see(cluster, "/"), list)  # the engine is free again


def test_without_a_cluster_all_is_parsed_here(cluster, elsewhere):
    told = elsewhere()
    assert f"{cluster.executor} cannot be used, so all was parsed here: it has no engine." in told
    clusters.kill(cluster.scheduler)
    told = elsewhere()
    assert f"{cluster.executor} cannot be used, so all was parsed here: its " in told


def test_without_the_library_all_is_parsed_here(monkeypatch, make_index, open_index, contents):
    here, root = make_index({"a.ts": "const a = 1\n"})
    monkeypatch.setitem(sys.modules, "distributed", None)
    there = open_index(root, inline_bytes=0, executor="dask:tcp://127.0.0.1:1")
    told = there.refresh(full=True).notice
    assert contents(there) == contents(here)
    assert "cannot be used, so all was parsed here: " in told
    assert "pip install 'ipuaro-jupyter[dask]'" in told
