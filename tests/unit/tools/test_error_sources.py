"""What has made the value of an error, or has written what its message quotes."""

import sys

import pytest
from shells import cells, notebook, one_shell

__all__ = ["cells", "notebook", "one_shell"]

VALUES = """\
class Rows:
    def __iter__(self):
        return size()


def size():
    return 5


class Queue:
    def __init__(self):
        self.jobs = []


def made():
    return None


def fill(queue):
    queue.jobs.append(made())


def start(job):
    return job.name


def run(queue):
    return list(map(start, queue.jobs))


def outer(name, kind="a"):
    def inner():
        return len(kind) + len(name)

    return inner()


def middle():
    return outer(made())


def decorated(cls):
    return cls.__name__.upper()


def decorate(cls):
    return decorated(cls)


class Part:
    size = 1


class Whole:
    size: int

    def __init__(self):
        setattr(self, "name", "w")


def measure(one):
    return one.size
"""
WORDS = """\
import json


def check(value):
    return {"code": "too_big", "origin": "list", "value": value}


def other(value):
    return {"code": "too_big", "origin": "text", "value": value}


def fail(issue):
    raise ValueError(json.dumps(issue))


def script(is_async):
    return "async for one in rows: pass" if is_async else ""


def compiled(code):
    return compile(code, "made", "exec")


def names(one):
    return "__checked_member_" + one


def evaluated(name):
    return eval(name)


def alike_a(value):
    return {"kind": "same", "of": "all"}


def alike_b(value):
    return {"kind": "same", "of": "all"}


def alike_c(value):
    return {"kind": "same", "of": "all"}


def alike_blue(value):
    return {"kind": "same", "of": "all"}


def blue():
    raise ValueError(json.dumps({"kind": "same", "of": "all"}))
"""


@pytest.fixture
def project(notebook, monkeypatch):
    """The open project, whose modules the cells can import."""
    assistant = notebook({"values.py": VALUES, "words.py": WORDS})
    monkeypatch.syspath_prepend(str(assistant.root))
    yield assistant
    for name in ("values", "words"):
        sys.modules.pop(name, None)


def places(assistant):
    found = assistant.call("last_error", {}, by_user=False).output.places
    return [(one.declared.partition(",")[0], one.why) for one in found]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("list(values.Rows())", ("Rows.__iter__", "may have been called")),
        (
            "queue = values.Queue()\nvalues.fill(queue)\nvalues.run(queue)",
            ("made", "called at values.py:20"),
        ),
        ("values.middle()", ("made", "called on line 39")),
        (
            "values.measure(values.Whole())",
            ("Whole.__init__", "makes the Whole, which has no size"),
        ),
        ("values.decorate(None)", ("", "")),
    ],
)
def test_what_made_the_value_comes_second(project, cells, code, expected):
    cells.run(f"import values\n{code}")
    assert places(project)[1] == expected


QUOTED = "writes what the error quotes"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("words.fail(words.check(1))", [("check", QUOTED)]),
        ("words.compiled(words.script(True))", [("script", QUOTED)]),
        ("words.evaluated('__checked_member_size')", [("names", QUOTED)]),
        ("words.fail({'kind': 'same', 'of': 'all'})", []),
        ("words.fail({'kind': 'same', 'of': 'nothing'})", []),
        ("words.evaluated('no_such_name_at_all')", []),
    ],
)
def test_what_the_message_quotes_was_written_somewhere(project, cells, code, expected):
    cells.run(f"import words\n{code}")
    assert [one for one in places(project) if one[1] == QUOTED] == expected
    assert places(project)[1 : 1 + len(expected)] == expected


def test_what_a_constant_was_assigned_is_what_a_call_of_it_means(notebook, cells):
    assistant = notebook(
        {
            "src/engine.ts": "class Engine {\n  run = () => {\n    return undefined;\n  };\n}\n"
            "const engine = new Engine();\nexport const run = engine.run.bind(engine);\n",
            "src/main.ts": 'import { run } from "./engine";\nconst [a, b] = run();\n',
        }
    )
    printed(cells, "TypeError: undefined is not iterable", (assistant.root, "src/main.ts:2:16"))
    assert places(assistant)[1] == ("Engine", "read in run")


def test_an_error_that_was_caught_and_printed_comes_behind_a_check_of_the_result(notebook, cells):
    assistant = notebook(
        {
            "main.ts": 'import { run } from "./lib";\nfunction same(a: any) {\n  throw 1;\n'
            "}\nsame(run());\n",
            "lib.ts": "export function run() {\n  try {\n    return lost();\n  } catch {}\n}\n",
        }
    )
    root = assistant.root
    printed(
        cells,
        *("[lib] caught", "TypeError: lost is not a function", (root, "lib.ts:3:12")),
        *("Error: no", (root, "main.ts:3:9"), (root, "main.ts:5:1")),
    )
    found = assistant.call("last_error", {}, by_user=False).output.places
    assert [one.where for one in found[:2]] == ["main.ts:3", "lib.ts:3"]


def printed(cells, *told):
    """Run a command that prints lines and frames, and fails."""
    lines = [one if isinstance(one, str) else f"    at run ({one[0]}/{one[1]})" for one in told]
    code = "import sys; sys.exit(" + repr("\n".join(lines)) + ")"
    cells.run(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {code!r}], check=True, capture_output=True)"
    )
