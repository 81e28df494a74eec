"""Nothing outside of several roots is read, written or deleted, whatever the links do."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from confinement import PIECES, ROUNDS, SECRET, TARGETS, Swapper, layouts, use
from folder_states import snapshot
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.store.roots import root_path
from ipuaro_jupyter.workspace.files.paths import project_of, relative_path

ROOT_TARGETS = (*TARGETS, "../web/b", "../../web/b", "WEB", "WEB/b", "../outside/secret.txt")
ROOT_PIECES = (*PIECES, "api", "web", "b")
paths_of_roots = st.builds(
    lambda start, pieces: start + "/".join(pieces),
    st.sampled_from(("", "/", "ROOT/", "WEB/", "TOGETHER/", "~/", "api/", "web/", "api/../web/")),
    st.lists(st.sampled_from(ROOT_PIECES), max_size=6),
)


@settings(suppress_health_check=list(HealthCheck))
@given(layout=layouts, more=st.sampled_from(ROOT_TARGETS), path=paths_of_roots)
@example(layout={"a": "../outside"}, more="..", path="api/a/secret.txt")
@example(layout={"a": "../web"}, more="../outside", path="api/a/link/secret.txt")
@example(layout={}, more="..", path="api/../outside/secret.txt")
@example(layout={}, more="..", path="TOGETHER/api/../../outside/secret.txt")
def test_no_layout_of_links_leads_out_of_several_roots(open_workspace, layout, more, path):
    with tempfile.TemporaryDirectory() as base:
        top = Path(base).resolve()
        api, web, outside = top / "api", top / "web", top / "outside"
        for folder in (api / "src", api / "sub", web, outside / "src"):
            folder.mkdir(parents=True)
        (web / "b").write_bytes(b"mine")
        (outside / "secret.txt").write_bytes(SECRET)
        (outside / "src/a").write_bytes(SECRET)
        root = project_of([api, web])

        def real(text):
            for name, folder in (("ROOT", api), ("WEB", web), ("TOGETHER", root)):
                text = text.replace(name, str(folder))
            return text.replace("OUTSIDE", str(outside))

        (web / "link").symlink_to(real(more))
        for name, target in layout.items():
            if not os.path.lexists(api / name):
                (api / name).symlink_to(real(target))
        was, links = snapshot(outside), sorted(root.iterdir())
        with suppress(ToolError):
            found = root_path(root, relative_path(root, real(path), must_exist=False))
            place = found.root / found.inner
            assert Path(os.path.realpath(place)) == place
            assert found.root in (api, web)
        assert SECRET not in use(open_workspace(root, approve="edits"), real(path))
        assert snapshot(outside) == was
        assert sorted(root.iterdir()) == links
        assert sorted(p.name for p in top.iterdir()) == ["api", "outside", "web"]


@pytest.mark.parametrize(("place", "target"), [("", "."), ("src", "."), ("src/a.ts", "a.ts")])
def test_what_becomes_a_link_in_one_of_several_roots_leads_nowhere(
    open_workspace, tmp_path, place, target
):
    """The root itself, too, may be exchanged for a link."""
    api, web, outside = tmp_path / "api", tmp_path / "web", tmp_path / "outside"
    for folder, text in ((api / "src", b"mine"), (web, b"mine"), (outside, SECRET)):
        folder.mkdir(parents=True)
        (folder / "a.ts").write_bytes(text)
    (outside / "src").mkdir()
    (outside / "src/a.ts").write_bytes(SECRET)
    opened = open_workspace(project_of([api, web]), approve="edits")
    was = snapshot(outside)
    with Swapper(api / place, outside / target) as swapper:
        for number in range(ROUNDS):
            assert SECRET not in use(opened, ("api/src/a.ts", "api/src/new/b.ts")[number % 2])
        swapper.wait(10)
    assert swapper.swaps >= 10
    assert snapshot(outside) == was
