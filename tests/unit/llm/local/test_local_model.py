"""Models of our own runtime, as far as no process is needed."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from extras import need
from gguf_files import QWEN, write_gguf

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError, ModelMissing
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.local.gguf_file import WeightsHead
from ipuaro_jupyter.llm.local.local_model import LocalModel
from ipuaro_jupyter.llm.local.own_server import computing_lock
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.store.locks import grab

PULLED = "gguf:o/r/q4.gguf"


@pytest.fixture
def runtime() -> None:
    need("xllamacpp", install="pip install '.[local]'")


def opened(name: str, base: Path, **settings: object) -> LocalModel:
    model = open_model(name, LlmSettings.model_validate(settings), base)
    assert isinstance(model, LocalModel)
    return model


def test_file_says_what_the_model_can_do(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", tensors={"a": (7, 3)})
    model = opened("gguf:a.gguf", tmp_path)
    assert (model.context_tokens, model.native_tools, model.parameter_count) == (32_768, True, 21)
    assert model.remote_host is None


def test_window_and_tools_follow_the_settings(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", {**QWEN, "qwen2.context_length": 8192})
    assert opened("gguf:a.gguf", tmp_path).context_tokens == 8192
    small = opened("gguf:a.gguf", tmp_path, context_window=2048, use_native_tools=False)
    assert (small.context_tokens, small.native_tools) == (2048, False)


@pytest.mark.parametrize(
    ("template", "takes"),
    [
        ("{%- if tools %}x{% endif %}", True),
        ("{% for tool in tools %}", True),
        ("{{ messages }} use your tools", False),
        ("", False),
    ],
)
def test_tools_are_sent_where_the_template_takes_them(
    tmp_path: Path, template: str, *, takes: bool
) -> None:
    write_gguf(tmp_path / "a.gguf", {**QWEN, "tokenizer.chat_template": template})
    assert opened("gguf:a.gguf", tmp_path).native_tools is takes


@pytest.mark.usefixtures("runtime")
def test_file_that_was_not_pulled_can_be(tmp_path: Path) -> None:
    model = opened(PULLED, tmp_path)
    for ask in (model.check, lambda: model.prepare(CancelToken())):
        with pytest.raises(ModelMissing, match=f"%ipuaro pull {PULLED}"):
            ask()


@pytest.mark.usefixtures("runtime")
def test_path_without_a_file_is_said_with_both_forms(tmp_path: Path) -> None:
    model = opened("gguf:none.gguf", tmp_path)
    with pytest.raises(ModelError, match=r"There is no file .*none\.gguf.*OWNER/REPO") as raised:
        model.check()
    assert not isinstance(raised.value, ModelMissing)


def test_path_cannot_be_pulled(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a path on this machine: there is nothing to pull"):
        list(opened("gguf:a.gguf", tmp_path).pull(CancelToken()))


def test_pulled_models_are_listed_with_this_one(tmp_path: Path, home: Path) -> None:
    write_gguf(home / "models" / "o" / "r" / "q4.gguf")
    write_gguf(tmp_path / "a.gguf")
    assert opened("gguf:a.gguf", tmp_path).models() == ("gguf:a.gguf", PULLED)
    assert opened(PULLED, tmp_path).models() == (PULLED,)


def test_without_the_extra_its_command_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    write_gguf(tmp_path / "a.gguf")
    with pytest.raises(ModelError, match=r"pip install 'ipuaro-jupyter\[local\]'"):
        opened("gguf:a.gguf", tmp_path).check()


@pytest.mark.usefixtures("runtime")
def test_weights_that_end_too_early_are_to_be_fetched_again(tmp_path: Path, home: Path) -> None:
    for path, name, remedy in (
        (tmp_path / "a.gguf", "gguf:a.gguf", "copy or download it again"),
        (
            home / "models" / "o" / "r" / "q4.gguf",
            PULLED,
            f"pull it again with `%ipuaro pull {PULLED}",
        ),
    ):
        whole = WeightsHead.of(write_gguf(path, tensors={"a": (7, 3)})).least_bytes
        write_gguf(path, tensors={"a": (7, 3)}, size_bytes=whole)
        opened(name, tmp_path).check()
        write_gguf(path, tensors={"a": (7, 3)}, size_bytes=whole - 1)
        with pytest.raises(ModelError, match=f"ends too early, after {whole - 1:,} of.*{remedy}"):
            opened(name, tmp_path).check()


@pytest.mark.usefixtures("runtime")
def test_split_weights_lack_a_file(tmp_path: Path) -> None:
    write_gguf(tmp_path / "m-00001-of-00002.gguf")
    with pytest.raises(ModelError, match=r"There is no file .*m-00002-of-00002\.gguf"):
        opened("gguf:./m-00001-of-00002.gguf", tmp_path).check()


def shared_file(folder: Path) -> Path:
    return write_gguf(folder / "o/r/q4.gguf", tensors={"a": (7, 3)}, size_bytes=100_000)


@pytest.mark.usefixtures("home", "runtime")
def test_file_that_all_users_share_is_there_already(tmp_path: Path) -> None:
    file = shared_file(tmp_path / "models")
    file.chmod(0o444)
    model = opened(PULLED, tmp_path, models_folder=str(tmp_path / "models"))
    model.check()
    assert model.parameter_count == 21
    assert model.models() == (PULLED,)
    assert [step.status for step in model.pull(CancelToken())] == ["success"]


@pytest.mark.usefixtures("runtime")
def test_own_file_comes_before_the_shared_one(home: Path, tmp_path: Path) -> None:
    shared_file(tmp_path / "models")
    write_gguf(home / "models/o/r/q4.gguf", tensors={"a": (5, 5)})
    assert opened(PULLED, tmp_path, models_folder=str(tmp_path / "models")).parameter_count == 25


@pytest.mark.usefixtures("home", "runtime")
@pytest.mark.parametrize("place", ["o/r/q4.gguf", "o/r", "."])
def test_shared_file_that_others_can_change_is_not_loaded(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "models"
    shared_file(folder)
    (folder / place).chmod(0o777)
    model = opened(PULLED, tmp_path, models_folder=str(folder))
    with pytest.raises(ModelError, match=r"not loaded, because others .* pull a copy of your own"):
        model.check()


@pytest.mark.usefixtures("home", "runtime")
def test_damaged_shared_file_is_not_to_be_deleted(tmp_path: Path) -> None:
    write_gguf(tmp_path / "models/o/r/q4.gguf", tensors={"a": (700, 300)})
    model = opened(PULLED, tmp_path, models_folder=str(tmp_path / "models"))
    with pytest.raises(ModelError, match=r"ends too early.*tell whoever looks after the folder"):
        model.check()


@pytest.mark.usefixtures("home", "runtime", "permissions_count")
@pytest.mark.parametrize("is_there", [True, False])
def test_shared_folder_that_cannot_be_read_is_told(tmp_path: Path, *, is_there: bool) -> None:
    folder = tmp_path / "models"
    if is_there:
        shared_file(folder)
        folder.chmod(0)
    model = opened(PULLED, tmp_path, models_folder=str(folder))
    with pytest.raises(ModelMissing, match=rf"nor to be read in {folder} \(llm\.modelsFolder\)"):
        model.check()
    assert model.models() == ()
    if is_there:
        folder.chmod(0o700)


@pytest.mark.usefixtures("home", "runtime")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_shared_file_of_another_user_is_not_loaded(tmp_path: Path) -> None:
    os.chown(shared_file(tmp_path / "models"), 1234, 1234)
    model = opened(PULLED, tmp_path, models_folder=str(tmp_path / "models"))
    with pytest.raises(ModelError, match=r"q4\.gguf' is not loaded"):
        model.check()


def phases(model: LocalModel, cancel: CancelToken) -> Iterator[str | None]:
    hello = [Message(role="user", content="Hello")]
    return (chunk.phase for chunk in model.chat(hello, tools=(), cancel=cancel))


@pytest.mark.usefixtures("runtime")
def test_model_waits_while_another_computes_and_says_so(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", tensors={"a": (7, 3)}, size_bytes=100_000)
    held = grab(computing_lock())
    assert held is not None
    said = phases(opened("gguf:a.gguf", tmp_path), CancelToken())
    assert next(said) == "waiting"
    threading.Timer(0.3, os.close, [held]).start()
    assert next(said) == "loading"
    others = phases(opened("gguf:a.gguf", tmp_path), CancelToken())
    assert next(others) == "waiting"
    said.close()
    assert next(others) == "loading"


@pytest.mark.usefixtures("runtime")
def test_wait_for_another_model_can_be_stopped(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", tensors={"a": (7, 3)}, size_bytes=100_000)
    held = grab(computing_lock())
    assert held is not None
    cancel = CancelToken()
    said = phases(opened("gguf:a.gguf", tmp_path), cancel)
    assert next(said) == "waiting"
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(said)
    os.close(held)


@pytest.mark.usefixtures("runtime")
def test_model_does_not_wait_for_ever(tmp_path: Path) -> None:
    write_gguf(tmp_path / "a.gguf", tensors={"a": (7, 3)}, size_bytes=100_000)
    held = grab(computing_lock())
    assert held is not None
    said = phases(opened("gguf:a.gguf", tmp_path, load_timeout=100), CancelToken())
    assert [next(said), next(said)] == ["waiting", "loading"]
    os.close(held)
