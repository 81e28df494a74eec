"""Downloads against a server on the loopback that serves files as Hugging Face does."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from extras import need
from hub_server import HubServer, serving

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.local.download import download
from ipuaro_jupyter.llm.local.model_name import PulledName, pulled_names
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.records.events import PullProgress

FILE = "ada/tiny-GGUF/q4/tiny.Q4.gguf"
CONTENT = bytes(range(256)) * 20_000


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    need("huggingface_hub", install="pip install '.[local]'")
    with serving(HubServer(files={FILE: CONTENT})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def name_of(text: str = FILE) -> PulledName:
    name = PulledName.of(text)
    assert name is not None
    return name


def pulled(text: str = FILE, *, silence_s: float = 20) -> list[PullProgress]:
    return list(download(name_of(text), CancelToken(), silence_s=silence_s))


def parts() -> list[Path]:
    return [path for path in name_of().path.parent.iterdir() if path.name.startswith(".")]


def test_file_arrives_whole_and_in_its_folder(hub: HubServer, home: Path) -> None:
    steps = pulled()
    assert (home / "models" / FILE).read_bytes() == CONTENT
    assert steps[-1] == PullProgress(
        status="success", done_bytes=len(CONTENT), total_bytes=len(CONTENT)
    )
    assert {step.status for step in steps} >= {"downloading", "checking"}
    assert not parts()
    assert pulled_names() == (f"gguf:{FILE}",)
    assert hub.ranges == [0]


def test_file_that_is_there_is_not_fetched_again(hub: HubServer) -> None:
    pulled()
    assert pulled()[-1].status == "success"
    assert hub.ranges == [0]


def test_file_that_has_changed_is_fetched_again(hub: HubServer) -> None:
    pulled()
    hub.files[FILE] = CONTENT[::-1]
    pulled()
    assert name_of().path.read_bytes() == CONTENT[::-1]


def test_broken_connection_goes_on_where_it_broke(hub: HubServer) -> None:
    hub.break_after, hub.breaks = 3_000_000, 1
    pulled()
    assert name_of().path.read_bytes() == CONTENT
    assert hub.ranges[0] == 0
    assert 0 < hub.ranges[1] <= 3_000_000


def test_stop_is_immediate_and_the_next_pull_continues(hub: HubServer) -> None:
    hub.hang_after = 3_000_000
    cancel = CancelToken()
    steps = download(name_of(), cancel, silence_s=10)
    while next(steps).done_bytes < 2_000_000:
        pass
    threading.Timer(0.1, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        list(steps)
    assert time.monotonic() - began < 0.6
    assert not name_of().path.exists()
    assert sum(part.stat().st_size for part in parts()) >= 2_000_000
    hub.hang_after = None
    pulled()
    assert name_of().path.read_bytes() == CONTENT
    assert hub.ranges[-1] >= 2_000_000
    assert not parts()


def test_wrong_hash_is_refused_and_removed(hub: HubServer) -> None:
    hub.hashes[FILE] = "0" * 64
    with pytest.raises(ModelError, match="its hash is wrong, so it was removed: pull again"):
        pulled()
    assert not name_of().path.exists()
    assert not [part for part in parts() if part.suffix == ".part"]


def test_more_than_was_told_is_refused_and_removed(hub: HubServer) -> None:
    hub.more = 5_000_000
    with pytest.raises(ModelError, match=r"sent more than the .* bytes that it had told"):
        pulled()
    assert not name_of().path.exists()
    assert not [part for part in parts() if part.suffix == ".part"]


@pytest.mark.usefixtures("hub")
def test_missing_file_names_what_is_there() -> None:
    with pytest.raises(ModelError, match=r"no file 'none\.gguf'.*It has q4/tiny\.Q4\.gguf"):
        pulled("ada/tiny-GGUF/none.gguf")


@pytest.mark.usefixtures("hub")
def test_missing_repository_is_said() -> None:
    with pytest.raises(ModelError, match="no repository 'eve/none'"):
        pulled("eve/none/a.gguf")


@pytest.mark.usefixtures("hub")
def test_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9 cannot be reached\..*gguf:PATH"):
        pulled()


def test_silent_server_is_given_up(hub: HubServer) -> None:
    hub.hang_after = 2_000_000
    with pytest.raises(ModelError, match="came for 1 s: pull again to continue"):
        pulled(silence_s=1)


def test_without_the_extra_its_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModelError, match=r"pip install 'ipuaro-jupyter\[local\]'"):
        pulled()


def test_split_weights_are_fetched_together(hub: HubServer, tmp_path: Path) -> None:
    names = [f"ada/big-GGUF/m-0000{number}-of-00002.gguf" for number in (1, 2)]
    hub.files |= {names[0]: b"first", names[1]: b"second"}
    model = open_model(f"gguf:{names[0]}", LlmSettings(), tmp_path)
    assert [step.status for step in model.pull(CancelToken())].count("success") == 2
    assert [name_of(name).path.read_bytes() for name in names] == [b"first", b"second"]
