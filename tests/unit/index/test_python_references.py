"""Where Python symbols are used."""

import pytest

FILES = {
    "kit/__init__.py": "from .core import Engine as Motor\nfrom .core import start\n",
    "kit/core.py": (
        "class Base:\n"
        "    def run(self):\n"
        "        return self.stop()\n"
        "    def stop(self):\n"
        "        pass\n"
        "class Engine(Base):\n"
        "    limit = 1\n"
        "    def stop(self):\n"
        "        super().stop()\n"
        "        return self.limit + Engine.limit\n"
        "class Other:\n"
        "    def stop(self): pass\n"
        "def start(engine: Engine, start=None) -> 'Engine':\n"
        "    engine.stop()\n"
        "    start\n"
        "    return engine\n"
        "def _hidden(): pass\n"
    ),
    "app.py": (
        "import kit.core as core, kit.core\n"
        "from kit import Motor, start\n"
        "from kit.core import *\n"
        "from kit.core import _hidden\n"
        "one = Engine()\n"
        "one.stop()\n"
        "core.Engine().stop()\n"
        "kit.core.start(one).stop()\n"
        "unknown.stop()\n"
        "Other().stop()\n"
        "Motor().stop()\n"
        "def f(stop, start):\n"
        "    start(stop=stop)\n"
        "start(one, start=1)\n"
        "_hidden()\n"
        "f'{start}'  # start\n"
        "'start'\n"
    ),
}


@pytest.fixture
def uses(make_index):
    """Return a function from a symbol to its uses: path, line, column, whether it is certain."""
    index, _ = make_index(FILES)

    def find(symbol):
        return [(r.path, r.line, r.column, r.resolved) for r in index.references(symbol)]

    return find


def test_a_function_is_followed_through_imports(uses):
    found = uses("start")
    assert [place for *place, certain in found if certain] == [
        ["app.py", 2, 24],
        ["app.py", 8, 10],
        ["app.py", 14, 1],
        ["app.py", 16, 4],
        ["kit/__init__.py", 2, 19],
        ["kit/core.py", 13, 5],
    ]


def test_names_that_mean_something_else_count_but_are_not_certain(uses):
    uncertain = [place for *place, certain in uses("start") if not certain]
    assert uncertain == [
        ["app.py", 12, 13],
        ["app.py", 13, 5],
        ["app.py", 14, 12],
        ["kit/core.py", 13, 27],
        ["kit/core.py", 15, 5],
    ]


def test_a_method_is_told_from_others_of_its_name(uses):
    assert uses("Engine.stop") == [
        ("app.py", 6, 5, True),
        ("app.py", 7, 15, True),
        ("app.py", 8, 21, True),
        ("app.py", 11, 9, True),
        ("kit/core.py", 8, 9, True),
        ("kit/core.py", 14, 12, True),
    ]
    assert uses("Other.stop") == [("app.py", 10, 9, True), ("kit/core.py", 12, 9, True)]
    assert uses("Base.stop") == [
        ("kit/core.py", 3, 21, True),
        ("kit/core.py", 4, 9, True),
        ("kit/core.py", 9, 17, True),
    ]


def test_an_attribute_is_found_through_self_and_the_class(uses):
    assert uses("Engine.limit") == [
        ("kit/core.py", 7, 5, True),
        ("kit/core.py", 10, 21, True),
        ("kit/core.py", 10, 36, True),
    ]


def test_a_class_is_found_under_another_name(uses):
    found = [(path, line, column) for path, line, column, certain in uses("Engine") if certain]
    assert ("kit/__init__.py", 1, 19) in found
    assert ("app.py", 5, 7) in found
    assert ("app.py", 2, 17) in found
    assert ("app.py", 11, 1) in found


def test_what_begins_with_an_underscore_may_be_imported(uses):
    assert uses("_hidden") == [
        ("app.py", 4, 22, True),
        ("app.py", 15, 1, True),
        ("kit/core.py", 17, 5, True),
    ]


LISTED = {
    "kit/__init__.py": "from .core import *\n__all__ = ['Engine', 'other']\n",
    "kit/core.py": "__all__ = ['Engine']\nclass Engine:\n    def join(self, o: 'Engine'): ...\n",
    "app.py": (
        "from typing import TYPE_CHECKING, Optional, cast\n"
        "import kit\n"
        "if TYPE_CHECKING:\n    from kit import Engine\n"
        "def f(a: 'Engine', b: 'list[kit.Engine]') -> Optional['Engine']: ...\n"
        "cast('Engine', 'Engine')\n"
        "text = 'Engine'; d['Engine']\n"
        "class Other:\n    class Engine: ...\n    x: 'Engine'\n"
    ),
    "only.py": "import kit\ndef f(x: 'kit.Engine'): ...\n",
    "shadow.py": "class Engine: ...\nx: 'Engine'\n",
}


def test_types_in_quotes_and_lists_of_exports_are_uses(make_index):
    index, _ = make_index(LISTED)
    found = index.uses("Engine", limit=None, declared_in="kit/core.py")
    assert [(use.path, use.line, use.column) for use in found.first] == [
        ("app.py", 4, 21),
        ("app.py", 5, 11),
        ("app.py", 5, 33),
        ("app.py", 5, 56),
        ("app.py", 6, 7),
        ("kit/__init__.py", 2, 13),
        ("kit/core.py", 1, 13),
        ("kit/core.py", 2, 7),
        ("kit/core.py", 3, 24),
        ("only.py", 2, 15),
    ]
    assert all(use.resolved for use in found.first)
    assert found.unresolved_total == 0
    by_name = index.uses("Engine", limit=None)
    assert by_name.total == len(by_name.first) == len(found.first) + 4


KEYED = """\
import enum as e
from enum import Enum, EnumMeta
from typing import TypedDict
from other import Flag, TextEnum
class Size(str, Enum):
    BIG = 1
    @classmethod
    def of(cls): return cls["BIG"]
    def low(self): return self["BIG"]
class Row(TypedDict, total=False):
    BIG: int
class Wide(Row): ...
class Plain:
    BIG = 1
class Deep(e.IntEnum):
    BIG = 1
class Own(Flag):
    BIG = 1
class Text(TextEnum):
    BIG = 1
class Table(dict, Enum):
    BIG = 1
    def __getitem__(self, key): ...
class Called(Enum):
    def BIG(self): ...
class Set(Enum):
    def __init__(self): self.BIG = 1
class Mixin:
    BIG = 1
class Mixed(Mixin, Enum): ...
class Meta(EnumMeta):
    def __getitem__(cls, key): ...
class Made(Enum, metaclass=Meta):
    BIG = 1
"""
OTHER = """\
from enum import StrEnum as TextEnum
class Flag:
    def __getitem__(self, key): ...
"""
OWNERS = (
    "Size",
    "Row",
    "Wide",
    "Plain",
    "Deep",
    "Own",
    "Text",
    "Table",
    "Called",
    "Set",
    "Mixin",
    "Mixed",
    "Made",
)


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("Size['BIG']", "Size.BIG"),
        ("import keyed\nkeyed.Size['BIG']", "Size.BIG"),
        ("Deep['BIG']", "Deep.BIG"),
        ("Table['BIG']", "Table.BIG"),
        ("Text['BIG']", "Text.BIG"),
        ('def f(row: Row): return row["BIG"]', "Row.BIG"),
        ('def f(row: Wide): row["BIG"] = 1', "Row.BIG"),
        ('made: Row = {"BIG": 1}', "Row.BIG"),
        ('def f(one: Plain): return one["BIG"]', ""),
        ('def f(one: Plain): return {"BIG": one}', ""),
        ('plain = {"BIG": 1}["BIG"]', ""),
        ('print("BIG", Size)', ""),
        ('def f(row: Row): return row["BIG "]', ""),
        ('def f(row: Row): return row[b"BIG"], row["""BIG"""], row["BIG", 1]', ""),
        ('Row["BIG"]', ""),
        ('def f(one: Size): return one["BIG"], Size(1)["BIG"]', ""),
        ('made: Size = {"BIG": 1}', ""),
        ('Own["BIG"], Own()["BIG"]', ""),
        ('def f(one: Table): return one["BIG"]', ""),
        ('Called["BIG"]', ""),
        ('Set["BIG"]', ""),
        ('Mixed["BIG"]', ""),
        ('Made["BIG"]', ""),
    ],
)
def test_members_of_enums_and_typed_dicts_are_named_in_quotes(make_index, line, symbol):
    files = {
        "keyed.py": KEYED,
        "other.py": OTHER,
        "use.py": f"from keyed import {', '.join(OWNERS)}\n{line}\n",
    }
    index, _ = make_index(files)
    found = {
        f"{owner}.BIG"
        for owner in OWNERS
        for use in index.uses(f"{owner}.BIG", limit=None).first
        if use.path == "use.py" and use.declared_as == f"{owner}.BIG"
    }
    assert found == ({symbol} if symbol else set())


def test_a_class_names_its_members_in_quotes_and_an_instance_does_not(make_index):
    index, _ = make_index({"keyed.py": KEYED, "other.py": OTHER})
    assert [use.line for use in index.uses("Size.BIG", limit=None).first] == [6, 8]


def test_a_pattern_of_a_class_reads_its_attributes(make_index):
    index, _ = make_index(
        {
            "kit.py": "class Opts:\n    def __init__(self): self.label = 1\n"
            "class Sub(Opts): pass\nclass Other:\n    label = 2\n",
            "app.py": "import kit\nfrom kit import Sub as S, Other\nfrom far import Far\n"
            "def f(x, label):\n"
            "    match x:\n"
            "        case kit.Opts(label=a): pass\n"
            "        case [S(label=Other(label=b))]: pass\n"
            "        case Far(label=label): pass\n",
        }
    )

    def found(symbol):
        return [
            (one.line, one.column, one.resolved)
            for one in index.references(symbol)
            if one.path == "app.py"
        ]

    assert found("Opts.label") == [(6, 23, True), (7, 17, True)]
    assert found("Other.label") == [(7, 29, True)]
    assert (8, 18, False) in found("label")


LAZY = {
    "lazy/__init__.py": "from ._impl import Sail\ndef __getattr__(name): ...\n",
    "lazy/_impl.py": "class Ship: ...\nclass Sail: ...\n",
    "plain/__init__.py": "class Other:\n    def __getattr__(self, name): ...\n",
    "use.py": "from lazy import Ship\nimport lazy\nimport lazy as other\n"
    "Ship(lazy.Ship, other.Ship)\n\ndef f(Ship, lazy):\n    return Ship, lazy.Ship\n",
    "renamed.py": "from lazy import Ship as Boat\n",
    "plain.py": "from plain import Ship\nimport plain\nShip(plain.Ship, it.Ship)\n",
    "own.py": "import lazy\nShip = lazy.Sail\n",
}


def test_what_a_module_gives_by_its_own_function_may_be_a_use(make_index):
    index, _ = make_index(LAZY)
    found = index.uses("Ship", limit=None, declared_in="lazy/_impl.py")
    assert [(use.path, use.line) for use in found.first] == [("lazy/_impl.py", 1)]
    assert [(use.path, use.line, use.column) for use in found.unresolved] == [
        ("renamed.py", 1, 18),
        ("use.py", 1, 18),
        ("use.py", 4, 1),
        ("use.py", 4, 11),
        ("use.py", 4, 23),
    ]


def test_what_a_module_with_such_a_function_imports_is_known(make_index):
    index, _ = make_index(LAZY)
    found = index.uses("Sail", limit=None, declared_in="lazy/_impl.py")
    assert ("own.py", 2) in {(use.path, use.line) for use in found.first}
    assert not found.unresolved


SCOPED = {
    "kit.py": "row = 1\ncount = 0\nT = 0\n",
    "app.py": (
        "from kit import row, count, T\n"
        "sums = [row + count for row in row]\n"
        "def caught():\n"
        "    try: return {row: 1 for count in ()}\n"
        "    except (OSError, kit.Error) as row: return row\n"
        "def matched(x):\n"
        "    match x:\n"
        "        case [row, *count] if row: return count\n"
        "        case {'a': T(row=count)} | int() as T: return T\n"
        "def generic[T: row](x: T) -> list[T]: return T\n"
        "class Box[T](Base[T]):\n"
        "    def get(self) -> T: return T\n"
        "type Pair[T] = tuple[T, row]\n"
        "def walrus(): return [(row := 1) for x in ()], row\n"
        "def outer(row):\n"
        "    def inner():\n"
        "        nonlocal row\n"
        "        row = 1\n"
        "        return row\n"
        "    return inner\n"
        "class Row:\n"
        "    row = row\n"
        "    count: T = row\n"
        "print(row, T)\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "lines"), [("row", [1, 2, 10, 13, 22, 24]), ("count", [1, 2]), ("T", [1, 23, 24])]
)
def test_a_name_bound_further_in_is_another(make_index, name, lines):
    index, _ = make_index(SCOPED)
    found = index.uses(name, limit=None, declared_in="kit.py")
    assert [use.line for use in found.first if use.path == "app.py"] == lines
    assert not found.unresolved


def test_a_type_statement_may_be_written_in_several_lines(make_index):
    index, _ = make_index({"a.py": "T = 1\ntype \\\n  Pair[T] = list[T]\nprint(T)\n"})
    assert [use.line for use in index.uses("T", limit=None, declared_in="a.py").first] == [1, 4]


GLOBAL = (
    "class Pool:\n    size = 1\nclass Other:\n    size = 1\n"
    "_pool: Pool | None = None\n"
    "def get(_kept):\n"
    "    def made():\n"
    "        global _pool, _late\n"
    "        _pool = Pool()\n"
    "        _late = Other()\n"
    "        return _pool.size\n"
    "    return made\n"
    "def late(_pool):\n    return _pool\n"
)


def test_a_global_name_is_that_of_the_file(make_index):
    index, _ = make_index({"pool.py": GLOBAL})
    found = index.uses("_pool", limit=None, declared_in="pool.py")
    assert [(use.line, use.resolved) for use in found.first] == [(n, True) for n in (5, 8, 9, 11)]
    found = index.uses("Pool.size", limit=None)
    assert [use.line for use in found.first] == [2, 11]
    assert not found.unresolved


MATCHED = {
    "kit/__init__.py": "from .states import State, Box\n",
    "kit/states.py": "class State:\n    DONE = 1\n    OPEN = 2\nclass Box:\n"
    "    class Kind:\n        DONE = 3\n    state: State\n",
    "app.py": (
        "import kit.states as states\n"
        "from kit import State as S, Box\n"
        "def f(x, box: Box):\n"
        "    match x:\n"
        "        case S.DONE | Box.Kind.DONE: pass\n"
        "        case [Box(state=states.State.DONE), *_]: pass\n"
        "        case {'a': box.state.DONE, **rest}: pass\n"
        "        case far.DONE: pass\n"
    ),
}


def test_the_value_of_a_pattern_is_a_use(make_index):
    index, _ = make_index(MATCHED)

    def told(symbol):
        found = index.uses(symbol, limit=None)
        kept = [(use.line, use.column) for use in found.first if use.path == "app.py"]
        return kept, [use.line for use in found.unresolved]

    assert told("State.DONE") == ([(5, 16), (6, 38), (7, 30)], [8])
    assert told("Box.Kind.DONE") == ([(5, 32)], [8])
    assert told("Box.Kind")[0] == [(5, 27)]


def test_the_name_of_a_caught_error_has_its_types(make_index):
    code = (
        "class Lost(Exception):\n    code = 1\nclass Late(Exception):\n    code = 2\n"
        "def f():\n    try: pass\n"
        "    except (Lost, Late) as error: error.code\n"
        "    except Late as other: other.code\n"
    )
    index, _ = make_index({"a.py": code})
    assert [use.line for use in index.uses("Lost.code", limit=None).first] == [2, 7]


def test_a_keyword_is_none_of_an_attribute_where_the_class_says_how_it_is_made(make_index):
    code = (
        "class Scope:\n    def __new__(cls, *, shield=False): ...\n"
        "    @property\n    def shield(self): ...\nScope(shield=True)\n"
    )
    index, _ = make_index({"a.py": code})
    assert [use.line for use in index.uses("Scope.shield", limit=None).first] == [4]


QUOTED = {
    "kit.py": (
        '"""Quoted is no use here."""\n'
        "class Quoted:\n    def own(self) -> 'Quoted': ...\n"
        "def f(a: 'list[Quoted] | None', Quoted: 'int' = 1) -> 'Quoted': return 'Quoted'\n"
        "__all__ = ['Quoted']\n"
    ),
    "app.py": (
        "from kit import Quoted as Q\nimport kit\n"
        "x: 'Q' = cast('kit.Quoted', 1)\ny: Literal['Quoted', 'Q']\n"
        "def generic[Quoted](a: 'Quoted'): print(kit.Quoted)\n"
    ),
    "other.py": "from far import Quoted\nz: 'Quoted'\n",
}


@pytest.mark.parametrize("declared_in", ["", "kit.py"])
def test_types_in_quotes_are_uses(make_index, declared_in):
    index, _ = make_index(QUOTED)
    found = index.uses("Quoted", limit=None, declared_in=declared_in)
    assert [(use.path, use.line, use.column) for use in found.first if use.resolved] == [
        ("app.py", 1, 17),
        ("app.py", 1, 27),
        ("app.py", 3, 5),
        ("app.py", 3, 20),
        ("app.py", 5, 45),
        ("kit.py", 2, 7),
        ("kit.py", 3, 23),
        ("kit.py", 4, 16),
        ("kit.py", 4, 56),
        ("kit.py", 5, 13),
    ]
    assert found.total == len(found.first)


def test_a_type_may_be_narrower_than_it_is_written(make_index):
    code = (
        "class Base: pass\nclass Sub(Base):\n    def more(self): ...\nclass Low(Sub): pass\n"
        "class Other:\n    def more(self): ...\n"
        "def f(x: Base, y: Low, z: Other):\n"
        "    assert isinstance(x, Sub)\n"
        "    x.more()\n    y.more()\n    z.more()\n"
    )
    index, _ = make_index({"a.py": code})
    found = index.uses("Sub.more", limit=None)
    assert [use.line for use in found.first] == [3, 10]
    assert [use.line for use in found.unresolved] == [9]
    assert not index.uses("Other.more", limit=None).unresolved


def test_a_file_whose_error_the_parser_hides_is_read(make_index):
    code = "def kept(): ...\ntype X =\n    mode[CC][VTIME] = 0\nkept()\n"
    index, _ = make_index({"a.py": code})
    assert [(use.line, use.resolved) for use in index.uses("kept", limit=None).first] == [
        (1, True),
        (4, True),
    ]
