"""`%ipuaro diff` as it is drawn, in JupyterLab and in Notebook 7."""

import subprocess
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser
CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
BEFORE = "".join(f"export const value{n} = {n}; // the number {n}\n" for n in range(30))
AFTER = BEFORE.replace("value5 = 5;", "value5 = '" + "five " * 30 + "';").replace(
    "value20 = 20; // the number 20\n", "value20 = 21;\nexport const more = true;\n"
)


@pytest.fixture
def project(make_project):
    root = make_project({"src/values.ts": BEFORE, "src/gone.ts": "export const a = 1;\n"})
    user = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *user, *words], cwd=root, check=True)
    (root / "src/values.ts").write_text(AFTER)
    (root / "src/gone.ts").unlink()
    return root


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("width_px", [400, 1200])
def test_both_layouts_fit_and_are_legible(sheet, picture, theme, width_px):
    page = sheet("%ipuaro diff", "%ipuaro diff --side-by-side", theme=f"JupyterLab {theme}")
    page.page.set_viewport_size({"width": width_px, "height": 2000})
    if page.front_end == "lab":
        page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.run(2, 3)
    picture(page, f"diff-{theme.lower()}-{width_px}")
    for number, columns in ((2, 1), (3, 2)):
        gone = page.outputs(number).locator("del", has_text="value5 = ").bounding_box()
        come = page.outputs(number).locator("ins", has_text="value5 = ").bounding_box()
        assert (gone["y"] == come["y"]) is (columns == 2)
        for box in page.outputs(number).locator(".ipuaro-diff").all():
            room = box.evaluate("node => [node.scrollWidth, node.clientWidth]")
            assert room[0] <= room[1]
    assert page.page.evaluate(CONTRAST, [".ipuaro-diff", 4.5]) == []
    response = Axe().run(page.page, context={"include": [[".ipuaro"]]}).response
    assert response["passes"]
    bad = [one for one in response["violations"] if one["impact"] in {"serious", "critical"}]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in bad] == []
