"""A project is opened with little memory, or it is said what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts the address space")
PROGRAM = """
import resource, sys
from ipuaro_jupyter.llm.scripted import ScriptedModel
import ipuaro_jupyter, ipuaro_jupyter.store.client
from ipuaro_jupyter.address_space import left_mb
from ipuaro_jupyter.errors import ProjectError
resource.setrlimit(resource.RLIMIT_AS, (10**12, resource.RLIM_INFINITY))
limit = 10**12 - left_mb() * 10**6 + float(sys.argv[2]) * 10**6
resource.setrlimit(resource.RLIMIT_AS, (int(limit), resource.RLIM_INFINITY))
try:
    with ipuaro_jupyter.start(sys.argv[1], model=ScriptedModel([])) as assistant:
        print(assistant.call("find_definition", {"symbol": "here"}).output.definitions[0].path)
except ProjectError as error:
    print(error)
"""


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("megabytes", "told"), [(50, "ulimit -v"), (500, "a.ts")])
def test_little_memory_is_enough_or_told(tmp_path: Path, megabytes: int, told: str) -> None:
    (tmp_path / "a.ts").write_text("export const here = 1\n" * 2_000)
    program = [sys.executable, "-c", PROGRAM, str(tmp_path), str(megabytes)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert told in done.stdout, done.stderr
