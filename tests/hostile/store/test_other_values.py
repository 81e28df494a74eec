"""Each kind of key holds something else, garbage or nothing on the server: a user is told, or not.

What can be made anew is; anything else is told in a sentence. No answer is made up.
"""

import json
import re
import time

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cli.store_stats import store_stats
from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.store.keys import project_id

FILES = {
    "src/fee.ts": "export function fee(kg: number): number {\n  return kg * 2\n}\n",
    "src/ten.ts": "import { fee } from './fee'\nexport const ten = fee(10) // TODO: more\n",
    "src/two.ts": "import { ten } from './ten'\nexport const two = ten / 5\n",
}
READ = '<tool_call name="get_lines">\n<path>src/fee.ts</path>\n</tool_call>'
INDEX = (
    *("ast", "definitions", "dependencies", "dependents", "file_ids", "files", "index_info"),
    *("file_words", "words"),
    *("lookup_files", "lookups", "meta", "modules", "postings", "symbols", "tokens"),
)
SESSION = (
    *("actions", "decisions", "found", "head", "messages", "meta", "owner", "redo", "shown"),
    "undo",
)
KINDS = (
    *(f"project:{{}}:{name}" for name in INDEX),
    *(f"project:{{}}:session:*:{name}" for name in SESSION),
    *(f"project:{{}}:{name}" for name in ("history", "info", "known", "opened", "sessions")),
    *("projects", "tokens:{}:DAY"),
)
TRANSIENT = {"project:{}:lock", "project:{}:sessions:lock", "project:{}:known_before"}
"""Keys that are there at times; whatever holds their places is made anew."""
QUESTIONS = (
    ("find_definition", {"symbol": "fee"}),
    ("find_references", {"symbol": "fee"}),
    ("get_callers", {"symbol": "fee"}),
    ("get_dependencies", {"path": "src/ten.ts"}),
    ("get_dependents", {"path": "src/fee.ts"}),
    ("get_complexity", {}),
    ("get_todos", {}),
    ("get_structure", {}),
    ("get_function", {"path": "src/fee.ts", "name": "fee"}),
    ("grep", {"pattern": "fee"}),
    ("find_definition", {"symbol": "two"}),
)
TYPED = ("/status", "/sessions", "/diff", "/undo --list", "/undo", "/redo", "/todos", "/complexity")
RAW = re.compile(
    r"WRONGTYPE|ResponseError|Traceback|refused a command|codec|invalid literal|not an integer"
)
TYPES = {
    "string": ("SET", "x"),
    "list": ("RPUSH", "x"),
    "hash": ("HSET", *"abcdefghijklmnopqrstuvwx"),
    "set": ("SADD", "x"),
    "zset": ("ZADD", "1", "x"),
}
GARBAGE = b"\xff\x00 garbage"


def kind_of(key):
    name = re.sub(r"session:[^:]+", "session:*", key.removeprefix("ipuaro:v1:"))
    return re.sub(r":\d{4}-\d\d-\d\d$", ":DAY", re.sub(r"\{[^}]*\}", "{}", name))


def keys_of(store, kind, assistant):
    """The keys of a kind, of this project alone where projects have their own."""
    own = f"{{{project_id(assistant.root)}}}"
    found = [key for key in map(bytes.decode, store.scan("ipuaro:*")) if kind_of(key) == kind]
    return [key for key in found if own in key or not kind.startswith("project:")]


def harmed(store, key, harm):
    """Do something to a key; return whether there is something else now."""
    own = store._run("TYPE", key).decode()
    if harm in TYPES and harm != own:
        store.delete(key)
        name, *values = TYPES[harm]
        store._run(name, key, *values)
    elif harm == "gone":
        store.delete(key)
    elif harm == "garbage" and own == "string":
        store.set(key, GARBAGE)
    elif harm == "garbage" and own == "list":
        count = store.llen(key)
        store.delete(key)
        store.rpush(key, *[GARBAGE] * count)
    elif harm == "garbage" and own == "hash":
        store.hset(key, {**dict.fromkeys(store.hkeys(key), GARBAGE), GARBAGE: GARBAGE})
    elif harm == "garbage":
        store._run("ZADD", key, "9e9", GARBAGE)
    else:
        return False
    return True


def edit(factor):
    return (
        '<tool_call name="edit_lines">\n<path>src/fee.ts</path>\n<start>2</start>\n'
        f"<end>2</end>\n<content>  return kg * {factor}</content>\n</tool_call>"
    )


@pytest.fixture
def opened(open_assistant, make_project):
    """Return a function that opens a project in which something was asked, changed and undone."""
    root = make_project(FILES)

    def open_it(*replies):
        return open_assistant(
            root,
            ScriptedModel([*replies, READ, "So it is."]),
            settings={"llm": {"max_tokens_per_day": 10**9}},
            confirm=lambda _proposal: True,
        )

    first = open_it(READ, edit(3), "It is 3.", edit(4), "It is 4.")
    first.ask("Make it 3")
    first.ask("Make it 4")
    first.undo()
    first.close()
    return open_it


def tried(use):
    """What a user reads: a result or an error of ours as text; any other error rises."""
    try:
        found = use()
    except IpuaroError as error:
        return str(error)
    return found.text if hasattr(found, "ended") else str(found)


def answers(assistant):
    """What the tools find of the index, which is always to be whole."""
    found = []
    for tool, given in QUESTIONS:
        result = assistant.call(tool, given)
        assert result.error is None, (tool, result.error)
        found.append(result.output.text())
    return found


def used(store, assistant):
    """What a user reads of all else."""
    views = ("sessions", "inputs", "decisions", "transcript", "undoable", "index_report")
    told = [*assistant.notices, *(tried(getattr(assistant, view)) for view in views)]
    told.append(tried(lambda: assistant.status(stored=True)))
    told += [tried(lambda line=line: assistant.ask(line)) for line in TYPED]
    told.append(tried(lambda: assistant.ask("Read it")))
    told.append(tried(lambda: json.dumps(store_stats(store).to_dict())))
    return told


def test_the_kinds_are_those_that_are_written(opened, store):
    living = opened()
    living.ask("Read it")
    found = {kind_of(key.decode()) for key in store.scan("ipuaro:*")}
    found = {kind for kind in found if "{}:facts" not in kind and ":new:" not in kind}
    assert found - TRANSIENT == set(KINDS)


@pytest.mark.long
@pytest.mark.parametrize("harm", [*TYPES, "garbage", "gone"])
@pytest.mark.parametrize("kind", [*KINDS, *sorted(TRANSIENT)])
def test_whatever_a_key_holds_is_made_anew_or_told(opened, store, kind, harm):
    living = opened()
    whole = answers(living)
    for is_open in (True, False):
        if not is_open:
            living.close()
        if kind in TRANSIENT:
            name = kind.replace("{}", f"{{{project_id(living.root)}}}")
            store.set(f"ipuaro:v1:{name}", b"x")
        keys = keys_of(store, kind, living)
        assert keys or not is_open or kind.endswith(":owner"), "there is none"
        if not [key for key in keys if harmed(store, key, harm)] and is_open:
            pytest.skip("that is its type")
        if not is_open:
            living = opened()
        began = time.monotonic()
        assert answers(living) == whole
        told = used(store, living)
        assert time.monotonic() - began < 30
        assert [one for one in told if RAW.search(one)] == []
    assert "So it is." in told, "the project cannot be used after it was opened again"


@pytest.mark.parametrize("harm", ["set", "garbage"])
def test_a_project_whose_every_key_is_something_else_opens(opened, store, harm):
    living = opened()
    whole = answers(living)
    living.close()
    for kind in KINDS:
        for key in keys_of(store, kind, living):
            harmed(store, key, harm)
    again = opened()
    assert answers(again) == whole
    told = used(store, again)
    assert [one for one in told if RAW.search(one)] == []
    assert "So it is." in told
