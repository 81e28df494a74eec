"""Nothing outside of the project is read, written or deleted, whatever the links do."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from confinement import NFD, ROUNDS, SECRET, Swapper, layouts, paths, use
from folder_states import snapshot
from hypothesis import HealthCheck, example, given, settings

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.paths import relative_path


@settings(suppress_health_check=list(HealthCheck))
@given(layout=layouts, path=paths)
@example(layout={"loop": "loop", "link": "OUTSIDE"}, path="loop/../link/secret.txt")
@example(layout={"a": "../outside"}, path="a/../project/a/secret.txt")
@example(layout={NFD: "OUTSIDE"}, path="né/secret.txt")
def test_no_layout_of_links_leads_out_of_the_project(open_workspace, layout, path):
    with tempfile.TemporaryDirectory() as base:
        top = Path(base).resolve()
        root, outside = top / "project", top / "outside"
        for folder in (root / "src", root / "sub", outside / "src"):
            folder.mkdir(parents=True)
        (outside / "secret.txt").write_bytes(SECRET)
        (outside / "src/a").write_bytes(SECRET)

        def real(text):
            return text.replace("ROOT", str(root)).replace("OUTSIDE", str(outside))

        for name, target in layout.items():
            if not os.path.lexists(root / name):
                (root / name).symlink_to(real(target))
        was = snapshot(outside)
        with suppress(ToolError):
            place = root / relative_path(root, real(path), must_exist=False)
            assert Path(os.path.realpath(place)) == place
            assert place == root or root in place.parents
        assert SECRET not in use(open_workspace(root, approve="edits"), real(path))
        assert snapshot(outside) == was
        assert sorted(p.name for p in top.iterdir()) == ["outside", "project"]


@pytest.mark.parametrize(
    ("place", "target"),
    [("src", "."), ("src/deep", "deep"), ("src/deep/a.ts", "deep/a.ts"), ("src/new", "new")],
)
def test_what_becomes_a_link_between_check_and_use_leads_nowhere(
    open_workspace, tmp_path, place, target
):
    root, outside = tmp_path / "project", tmp_path / "outside"
    for folder, text in ((root / "src", b"mine"), (outside, SECRET)):
        (folder / "deep").mkdir(parents=True)
        (folder / "new").mkdir()
        for name in ("a.ts", "deep/a.ts", "new/a.ts"):
            (folder / name).write_bytes(text)
    opened = open_workspace(root, approve="edits")
    was = snapshot(outside)
    used = ("src/a.ts", "src/deep/a.ts", "src/deep/b.ts", "src/new/a.ts", "src/new/er/c.ts")
    with Swapper(root / place, outside / target) as swapper:
        for number in range(ROUNDS):
            assert SECRET not in use(opened, used[number % len(used)])
        swapper.wait(10)
    assert swapper.swaps >= 10
    assert snapshot(outside) == was


def test_names_outside_are_not_told(open_workspace, tmp_path):
    """An error suggests what is near, which a swapped folder could make a name from outside."""
    root, outside = tmp_path / "project", tmp_path / "outside"
    (root / "src").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret-plan.ts").write_bytes(SECRET)
    opened = open_workspace(root)
    with Swapper(root / "src", outside):
        for _ in range(ROUNDS):
            with pytest.raises(ToolError) as caught:
                opened.workspace.read("src/secret-plam.ts")
            assert "secret-plan" not in f"{caught.value.message} {caught.value.suggestion}"
