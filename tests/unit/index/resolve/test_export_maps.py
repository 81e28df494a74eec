"""What exports and imports of a package.json give for a name, and in which order."""

import pytest

from ipuaro_jupyter.index.resolve.export_maps import ExportMap, Target, every_target
from ipuaro_jupyter.index.resolve.path_patterns import PathPatterns
from ipuaro_jupyter.index.resolve.version_ranges import is_in_range

IMPORT = {"import", "types"}


def texts(field, name=".", conditions=IMPORT):
    return [target.text for target in ExportMap(field).targets(name, conditions)]


@pytest.mark.parametrize(
    ("field", "name", "expected"),
    [
        ("./a.js", ".", ["./a.js"]),
        ("./a.js", "./a", []),
        (["./a.js", {"types": "./b.ts"}], ".", ["./a.js", "./b.ts"]),
        ({"require": "./a.cjs", "default": "./a.js"}, ".", ["./a.js"]),
        ({"types": None, "import": "./a.js"}, ".", ["./a.js"]),
        ({".": "./a.js", "import": "./b.js"}, ".", ["./a.js"]),
        ({".": "./a.js", "import": "./b.js", "./x": "./x.js"}, "./x", []),
        ({"./*": "./src/*.ts"}, "./a/b", ["./src/a/b.ts"]),
        ({"./*": "./src/*/*.ts"}, "./a", ["./src/a/a.ts"]),
        ({"./*": "./*.ts", "./a*": "./a/*.ts"}, "./ab", ["./a/b.ts"]),
        ({"./*.js": "./*.ts", "./*": "./*"}, "./a.js", ["./a.ts"]),
        ({"./x/": "./src/"}, "./x/a.ts", ["./src/a.ts"]),
        ({"./x/": "./src"}, "./x/a.ts", []),
        ({"./*": "./src/*"}, "./../a", []),
        ({"./*": "./node_modules/*"}, "./a", []),
        ({".": "../a.js"}, ".", []),
        ({".": "b"}, ".", []),
        ({"types@>=5": "./new.d.ts", "types": "./old.d.ts"}, ".", ["./new.d.ts", "./old.d.ts"]),
        ({"types@<5": "./old.d.ts"}, ".", []),
        ([], ".", []),
        ({}, ".", []),
        (None, ".", []),
        (7, ".", []),
    ],
)
def test_exports_offer_what_typescript_tries(field, name, expected):
    assert texts(field, name) == expected


def test_imports_may_lead_to_other_modules():
    imports = ExportMap({"#a": "pkg/x", "#b/*": "./b/*.ts", "#c": "../c"}, is_imports=True)
    assert list(imports.targets("#a", IMPORT)) == [Target("pkg/x", is_name=True)]
    assert list(imports.targets("#b/x", IMPORT)) == [Target("./b/x.ts", is_name=False)]
    assert [*imports.targets("#c", IMPORT), *imports.targets("#", IMPORT)] == []


def test_deep_nesting_of_conditions_is_no_problem():
    field = "./a.js"
    for _ in range(5000):
        field = {"import": field}
    assert texts(field) == ["./a.js"]
    assert list(every_target(field)) == ["./a.js"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exact", ["e"]),
        ("a/b", ["src/b", "lib/b"]),
        ("a/deep/b", ["deep/b"]),
        ("a/", ["src/*", "lib/*"]),
        ("x.css", ["x"]),
        (".css", None),
        ("none", None),
    ],
)
def test_longest_beginning_of_a_pattern_counts(name, expected):
    table = {"exact": ["e"], "a/*": ["src/*", "lib/*"], "a/deep/*": ["deep/*"], "x*.css": ["x*"]}
    found = PathPatterns({**table, "*/*": ["never"]}).matching(name)
    texts = None if found is None else [text.rstrip("*") for _, text in found]
    assert texts == (None if expected is None else [text.rstrip("*") for text in expected])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("*", True),
        ("5", True),
        ("5.x", True),
        ("~5.9", True),
        ("^5.1", True),
        ("^4", False),
        (">=5.9.3", True),
        (">5.9", False),
        ("<=5.9", True),
        ("<5.9.3", False),
        ("5.9.3-beta", False),
        ("4 - 6", True),
        ("5.9.4 - 6", False),
        ("<4 || >=5.2 <6", True),
        ("<*", False),
        ("newest", False),
        ("=>5", False),
        ("| |", False),
        ("9" * 5000, False),
    ],
)
def test_version_ranges_are_those_of_node_semver(text, expected):
    assert is_in_range(text) is expected
