import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ipuaro_jupyter.demo.execution import CellError, execute, strip


def notebook(*sources):
    return new_notebook(cells=[new_code_cell(source) for source in sources])


def run(made, folder, *, probe="None", timeout_s=60, after_cell=lambda _cell: None):
    return execute(made, folder, timeout_s=timeout_s, after_cell=after_cell, probe=probe)


def text(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def test_cells_run_in_this_python_in_the_folder(tmp_path):
    made = notebook("import os, sys\nprint(sys.executable)\nprint(os.getcwd())")
    run(made, tmp_path)
    assert text(made.cells[0]).split() == [sys.executable, str(tmp_path)]
    assert made.cells[0].execution_count == 1


def test_each_code_cell_is_seen_when_it_has_run_and_the_probe_tells_its_value(tmp_path):
    made = notebook("6 * 7", "'x'")
    made.cells.insert(1, new_markdown_cell("text"))
    seen = []
    told = run(
        made,
        tmp_path,
        probe="{'outs': list(get_ipython().user_ns['Out'].values())}",
        after_cell=lambda cell: seen.append(cell.source),
    )
    assert seen == ["6 * 7", "'x'"]
    assert told == {"outs": [42, "x"]}


def test_a_cell_that_fails_is_named_and_stays_in_the_notebook(tmp_path):
    made = notebook("print('fine')", "1 / 0", "print('never')")
    with pytest.raises(CellError, match="Cell 2 failed: ZeroDivisionError"):
        run(made, tmp_path)
    assert [output.output_type for output in made.cells[1].outputs] == ["error"]
    assert made.cells[2].execution_count is None


def test_a_cell_that_takes_too_long_is_named(tmp_path):
    with pytest.raises(CellError, match="Cell 1 took longer than 1 s"):
        run(notebook("import time; time.sleep(60)"), tmp_path, timeout_s=1)


def test_a_kernel_that_dies_is_told_with_its_last_words(tmp_path):
    dying = "import os\nos.write(2, b'out of luck')\nos._exit(3)"
    with pytest.raises(CellError, match=r"(?s)kernel died in cell 1.*out of luck"):
        run(notebook(dying), tmp_path)


def test_no_trace_of_an_earlier_execution_is_left():
    shipped = new_code_cell(
        "1 / 0",
        execution_count=7,
        metadata={"execution": {"shell.execute_reply": "long ago"}, "tags": ["kept"]},
        outputs=[new_output("stream", text="all is well\n")],
    )
    made = new_notebook(cells=[shipped])
    strip(made)
    assert made.cells[0].outputs == []
    assert made.cells[0].execution_count is None
    assert made.cells[0].metadata == {"tags": ["kept"]}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_kernel_and_what_it_started(tmp_path, number):
    """The kernel's child writes its id, and it is gone together with the kernel."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import pathlib, sys
        from nbformat.v4 import new_code_cell, new_notebook
        from ipuaro_jupyter.demo.execution import Stopped, execute

        cell = "import os, time\\nopen('kernel', 'w').write(str(os.getpid()))\\ntime.sleep(600)"
        made = new_notebook(cells=[new_code_cell(cell)])
        try:
            execute(made, pathlib.Path.cwd(), timeout_s=600, after_cell=print, probe="1")
        except Stopped as stopped:
            sys.exit(stopped.signal_number)
        """)
    )
    process = subprocess.Popen([sys.executable, script], cwd=tmp_path)
    try:
        kernel = int(wait_for_text(tmp_path / "kernel"))
        os.kill(process.pid, number)
        assert process.wait(30) == number
        assert not psutil.pid_exists(kernel)
    finally:
        process.kill()
        process.wait()


def wait_for_text(path, timeout_s=60):
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.1)
    raise AssertionError(f"{path} was not written")
