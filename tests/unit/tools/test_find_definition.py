import pytest
from annotated import project_files

FILES = project_files("find_definition")


@pytest.mark.parametrize(
    ("symbol", "line", "kind"),
    [
        ("Truck", 1, "interface"),
        ("Plate", 2, "type"),
        ("MAX", 3, "const"),
        ("hidden", 4, "const"),
        ("Size", 5, "enum"),
        ("Yard", 6, "class"),
        ("park", 7, "function"),
        ("Yard.park", 7, "function"),
        ("Gate", 9, "namespace"),
    ],
)
def test_every_kind_is_found_where_it_is_defined(run, symbol, line, kind):
    found = run(FILES)("find_definition", {"symbol": symbol}).output.definitions
    assert [(d.path, d.line, d.type) for d in found] == [("src/kinds.ts", line, kind)]


def test_overloads_are_all_there_with_their_lines(run):
    output = run(FILES)("find_definition", {"symbol": "label"})
    assert [d.line for d in output.output.definitions] == [10, 11]
    assert "src/kinds.ts:10 (function)" in output.text()


def test_nothing_found_suggests_the_closest(run):
    result = run(FILES)("find_definition", {"symbol": "Truk"})
    assert result.success
    assert result.to_dict()["output"]["definitions"] == []
    assert result.output.suggestions[0].name == "Truck"
    assert "  - Truck (src/kinds.ts:1)" in result.text()


CHAINS = project_files("find_definition, chains")


@pytest.mark.parametrize(
    ("symbol", "meant", "line"),
    [
        ("Dog.speak", "Animal.speak", 1),
        ("options.label", "Options.label", 3),
        ("rex.speak", "Animal.speak", 1),
        ("Dog.feed", "Animal.feed", 2),
        ("pets.zoo.Dog", "Dog", 3),
    ],
)
def test_what_a_chain_of_names_stands_for_is_found(run, symbol, meant, line):
    """It is inherited, a member of the type of a value, or a name behind a module."""
    result = run(CHAINS)("find_definition", {"symbol": symbol})
    (found,) = result.output.definitions
    assert (found.name, found.line) == (meant, line)
    is_told = meant != symbol and not symbol.endswith(f".{meant}")
    assert (f"{symbol} is {meant}." in result.text()) == is_told


def test_a_chain_is_looked_up_in_the_file_that_is_given(run):
    ask = run(CHAINS)
    arguments = {"symbol": "Dog.speak", "declared_in": "zoo.ts"}
    assert ask("find_definition", arguments).success
    assert not ask("find_definition", {**arguments, "declared_in": "pets/zoo.py"}).success
    assert not ask("find_definition", {"symbol": "Dog.none"}).output.definitions


FAMILIES = project_files("find_definition, families")


@pytest.mark.parametrize(
    ("symbol", "told"),
    [
        ("Box.size", "1 definition:"),  # on one line
        ("Way.kind", "1 definition in 2 places:"),
        ("width", "1 definition in 2 places:"),
        ("Case.get", "1 definition in 3 places:"),
        ("pick", "2 definitions in 4 places:"),
    ],
)
def test_overloads_and_accessors_are_one_definition(run, symbol, told):
    ask = run(FAMILIES)
    assert f"\nFound {told}\n" in ask("find_definition", {"symbol": symbol}).text()
    is_one = told.startswith("1")
    found = ask("find_references", {"symbol": symbol}).output
    assert len(found.declarations) == (1 if is_one else 2)
    assert ("Declared 2 times" in found.text()) != is_one


IMPORTED = project_files("find_definition, imported")


@pytest.mark.parametrize(
    ("symbol", "path", "name"),
    [
        ("sums", "lib/math.ts", "sums"),
        ("plus", "lib/math.ts", "add"),
        ("lib", "lib/index.ts", "lib"),
        ("sum", "lib/math.ts", "add"),
        ("tools", "b.cjs", "tools"),
        ("_helper", "pkg/inner.py", "helper"),
        ("short", "pkg/inner.py", "short"),
        ("inner", "pkg/inner.py", "inner"),
    ],
)
def test_a_name_that_only_imports_give_leads_to_what_they_import(run, symbol, path, name):
    result = run(IMPORTED)("find_definition", {"symbol": symbol})
    (found,) = result.output.definitions
    assert (found.path, found.line, found.name) == (path, 1, name)
    assert (found.type == "namespace") == (symbol == name)
    assert (f"{symbol} is {name}. " in result.text()) == (symbol != name)


def test_what_one_file_imports_under_a_name_is_found_there_only(run):
    ask = run(IMPORTED)
    assert ask("find_definition", {"symbol": "sum", "declared_in": "use.ts"}).success
    assert not ask("find_definition", {"symbol": "sum", "declared_in": "use.py"}).success
    assert not ask("find_definition", {"symbol": "system"}).output.definitions


def test_the_only_definition_is_shown_whole_when_it_is_short(run):
    short = "import x\n\n\n@x.cached\ndef short(a):\n" + "    a += 1\n" * 9 + "\n\nshort(1)\n"
    long = "export function long() {\n" + "  x()\n" * 39 + "}\n"
    call = run({"a.py": short, "b.ts": long})
    (found,) = call("find_definition", {"symbol": "short"}).output.definitions
    assert (found.line, found.line_end) == (5, 14)
    assert found.context[-1] == "    a += 1"
    assert found.context_start + len(found.context) == 15
    result = call("find_definition", {"symbol": "long"})
    assert len(result.output.definitions[0].context) == 3
    assert "     3:   x()\n  [it goes on to line 41: read it with get_lines]" in result.text()


def test_of_several_definitions_the_lines_around_the_names_are_shown(run):
    several = "function two(a: string): void\nfunction two(a: number): void\nfunction two(a) {\n}\n"
    found = run({"a.ts": several})("find_definition", {"symbol": "two"}).output.definitions
    assert [(one.line_end, len(one.context)) for one in found] == [(None, 3), (None, 4), (None, 3)]
