"""The places of a running turn: as many outputs as front ends draw, however long the turn is."""

from ipuaro_jupyter.notebook.slots import LATEST, MOST

SHOW = """\
from ipuaro_jupyter.notebook.slots import Slot, Slots
slots = Slots()
made = [Slot(slots) for _ in range({count})]
for number, slot in enumerate(made):
    slot.show(f"step {{number}}", f"<p>step {{number}}</p>")
"""


def test_each_of_a_few_has_an_output_of_its_own_that_is_replaced(shared_kernel):
    ran = shared_kernel.run(SHOW.format(count=3) + "made[1].show('again', '<p>again</p>')")
    texts = [one["data"]["text/plain"] for one in ran.outputs]
    assert texts == ["step 0", "again", "step 2"]


def test_the_rest_share_one_output_that_shows_the_latest_and_counts_the_others(shared_kernel):
    extra = LATEST + 5
    ran = shared_kernel.run(SHOW.format(count=MOST + extra))
    assert len(ran.outputs) == MOST + 1
    shared = ran.outputs[-1]["data"]
    assert f"step {MOST + extra - 1}" in shared["text/plain"]
    assert f"step {MOST + 4}" not in shared["text/plain"]
    assert "5 more steps" in shared["text/plain"]
    assert "5 more steps" in shared["text/html"]


def test_what_shares_an_output_is_shown_anew_in_its_place(shared_kernel):
    last = SHOW.format(count=MOST + 2) + "made[-2].show('again', '<p>again</p>')"
    ran = shared_kernel.run(last)
    assert ran.outputs[-1]["data"]["text/plain"] == f"again\nstep {MOST + 1}"
