"""What a change touches, by the text before and after it."""

import pytest

from ipuaro_jupyter.index.touched_symbols import touched
from ipuaro_jupyter.records.change import Change


def _touched(before, after):
    found = touched(Change(path="a.ts", before=before.encode(), after=after.encode()))
    assert {one.name for one in found.exports} == {
        one.name for one in found.symbols if "export" in one.how
    }
    return {(one.name, one.how) for one in found.symbols}


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("let x, y\nexport { x as api }", "let x, y\nexport { y as api }", "api"),
        ("function a() {}\nexport default a", "function a() {}\nexport default b", "default"),
        ("export = A", "export = B", "default"),
        ("import { f } from './a'\nexport { f }", "import { f } from './b'\nexport { f }", "f"),
        ("import { f } from './a'\nexport { f }", "export { f } from './b'", "f"),
        ("export { f } from './a'", "export { f } from './b'", "f"),
        ("export { f } from './a'", "export { g as f } from './a'", "f"),
    ],
)
def test_an_export_that_leads_elsewhere_is_touched(before, after, name):
    assert _touched(f"{before}\n", f"{after}\n") == {(name, "exported from elsewhere")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import { f } from './a'\nexport { f }", "export { f } from './a'"),
        ("export * from './a'", "export * from './a.js'"),
        ("export { f } from './a.ts'", "export { f } from './a'"),
    ],
)
def test_an_export_that_is_written_in_another_way_is_not(before, after):
    assert _touched(f"{before}\n", f"{after}\n") == set()


def test_an_export_that_is_gone_is_touched():
    gone = {("f", "no longer exported")}
    assert _touched("export { f, g } from './a'\n", "export { g } from './a'\n") == gone
