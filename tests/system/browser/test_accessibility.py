"""axe-core looks at everything of ours that is in the page; serious findings are failures."""

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
SERIOUS = {"serious", "critical"}


def findings(page, *selectors):
    """Return what axe finds serious inside of the elements."""
    context = {"include": [[selector] for selector in selectors]}
    response = Axe().run(page.page, context=context).response
    assert response["passes"], "nothing was looked at"
    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {node['html'][:200]}"
        for found in response["violations"]
        if found["impact"] in SERIOUS
        for node in found["nodes"]
    ]


def test_a_question_and_the_record_of_a_turn(sheet):
    page = sheet("%%ask\nRetry more often.", "%%ask\nHow does retry work?")
    page.start(2)
    page.outputs(2).get_by_role("button", name="Apply", exact=True).wait_for()
    assert findings(page, ".ipuaro-proposal", ".ipuaro") == []
    page.outputs(2).get_by_role("button", name="Edit", exact=True).click()
    assert findings(page, ".ipuaro-proposal") == []
    page.outputs(2).get_by_role("button", name="Apply", exact=True).click()
    page.wait(2)
    page.run(3)
    assert findings(page, ".ipuaro") == []


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_is_marked_in_an_answer(sheet, picture, theme):
    """In words, not by colour alone, and still in a window of 400 px."""
    page = sheet("%%ask\nWhere is the limit?", theme=f"JupyterLab {theme}")
    page.run(2)
    answer = page.outputs(2)
    answer.get_by_text("[no such file]", exact=True).wait_for()
    assert answer.locator(".ipuaro-mark").all_inner_texts() == ["[no such file]", "[no such lines]"]
    assert "src/retries.ts: there is no such file" in answer.locator(".ipuaro-receipt").inner_text()
    assert findings(page, ".ipuaro") == []
    picture(page, f"receipt-{theme.lower()}")
    page.page.set_viewport_size({"width": 400, "height": 800})
    picture(page, f"receipt-{theme.lower()}-400")


def test_every_drawn_shape(sheet):
    """Code, table, tree, graph, diff, run, settings, help, a failure."""
    page = sheet(
        "%tool get_lines src/retry.ts",
        "%ipuaro complexity",
        "%tool get_structure",
        "%tool get_dependents src/retry.ts",
        "%tool find_references retry",
        "%ipuaro help",
        "%ipuaro config",
        "%tool get_lines none.ts",
        "%ipuaro todos",
        "%ipuaro",
    )
    shown = range(2, 12)
    page.run(*shown)
    for number in shown:
        assert page.text(number), f"cell {number} shows nothing"
    assert findings(page, ".ipuaro") == []


def test_a_button_without_a_name_would_be_found(sheet):
    page = sheet("%ipuaro")
    page.run(2)
    page.page.evaluate("document.querySelector('.ipuaro').append(document.createElement('button'))")
    assert any(found.startswith("button-name") for found in findings(page, ".ipuaro"))
