"""Links in ``node_modules`` that lead to folders of the project."""

import os

import pytest

from ipuaro_jupyter.workspace.files.linked_packages import LinkedPackages


def link(root, links):
    for path, target in links.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)


def test_links_to_folders_of_the_project_are_found_with_the_folders_they_end_at(
    make_project, tmp_path
):
    root = make_project(
        {"packages/a/index.ts": "", "app/main.ts": "", "node_modules/real/i.js": ""}
    )
    (tmp_path / "global").mkdir()
    links = {
        "node_modules/a": "../packages/a",
        "node_modules/@my/a": "../../packages/a/",
        "node_modules/@my/@odd/a": "../../../packages/a",
        "node_modules/far": str(tmp_path / "global/a"),
        "node_modules/whole": "..",
        "app/node_modules/b": "../../node_modules/a",
        "app/deep/node_modules/c": "../../../packages/a",
    }
    link(root, links)
    link(tmp_path, {"global/a": str(root / "packages/a")})
    assert LinkedPackages(root, ["", "app", "packages/a"]).links == {
        "app/node_modules/b": "../../packages/a",
        "node_modules/@my/a": "../../packages/a",
        "node_modules/a": "../packages/a",
        "node_modules/far": "../packages/a",
        "node_modules/whole": "..",
    }


def test_links_that_leave_the_project_or_stay_in_node_modules_do_not_count(make_project, tmp_path):
    root = make_project({"node_modules/.pnpm/x/node_modules/x/i.js": ""})
    (tmp_path / "outside").mkdir()
    links = {
        "node_modules/x": ".pnpm/x/node_modules/x",
        "node_modules/out": str(tmp_path / "outside"),
        "node_modules/gone": "../nowhere/../../gone",
        "node_modules/loop": "loop",
    }
    link(root, links)
    assert LinkedPackages(root, ["", "none"]).links == {}


def test_it_is_noticed_when_links_are_made_and_removed(make_project):
    root = make_project({"lib/index.ts": "", "node_modules/@my/real/i.js": ""})
    before = LinkedPackages(root, ["", "lib"])
    assert not before.may_differ()
    for place in ("node_modules/lib", "node_modules/@my/lib", "lib/node_modules/lib"):
        link(root, {place: root / "lib"})
        after = LinkedPackages(root, ["", "lib"])
        assert before.may_differ()
        assert not after.may_differ()
        before = after
    (root / "node_modules/lib").unlink()
    assert before.may_differ()


@pytest.mark.parametrize("name", ["lib", "@my/lib"])
def test_it_is_noticed_when_a_link_on_the_way_leads_elsewhere(make_project, tmp_path, name):
    """Such as the global one of ``npm link``."""
    root = make_project({"lib/index.ts": "", "other/index.ts": ""})
    linked = tmp_path / "global/lib"
    link(root, {f"node_modules/{name}": str(linked)})
    link(tmp_path, {"global/lib": str(root / "lib")})
    before = LinkedPackages(root, [""])
    assert not before.may_differ()
    linked.unlink()
    assert before.may_differ()
    gone = LinkedPackages(root, [""])
    linked.symlink_to(root / "other")
    assert gone.may_differ()
    (found,) = LinkedPackages(root, [""]).links.values()
    assert found.endswith("../other")


def test_a_link_that_goes_while_it_is_looked_at_is_none(make_project, monkeypatch):
    root = make_project({"lib/index.ts": ""})
    link(root, {"node_modules/lib": "../lib"})

    def gone(path):
        (root / "node_modules/lib").unlink()
        raise FileNotFoundError(path)

    monkeypatch.setattr("os.readlink", gone)
    assert LinkedPackages(root, [""]).links == {}


def test_links_with_paths_or_targets_that_are_not_utf8_do_not_count(make_project):
    root = make_project({"packages/a/index.ts": ""})
    bad = os.fsdecode(b"\xff")
    (root / "packages" / bad).mkdir()
    packages = {f"node_modules/{bad}": "../packages/a", "node_modules/b": f"../packages/{bad}"}
    link(root, {**packages, "node_modules/a": "../packages/a"})
    assert LinkedPackages(root, [""]).links == {"node_modules/a": "../packages/a"}
