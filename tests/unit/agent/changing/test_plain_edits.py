"""Renames and removals: requests that need no text of a model."""

import pytest

from ipuaro_jupyter.records.change import Decision

FEES = '''"""Fees."""


def fee(weight):
    return 2 * extra(weight)


# What heavy parcels cost beside the fee.
def extra(weight):
    return weight


def unused_rate():
    return 3
'''
SHOP = "from fees import fee\n\nTOTAL = fee(3)\n"


@pytest.fixture
def project(make_project):
    return make_project({"fees.py": FEES, "shop.py": SHOP})


@pytest.fixture
def change(turn):
    """Ask for one change; gives the answer and the notices. The model has no reply but one."""

    def asked(question, action="apply"):
        answer, _, notices = turn(
            question, "By the loop.", confirm=lambda _: Decision(action=action)
        )
        return answer, notices

    return asked


@pytest.mark.parametrize(
    "question",
    [
        "Rename fee to price.",
        "Please rename the function `fee` in fees.py to `price`",
        "Benenne fee in price um.",
        "Renomme `fee` en `price`",
        "Переименуй fee в price",
    ],
)
def test_a_rename_is_made_by_the_index(change, project, question):
    answer, _ = change(question)
    assert (project / "fees.py").read_text() == FEES.replace("def fee", "def price")
    assert (project / "shop.py").read_text() == SHOP.replace("fee(3)", "price(3)").replace(
        "import fee", "import price"
    )
    assert [one.call.name for one in answer.tool_calls] == ["rename_symbol"]
    assert "price" in answer.text


@pytest.mark.parametrize("question", ["Remove `extra`.", "delete the function extra from fees.py"])
def test_a_removal_takes_the_comment_along_and_tells_the_uses(change, project, question):
    answer, notices = change(question)
    left = FEES.replace(FEES[FEES.index("# What") : FEES.index("def unused_rate")], "")
    assert (project / "fees.py").read_text() == left
    assert notices == ["`extra` is still used in 1 place: fees.py:5."]
    assert answer.text == "Removed `extra` from fees.py."


def test_the_last_declaration_goes_with_the_blank_lines_before_it(change, project):
    _, notices = change("Delete unused_rate")
    assert (project / "fees.py").read_text() == FEES[: FEES.index("\n\n\ndef unused_rate")] + "\n"
    assert notices == []


def test_a_file_is_deleted(change, project):
    answer, _ = change("Delete the file shop.py")
    assert not (project / "shop.py").exists()
    assert answer.text == "Deleted shop.py."


def test_a_removal_that_is_rejected_changes_nothing(change, project):
    answer, _ = change("Remove `extra`.", action="reject")
    assert (project / "fees.py").read_text() == FEES
    assert answer.text == "`extra` fees.py:9 stays as it is: the change was rejected."


def test_a_kind_of_declaration_is_no_name(change, project):
    (project / "fees.py").write_text(FEES + "\n\ndef helper():\n    return fee(1)\n")
    for question in ("Drop the old helper", "Rename the helper to price", "Remove helper"):
        answer, _ = change(question)
        assert not [one for one in answer.tool_calls if one.result.success]
    change("Remove `helper`")
    assert "helper" not in (project / "fees.py").read_text()


@pytest.mark.parametrize(
    "question",
    [
        "Remove the weight from `fee`",  # a part of a declaration
        "Rename the parameter weight to kg in `fee`",
        "Rename `fee` in `extra`",  # where it is
        "Rename fee as needed",
        "Rename fee to something",
        "Rename `fee` to snake_case",
        "Rename the file fee to price",
        "Rename the File fee to price",
        "Remove the file extra",
        "Entferne `extra` nicht",
        "Remove `extra` if nothing calls it",
        "Remove extra",  # what is superfluous, or the function
        "Delete `nothing_here`",
        "Rename `fee` and `extra` to something better",
    ],
)
def test_what_is_not_plain_is_left_to_the_model(change, project, question):
    answer, _ = change(question)
    assert not [one for one in answer.tool_calls if one.result.success]
    assert (project / "fees.py").read_text() == FEES
