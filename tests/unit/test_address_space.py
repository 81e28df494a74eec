"""The memory of a container: what is left of it, and what is done with little."""

import pytest

from ipuaro_jupyter import address_space, control_groups, start
from ipuaro_jupyter.llm.scripted import ScriptedModel

MB = 10**6


@pytest.fixture
def limit(tmp_path, monkeypatch):
    """Return a function that gives this process a container with a limit, in MB."""

    def give(most, used=0, version=2):
        names = ("memory.max", "memory.current")
        if version == 1:
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
        folder = tmp_path / ("memory/pod" if version == 1 else "pod")
        folder.mkdir(parents=True)
        (folder / names[0]).write_text(most if isinstance(most, str) else str(most * MB))
        (folder / names[1]).write_text(str(used * MB))
        own = tmp_path / "own"
        own.write_text("4:memory:/pod\n" if version == 1 else "0::/pod\n")
        monkeypatch.setattr(control_groups, "_GROUPS", tmp_path)
        monkeypatch.setattr(control_groups, "_OWN", own)

    return give


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("most", "used", "processes"), [(300, 0, 1), (1000, 590, 2), (1000, 250, 6), (9000, 0, 8)]
)
def test_as_many_processes_parse_as_fit(limit, version, most, used, processes):
    limit(most, used, version)
    assert address_space.most_processes(8) == processes


@pytest.mark.parametrize(("most", "version"), [("max", 2), (str(2**63 - 4096), 1)])
def test_without_a_limit_all_processes_parse(limit, most, version):
    limit(most, 0, version)
    assert address_space.most_processes(8) == 8
    assert address_space.scarcity() == ""


def test_little_memory_of_a_container_is_told(limit):
    limit(1000, 900)
    assert address_space.is_short()
    assert "leaves 100 MB" in address_space.scarcity()


@pytest.mark.usefixtures("home")
def test_a_project_in_a_small_container_is_opened_with_a_notice(limit, make_project):
    limit(300)
    root = make_project({"a.ts": "export const here = 1\n"})
    with start(root, model=ScriptedModel([])) as assistant:
        assert any("memory limit of this container" in told for told in assistant.notices)
        found = assistant.call("find_definition", {"symbol": "here"}).output
    assert found.definitions[0].path == "a.ts"
