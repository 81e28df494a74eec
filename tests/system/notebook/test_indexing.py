"""In a real kernel: how far the index is can be seen, and stop leaves the index as it was."""

import pytest

SLOW = "// a file that the poisoned worker takes for ever to parse\n" * 600
POISON = """\
import sys

if "ipuaro_jupyter.index.storage.worker" in sys.orig_argv:
    import time
    from ipuaro_jupyter.index.extract import parse

    real = parse.parse_file

    def parse_file(path, data):
        if path == "src/slow.ts":
            time.sleep(60)
        return real(path, data)

    parse.parse_file = parse_file
"""


@pytest.fixture
def slow_worker(tmp_path, monkeypatch):
    """Workers that take for ever to parse one file."""
    (tmp_path / "poison").mkdir()
    (tmp_path / "poison/sitecustomize.py").write_text(POISON)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "poison"))


@pytest.fixture
def project(make_project):
    return make_project({"src/good.ts": "export const good = 1\n", "src/b.ts": "import './good'\n"})


@pytest.mark.usefixtures("slow_worker")
def test_the_progress_is_a_bar_and_stop_leaves_the_index_as_it_was(kernel, project):
    kernel.begin("--new")
    (project / "src/slow.ts").write_text(SLOW)
    bars = []

    def stop(message):
        html = message["content"].get("data", {}).get("text/html", "")
        if 'role="progressbar"' in html:
            if not bars:
                kernel.manager.interrupt_kernel()
            bars.append(message["content"]["data"]["text/plain"])

    ran = kernel.run("%ipuaro reindex", on_message=stop)
    assert bars[0].startswith("Reading files: ")
    assert " of 3 files (" in bars[0]
    assert ran.reply["status"] == "error"
    assert "Stopped" in ran.text
    assert "Reading files" not in ran.text
    (project / "src/slow.ts").unlink()
    assert "src/good.ts" in kernel.run("%tool find_definition good").text
    assert "Index: 2 files" in kernel.run("%ipuaro status").text
    ran = kernel.run("%ipuaro reindex")
    assert ran.reply["status"] == "ok", ran.text
    assert "2 parsed in" in ran.text
