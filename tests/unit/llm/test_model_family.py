"""What a model's name tells of it."""

import pytest

from ipuaro_jupyter.llm.model_family import families, family_of, parameters_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("qwen2.5-coder:7b-instruct", "qwen2.5-coder"),
        ("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder"),
        ("gguf:/srv/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen2.5-coder"),
        ("hf.co/bartowski/Qwen2.5-Coder-14B-Instruct-GGUF:Q4_K_M", "qwen2.5-coder"),
        ("qwen3:8b", "qwen3"),
        ("qwen3:4b-instruct", "qwen3-instruct-2507"),
        ("Qwen3-4B-Instruct-2507-Q4_K_M.gguf", "qwen3-instruct-2507"),
        ("openai:qwen3-coder-30b-a3b-instruct", "qwen3-coder"),
        ("gemma3:4b", "gemma3"),
        ("gemma-3-12b-it-Q4_0.gguf", "gemma3"),
        ("gpt-oss:20b", "gpt-oss"),
        ("granite3.3:8b", "granite"),
        ("granite-4.0-h-micro-Q4_K_M.gguf", "granite"),
        ("llama3.2:3b", "llama3"),
        ("Meta-Llama-3.1-8B-Instruct", "llama3"),
        ("phi4", "phi4"),
        ("phi4-mini:3.8b", "phi4-mini"),
        ("devstral:24b", "devstral"),
        ("mistralai/Ministral-3-8B-Instruct-2512", "ministral3"),
        ("LFM2-1.2B-Q4_K_M.gguf", "lfm2"),
        ("LFM2.5-1.2B-Instruct", "lfm2.5"),
        ("deepseek-r1:8b", "deepseek-r1"),
        ("DeepSeek-R1-0528-Qwen3-8B-Q4_K_M.gguf", "deepseek-r1"),
        ("deepseek-coder-v2:16b", "deepseek-coder-v2"),
        ("gguf:unsloth/Qwen3-8B-GGUF/q4.gguf", "qwen3"),
    ],
)
def test_name_tells_the_family(name, family):
    found = family_of(name)
    assert found is not None
    assert found.name == family


@pytest.mark.parametrize(
    "name",
    [
        "scripted",
        "",
        "qwen3.5:9b",
        "qwen3-vl:8b",
        "gemma3n:e4b",
        "phi4-mini-reasoning",
        "llama3:8b",
    ],
)
def test_family_that_no_file_describes_is_unknown(name):
    assert family_of(name) is None


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("qwen2.5-coder:1.5b", 1.5),
        ("Qwen2.5-Coder-1.5B-Instruct-Q4_K_M.gguf", 1.5),
        ("gemma3:4b", 4),
        ("mixtral:8x7b", 56),
        ("Qwen3-30B-A3B-Q4_K_M.gguf", 30),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", 0.135),
        ("gguf:unsloth/Qwen3-8B-GGUF/q4.gguf", 8),
        ("phi4", None),
        ("gemma3n:e4b", None),
        ("model-4bit.gguf", None),
    ],
)
def test_name_tells_the_parameters(name, billions):
    assert parameters_of(name) == billions


def test_what_is_counted_comes_before_the_name():
    assert parameters_of("phi4", 14_659_507_200) == pytest.approx(14.66, abs=0.01)
    assert parameters_of("my-7b", 494_032_768) == pytest.approx(0.494, abs=0.001)


def test_every_family_says_something_of_use():
    found = families()
    assert len(found) >= 15
    for family in found:
        assert family.window or family.sampling.model_dump(exclude_none=True)
        assert list(family.sizes) == sorted(family.sizes)


def test_sampling_differs_while_it_thinks():
    qwen = family_of("qwen3:8b")
    assert qwen is not None
    assert (qwen.sampled(thinks=False).temperature, qwen.sampled(thinks=False).top_p) == (0.7, 0.8)
    assert (qwen.sampled(thinks=True).temperature, qwen.sampled(thinks=True).top_p) == (0.6, 0.95)
    coder = family_of("qwen2.5-coder")
    assert coder is not None
    assert coder.sampled(thinks=True) == coder.sampled(thinks=False)


def test_a_file_is_as_large_as_the_next_listed_size():
    coder = family_of("qwen2.5-coder")
    assert coder is not None
    assert [coder.gigabytes(size) for size in (1.5, 1.54, 7.6, 6, 70)] == [1.0, 1.0, 4.7, 4.7, None]
