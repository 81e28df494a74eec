"""The embedded server takes no more than `redis.maxMemoryMb`, and keeps what it has."""

import json
from contextlib import suppress

import pytest
from servers import become

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import embedded
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import project_id
from ipuaro_jupyter.store.projects import forget

LIMITED = {"redis": {"maxMemoryMb": 8}}
EDIT = (
    '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
    "<content>const a = {};</content></tool_call>"
)
READ = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'


@pytest.fixture
def limited(home):
    """A store of 8 MB; its server is ended afterwards."""
    (home / "settings.json").write_text(json.dumps(LIMITED))
    store = connect(StoreSettings(max_memory_mb=8))
    yield store
    store.close()
    embedded.stop()


def fill(store):
    """Fill the store to the last kilobytes."""
    with suppress(StorageError):
        for number in range(10_000):
            store.set(f"filling{number}", b"x" * 2000)


def has_room(store):
    with suppress(StorageError):
        return store.set("more", b"x")


def empty(store):
    for key in store.scan("filling*"):
        store.delete(key)


def test_a_full_store_refuses_and_keeps_what_it_has(limited, make_project, open_assistant):
    root = make_project({"a.ts": "const a = 1;\n"})
    assistant = open_assistant(
        root, [READ, EDIT.format(2), "Done.", EDIT.format(3), "No."], auto_apply=True
    )
    assistant.ask("Make it two")
    assert (root / "a.ts").read_text() == "const a = 2;\n"
    fill(limited)
    with pytest.raises(StorageError, match=r"is full: .*redis\.maxMemoryMb.*`ipuaro forget PATH`"):
        assistant.ask("Make it three")
    assert (root / "a.ts").read_text() == "const a = 2;\n"
    empty(limited)
    assistant.undo()
    assert (root / "a.ts").read_text() == "const a = 1;\n"


def test_projects_can_be_forgotten_in_a_full_store(limited, make_project, open_assistant):
    code = "".join(f"export function f{n}() {{ return g{n}(); }}\n" for n in range(2000))
    root = make_project({"a.ts": code})
    open_assistant(root, [])
    fill(limited)
    assert forget(limited, project_id(root))
    assert become(lambda: has_room(limited)), "it is freed in the background"


def test_another_limit_holds_for_a_running_server(limited):
    fill(limited)
    other = connect(StoreSettings(max_memory_mb=10))
    other.set("more", b"x" * 500_000)
    other.close()
    back = connect(StoreSettings(max_memory_mb=8))
    with pytest.raises(StorageError, match="is full"):
        back.set("more still", b"x")
    back.close()
