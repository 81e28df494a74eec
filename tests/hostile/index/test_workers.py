"""Worker processes with a file that hangs the parser, and with more than a pipe holds."""

import resource
import signal
import subprocess
import sys

import pytest
from poisoned_parser import POISON, paths_and_errors

from ipuaro_jupyter.index.extract.batches import parse_batch
from ipuaro_jupyter.index.storage.workers import ParseExecutor


@pytest.fixture
def poisoned(tmp_path, monkeypatch):
    """Workers in which one file kills the parser and another one hangs it."""
    (tmp_path / "sitecustomize.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_a_batch_larger_than_a_pipe_comes_back():
    batch = [("a.ts", 1, b"export const row = [1, 2, 3]\n" * 20_000), ("b.ts", 2, b"")]
    with ParseExecutor(1) as executor:
        assert executor.submit(parse_batch, batch).result() == parse_batch(batch)


@pytest.mark.usefixtures("poisoned")
def test_one_file_that_hangs_the_parser_costs_no_other():
    with ParseExecutor(1, timeout_s=4) as executor:
        found = paths_and_errors(
            executor.submit(parse_batch, [("hangs.ts", 12, b""), ("b.ts", 13, b"")]).result()
        )
    assert found == {"hangs.ts": "Not analysed: the parser took longer than 4 s.", "b.ts": None}


@pytest.mark.usefixtures("poisoned")
def test_a_batch_that_took_too_long_is_parsed_file_by_file():
    late, good = ("late.ts", 14, b"export const b = 1\n"), ("good.ts", 15, b"export const a = 1\n")
    with ParseExecutor(1) as executor:
        found = executor.submit(parse_batch, [late, good]).result()
        found += executor.submit(parse_batch, [late]).result()
    assert found == [parse_batch([file])[0] for file in (late, good, late)]


def test_a_text_that_takes_too_long_ends_a_process_that_may_die():
    program = (
        "from ipuaro_jupyter.languages.bounded import dying_when_late, parse\n"
        "from ipuaro_jupyter.languages.registry import language_named\n"
        "typescript = language_named('typescript')\n"
        "with dying_when_late():\n"
        "    tree = parse(typescript, b'f(1);\\n' * 9000, seconds=1)\n"
        "    assert tree.root_node.child_count == 9000\n"
        "    parse(typescript, b'a\\n <B,\\n' * 10_000, seconds=1)\n"
    )
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ended = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert ended.returncode == -signal.SIGPROF
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 2
