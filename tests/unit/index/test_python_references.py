"""Where Python symbols are used."""

import pytest
from annotated import project_files

SOURCES = project_files("python_references")
KEYED = SOURCES["keyed.py"]
OTHER = SOURCES["other.py"]
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
