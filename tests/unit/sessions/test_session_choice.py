"""Which session a project, or a notebook, goes on with."""

import pytest

from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.sessions.session_choice import chosen_session
from ipuaro_jupyter.store.keys import Keys, project_id


@pytest.fixture
def opened(store, tmp_path):
    """Return what opening chooses; the session gets a message and is closed, unless it stays."""

    def open_it(notebook="", *, new=False, stays=False, content="one"):
        sessions = Sessions(store, Keys(project_id(tmp_path)))
        session, notices = chosen_session(sessions, None, new=new, notebook=notebook)
        session.notebook = notebook
        if content:
            session.append(Message(role="user", content=content))
        if stays:
            living.append(sessions)
        else:
            sessions.release(session)
        return session.id, notices

    living = []
    return open_it


def test_the_same_notebook_goes_on_with_its_own(opened):
    first, _ = opened("/work/a.ipynb")
    other, _ = opened("/work/b.ipynb")
    assert first != other
    assert opened("/work/a.ipynb") == (first, ())
    assert opened("/work/b.ipynb") == (other, ())


def test_a_new_notebook_begins_one_and_offers_the_last(opened):
    assert opened("/work/a.ipynb")[1] == ()
    last, _ = opened("/work/a.ipynb")
    other, (told,) = opened("/work/b.ipynb")
    assert other != last
    assert f"Continue the last one (2 messages, from a.ipynb): %ipuaro sessions load {last}" in told


def test_one_from_elsewhere_is_offered_without_a_notebook(opened):
    last, _ = opened()
    _, (told,) = opened("/work/a.ipynb", content="")
    assert f"Continue the last one (1 message): %ipuaro sessions load {last}" in told


def test_without_a_notebook_the_latest_goes_on(opened):
    last, _ = opened("/work/a.ipynb")
    assert opened() == (last, ())
    assert opened("/work/a.ipynb") == (last, ()), "it stays that notebook's"


def test_a_new_one_becomes_the_notebooks_own(opened):
    opened("/work/a.ipynb")
    new, notices = opened("/work/a.ipynb", new=True)
    assert notices == ()
    assert opened("/work/a.ipynb")[0] == new


def test_a_notebook_whose_session_is_open_elsewhere_begins_another(opened):
    first, _ = opened("/work/a.ipynb", stays=True)
    other, (told,) = opened("/work/a.ipynb")
    assert other != first
    assert f"The latest conversation of this notebook {first} is open in another kernel" in told
