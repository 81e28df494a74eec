"""What the index says of Python files."""

import pytest


@pytest.fixture
def read(read_facts):
    """Return a function from Python source to its facts."""
    return lambda content, path="src/a.py": read_facts(content, path)


def test_functions_are_named_by_where_they_stand(read):
    facts = read(
        "def outer():\n    async def inner():\n        yield 1\n    return inner\n"
        "class A:\n    def m(self):\n        def deep(): pass\n"
        "    class B:\n        def n(self): pass\n"
    )
    assert [f.qualified for f in facts.functions] == ["outer", "outer.inner", "A.m.deep"]
    inner = facts.functions[1]
    assert (inner.is_async, inner.is_generator) == (True, True)
    assert [(c.qualified, [m.qualified for m in c.methods]) for c in facts.classes] == [
        ("A", ["A.m"]),
        ("A.B", ["A.B.n"]),
    ]


def test_a_method_under_a_condition_is_a_method(read):
    (holder,) = read("class A:\n    if x:\n        def m(self): pass\n").classes
    assert [m.name for m in holder.methods] == ["m"]


def test_lines_begin_with_the_decorators_and_end_with_the_last_statement(read):
    facts = read(
        "@a\n@b(lambda: 1)\ndef f():\n    return 1\n    # after\n\n"
        "@c\nclass K:\n    x = 1\n    # after\n"
    )
    assert [(f.name, f.line_start, f.line_end) for f in facts.functions] == [("f", 1, 4)]
    assert [(c.name, c.line_start, c.line_end) for c in facts.classes] == [("K", 7, 9)]


def test_signatures_have_every_kind_of_parameter(read):
    (function,) = read(
        "def f(a, /, b: int = 1, *args: str, c, d: 'T' = None, **kw) -> dict[str, int]: ...\n"
    ).functions
    assert [(p.name, p.type, p.is_optional, p.is_rest) for p in function.params] == [
        ("a", None, False, False),
        ("b", "int", True, False),
        ("args", "str", False, True),
        ("c", None, False, False),
        ("d", "'T'", True, False),
        ("kw", None, False, True),
    ]
    assert function.return_type == "dict[str, int]"


def test_decorators_say_what_a_method_is(read):
    (holder,) = read(
        "class A:\n"
        "    @staticmethod\n    def s(a): pass\n"
        "    @classmethod\n    def c(cls): pass\n"
        "    @property\n    def p(self): pass\n"
        "    @p.setter\n    def p(self, v): pass\n"
        "    @functools.cached_property\n    def q(self): pass\n"
        "    @abc.abstractmethod\n    def m(self): pass\n"
        "    @typing.overload\n    def o(self): ...\n"
        "    def __init__(self): pass\n"
    ).classes
    assert holder.is_abstract
    assert [(m.name, m.kind, m.is_static, m.is_abstract, m.has_body) for m in holder.methods] == [
        ("s", "method", True, False, True),
        ("c", "method", True, False, True),
        ("p", "getter", False, False, True),
        ("p", "setter", False, False, True),
        ("q", "getter", False, False, True),
        ("m", "method", False, True, True),
        ("o", "method", False, False, False),
        ("__init__", "constructor", False, False, True),
    ]


@pytest.mark.parametrize(
    ("header", "extends", "is_abstract"),
    [
        ("A", None, False),
        ("A()", None, False),
        ("A(B)", "B", False),
        ("A(m.B, C[int], metaclass=M)", "m.B, C[int]", False),
        ("A(ABC)", "ABC", True),
        ("A(B, metaclass=abc.ABCMeta)", "B", True),
        ("A(Protocol[T])", "Protocol[T]", True),
        ("A[T](B)", "B", False),
    ],
)
def test_a_class_has_its_bases(read, header, extends, is_abstract):
    (holder,) = read(f"class {header}: pass\n").classes
    assert (holder.name, holder.extends, holder.is_abstract) == ("A", extends, is_abstract)


def test_attributes_are_found_in_the_body_and_through_the_first_parameter(read):
    (holder,) = read(
        "class A:\n"
        "    x: int\n    y: ClassVar[int] = 1\n    z = 2\n    w: Final = 3\n"
        "    def __init__(me, other):\n"
        "        me.a, (me.b, *me.c) = other\n"
        "        other.no = me.x = 1\n"
        "        me.d: str = ''\n"
        "        def later():\n            me.e = 1\n"
        "        with f() as me.f: pass\n"
        "        for me.g in other: pass\n"
        "    @staticmethod\n    def s(a):\n        a.no = 1\n"
        "    @classmethod\n    def c(cls):\n        cls.h = 1\n"
        "    def m(self):\n        self.c += 1\n        self.m = None\n"
    ).classes
    assert [(p.name, p.type, p.is_static, p.is_readonly) for p in holder.properties] == [
        ("x", "int", False, False),
        ("y", "ClassVar[int]", True, False),
        ("z", None, True, False),
        ("w", "Final", True, True),
        ("a", None, False, False),
        ("b", None, False, False),
        ("c", None, False, False),
        ("d", "str", False, False),
        ("e", None, False, False),
        ("f", None, False, False),
        ("g", None, False, False),
        ("h", None, True, False),
    ]


def test_a_lambda_that_is_bound_to_a_name_is_a_function(read):
    facts = read(
        "f = lambda x, *y: x if x else y\n"
        "class A:\n    g = lambda self: 1\n"
        "    def m(self):\n        self.h = (lambda: 2)\n"
        "k = map(lambda z: z, [])\n"
    )
    assert [(f.qualified, f.kind, f.cyclomatic) for f in facts.functions] == [("f", "arrow", 2)]
    assert [(p.name, p.function and p.function.qualified) for p in facts.classes[0].properties] == [
        ("g", "A.g"),
        ("h", "A.h"),
    ]
    assert [v.name for v in facts.variables] == ["k"]


def test_variables_of_the_module_count_at_their_first_binding(read):
    facts = read(
        "LIMIT = 1\nx: int\na, (b, *c) = d = 1, (2,)\n"
        "if LIMIT:\n    e = 1\nelse:\n    e = 2\n"
        "for i, j in []: pass\nwith open(p) as fh: pass\nif (n := 3): pass\n"
        "obj.attr = q[0] = 1\n"
        "def f():\n    local = 1\n"
        "f = deco(f)\n[z for z in []]\nT: TypeAlias = 'int'\n"
    )
    names = [(v.name, v.line_start, v.kind) for v in facts.variables]
    assert names == [
        ("LIMIT", 1, "const"),
        ("x", 2, "variable"),
        ("a", 3, "variable"),
        ("b", 3, "variable"),
        ("c", 3, "variable"),
        ("d", 3, "variable"),
        ("e", 5, "variable"),
        ("i", 8, "variable"),
        ("j", 8, "variable"),
        ("fh", 9, "variable"),
        ("n", 10, "variable"),
    ]
    assert [(t.name, t.text) for t in facts.types] == [("T", "'int'")]


def test_type_statements_are_types(read):
    facts = read("type A = int\ntype B[T] = list[T]\ntype(x).y = 1\n")
    assert [(t.name, t.text) for t in facts.types] == [("A", "int"), ("B", "list[T]")]


@pytest.mark.parametrize(
    ("source", "imports"),
    [
        ("import a", [("a", "import", [("*", "a")])]),
        ("import a.b", [("a.b", "import", [("*", "a.b")])]),
        ("import a.b as c, d", [("a.b", "import", [("*", "c")]), ("d", "import", [("*", "d")])]),
        ("from . import x", [(".", "import", [("x", "x")])]),
        ("from .. import *", [("..", "import", [("*", "*")])]),
        ("from ..a . b import (c as d, e,)", [("..a.b", "import", [("c", "d"), ("e", "e")])]),
        ("from __future__ import annotations", [("__future__", "import", [("annotations",) * 2])]),
        ("try:\n    import a\nexcept ImportError:\n    import b as a",
         [("a", "import", [("*", "a")]), ("b", "import", [("*", "a")])]),
        ("if t.TYPE_CHECKING:\n    from a import T\nelse:\n    T = None",
         [("a", "type", [("T", "T")])]),
        ("def f():\n    from a import b", [("a", "import", [("b", "b")])]),
        ("m = importlib.import_module('a.b')", [("a.b", "dynamic", [("*", "m")])]),
        ("import_module('.a', __package__)", [(".a", "dynamic", [])]),
        ("__import__(name)", []),
    ],
)  # fmt: skip
def test_imports_in_every_form(read, source, imports):
    found = read(source + "\n").imports
    assert [(i.source, i.kind, [(n.imported, n.local) for n in i.names]) for i in found] == imports


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(): pass\nclass A: pass\nx = _y = 1\ndef _g(): pass\nimport os", ["f", "A", "x"]),
        ("__all__ = ['a', 'b']\nx = 1", ["a", "b"]),
        ("__all__ = ('a',) + ['b'] + c", ["a", "b"]),
        ("__all__ = 'a', 'b'\nx = 1", ["a", "b"]),
        ("__all__: list[str] = ['a']\n__all__ += ['b']", ["a", "b"]),
        ("__all__ = []\n__all__.append('a')\n__all__.extend(['b', *('c',)])", ["a", "b", "c"]),
        ("if x:\n    __all__ = ['a']\nelse:\n    __all__ = ['b']", ["a", "b"]),
        ("try:\n    __all__ = ['a']\nexcept E:\n    pass", ["a"]),
        ("def f():\n    __all__ = ['a']", ["f"]),
        ("print(__all__)\nx = 1", ["x"]),
        ("from . import a\n__all__ = ['b'] + a.__all__", ["*", "b"]),
        ("from a import b as b, c as d", ["b"]),
        ("from a import *\nx = 1", ["*", "x"]),
    ],
)
def test_exports_are_what_the_list_says_or_what_is_public(read, source, names):
    assert [e.name for e in read(source + "\n").exports] == names


def test_what_is_listed_is_exported_and_nothing_else(read):
    facts = read("__all__ = ['_f']\ndef _f(): pass\ndef g(): pass\nclass A: pass\n")
    assert [(f.name, f.is_exported) for f in facts.functions] == [("_f", True), ("g", False)]
    assert not facts.classes[0].is_exported


def test_names_of_another_modules_list_are_exported_from_there(read):
    (export,) = read("from .a import b as c\n__all__ = c.__all__\n").exports
    assert (export.name, export.source) == ("*", ".a.b")


@pytest.mark.parametrize(
    ("body", "cyclomatic", "nesting"),
    [
        ("pass", 1, 0),
        ("if a: pass\nelif b: pass\nelse: pass", 3, 1),
        ("for a in b:\n    while c: pass\n    else: pass", 3, 2),
        ("try: pass\nexcept A: pass\nexcept B: pass\nelse: pass\nfinally: pass", 3, 1),
        ("a = b if c else d and e or f", 4, 0),
        ("[a for a in b for c in d if e if f]", 5, 0),
        ("match a:\n    case 1: pass\n    case [x] if x: pass\n    case _: pass", 4, 1),
        ("with a: pass", 1, 0),
        ("assert a and b", 2, 0),
        ("def g():\n    if a: pass", 1, 0),
        ("async for a in b: pass", 2, 1),
    ],
)
def test_the_complexity_of_a_function(read, body, cyclomatic, nesting):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    function = read(f"async def f():\n{lines}").functions[0]
    assert (function.cyclomatic, function.nesting) == (cyclomatic, nesting)


def test_the_complexity_of_a_file(read):
    facts = read('"""Doc."""\n\n# comment\nif a:\n    def f():\n        if b:\n            pass\n')
    metrics = facts.metrics
    assert (metrics.loc, metrics.nesting_depth, metrics.cyclomatic_complexity) == (5, 2, 3)


def test_markers_are_found_in_comments_only(read):
    facts = read(
        '"""TODO: no"""\nx = "# TODO: no"  # TODO(me): yes\nf"{x} # BUG: no"\n# FIXME yes\n'
    )
    assert [(t.line, t.type, t.text) for t in facts.todos] == [
        (2, "TODO", "yes"),
        (4, "FIXME", "yes"),
    ]


def test_a_syntax_error_leaves_what_stands_around_it(read):
    facts = read("def f(): pass\n\nx = = 1\n\ndef g(): pass\n")
    assert facts.parse_error == "Syntax error at line 3."
    assert {f.name for f in facts.functions} == {"f", "g"}


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 3000,
        "x = " + "[" * 20_000 + "]" * 20_000,
        "\n".join(" " * i + "if x:" for i in range(2000)),
        "x = " + " and ".join(["y"] * 20_000),
        "f'" + "{" * 5000,
        "@" * 5000 + "\ndef f(): pass",
        "x = " + '"""' * 9999,
        "lambda: " * 3000 + "1",
        "def f(" + "a=(" * 3000,
        "__all__ = " + " + ".join(["['a']"] * 5000),
        "class A(" * 3000,
        "import " + "a." * 20_000 + "a",
        "self" + ".a" * 20_000 + " = 1",
    ],
    ids=lambda source: source[:12].replace("\n", " "),
)
def test_odd_files_are_read_to_the_end(read, source):
    assert read(source + "\n").language == "python"
