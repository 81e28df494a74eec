"""What the tests of the index share."""

import itertools

import pytest

from ipuaro_jupyter.index.answers import decode_answer
from ipuaro_jupyter.index.code_index import CodeIndex, IndexSettings
from ipuaro_jupyter.index.facts_format import unpack_facts
from ipuaro_jupyter.index.parse import parse_file
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.undo import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


def parse_to_facts(content, path="src/a.ts"):
    """Return the facts of a file, checked against the records."""
    data = content if isinstance(content, bytes) else content.encode()
    return FileFacts.model_validate(unpack_facts(decode_answer(parse_file(path, data)).facts))


@pytest.fixture
def read_facts():
    """Return a function from source text and path to checked facts."""
    return parse_to_facts


@pytest.fixture
def functions_of():
    """Return a function from source text to its functions by qualified name, the last one wins."""

    def read(content, path="src/a.ts"):
        return {
            function.qualified: function for function in parse_to_facts(content, path).functions
        }

    return read


@pytest.fixture
def open_index(store):
    """Return a function that opens the index of a folder, which looks at the disk every time."""

    def open_it(root, **settings):
        keys = Keys(project_id(root))
        workspace = Workspace(
            root,
            WorkspaceSettings(approve="all"),
            confirm=lambda _: Decision(action="apply"),
            undo=UndoStack(store, keys, "session", depth=10),
            shown=ShownFiles(store, keys, "session"),
            changed=lambda _: None,
        )
        settings = {"scan_interval_s": 0, **settings}
        executor = settings.pop("executor", None)
        return CodeIndex(workspace, store, IndexSettings(**settings), executor=executor)

    return open_it


@pytest.fixture
def make_index(make_project, open_index):
    """Return a function from {path: content} to the refreshed index of such a folder, and that."""

    numbers = itertools.count()

    def make(files, **settings):
        root = make_project(files, f"project{next(numbers)}")
        index = open_index(root, **settings)
        index.refresh()
        return index, root

    return make
