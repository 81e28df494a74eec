"""Long diffs in the question: both sides of what is cut, the rest in pages, and what Apply says."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
SHOW = (Path(__file__).parent / "show_proposal.py").read_text()
REPLACED = """\
old = "".join(f"old {n}\\n" for n in range(3000))
show(kind="edit", title="Edit long.txt", path="long.txt", old_text=old,
     new_text=old.replace("old", "new"), editable=True)
"""
MANY = """\
old = "".join(f"line {n}\\n" for n in range(30_000))
new = "".join(f"line {n}{' changed' * (n % 10 == 0)}\\n" for n in range(30_000))
show(kind="edit", title="Edit long.txt", path="long.txt", old_text=old, new_text=new, editable=True)
"""
CREATED = """\
show(kind="create", title="Create long.txt", path="long.txt",
     new_text="".join(f"new {n}\\n" for n in range(3000)), editable=True)
line = "".join(f"var v{n}={n};" for n in range(9000))
show(kind="edit", title="Edit min.js", path="min.js", old_text=line,
     new_text=line.replace("v5000=5000", "v5000=7"), editable=True)
"""


@pytest.fixture
def question(sheet):
    """Return a function that shows proposals in cell 3 and returns the page and its outputs."""

    def show(code, theme=""):
        page = sheet(SHOW, code, "len((await decision()).hunks or ())", theme=theme)
        page.run(2, 3)
        drawn = page.outputs(3)
        drawn.get_by_role("button", name="Reject").first.wait_for()
        return page, drawn

    return show


def unseen(drawn, number=0):
    """Return how many lines the button that applies says were not seen."""
    name = drawn.locator(".ipuaro-primary").nth(number).inner_text()
    return int(name.split("(")[1].split()[0].replace(",", "")) if "(" in name else 0


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_both_sides_are_shown_and_the_rest_comes_in_pages(question, picture, theme):
    page, drawn = question(REPLACED, theme=f"JupyterLab {theme}")
    drawn.get_by_role("button", name="Side by side").click()
    gone, come = drawn.locator("del"), drawn.locator("ins")
    for lines, word in ((gone, "old"), (come, "new")):
        assert lines.count() >= 200
        assert f"{word} 0" in lines.first.inner_text()
        assert f"{word} 2999" in lines.last.inner_text()
    left = unseen(drawn)
    assert left == 6000 - gone.count() - come.count() > 0
    more = drawn.get_by_role("button", name="added lines not shown")
    more.scroll_into_view_if_needed()
    picture(page, f"proposal-gap-{theme.lower()}")
    more.focus()
    page.page.keyboard.press("Enter")
    drawn.get_by_role("status").filter(has_text=f"{left - 1000:,} lines not seen").wait_for()
    assert unseen(drawn) == left - 1000
    focused = page.page.evaluate("document.activeElement.innerText")
    assert "added lines not shown" in focused
    picture(page, f"proposal-page-{theme.lower()}")
    page.save()
    page.reload()
    again = page.outputs(3)
    again.locator(".ipuaro-primary", has_text=f"{left - 1000:,} lines").wait_for()
    while unseen(again):
        before = unseen(again)
        again.locator(".ipuaro-gap button").first.click()
        applies = again.locator(".ipuaro-primary")  # other places have no words to wait for
        applies.filter(has_not_text=f"({before:,} ").wait_for()
    texts = again.locator("ins").all_inner_texts()
    assert [text.split()[-1] for text in texts] == [str(n) for n in range(3000)]
    again.get_by_role("button", name="Apply", exact=True).click()
    page.run(4)


def test_changes_that_are_left_out_keep_being_so_when_they_are_shown(question, picture):
    page, drawn = question(MANY)
    left = unseen(drawn)
    box = drawn.get_by_role("checkbox", name="more changes not shown")
    box.uncheck()
    assert unseen(drawn) == 0, "what is not written need not be seen"
    drawn.get_by_role("button", name="more changes").click()
    drawn.get_by_role("status").filter(has_text="All chosen lines").wait_for()
    assert not box.is_checked()
    unchecked = drawn.locator(".ipuaro-changes input:not(:checked)")
    assert unchecked.count() > 10
    picture(page, "proposal-more-changes")
    box.check()
    assert 0 < unseen(drawn) < left
    count = drawn.locator(".ipuaro-primary").inner_text().split()[1]
    drawn.locator(".ipuaro-primary").click()
    page.run(4)
    assert page.text(4).endswith(f": {int(count.replace(',', ''))}")


def test_a_long_file_and_a_long_line_come_in_pages_too(question, picture):
    page, drawn = question(CREATED)
    assert drawn.get_by_role("button", name="Side by side").count() == 1, "a new file has one side"
    assert unseen(drawn) == 1000
    assert unseen(drawn, 1) == 2
    line = drawn.locator("ins").last
    for _ in range(20):
        if not line.get_by_role("button").count():
            break
        size = len(line.inner_text())
        line.get_by_role("button").first.click()
        page.page.wait_for_function(
            "([node, size]) => node.innerText.length !== size", arg=[line.element_handle(), size]
        )
    assert unseen(drawn, 1) == 1
    assert line.inner_text().endswith("var v8999=8999;")
    picture(page, "proposal-long-line")
