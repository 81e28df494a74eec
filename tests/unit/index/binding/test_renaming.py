"""Which places a rename changes, and what it writes there."""

import pytest
from renames import by_name

from ipuaro_jupyter.index.binding.renaming import edited


def test_a_clash_says_what_would_come_of_it(rename):
    code = "const a = 1\nconst b = 2\nfunction f(c: number) {\n  return a + c\n}\n"
    for to, told in {
        "b": "a.ts:2: name clash: b would be declared twice, here and in line 1",
        "c": "a.ts:4: name clash: this line would use the c that line 3 declares",
    }.items():
        assert told in rename({"a.ts": code}, "a.ts", "a", to)[0].clashes
    python = {"a.py": "def a(): pass\ndef f(b): return a() + b\n"}
    told = "a.py:2: name clash: this line would use the local b of f"
    assert told in rename(python, "a.py", "a", "b")[0].clashes
    printing = {"a.py": "def a(): print(1)\n"}
    told = "a.py:1: name clash: print here would mean the renamed symbol"
    assert told in rename(printing, "a.py", "a", "print")[0].clashes


@pytest.mark.parametrize(
    ("files", "path", "change", "expected"),
    [
        ({"a.ts": "export const a = 1\nconst b = 2\n"}, "a.ts", "a b", "a.ts:2"),
        (
            {"a.ts": "export const a = 1\n", "b.ts": "import { a } from './a'\nconst b = a\n"},
            *("a.ts", "a b", "b.ts:2"),
        ),
        (
            {"a.ts": "const a = 1\nfunction f(b: number) { return a + b }\n"},
            *("a.ts", "a b", "a.ts:2"),
        ),
        ({"a.ts": "export function a() { return parse() }\n"}, "a.ts", "a parse", "a.ts:1"),
        ({"a.ts": "class A { x = 1; y = 2 }\n"}, "a.ts", "A.x y", "A.y"),
        ({"a.ts": "class A { x = 1 }\nclass B extends A { y = 1 }\n"}, "a.ts", "A.x y", "B.y"),
        ({"a.ts": "class A { y = 1 }\nclass B extends A { x = 1 }\n"}, "a.ts", "B.x y", "A.y"),
        (
            {
                "a.ts": "export const a = 1\n",
                "i.ts": "export * from './a'\nexport * from './b'\n",
                "b.ts": "export const b = 1\n",
            },
            *("a.ts", "a b", "i.ts"),
        ),
        ({"a.py": "def a(): return b\nimport b\n"}, "a.py", "a b", "a.py"),
        ({"a.py": "def a(): pass\ndef f(b): return a() + b\n"}, "a.py", "a b", "a.py:2"),
        ({"a.py": "def a(): print(1)\n"}, "a.py", "a print", "a.py:1"),
        (
            {"a.py": "class A:\n    def x(self): pass\n    def y(self): pass\n"},
            *("a.py", "A.x y", "A.y"),
        ),
    ],
)
def test_a_name_in_scope_is_a_clash(rename, files, path, change, expected):
    symbol, to = change.split()
    renaming, _ = rename(files, path, symbol, to)
    assert any(expected in clash for clash in renaming.clashes), renaming.clashes
    assert rename(files, path, symbol, "unheardOf")[0].clashes == ()


def test_public_names_and_bases_outside_of_the_project_are_told(rename):
    files = {
        "package.json": '{"name": "p", "main": "./index.js"}',
        "index.ts": "export * from './a'\n",
        "a.ts": "import { Widget } from 'widgets'\nexport const a = 1\n"
        "class In extends Widget { draw() {} }\n",
    }
    assert rename(files, "a.ts", "a", "b")[0].public == ("index.ts",)
    renaming, _ = rename(files, "a.ts", "In.draw", "paint")
    assert (renaming.public, renaming.outer_bases) == ((), ("Widget",))
    python = {"pk/__init__.py": "from .core import area\n", "pk/core.py": "def area(w): return w\n"}
    assert rename(python, "pk/core.py", "area", "surface")[0].public == ("pk/core.py",)


def test_every_other_byte_stays(make_index):
    data = "\ufeffexport const vat = 1\r\n'é' + vat\r\nvat".encode()
    renaming = make_index({"a.ts": data})[0].renaming("a.ts", "vat", "größe")
    new = edited(data, renaming.certain["a.ts"])
    assert new == "\ufeffexport const größe = 1\r\n'é' + größe\r\ngröße".encode()


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
