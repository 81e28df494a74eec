"""The project that is served where none is named: the client's own folder, or the current one."""

from pathlib import Path

import clients
import pytest

from ipuaro_jupyter.mcp_server.mcp_roots import folder_of

pytestmark = pytest.mark.filterwarnings("ignore:The roots capability is deprecated")


@pytest.fixture
def here(make_project):
    return make_project({"here.ts": "export const here = 1;\n"}, name="here")


async def paths(root, **options):
    async with clients.served(root, **options) as client:
        found = clients.text(await client.call_tool("get_structure", {}))
        listed = await client.list_resources()
        assert ("ipuaro://file/a.ts" in {str(one.uri) for one in listed.resources}) == (
            "a.ts" in found
        )
        return found


def test_the_clients_folder_is_served_where_none_is_named(root, here):
    gone = (here / "gone").as_uri()
    found = clients.run(paths(None, cwd=here, roots=[gone, root.as_uri()]))
    assert "a.ts" in found
    assert "here.ts" not in found


@pytest.mark.parametrize("roots", [None, [], ["file:///"]])
@pytest.mark.parametrize("mode", clients.MODES)
def test_else_the_current_folder_is(here, roots, mode):
    assert "here.ts" in clients.run(paths(None, cwd=here, roots=roots, mode=mode))


def test_a_folder_that_is_named_stays(root, here):
    found = clients.run(paths(here, cwd=here, roots=[root.as_uri()]))
    assert "here.ts" in found
    assert "a.ts" not in found


def test_only_folders_of_this_machine_count(root, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (root / "with space").mkdir()
    assert folder_of(root.as_uri()) == root
    assert folder_of((root / "with space").as_uri()) == root / "with space"
    assert folder_of(f"file://localhost{root}") == root
    others = [
        f"file://elsewhere{root}",
        str(root),
        "file:///",
        tmp_path.as_uri(),
        "",
        "file:",
        "file://[x",
    ]
    for uri in [*others, (root / "a.ts").as_uri(), "file:///a%00b", "file:///gone"]:
        assert folder_of(uri) is None, uri
    assert Path.home() == tmp_path
