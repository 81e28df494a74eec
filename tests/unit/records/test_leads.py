"""The sentence with which an exact answer begins."""

import pytest

from ipuaro_jupyter.records.calls import CallSite, CallTree
from ipuaro_jupyter.records.impact import Impact, ReachedTest, TouchedSymbol

SITE = CallSite(caller="load", path="a.py", line=3, column=1, caller_line=1, callee="fee")


def calls(*sites, **fields):
    given = {"symbol": "fee", "direction": "callers", "depth": 1, "declarations": ("b.py: fee",)}
    return CallTree(calls=sites, total_calls=len(sites), **(given | fields))


@pytest.mark.parametrize(
    ("tree", "lead"),
    [
        (calls(), "`fee` is called in 0 places."),
        (calls(SITE), "`fee` is called in 1 place, in 1 file."),
        (
            calls(SITE, SITE.model_copy(update={"path": "c.py"}), total_by_name=2),
            "`fee` is called in 2 places, in 2 files, and by name perhaps in 2 more.",
        ),
        (calls(SITE, direction="callees"), "`fee` calls others in 1 place."),
        (calls(SITE, declarations=()), ""),
    ],
)
def test_calls_are_counted(tree, lead):
    assert tree.lead == lead


def test_an_impact_names_each_declaration_once():
    assert Impact.of_nothing("HEAD").lead == ""
    touched = TouchedSymbol(name="fee", path="b.py", line=1, how="changed")
    found = Impact.of_nothing("a change of fee").model_copy(
        update={
            "changed": ("b.py",),
            "touched": (touched, touched.model_copy(update={"path": "b.pyi"})),
            "total_reached": 1,
            "tests": (ReachedTest(path="t.py", uses=True, distance=1),),
        }
    )
    assert found.lead == "A change of `fee` may reach 1 place through uses, and 1 test file."
