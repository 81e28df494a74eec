"""A project that tests only look at, opened once; and one turn in which a change is asked for."""

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.records.events import Noticed


@pytest.fixture(scope="module")
def project(request, tmp_path_factory):
    """The ``FILES`` of the module, by path, as an open project."""
    root = tmp_path_factory.mktemp("files")
    for path, content in request.module.FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(content)
    with ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([])) as assistant:
        yield assistant.project()


@pytest.fixture
def turn(open_assistant, project):
    """Ask a model by evidence in the project of the module; the answer, the model, the notices."""

    def asked(question, *replies, **options):
        model = ipuaro_jupyter.ScriptedModel(list(replies))
        settings = {"llm": {"way": "evidence"}}
        assistant = open_assistant(project, model, settings=settings, **options)
        *events, ended = assistant.stream(question)
        return ended.answer, model, [one.text for one in events if isinstance(one, Noticed)]

    return asked
