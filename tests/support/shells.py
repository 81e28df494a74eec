"""IPython's own shell in this process, as a notebook has one, and a project that it looks at."""

from types import ModuleType

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.kernel.open_kernel import kernel_of


@pytest.fixture(scope="session")
def one_shell():
    config = Config()
    config.HistoryManager.enabled = False
    return InteractiveShell(config=config, user_module=ModuleType("cells"))


class Cells:
    """The cells of a test."""

    def __init__(self, shell, hidden=str):
        self.shell = shell
        self.ran = RunCells(shell)
        self.kernel = kernel_of(shell, self.ran, hidden)
        shell.events.register("pre_run_cell", self.ran.about_to_run)
        shell.events.register("post_run_cell", self.ran.note)

    def run(self, code, cell_id=None):
        return self.shell.run_cell(code, store_history=True, cell_id=cell_id)

    def close(self):
        self.shell.events.unregister("pre_run_cell", self.ran.about_to_run)
        self.shell.events.unregister("post_run_cell", self.ran.note)


@pytest.fixture
def cells(one_shell):
    """A notebook whose cells `Cells.run` runs."""
    one_shell.reset(new_session=True)
    made = Cells(one_shell)
    yield made
    made.close()


@pytest.fixture
def notebook(make_project, open_assistant, cells):
    """Return a function that opens a project of the given files from the notebook."""

    def open_it(files, model=(), **options):
        options.setdefault("settings", {"context": {"notebook": "always"}})
        root = make_project(files)
        assistant = open_assistant(root, list(model), **options)
        assistant.attach(cells.kernel)
        return assistant

    return open_it
