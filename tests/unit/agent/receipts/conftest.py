"""A project of given files, opened once for the tests of a module."""

from contextlib import ExitStack

import pytest

from ipuaro_jupyter import ScriptedModel, start


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Return a function that opens a project of the given files for tools."""
    with ExitStack() as stack:

        def open_it(name, files):
            root = tmp_path_factory.mktemp(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return stack.enter_context(start(root, model=ScriptedModel([]))).project()

        yield open_it
