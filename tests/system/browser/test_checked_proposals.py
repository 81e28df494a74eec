"""Check first, as the user sees it: what it would run, its result, Cancel and Stop."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
LINES = [f"export const value{number} = {number};" for number in range(30)]
EDIT = """\
Both limits are too low.
<tool_call name="edit_lines"><path>src/limits.ts</path><start>1</start><end>30</end>
<content>{}</content></tool_call>
"""
NEW = [line.replace("= 3;", "= 33;").replace("= 25;", "= broken;") for line in LINES]
TSC = """\
#!/bin/bash
sleep $(cat src/seconds.txt)
for line in $(grep -n broken src/limits.ts | cut -d: -f1); do
  echo "src/limits.ts($line,9): error TS2304: Cannot find name 'broken'."
done
ls $PWD/src/*.ts; ! grep -q broken src/limits.ts
"""
VITEST = '#!/bin/bash\necho "      Tests  7 passed (7)"\n'


@pytest.fixture
def project(make_project):
    files = {
        ".gitignore": "node_modules\n",
        "package.json": json.dumps({"devDependencies": {"vitest": "3"}}),
        "tsconfig.json": "{}",
        "src/limits.ts": "\n".join(LINES),
        "src/seconds.txt": "1",
        "src/use.ts": 'import { value25 } from "./limits";\nconsole.log(value25);\n',
        "src/limits.test.ts": 'import { value3 } from "./limits";\nvalue3;\n',
    }
    root = make_project(files)
    for name, text in (("tsc", TSC), ("vitest", VITEST)):
        program = root / "node_modules/.bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    return root


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.json"
    turn = {"message": "Raise them.", "replies": [EDIT.format("\n".join(NEW)), "Done."]}
    path.write_text(json.dumps({"version": 1, "turns": [turn]}))
    return path


def button(page, name):
    return page.outputs(2).get_by_role("button", name=name, exact=True)


def ask(page):
    page.start(2)
    button(page, "Check first").wait_for()


def findings(page):
    response = Axe().run(page.page, context={"include": [[".ipuaro-proposal"]]}).response
    bad = [one for one in response["violations"] if one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {node['html'][:200]}" for one in bad for node in one["nodes"]]


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_question_comes_again_with_what_was_found(sheet, picture, project, theme):
    page = sheet("%%ask\nRaise them.", theme=f"JupyterLab {theme}")
    ask(page)
    outputs = page.outputs(2)
    outputs.get_by_text("What Check first runs, in a copy of the project").click()
    assert "vitest run src/limits.test.ts" in outputs.inner_text()
    button(page, "Check first").click()
    outputs.get_by_text(re.compile("Checking in a copy of the project")).wait_for()
    assert button(page, "Apply").is_disabled()
    result = outputs.locator(".ipuaro-checked")
    result.wait_for()
    said = result.inner_text()
    assert "Check failed" in said
    assert "types: 1 new error; 7 of 7 tests that reach it pass; 1 caller not covered" in said
    assert "src/limits.ts:26: Cannot find name 'broken'. (TS2304)" in said
    assert "not covered: src/use.ts:2" in said
    assert outputs.locator(".ipuaro-proposal").count() == 1
    picture(page, f"proposal-checked-{theme.lower()}")
    if theme == "Light":
        shown = outputs.locator(".ipuaro-proposal")
        shown.screenshot(path=Path(__file__).parent / "artefacts/guide-checked.png")
    assert page.page.evaluate(CONTRAST, [".ipuaro-proposal", 4.5]) == []
    assert findings(page) == []
    outputs.get_by_role("checkbox", name="Change 2 of 2").uncheck()
    outputs.get_by_text("That was the check of another choice or text.").wait_for()
    button(page, "Check first").click()
    outputs.get_by_text("Check passed").wait_for()
    assert "types: no errors" in result.inner_text()
    stale = outputs.get_by_text("That was the check of another choice or text.")
    button(page, "Edit").click()
    outputs.get_by_label("Proposed text").wait_for()
    stale.wait_for(state="hidden")
    page.page.keyboard.type("// typed ")
    stale.wait_for()
    button(page, "Discard changes").click()
    stale.wait_for(state="hidden")
    page.save()
    page.reload()
    stale.wait_for()  # all changes are chosen again
    button(page, "Apply").click()
    page.wait(2)
    assert "value3 = 33;" in (project / "src/limits.ts").read_text()
    assert "Applied, not as it was checked" in outputs.inner_text()


def test_a_check_can_be_cancelled_and_stopped(sheet, project):
    (project / "src/seconds.txt").write_text("600")
    page = sheet("%%ask\nRaise them.")
    ask(page)
    button(page, "Check first").click()
    button(page, "Cancel the check").click()
    page.outputs(2).get_by_text("The check was cancelled.").wait_for()
    assert button(page, "Apply").is_enabled()
    button(page, "Check first").click()
    button(page, "Cancel the check").wait_for()
    page.press_stop()
    page.wait(2)
    assert page.outputs(2).locator(".ipuaro-proposal").count() == 0
    assert "Stopped" in page.text(2)
    assert (project / "src/limits.ts").read_text() == "\n".join(LINES)
