from pathlib import Path

from ipuaro_jupyter.workspace.sandbox.confinement import Confinement

HOME = Path("/home/me")
CONFINEMENT = Confinement(
    cwd=HOME / "app",
    writable=(HOME / "app", HOME / "app/a/.bare"),
    protected=(HOME / "app/shared",),
    hidden=(HOME / "app/keys",),
    replaced={},
    temporary=Path("/tmp"),
    network=False,
)


def test_only_what_could_be_written_is_protected():
    """What is hidden or elsewhere would become readable by it."""
    inside = HOME / "app/b/.git"
    places = (inside, HOME / "app/keys/.git", HOME / "else/.git", HOME / "app/shared/.git")
    assert CONFINEMENT.protecting(places).protected == (HOME / "app/shared", inside)


def test_folders_on_the_way_cannot_be_renamed():
    places = (HOME / "app/b/c/.git", HOME / "app/a/.bare/objects/info")
    app = HOME / "app"
    assert {*CONFINEMENT.protecting(places).pinned} == {
        *(app / "b", app / "b/c", app / "a", app / "a/.bare/objects")
    }
    assert dict(CONFINEMENT.protecting(places).layers())[app / "b"] == "pinned"
