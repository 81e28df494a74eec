"""The heads of files of weights."""

from pathlib import Path

import pytest
from gguf_files import QWEN, write_gguf

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.local.gguf_file import WeightsHead


def test_head_says_what_the_model_is(tmp_path: Path) -> None:
    head = WeightsHead.of(
        write_gguf(tmp_path / "a.gguf", tensors={"a": (3, 4), "b": (5,), "c": (2, 2, 2)})
    )
    assert (head.architecture, head.trained_window) == ("qwen2", 32_768)
    assert head.parameter_count == 12 + 5 + 8
    assert head.vocabulary == 5000
    assert "tools" in head.template


def test_cache_is_that_of_the_heads_that_are_kept(tmp_path: Path) -> None:
    """28 layers, 4 heads of 128 values, for keys and values, 2 bytes each."""
    head = WeightsHead.of(write_gguf(tmp_path / "a.gguf"))
    assert head.cache_bytes(1000) == 28 * 4 * 128 * 2 * 2 * 1000


def test_cache_of_layers_that_look_back_a_little_is_smaller(tmp_path: Path) -> None:
    values = {
        **{key.replace("qwen2", "gemma3"): value for key, value in QWEN.items()},
        "general.architecture": "gemma3",
        "gemma3.attention.sliding_window": 512,
    }
    head = WeightsHead.of(write_gguf(tmp_path / "a.gguf", values))
    each = 4 * 128 * 2 * 2
    assert head.cache_bytes(10_000) == each * (4 * 10_000 + 24 * 512)


def test_cache_of_layers_that_differ_is_their_sum(tmp_path: Path) -> None:
    values = {**QWEN, "qwen2.attention.head_count_kv": [0] * 20 + [2] * 8}
    head = WeightsHead.of(write_gguf(tmp_path / "a.gguf", values))
    assert head.cache_bytes(100) == 8 * 2 * 128 * 2 * 2 * 100


def test_cache_of_latent_attention_is_one_vector_per_layer(tmp_path: Path) -> None:
    values = {**QWEN, "qwen2.attention.kv_lora_rank": 512, "qwen2.rope.dimension_count": 64}
    head = WeightsHead.of(write_gguf(tmp_path / "a.gguf", values))
    assert head.cache_bytes(100) == 28 * 576 * 2 * 100


def test_whole_file_holds_the_last_tensor(tmp_path: Path) -> None:
    """Tensors of 4-byte numbers from the first multiple of 32 after the head."""
    path = write_gguf(tmp_path / "a.gguf", tensors={"a": (3, 4), "b": (5,)})
    begin = -(-path.stat().st_size // 32) * 32
    assert WeightsHead.of(path).least_bytes == begin + 12 * 4


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf")
    WeightsHead.of(path)
    write_gguf(path, {**QWEN, "qwen2.context_length": 4096, "general.name": "other"})
    assert WeightsHead.of(path).trained_window == 4096


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"PK\x03\x04 something else that is longer",
        b"GGUF\x01\0\0\0" + b"\0" * 16,
        b"GGUF\x03\0\0\0" + b"\xff" * 16,
        b"GGUF\x03\0\0\0" + b"\0" * 8 + b"\x01" + b"\0" * 7 + b"\xff" * 8,
        b"GGUF\x03\0\0\0" + b"\0" * 8 + b"\x01" + b"\0" * 7 + b"\x01" + b"\0" * 7 + b"a\x63\0\0\0",
    ],
)
def test_other_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="no file of weights in the GGUF format"):
        WeightsHead.of(path)


@pytest.mark.parametrize("kept", [20, 100, 1000, 60_000])
def test_file_that_ends_too_early_is_refused(tmp_path: Path, kept: int) -> None:
    path = write_gguf(tmp_path / "a.gguf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ModelError, match="no file of weights"):
        WeightsHead.of(path)


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.gguf"):
        with pytest.raises(ModelError, match="Cannot read"):
            WeightsHead.of(path)
