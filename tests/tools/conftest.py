import pytest


@pytest.fixture
def run(make_project, open_assistant):
    """Return a function that opens a project of the given files and gives its `call`."""

    def open_project(files, **options):
        assistant = open_assistant(make_project(files), [], **options)
        return assistant.call

    return open_project
