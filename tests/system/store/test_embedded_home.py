"""Where the embedded server has its folder, files and socket, and who may enter."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import embedded as embedded_module
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.embedded import EmbeddedServer
from ipuaro_jupyter.store.topology import told_servers

SETTINGS = StoreSettings(keeper_idle_s=60)
pytestmark = pytest.mark.usefixtures("home")
Kill = Callable[[], None]


def test_folders_files_and_socket_are_the_users_alone(home: Path) -> None:
    home.chmod(0o755)
    store = connect(SETTINGS)
    data = EmbeddedServer(keeper_idle_s=60).data
    assert data.socket is not None
    for folder in (home / "store", data.path, data.socket.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(data.socket.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o755, "a folder that existed is left as it is"
    store.close()


def test_new_home_is_private(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("IPUARO_HOME", str(home / "deep" / "er"))
    data = EmbeddedServer(keeper_idle_s=60).data
    assert stat.S_IMODE((home / "deep" / "er").stat().st_mode) == 0o700
    assert data.path.parent == home / "deep" / "er" / "store"


def test_data_folder_is_named_by_flavour_and_major_version(home: Path) -> None:
    store = connect(SETTINGS)
    flavour, version = told_servers(store).split(", ")[1].split()
    assert (home / "store" / f"{flavour}-{version.split('.')[0]}" / "appendonlydir").is_dir()
    store.close()


def test_home_with_a_long_path_has_its_socket_elsewhere(
    monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path, kill_server: Kill
) -> None:
    runtime = Path(home, "run")
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / ("long" * 30)))
    try:
        store = connect(SETTINGS)
        store.set("a", b"1")
        socket_path = EmbeddedServer(keeper_idle_s=60).data.socket
        assert socket_path is not None
        assert socket_path.parent.parent == runtime
        assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
        kill_server()
        assert store.get("a") == b"1"
        store.close()
    finally:
        embedded_module.stop()


def test_home_with_spaces_and_signs_works(
    monkeypatch: pytest.MonkeyPatch, home: Path, kill_server: Kill
) -> None:
    folder = home / "wide home % é'\"?#"
    monkeypatch.setenv("IPUARO_HOME", str(folder))
    try:
        store = connect(SETTINGS)
        store.set("a", b"1")
        kill_server()
        assert store.get("a") == b"1"
        assert list(folder.glob("store/*/appendonlydir"))
        store.close()
    finally:
        embedded_module.stop()


def test_socket_folder_that_others_can_enter_is_not_used(
    monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path
) -> None:
    runtime = Path(home, "run")
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("IPUARO_HOME", str(tmp_path / ("long" * 30)))
    store = connect(SETTINGS)
    store.close()
    embedded_module.stop()
    (taken,) = runtime.iterdir()
    taken.chmod(0o777)
    for _ in range(2):
        store = connect(SETTINGS)
        other = EmbeddedServer(keeper_idle_s=60).data.socket.parent
        assert other != taken
        assert stat.S_IMODE(other.stat().st_mode) == 0o700
        assert set(runtime.iterdir()) == {taken, other}, "it is taken again, not one for each start"
        store.close()
        embedded_module.stop()


def test_home_that_is_a_file_is_a_storage_error(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("IPUARO_HOME", str(home / "file"))
    with pytest.raises(StorageError, match=r"cannot use the folder.*set IPUARO_HOME"):
        connect(SETTINGS)


def test_store_folder_that_is_a_link_is_refused(home: Path, tmp_path: Path) -> None:
    (home / "store").symlink_to(tmp_path)
    with pytest.raises(StorageError, match="is not a folder of yours"):
        connect(SETTINGS)
