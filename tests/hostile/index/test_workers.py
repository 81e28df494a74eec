"""Worker processes with a file that hangs the parser, and with more than a pipe holds."""

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
