"""Which places a rename in Python changes."""

from renames import by_name


def test_python_imports_attributes_and_the_strings_that_are_names(rename):
    files = {
        "pk/__init__.py": "from .core import area\n__all__ = ['area', 'x']\n__all__ += ['area']\n",
        "pk/core.py": '"""area"""\ndef area(w): return w\nx = {"area": area}\n',
        "area.py": "import area\nfrom area import other\nfrom pk import area as a\n",
        "use.py": "import pk.core as c\nimport pk\nfrom pk import *\n"
        "c.area(1), pk.area(2), area(3)\ndef f(area): return area\nf(area=1)\nunknown.area\n",
    }
    renaming, lines = rename(files, "pk/core.py", "area", "surface")
    assert lines == {
        "pk/__init__.py:1": "from .core import surface",
        "pk/__init__.py:2": "__all__ = ['surface', 'x']",
        "pk/__init__.py:3": "__all__ += ['surface']",
        "pk/core.py:2": "def surface(w): return w",
        "pk/core.py:3": 'x = {"area": surface}',
        "area.py:3": "from pk import surface as a",
        "use.py:4": "c.surface(1), pk.surface(2), surface(3)",
    }
    assert by_name(renaming) == ["use.py:7"]
    assert renaming.public == ("pk/core.py",)


def test_python_annotations_in_quotes_and_repeated_names(rename):
    files = {
        "a.py": "from typing import Literal, List, Optional, TypeVar, cast\n"
        'class Node:\n    def next(self) -> "Optional[Node]": ...\n'
        '    other: List["Node"]\n    word: Literal["Node"]\n'
        'T = TypeVar("T", bound="Node")\nNodes = List["Node"]\n'
        'n = cast("Node", 1)\ntext = "Node"\nd = {}\nd["Node"]\n',
        "b.py": 'import a\ndef f(n: "a.Node"): ...\n',
    }
    assert rename(files, "a.py", "Node", "Item")[1] == {
        "a.py:2": "class Item:",
        "a.py:3": '    def next(self) -> "Optional[Item]": ...',
        "a.py:4": '    other: List["Item"]',
        "a.py:6": 'T = TypeVar("T", bound="Item")',
        "a.py:7": 'Nodes = List["Item"]',
        "a.py:8": 'n = cast("Item", 1)',
        "b.py:2": 'def f(n: "a.Item"): ...',
    }
    assert rename(files, "a.py", "T", "U")[1] == {"a.py:6": 'U = TypeVar("U", bound="Node")'}


def test_python_members_fields_in_calls_and_globals(rename):
    files = {
        "a.py": "from dataclasses import dataclass\n@dataclass\nclass Pt:\n    x: int\n"
        "    def m(self): return self.x\nclass Sub(Pt):\n    def m(self): return super().m()\n"
        "Pt(x=1).x\nSub(x=2)\nCOUNT = 0\ndef f(x):\n    global COUNT\n    COUNT += 1\nf(x=1)\n",
    }
    assert rename(files, "a.py", "Pt.x", "left")[1] == {
        "a.py:4": "    left: int",
        "a.py:5": "    def m(self): return self.left",
        "a.py:8": "Pt(left=1).left",
        "a.py:9": "Sub(left=2)",
    }
    assert sorted(rename(files, "a.py", "Sub.m", "go")[1]) == ["a.py:5", "a.py:7"]
    assert sorted(rename(files, "a.py", "COUNT", "N")[1]) == ["a.py:10", "a.py:12", "a.py:13"]


def test_python_defaults_annotations_and_bases_are_read_in_the_scope_around(rename):
    files = {
        "box.py": "class Box: pass\nHEAVY = Box()\n",
        "a.py": "import box\ndef f(box: box.Box = box.HEAVY) -> box.Box:\n    return box.Box\n"
        "class Base: pass\nclass A(Base):\n    Base = 1\n",
        "c.py": "import box\nclass T:\n    def __init__(self, box=box.Box):\n"
        "        self.box = box\n",
        "b.py": "text = str\nstr = str\ndef f(): return str\n",
    }
    box = rename(files, "box.py", "Box", "Case")[1]
    assert box["a.py:2"] == "def f(box: box.Case = box.HEAVY) -> box.Case:"
    assert "a.py:3" not in box
    assert box["c.py:3"] == "    def __init__(self, box=box.Case):"
    assert rename(files, "a.py", "Base", "Root")[1] == {
        "a.py:4": "class Root: pass",
        "a.py:5": "class A(Root):",
    }
    assert rename(files, "b.py", "str", "string")[1] == {
        "b.py:2": "string = str",
        "b.py:3": "def f(): return string",
    }


def test_python_objects_that_may_have_a_type_unknown_here_are_not_certain(rename):
    head = "from a import Alpha\nfrom outer import Other, load\ndef make(): ...\n"
    codes = {
        "again.py": "x = Alpha(); x.run()\nx = load(); x.run()\n",
        "attribute.py": "class C:\n    def __init__(self): self.x = Alpha()\n"
        "    def set(self, x): self.x = x\n    def go(self): self.x.run()\n",
        "chain.py": "x = load()\nx = Alpha()\ny = x\ny.run()\n",
        "deep.py": f"x = Alpha(){'.same()' * 300}\nx.run()\n",
        "each.py": "x = Alpha()\nfor x in load(): x.run()\n",
        "inner.py": "def f():\n    x = Alpha()\n    if x: x = make()\n    x.run()\n",
        "result.py": 'def one() -> "Alpha | Other": ...\none().run()\n',
        "union.py": 'def f(y: "Alpha | Other"):\n    y.run()\n',
    }
    files = {path: head + code for path, code in codes.items()}
    a = {"a.py": "class Alpha:\n    def run(self): ...\n    def same(self): ...\n"}
    renaming, lines = rename(files | a, "a.py", "Alpha.run", "go")
    assert list(lines) == ["a.py:2"]
    assert by_name(renaming) == [
        f"{path}:{number}"
        for path, code in files.items()
        for number, line in enumerate(code.split("\n"), 1)
        for _ in range(line.count(".run"))
    ]


def test_python_objects_whose_types_are_all_known_stay_certain(rename):
    head = "from a import Alpha, Beta, made\nfrom outer import load\n"
    codes = {
        "annotated.py": "def f(x: Alpha | None, y: int | Alpha):\n    x = load()\n"
        "    x.run(), y.run()\n",
        "attribute.py": "class C:\n    x = None\n    def __init__(self): self.x = Alpha()\n"
        "    def go(self): (self.x).run()\n",
        "both.py": "x = Alpha()\nx = Beta()\nx = x.next()\nx.run()\n",
        "imported.py": "made.run()\n",
        "none.py": "x = None\nx = Alpha()\nx.run()\n",
        "once.py": "x = Alpha()\nx.run()\n",
    }
    a = "class Alpha:\n    def run(self): ...\nmade = Alpha()\n"
    a += "class Beta(Alpha):\n    def next(self) -> Alpha: ...\n"
    files = {"a.py": a} | {path: head + code for path, code in codes.items()}
    renaming, lines = rename(files, "a.py", "Alpha.run", "go")
    assert list(lines) == [
        f"{path}:{number}"
        for path, code in files.items()
        for number, line in enumerate(code.split("\n"), 1)
        if "run(" in line
    ]
    assert by_name(renaming) == []


def test_keys_of_a_call_that_names_the_module_are_places_by_name(rename):
    head = "import { foo } from './m'\n"
    codes = {
        "1.test.ts": "vi.mock('./m', () => ({ foo: 1 }))\n",
        "2.test.ts": "jest.mock('./m', async () => { return { ...a, foo() {} } })\n",
        "3.test.ts": "vi.mock(import('./m'), () => ({ foo: 1 }))\n",
        "4.test.ts": "function f(foo) { vi.mock('./m', () => ({ foo })) }\n",
        "5.test.ts": "vi.mock('./other', () => ({ foo: 1 }))\nconst o = { foo: 1 }\n",
    }
    files = {path: head + code for path, code in codes.items()}
    files["6.test.ts"] = "import './m'\nvi.mock('./m', () => ({ foo }))\n"
    files |= {"m.ts": "export const foo = 1\n", "other.ts": "export const foo = 2\n"}
    renaming, lines = rename(files, "m.ts", "foo", "bar")
    assert sorted(lines) == [*(f"{path}:1" for path in codes), "m.ts:1"]
    assert by_name(renaming) == [f"{number}.test.ts:2" for number in (1, 2, 3, 4, 6)]


def test_python_keywords_of_unknown_calls_and_of_patterns_may_set_a_field(rename):
    files = {
        "a.py": "from dataclasses import dataclass, replace\nfrom outer import make\n@dataclass\n"
        "class Post:\n    title: str\n    def body(self): ...\np = Post(title='')\n"
        "replace(p, title='')\nmake(title='', body=1)\ndef own(title): ...\nown(title='')\n"
        "class Made:\n    name = ''\n    def __init__(self, name): ...\nmake(name='')\n"
        "open(title='')\nmatch p:\n    case make.P(title=t): pass\n    case Post(title=t): pass\n",
    }
    renaming, lines = rename(files, "a.py", "Post.title", "head")
    assert sorted(lines) == ["a.py:19", "a.py:5", "a.py:7"]
    assert by_name(renaming) == ["a.py:8", "a.py:9", "a.py:18"]
    assert by_name(rename(files, "a.py", "Post.body", "text")[0]) == []
    assert by_name(rename(files, "a.py", "Made.name", "word")[0]) == []


def test_python_members_of_enums_and_typed_dicts_are_renamed_in_quotes(rename):
    files = {
        "a.py": "from enum import Enum\nfrom typing import TypedDict\n"
        "class Color(Enum):\n    RED = 1\nclass Row(TypedDict):\n    id: int\n",
        "b.py": "from a import Color, Row\nPINK = key = Color['RED']\n"
        'def f(row: Row, key=1): return row["id"], {"id": 1}\nmade: Row = {"id": 1}\n'
        'def g(row: Row | dict): return row["id"]\nmade: Row | dict = {"id": 1}\n'
        'print("id", "RED")\n',
    }
    renaming, lines = rename(files, "a.py", "Color.RED", "PINK")
    assert lines == {"a.py:4": "    PINK = 1", "b.py:2": "PINK = key = Color['PINK']"}
    assert (by_name(renaming), renaming.clashes) == ([], ())
    renaming, lines = rename(files, "a.py", "Row.id", "key")
    assert lines == {
        "a.py:6": "    key: int",
        "b.py:3": 'def f(row: Row, key=1): return row["key"], {"id": 1}',
        "b.py:4": 'made: Row = {"key": 1}',
    }
    assert by_name(renaming) == ["b.py:5", "b.py:6"]
    assert renaming.clashes == ()
