"""The callers of classes and constructors that do not name the class."""

import pytest
from annotated import project_files

from ipuaro_jupyter.index.relations.callers import Callers

BOX = "export class Box { constructor(n: number) {} static made = 1; clone() {} }\n"


@pytest.fixture
def calls(make_index):
    """Return a function from files and a target to its calls: path, line, caller, kind, through."""

    def find(files, *target):
        index, _ = make_index(files)
        found = index.ask(lambda asked: Callers(asked).of([target], depth=1))
        return [(one.path, one.line, one.caller, one.kind, one.through) for one in found.calls]

    return find


@pytest.mark.parametrize("name", ["Box", "Box.constructor"])
@pytest.mark.parametrize(
    ("member", "caller"),
    [
        ("static make() { return new this(1) }", "Box.make"),
        ("static make() { const self = this; return new self(1) }", "Box.make"),
        ("static make = () => new this(1)", "Box.make"),
        ("copy() { return new this.constructor(1) }", "Box.copy"),
        ("copy() { return new (this.constructor as any)(1) }", "Box.copy"),
        ("copy() { return new (<any>this).constructor(1) }", ""),
        ("copy() { const K = Box; return new K(1) }", "Box.copy"),
        ("copy(other: Box) { return new other.constructor(1) }", "Box.copy"),
        ("copy() { return new this.made(1) }", ""),
        ("static make() { return new this.other(1) }", ""),
    ],
)
def test_the_class_is_called_by_what_stands_for_it_in_its_own_members(calls, name, member, caller):
    files = {"a.ts": f"export class Box {{ constructor(n: number) {{}}\n{member}\n}}\n"}
    expected = [("a.ts", 2, caller, "new", None)] if caller else []
    assert calls(files, "a.ts", name) == expected


@pytest.mark.parametrize(
    "line",
    [
        "const cls = Box; new cls(1)",
        "let C: typeof Box; new C(1)",
        "const table = { box: Box }; new table.box(1)",
        "const table = { Box }; new table['Box'](1)",
        "const all = [Box]; new all[0](1)",
        "const get = () => Box; new (get())(1)",
        "const f = (C = Box) => new C(1)",
        "const f = (C: typeof Box) => new C(1)",
        "const { C } = { C: Box }; new C(1)",
        "const C = Math.random() ? Box : Other; new C(1)",
        "class User { kind = Box; make() { return new this.kind(1) } }",
    ],
)
def test_a_value_with_the_type_of_the_class_is_called(calls, line):
    text = f"import {{ Box }} from './a'\nclass Other {{}}\n{line}\n"
    for target in ("Box", "Box.constructor"):
        found = calls({"a.ts": BOX, "use.ts": text}, "a.ts", target)
        assert [(path, at, kind) for path, at, _, kind, _ in found] == [("use.ts", 3, "new")]


def test_what_names_the_class_is_listed_once(calls):
    text = (
        "import { Box, Box as B } from './a'\nimport * as ns from './a'\n"
        "new Box(1); new B(2)\nnew ns.Box(3)\nconst c = Box\nnew Other(c); new Map()\n"
        "class Other { constructor(c: unknown) {} }\n"
    )
    found = calls({"a.ts": BOX, "use.ts": text}, "a.ts", "Box")
    assert [at for _, at, *_ in found] == [3, 3, 4]


def test_heirs_that_inherit_the_constructor_count_for_it(calls):
    files = {
        "a.ts": BOX,
        "b.ts": "import { Box } from './a'\n"
        "export class Heir extends Box {\nstatic make() { return new this(1) }\n}\n"
        "export class Own extends Box {\nconstructor() { super(1) }\n"
        "static make() { return new this() }\n}\n",
    }
    assert calls(files, "a.ts", "Box.constructor") == [
        ("b.ts", 3, "Heir.make", "new", "Heir"),
        ("b.ts", 6, "Own.constructor", "super", None),
    ]
    assert calls(files, "a.ts", "Box") == []
    assert calls(files, "b.ts", "Own.constructor") == [("b.ts", 7, "Own.make", "new", None)]


PYTHON = project_files("unnamed_constructions")["box.py"]


@pytest.mark.parametrize("name", ["Box", "Box.__init__"])
def test_a_python_class_is_called_by_what_stands_for_it_in_its_methods(calls, name):
    assert calls({"a.py": PYTHON}, "a.py", name) == [
        ("a.py", 5, "Box.make", "call", None),
        ("a.py", 8, "Box.typed", "call", None),
        ("a.py", 10, "Box.copy", "call", None),
        ("a.py", 12, "Box.again", "call", None),
        ("a.py", 15, "Box.named", "call", None),
        ("a.py", 25, "Box.__new__", "call", None),
    ]


def test_heirs_of_a_python_class_that_inherit_the_constructor_count_for_it(calls):
    heir = (
        "from a import Box\nclass Heir(Box):\n    @classmethod\n    def make(cls): return cls(1)\n"
    )
    found = calls({"a.py": PYTHON, "b.py": heir}, "a.py", "Box.__init__")
    assert found[-1] == ("b.py", 4, "Heir.make", "call", "Heir")


def test_functions_and_interfaces_have_no_such_calls(calls):
    text = "export function f(this: any) { return new this() }\nconst g = f\nnew g()\n"
    assert calls({"a.ts": text}, "a.ts", "f") == []
