"""The list of failed cells that front ends ask the kernel for."""

import comm
import pytest
from shells import cells, one_shell

from ipuaro_jupyter.notebook.failure_notices import TARGET, FailureNotices

__all__ = ["cells", "one_shell"]


@pytest.fixture
def notices(cells, open_project):
    cells.ran.hide(str)
    made = FailureNotices(open_project, cells.ran)
    yield made
    made.close()


def listed():
    """What a ``comm_info_request`` is answered with."""
    known = comm.get_comm_manager().comms
    return {
        name.removeprefix(f"{TARGET}/") for name, one in known.items() if one.target_name == TARGET
    }


def test_the_failed_cells_are_listed_until_they_are_repaired(cells, notices):
    cells.run("first_fails", "a/b")
    number = cells.run("second_fails").execution_count
    notices.renew()
    assert listed() == {f"{number - 1}/a/b", f"{number}/"}
    cells.run("first_fails = 1", "a/b")
    notices.renew()
    assert listed() == {f"{number}/"}
    notices.close()
    assert listed() == set()


def test_without_a_project_nothing_is_listed(cells, notices, open_project):
    cells.run("fails", "a")
    notices.renew()
    open_project.close()
    notices.renew()
    assert listed() == set()


def test_one_that_a_front_end_has_closed_is_listed_again(cells, notices):
    cells.run("fails", "a")
    notices.renew()
    (name,) = [name for name in comm.get_comm_manager().comms if name.startswith(TARGET)]
    comm.get_comm_manager().comm_close(None, "", {"content": {"comm_id": name}})
    assert listed() == set()
    notices.renew()
    assert listed()
