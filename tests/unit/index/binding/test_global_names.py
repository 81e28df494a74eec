"""Uses of what is global: declared in a script, in ``declare global``, or added to the language."""

import pytest

SCRIPT = (
    "class Foo { static a = 1; b = 2 }\n"
    "function make() { return new Foo() }\n"
    "namespace N { export const q = 1 }\n"
)


@pytest.mark.parametrize(
    "module",
    [
        "import { Foo } from 'other'\nFoo.a\n",
        "export class Foo {}\nFoo.a\n",
        "export function f(Foo: { a: 1 }) { Foo.a }\n",
    ],
)
def test_a_name_that_a_file_has_itself_is_not_global(places, module):
    certain, _ = places({"g.ts": SCRIPT, "m.ts": module}, "Foo.a")
    assert certain == ["g.ts:1:20"]


@pytest.mark.parametrize(
    "files",
    [
        {"g.mts": SCRIPT},
        {"g.ts": f"export {{}}\n{SCRIPT}"},
        {"g.vue": "<script setup>\nclass Foo { static a = 1 }\n</script>\n"},
        {"g.ts": SCRIPT, "h.ts": SCRIPT},  # which of the two runs here?
        {"one/package.json": "{}", "one/g.ts": SCRIPT, "package.json": "{}"},
    ],
)
def test_names_of_modules_and_of_scripts_elsewhere_are_not_certain(places, files):
    if "one/g.ts" in files:
        files = {**files, "two/package.json": "{}", "two/m.ts": "export {}\nFoo.a\n"}
    user = "two/m.ts" if "two/m.ts" in files else "m.ts"
    certain, apart = places({"m.ts": "export {}\nFoo.a\n", **files}, "Foo.a")
    assert f"{user}:2:5" not in certain
    assert f"{user}:2:5" in apart


FORCED = {"tsconfig.json": '{"compilerOptions": {"moduleDetection": "Force"}}'}
EXTENDED = {"base.json": FORCED["tsconfig.json"], "tsconfig.json": '{"extends": "./base"}'}
NODE = {"tsconfig.json": '{"compilerOptions": {"module": "nodenext"}}'}
BUNDLED = {"tsconfig.json": '{"compilerOptions": {"moduleResolution": "bundler"}}'}
MODULES = {"package.json": '{"type": "module"}'}
SAID = "a.test.ts:2:1"


def global_(name, path):
    """Files of which one declares a function that another one calls."""
    return {path: f"function {name}() {{}}\n", "a.test.ts": f"export {{}}\n{name}()\n"}


@pytest.mark.parametrize(
    ("path", "configured", "kind"),
    [
        ("g.ts", {}, "certain"),
        ("g.js", {}, "certain"),
        ("g.js", {"package.json": "{}"}, "certain"),
        ("g.js", {"x.package.json": '{"type": "module"}'}, "certain"),
        ("g.ts", FORCED, "none"),
        ("g.ts", EXTENDED, "none"),
        ("g.js", FORCED, "apart"),
        ("g.d.ts", FORCED | MODULES, "certain"),
        ("g.ts", MODULES, "none"),
        ("g.ts", MODULES | NODE, "none"),
        ("g.ts", MODULES | BUNDLED, "apart"),
        ("g.ts", NODE, "certain"),
        ("g.js", MODULES, "apart"),
        ("g.js", {"package.json": '{"type": "commonjs"}'}, "apart"),
        ("g.js", {"package.json": '{"main": "x.js"}'}, "apart"),
    ],
)
def test_the_configuration_says_whether_a_file_without_imports_is_a_script(
    places, path, configured, kind
):
    files = global_("run", path) | configured
    certain, apart = places(files, "run", declared_in=path)
    found = "certain" if SAID in certain else "apart" if SAID in apart else "none"
    assert found == kind


@pytest.mark.parametrize("name", ["context", "assert", "page"])
def test_names_that_many_libraries_make_global_are_not_certain(places, name):
    files = global_(name, "g.ts")
    assert places(files, name, declared_in="g.ts") == (["g.ts:1:10"], [SAID])


def test_a_file_whose_name_ends_in_that_of_a_package_is_none(places):
    module = "export {}\nFoo.a\n"
    files = {"one/x.package.json": "{}", "one/g.ts": SCRIPT, "two/m.ts": module}
    certain, _ = places(files, "Foo.a")
    assert "two/m.ts:2:5" in certain


BUILT_IN = (
    "export {}\n"
    "declare global {\n"
    "  interface Array<T> { last(): T }\n"
    "  interface String { last(): void }\n"
    "  interface ObjectConstructor { last(): void }\n"
    "}\n"
)


@pytest.mark.parametrize(
    ("owner", "use"),
    [
        ("Array", "[1].last()"),
        ("Array", "let q: string[] = []; q.last()"),
        ("String", "'x'.last()"),
        ("ObjectConstructor", "Object.last()"),
    ],
)
def test_members_added_to_a_type_of_the_language_are_found(places, owner, use):
    files = {"g.ts": BUILT_IN, "u.ts": f"export {{}}\n{use}\n"}
    certain, apart = places(files, f"{owner}.last")
    assert [one for one in certain if one.startswith("u.ts")] == [f"u.ts:2:{use.index('last') + 1}"]
    assert apart == []
