"""Values made to run code when they are looked at: none of it runs, and nothing is long."""

import collections
import dataclasses
import datetime as dt
import decimal
import re
import sys
import time
import types

import pydantic
import pytest

from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.kernel.describing import at_path, described
from ipuaro_jupyter.notebook.kernel.raised import raised
from ipuaro_jupyter.tools.inspect_value import InspectedValue

RAN = []
HIDDEN = Redaction(b"k" * 16).text
_NAMES = (
    *("repr", "str", "len", "iter", "getattr", "getattribute", "hash", "eq", "bool", "format"),
    *("dir", "getitem", "contains", "int", "index", "float", "bytes", "reduce", "sizeof", "array"),
    *("length_hint", "reversed", "call", "get", "instancecheck", "subclasscheck", "fspath"),
)


def trap(name):
    def run(*_args, **_kwargs):
        RAN.append(name)
        raise AssertionError(name)

    return run


TRAPS = {f"__{name}__": trap(name) for name in _NAMES}


class Meta(type):
    __getattribute__ = trap("metaclass attribute")
    __instancecheck__ = trap("metaclass isinstance")
    __eq__ = trap("metaclass eq")
    __hash__ = trap("metaclass hash")
    __repr__ = trap("metaclass repr")


def hostile(base, **more):
    """A class that derives from ``base``, and runs code whatever is done with it."""
    fields = {**TRAPS, **more, "__class__": property(trap("class")), "total": property(trap("p"))}
    return type.__new__(type, f"Hostile{base.__name__}", (base,), fields)


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()
    yield
    assert RAN == []


def told(value, name="value"):
    text = InspectedValue(name=name, described=described(value, name, HIDDEN)).text()
    assert len(text) < 20_000
    return text


def of(base, *args):
    return base.__new__(hostile(base), *args)


@pytest.mark.parametrize(
    ("base", "args", "said"),
    [
        (int, (7,), "7"),
        (float, (1.5,), "1.5"),
        (str, ("text",), "'text'"),
        (bytes, (b"raw",), "b'raw'"),
        (tuple, ((1, 2),), "[1] = 2"),
        (frozenset, ((1,),), "frozenset({1})"),
        (complex, (1j,), "1j"),
        (dt.datetime, (2020, 1, 2), "2020-01-02 00:00:00"),
        (dt.date, (2020, 1, 2), "2020-01-02"),
    ],
)
def test_a_subclass_of_a_builtin_is_read_as_what_it_stores(base, args, said):
    assert said in told(of(base, *args))


def test_lists_sets_and_dictionaries_are_read_past_their_overrides():
    items = of(list)
    list.append(items, 1)
    assert "value[0] = 1" in told(items)
    names = of(dict)
    dict.__setitem__(names, "a", items)
    assert "'a': " in told(names)
    several = of(set)
    set.add(several, 5)
    assert "{5}" in told(several)


def test_an_instance_tells_what_it_stores():
    one = object.__new__(hostile(object, __slots__=("left", "__dict__")))
    object.__setattr__(one, "right", 2)
    type(one).__dict__["left"].__set__(one, 1)
    text = told(one)
    assert "left = 1" in text
    assert "right = 2" in text


def test_a_namespace_tells_what_it_stores():
    kind = hostile(types.SimpleNamespace)
    value = types.SimpleNamespace.__new__(kind)
    types.SimpleNamespace.__init__(value, rate=0.9, token="hT7kQ2vXz9LmP4wR")
    told = described(value, "value", HIDDEN).head
    assert told[0] == "rate = 0.9"
    assert "hT7kQ2" not in told[1]
    assert at_path({"value": value}, "value.rate") == 0.9


def test_a_class_with_a_metaclass_is_named():
    kind = Meta.__new__(Meta, "Shop", (), {"open": lambda self: self})
    assert "methods: open" in told(kind)
    assert "Shop" in told(object.__new__(kind))


def test_keys_are_neither_hashed_nor_compared():
    key = object.__new__(type.__new__(type, "Key", (), {"__hash__": lambda _: hash("name")}))
    names = {key: 1, "name": 2}
    type.__setattr__(type(key), "__eq__", trap("eq"))
    assert at_path(names, "name") == 2
    assert at_path({"d": names}, "d['name']") == 2


def test_a_property_called_dict_is_not_read():
    kind = type("Odd", (), {"__slots__": (), "__dict__": property(trap("dict"))})
    assert "Odd" in told(object.__new__(kind))


def test_an_error_is_told_without_its_str():
    kind = type("Odd", (ValueError,), {"__str__": trap("str"), "__repr__": trap("repr")})
    (one,) = raised(kind("why", of(str, "text")), cell_of=lambda _: None, hidden=HIDDEN)
    assert one.message.startswith("'why', ")


class Counted:
    """Stands where a plain value is expected."""

    __bool__ = trap("bool")
    __len__ = trap("len")
    __getitem__ = trap("getitem")
    __str__ = trap("str")
    __repr__ = trap("repr")


class Text(str):
    """A string in places where Python keeps names."""

    __slots__ = ()
    __str__ = trap("str")
    __format__ = trap("format")
    encode = trap("encode")
    __hash__ = trap("hash")


def only(error):
    return raised(error, cell_of=lambda _: None, hidden=HIDDEN)[0]


@pytest.mark.parametrize("writer", [object.__str__, dict.__str__, type.__str__, Counted()])
def test_an_error_is_told_without_the_writers_of_other_classes(writer):
    kind = type("Odd", (Exception,), {"__str__": writer, "__repr__": trap("repr")})
    assert only(kind("why")).message == "'why'"


def test_the_parts_of_builtin_errors_are_not_written():
    syntax = SyntaxError("wrong")
    syntax.msg = Counted()
    assert only(syntax).message == "'wrong'"
    coded = UnicodeEncodeError("ascii", "x", 0, 1, "why")
    coded.reason = Counted()
    assert "'why'" in only(coded).message
    assert only(SyntaxError("wrong")).message == "wrong"
    assert only(KeyError("x")).message == "'x'"


def test_names_that_derive_from_strings_are_read_as_plain():
    kind = type("Plain", (), {})
    kind.__qualname__ = Text("Odd")
    assert "Odd" in told(kind())

    def fail():
        raise ValueError(1)

    fail.__code__ = fail.__code__.replace(co_filename=Text("odd.py"), co_qualname=Text("odd"))
    tracer = sys.gettrace()
    sys.settrace(None)  # a tracer, as that of coverage, would hash the name of the file
    try:
        with pytest.raises(ValueError, match="1") as error:
            fail()
    finally:
        sys.settrace(tracer)
    assert only(error.value).frames[-1].function == "odd"


def test_names_of_fields_that_are_no_tuple_are_not_looked_at():
    kind = type("Odd", (list,), {"_fields": Counted()})
    assert "value[0] = 1" in told(kind([1]))


def test_a_frame_in_disguise_is_not_read():
    pytest.importorskip("pandas")
    one, manager, index = (type("Odd", (), {})() for _ in range(3))
    index._codes = Counted()
    manager.axes, manager.blocks, one._mgr = [index], (1,), manager
    assert "Odd" in told(one)


def test_a_long_message_is_read_in_part():
    message = "INFO request token=abc\n" * 100_000
    assert len(only(ValueError(message)).message) <= 2000
    secret = "hT7kQ2vXz9LmP4wRhT7kQ2vXz9LmP4wR"
    assert "hT7k" not in only(ValueError("x" * 5970 + f' password="{secret}"')).message


def test_an_endless_recursion_keeps_both_ends():
    def down(n):
        return down(n + 1)

    with pytest.raises(RecursionError) as error:
        down(0)
    (one,) = raised(error.value, cell_of=lambda _: None, hidden=str)
    assert len(one.frames) == 50
    assert one.left_out > 500


def test_cycles_depth_and_size_come_to_an_end():
    cyclic = []
    cyclic.append(cyclic)
    assert "contains itself" in told(cyclic)
    deep = wide = [list(range(100)) for _ in range(100)]
    for _ in range(10_000):
        deep = [deep]
    assert told(deep)
    assert told([wide] * 1000)
    assert "bits" in told(10**100_000)
    assert "characters" in told({"text": "x" * 10**7})


def test_secrets_are_hidden_wherever_they_are():
    @dataclasses.dataclass
    class Account:
        user: str
        password: str

    secret, key = "hunter2!x9Zq", "ghp_" + "a1B2c3D4e5F6" * 3
    for value in (
        {"password": secret, "nested": {"api_key": key}},
        Account("ann", secret),
        [key, (key,)],
        "x" * 190 + " " + key,
        {"passwords": [secret, secret]},
        [{"name": "DB_PASSWORD", "value": secret}, {"value": 12, "Key": "db_password"}],
        Account("ann", of(str, secret)),
        pydantic.SecretStr("tiny"),
    ):
        text = told(value)
        assert secret not in text, text
        assert key[:12] not in text, text
        assert "tiny" not in text


def test_arrays_and_their_subclasses():
    numpy = pytest.importorskip("numpy")
    kind = hostile(numpy.ndarray, __array_finalize__=lambda *_: RAN.append("finalize"))
    array = numpy.broadcast_to(numpy.float64(1), (10**9, 10**3))
    assert "shape (1000000000, 1000)" in told(array)
    view = numpy.ndarray.__new__(numpy.ndarray, (2,), "i4")
    view[:] = 3
    sub = numpy.ndarray.view(view, kind)
    RAN.clear()  # numpy calls it when one is made
    assert "3, 3" in told(sub)
    objects = numpy.empty(1, dtype=object)
    objects[0] = object.__new__(hostile(object))
    assert "object" in told(objects)


def test_a_frame_and_its_subclasses():
    pandas = pytest.importorskip("pandas")
    odd = object.__new__(hostile(object))
    values = pandas.Series([1, 2], dtype=object)
    values.array._ndarray[0] = odd
    frame = pandas.DataFrame({"n": [1, 2], "password": ["hunter2!x9Zq", "s3cr3t!Zz9"], "o": values})
    plain = told(frame)
    assert "shape (2, 3)" in plain
    assert "hunter2" not in plain
    assert "s3cr3t" not in plain
    kind = hostile(pandas.DataFrame, shape=property(trap("shape")), dtypes=property(trap("dtypes")))
    sub = object.__new__(kind)
    object.__setattr__(sub, "_mgr", frame._mgr)
    RAN.clear()
    assert "a pandas.DataFrame, shape (2, 3)" in told(sub)
    assert "n: 1, 2" in told(frame["n"])


def test_a_frame_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, 2], "s": ["x", None]})
    assert "shape (2, 2), dtypes n i64, s str" in told(frame)
    assert "n: 1, 2" in told(frame["n"])


def test_a_module_in_disguise_is_not_taken_for_a_library(monkeypatch):
    fake = object.__new__(hostile(object))
    for name in ("numpy", "pandas", "pandas._libs.internals", "polars._plr"):
        monkeypatch.setitem(sys.modules, name, fake)
    one = type("Frame", (), {})()
    one._mgr = one._df = fake
    assert "Frame" in told(one)


FIRST, SECOND = "hT7kQ2vXz9LmP4wR", "Gw8nB3yLq5KdV1sC"
Login = collections.namedtuple("Login", "user password")  # noqa: PYI024 - as old code does


class Store:
    def __init__(self):
        self.tokens = {"a": FIRST}
        self.secrets = frozenset({SECOND})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("passwords", {"bob": FIRST, "amy": SECOND}),
        ("passwords", {FIRST: 1}),
        ("passwords", {FIRST, SECOND}),
        ("passwords", collections.deque([FIRST])),
        ("PASSWORDS", [FIRST, SECOND]),
        ("passwords", [[FIRST, {"a": SECOND}]]),
        ("passwords[0]", FIRST),
        ("config.api_keys['bob']", FIRST),
        ("api_keys", {"a": FIRST.encode()}),
        ("password", FIRST + "\n" + SECOND),
        ("logins", [Login("ann", FIRST)]),
        ("login", Login("ann", FIRST)),
        ("store", Store()),
        ("stores", [Store()]),
    ],
)
def test_what_is_inside_a_value_with_a_secret_name_is_hidden(name, value):
    text = told(value, name)
    assert FIRST not in text
    assert SECOND not in text


def test_secret_numbers_are_hidden_and_counts_are_not():
    assert "832917" not in told(8329174623984, "password")
    assert "832917" not in told({"pins": {"password": decimal.Decimal(8329174623984)}})
    assert "[1] = 2054" in told([101, 2054], "tokens")
    assert "'max_tokens': 512" in told({"max_tokens": 512})


def test_without_redaction_values_are_told_as_they_are():
    shown = described({"bob": FIRST}, "passwords", Redaction(b"k" * 16, enabled=False).text)
    assert shown.head == (f"'bob': {FIRST!r}",)


def test_secrets_by_name_in_arrays_and_tables():
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    record = numpy.array([("bob", FIRST)], dtype=[("user", "U16"), ("password", "U16")])
    for name, value in (
        ("passwords", numpy.array([FIRST, SECOND])),
        ("passwords", numpy.array([[FIRST]], dtype=object)),
        ("password", numpy.array(FIRST)),
        ("password", numpy.str_(FIRST)),
        ("rows", record),
        ("row", record[0]),
        ("rows", [record[0]]),
        ("passwords", pandas.Series([FIRST, SECOND])),
        ("config", pandas.Series([FIRST, "bob"], index=["password", "user"])),
        ("frame", pandas.DataFrame({"passwords": [FIRST], "api_keys": [SECOND]})),
        ("frame", pandas.DataFrame({("a", "password"): [FIRST]})),
    ):
        text = told(value, name)
        assert FIRST not in text, text
        assert SECOND not in text, text


def test_long_texts_take_bounded_time():
    text = "INFO request 12 served /a/b c=1 key=abc token\n" * 400
    many = type("Many", (), {})()
    for number in range(30):
        setattr(many, f"f{number}", [[text] * 6] * 6)
    begun = time.process_time()
    assert "not read" in told(many)
    assert "3,000,000 characters" in told(decimal.Decimal("1" * 3_000_000))
    raised(ValueError(text * 200), cell_of=lambda _: None, hidden=HIDDEN)
    assert time.process_time() - begun < 5


def test_an_odd_column_leaves_the_others():
    pandas = pytest.importorskip("pandas")
    columns = {
        "a": [1, 2, 3],
        "cut": pandas.cut([1, 2, 3], 2),
        "period": pandas.period_range("2024-01", periods=3, freq="M"),
        "sparse": pandas.arrays.SparseArray([0, 0, 1]),
        "zoned": pandas.date_range("2024-01-01", periods=3, tz="America/New_York"),
        "b": pandas.array([True, None, False], dtype="boolean"),
        "u": pandas.array([1, None, 2], dtype="UInt8"),
    }
    text = told(pandas.DataFrame(columns))
    for said in (
        *("a: 1, 2, 3", "cut: (not read)", "period: (not read)", "sparse: (not read)"),
        *("zoned: 2024-01-01T05:00:00", " UTC", ", America/New_York]"),
        *("b boolean", "u UInt8", "u: 1, <NA>, 2"),
    ):
        assert said in text, text
    assert "None" not in told(pandas.Series(["a", "b"]))
    assert "shape (1, 2)" in told(pandas.DataFrame([[1, 2]], columns=pandas.interval_range(0, 2)))
    unknown = object.__new__(pandas.DataFrame)
    object.__setattr__(unknown, "_mgr", object())
    assert "cannot be read" in told(unknown)
    assert told(pandas.DataFrame({"\ud800": [1]})).encode()


def test_scalars_and_masks_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert "99999" not in told(numpy.ma.array([1, 99999], mask=[0, 1]))
    assert "99999" in told(numpy.ma.array([1, 99999]))
    point = numpy.datetime64("2024-01-01T00:00:00.123456789")
    assert "(2024-01-01T00:00:00.123456789)" in told(point)
    assert "2024-01-01T00:00:00.123456789" in told(numpy.array([point]))
    assert "longdouble(1.5)" in told(numpy.longdouble(1.5))
    assert told(numpy.zeros(1, dtype=[("\ud800", "i4")])).encode()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("x[{[]}]", "is no name of the kernel"),
        ("x[0xf" + "f" * 6000 + "]", "there are 1"),
        ("x[0][0]", "int has no such key"),
        ("x['a']", "list has no such key"),
        ("d[-1]", "there is no such key"),
    ],
)
def test_a_step_that_leads_nowhere_is_said(path, said):
    names = {"x": [1], "d": {number: number for number in range(200_000)}}
    with pytest.raises(ToolError, match=re.escape(said)):
        at_path(names, path)
    assert at_path(names, "d[150000]") == 150_000
