"""What was changed lately stands among the places of an error."""

import json
import subprocess
import sys

import pytest
from annotated import project_files
from git_repository import Git
from shells import cells, notebook, one_shell

from ipuaro_jupyter.tools.late_places import _when
from ipuaro_jupyter.workspace.git.late_changes import Commit

__all__ = ["cells", "notebook", "one_shell"]

SOURCES = project_files("late_places")
SHOP = SOURCES["shop.py"]
PRICES = SOURCES["prices.py"]


def git(root, *words):
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *who, *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def shop(notebook, monkeypatch):
    """The open project, committed a year ago, whose modules the cells can import."""
    assistant = notebook({"shop.py": SHOP, "prices.py": PRICES})
    monkeypatch.syspath_prepend(str(assistant.root))
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00")
    git(assistant.root, "init", "-q")
    git(assistant.root, "add", "-A")
    git(assistant.root, "commit", "-qm", "base")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    yield assistant
    for name in ("shop", "prices"):
        sys.modules.pop(name, None)


def change(shop, name, *pairs):
    file = shop.root / name
    for old, new in pairs:
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))


def places(shop):
    """The functions of the places, with why they are there."""
    found = shop.call("last_error", {}, by_user=False).output
    return [(one.declared.partition(",")[0], one.line, one.why) for one in found.places]


def test_without_changes_no_place_tells_of_any(shop, cells):
    cells.run("import shop\nshop.Order().total()")
    assert not [why for _, _, why in places(shop) if "changed" in why]


def test_what_was_changed_comes_second_with_its_changed_line(shop, cells):
    change(shop, "prices.py", ("found(currency)\n\n", "found(currency.lower())\n\n"))
    cells.run("import shop\nshop.Order().total()")
    assert places(shop)[:2] == [
        ("found", 9, ""),
        ("rate", 5, "changed since the last commit, 1 line"),
    ]
    text = shop.call("last_error", {}, by_user=False).output
    assert "2. prices.py:5 in rate (rate, lines 4-5), changed since the last commit, 1 line" in (
        text.text()
    )
    assert text.shape().rows[1][2] == "changed since the last commit, 1 line"


def test_a_frame_that_was_changed_tells_of_it_and_stays_where_it_is(shop, cells):
    change(shop, "prices.py", ("return RATES[currency]", "return RATES[currency + '']"))
    cells.run("import shop\nshop.Order().total()")
    told = [("found", 9, "changed since the last commit, 1 line"), ("rate", 5, "")]
    assert places(shop)[:2] == told


def test_where_much_was_changed_only_what_the_frames_name_comes_forward(shop, cells):
    change(
        shop,
        "prices.py",
        *((f"return {number}\n", f"return {number} + 0\n") for number in (1, 2, 3, 4)),
    )
    change(shop, "shop.py", ("return self.rate", "return (self.rate)"))
    cells.run("import shop\nshop.prices.RATES['GBP'] = 1\nshop.Order().total()")
    told = [one for one in places(shop) if "changed" in one[2]]
    assert told == [("Order.read", 13, "changed since the last commit, 1 line")]
    assert places(shop)[1] == told[0]


def test_a_commit_is_told_with_its_age_where_nothing_is_uncommitted(shop, cells):
    change(shop, "prices.py", ("found(currency)\n\n", "found(currency.lower())\n\n"))
    git(shop.root, "commit", "-qam", "lower")
    hash_ = git(shop.root, "rev-parse", "--short=7", "HEAD")
    cells.run("import shop\nshop.Order().total()")
    assert ("rate", 5, f"changed in {hash_}, 0 hours ago, 1 line") in places(shop)
    change(shop, "prices.py", ("lower", "upper"))
    assert ("rate", 5, "changed since the last commit, 1 line") in places(shop)


def test_a_notebook_is_no_place_of_the_error_of_its_cell(shop, cells):
    cell = {"cell_type": "code", "metadata": {}, "source": "1 / 0", "outputs": [], "id": "a"}
    told = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (shop.root / "ask.ipynb").write_text(json.dumps(told, indent=1))
    cells.run("1 / 0")
    assert places(shop) == [("", 1, "")]


def test_without_a_frame_in_the_project_what_was_changed_comes_behind_the_cell(shop, cells):
    change(shop, "prices.py", ("return RATES[currency]", "return '{'"))
    cells.run("import json, prices\njson.loads(prices.found('x'))")
    assert places(shop)[:2] == [
        ("", 2, ""),
        ("found", 9, "changed since the last commit, 1 line"),
    ]


def test_changes_of_too_many_files_are_told_and_not_looked_at(shop, cells):
    for number in range(201):
        (shop.root / f"m{number}.py").write_text("x = 1\n")
    cells.run("import shop\nshop.Order().total()")
    text = shop.call("last_error", {}, by_user=False).output.text()
    assert "201 files differ from the last commit: not looked at" in text


def test_what_is_too_long_to_be_analysed_and_what_lies_outside_is_left_out(shop, cells):
    (shop.root.parent / "secret.py").write_text("secret = 1\n")
    repository = Git(shop.root)
    repository.begin()
    repository.place_outside("secret.py", "other = 1\n")
    (shop.root / "long.py").write_text("x = 1\n" * 200_000)
    (shop.root / "link.py").symlink_to("shop.py")
    change(shop, "prices.py", ("found(currency)\n\n", "found(currency.lower())\n\n"))
    cells.run("import shop\nshop.Order().total()")
    changed = {one[:2] for one in places(shop) if "changed" in one[2]}
    assert changed == {("rate", 5)}


def test_a_commit_without_a_time_has_no_age():
    assert _when(Commit("0123456789", 0)) == "in 0123456"


def test_a_file_that_has_gone_meanwhile_is_left_out(shop, cells):
    change(shop, "prices.py", ("return 1\n", "return 5\n"))
    git(shop.root, "commit", "-qam", "five")
    (shop.root / "prices.py").unlink()
    cells.run("1 / 0")
    assert places(shop) == [("", 1, "")]
