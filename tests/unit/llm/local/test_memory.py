"""Whether a model fits, and what a container leaves."""

from pathlib import Path

import psutil
import pytest
from gguf_files import write_gguf

from ipuaro_jupyter.llm.local.server_process import available_bytes, too_little, usable_cores

GB = 10**9


def test_model_that_fits_is_silent(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", size_bytes=5 * GB)
    assert too_little(path, 32_768, 8 * GB) is None


def test_weights_that_do_not_fit_are_said_with_the_remedy(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", size_bytes=5 * GB)
    said = too_little(path, 8192, 4 * GB)
    assert said is not None
    assert "a.gguf needs about 5.6 GB" in said
    assert "5.0 GB for the weights" in said
    assert "0.5 GB for a window of 8192 tokens" in said
    assert "4.0 GB are left" in said
    assert "smaller model or a smaller llm.contextWindow (now 8192)" in said


def test_a_smaller_window_can_be_enough(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", size_bytes=5 * GB)
    assert too_little(path, 32_768, 6 * GB) is not None
    assert too_little(path, 4096, 6 * GB) is None


def groups(tmp_path: Path, files: dict[str, str], own: str) -> tuple[Path, Path]:
    root = tmp_path / "groups"
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    names = tmp_path / "own"
    names.write_text(own)
    return root, names


@pytest.mark.parametrize(
    ("files", "own", "left"),
    [
        (
            {
                "pod/memory.max": "1000000",
                "pod/memory.current": "800000",
                "pod/memory.stat": "anon 5\ninactive_file 100000\nactive_file 50000\n",
            },
            "0::/pod/app\n",
            350_000,
        ),
        ({"memory.max": "300000\n", "memory.current": "100000\n"}, "0::/\n", 200_000),
        (
            {
                "memory/x/memory.limit_in_bytes": "900000",
                "memory/x/memory.usage_in_bytes": "500000",
                "memory/x/memory.stat": "total_inactive_file 1000\n",
            },
            "5:cpu:/x\n4:memory:/x\n",
            401_000,
        ),
        ({"memory.max": "100", "memory.current": "500"}, "0::/\n", 0),
    ],
)
def test_limit_of_the_container_counts(
    tmp_path: Path, files: dict[str, str], own: str, left: int
) -> None:
    assert available_bytes(*groups(tmp_path, files, own)) == left


@pytest.mark.parametrize("own", ["0::/\n", "0::/../../etc\n", "nonsense", ""])
def test_without_a_limit_the_machines_memory_counts(tmp_path: Path, own: str) -> None:
    files = {"memory.max": "max", "memory.current": "1"}
    left = available_bytes(*groups(tmp_path, files, own))
    assert left > psutil.virtual_memory().available / 2


def test_quota_of_cores_counts(tmp_path: Path) -> None:
    assert usable_cores(*groups(tmp_path, {"a/cpu.max": "100000 100000"}, "0::/a\n")) == 1
    free = usable_cores(*groups(tmp_path, {"a/cpu.max": "max 100000"}, "0::/a\n"))
    assert 1 <= free <= (psutil.cpu_count() or 1)


def test_split_weights_count_together(tmp_path: Path) -> None:
    first = write_gguf(tmp_path / "m-00001-of-00002.gguf", size_bytes=3 * GB)
    write_gguf(tmp_path / "m-00002-of-00002.gguf", size_bytes=3 * GB)
    said = too_little(first, 4096, 5 * GB)
    assert said is not None
    assert "6.0 GB for the weights" in said
