"""What front ends learn when they ask the kernel for its comms."""

import comm
import pytest
from shells import cells, one_shell

from ipuaro_jupyter.notebook.magics import FAILED, OPEN, FrontEndNotices

__all__ = ["cells", "one_shell"]


@pytest.fixture
def notices(cells, open_project):
    cells.ran.hide(str)
    made = FrontEndNotices(open_project, cells.ran)
    yield made
    made.close()


def listed(target=FAILED):
    """What a ``comm_info_request`` is answered with."""
    known = comm.get_comm_manager().comms
    return {
        name.removeprefix(f"{target}/") for name, one in known.items() if one.target_name == target
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
    assert listed() == listed(OPEN) == set()


def test_the_latest_question_is_told_while_a_project_is_open(cells, notices):
    notices.renew()
    assert listed(OPEN) == {"0/"}
    numbers = []
    for source in ("%%ask\nHow?", "%ask Why?", "%ipuaro status", "1"):
        result = cells.run(source, f"id of {source}")
        notices.renew(result)
        numbers.append(result.execution_count)
        asked = source if "ask" in source else "%ask Why?"
        assert listed(OPEN) == {f"{numbers[-1] if asked == source else numbers[1]}/id of {asked}"}
    notices.close()
    assert listed(OPEN) == set()


def test_one_that_a_front_end_has_closed_is_listed_again(cells, notices):
    cells.run("fails", "a")
    notices.renew()
    (name,) = [name for name in comm.get_comm_manager().comms if name.startswith(FAILED)]
    comm.get_comm_manager().comm_close(None, "", {"content": {"comm_id": name}})
    assert listed() == set()
    notices.renew()
    assert listed()
