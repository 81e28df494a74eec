"""What a change touches, who uses that, and which tests reach it."""

import difflib
import json
import subprocess

import pytest
from annotated import project_files

from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.references import ReferenceFinder

FILES = project_files("get_impact")


@pytest.fixture
def project(make_project):
    """A repository whose files are committed."""
    return committed(make_project(FILES))


def committed(root):
    """Make a folder a repository with all its files; return it."""
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(root, *words)
    return root


def git(root, *words):
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def impact(project, open_assistant):
    call = open_assistant(project, []).call

    def ask(**more):
        result = call("get_impact", more)
        assert result.success, result
        return result.output

    return ask


def change(root, old, new):
    file = root / "src/core.ts"
    file.write_text(file.read_text().replace(old, new))


def users(output):
    return [(one.name, one.depth, one.of) for one in output.reached]


def test_what_is_not_committed_is_followed_to_users_and_tests(project, impact):
    change(project, "  return text\n", "  return text.trim()\n")
    output = impact()
    assert [(one.name, one.line, one.how) for one in output.touched] == [("parse", 1, "changed")]
    assert users(output) == [
        ("load", 1, "parse"),
        ("run", 2, "load"),
        ("", 3, "run"),
        ("", 3, "run"),
    ]
    assert [(test.path, test.uses, test.distance) for test in output.tests] == [
        ("src/far.test.ts", True, 3),
        ("src/near.test.ts", False, 1),
    ]
    assert output.files == ("src/app.ts", "src/far.test.ts", "src/near.test.ts", "src/use.ts")
    assert output.direct_files == 2
    text = output.text()
    assert "  src/core.ts:1 parse (changed)" in text
    assert "src/near.test.ts (imports it, 1 away)" in text
    assert output.shape().rows[0][:3] == ("changed", "src/core.ts:1", "parse")


def test_the_innermost_declaration_counts_and_a_removed_one_is_found_by_imports(project, impact):
    change(project, "return 1", "return 2")
    change(project, "export function old() {}\n", "")
    output = impact()
    assert [(one.name, one.how) for one in output.touched] == [
        ("Box.fill", "changed"),
        ("old", "removed"),
    ]
    assert [(one.path, one.name, one.certain) for one in output.reached] == [
        ("src/near.test.ts", "", True),
        ("src/use.ts", "clean", True),
    ]


def test_a_removed_member_is_found_by_name(project, impact):
    change(project, "  close() {}\n", "")
    (project / "src/loose.js").write_text("x.close()\n")
    output = impact()
    assert [(one.path, one.name, one.certain) for one in output.reached] == [
        ("src/loose.js", "", False)
    ]
    assert "by name only" in output.text()


@pytest.mark.parametrize("to", ["src/moved.ts", None])
def test_files_that_import_one_that_is_gone_are_known(project, impact, to):
    words = ["mv", "src/core.ts", to] if to else ["rm", "-q", "src/core.ts"]
    git(project, *words)
    output = impact()
    assert output.files == ("src/app.ts", "src/far.test.ts", "src/near.test.ts", "src/use.ts")
    assert output.direct_files == 2
    assert [(test.path, test.distance) for test in output.tests] == [
        ("src/near.test.ts", 1),
        ("src/far.test.ts", 3),
    ]


def test_a_configuration_that_is_gone_leaves_imports_as_they_are(make_project, open_assistant):
    """A resolver that once looked for files as if they were there must not go on with that."""
    root = make_project(
        {
            "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}',
            "src/tsconfig.json": "{}",
            "lib/y.ts": "export const y = 1\n",
            "src/x.ts": "import { y } from '@/y'\ny\n",
        }
    )
    committed(root)
    (root / "src/tsconfig.json").unlink()
    open_assistant(root, []).close()  # the next one has read no configuration
    assistant = open_assistant(root, [])
    assistant.call("get_impact")
    (root / "src/x.ts").write_text("import { y } from '@/y'\ny + 1\n")
    found = assistant.call("get_dependents", {"path": "lib/y.ts"}).output
    assert [one.path for one in found.dependents] == ["src/x.ts"]


def test_files_that_import_a_python_module_that_is_gone_are_known(make_project, open_assistant):
    root = make_project(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def add(): pass\n",
            "shop/till.py": "from .cart import add as put\nput()\n",
            "test_shop.py": "import shop.till\n",
        }
    )
    committed(root)
    (root / "shop/cart.py").unlink()
    output = open_assistant(root, []).call("get_impact").output
    assert (output.files, output.direct_files) == (("shop/till.py", "test_shop.py"), 1)
    assert [(test.path, test.distance) for test in output.tests] == [("test_shop.py", 2)]


def test_a_new_file_adds_declarations(project, impact):
    (project / "src/new.ts").write_text("export function fresh() {}\n")
    output = impact()
    assert [(one.path, one.name, one.how) for one in output.touched] == [
        ("src/new.ts", "fresh", "added")
    ]
    assert output.tests == ()


def test_a_range_and_a_revision_are_compared(project, impact):
    change(project, "  return text\n", "  return text + 1\n")
    git(project, "commit", "-qam", "second")
    assert [one.name for one in impact(diff="HEAD~1..HEAD").touched] == ["parse"]
    assert [one.name for one in impact(diff="HEAD~1", depth=1).touched] == ["parse"]
    assert users(impact(diff="HEAD~1", depth=1)) == [("load", 1, "parse")]


def test_a_declaration_is_followed_as_if_it_were_changed(project, impact):
    output = impact(symbol="parse")
    assert output.compared == "a change of parse"
    assert [(one.path, one.name, one.line, one.how) for one in output.touched] == [
        ("src/core.ts", "parse", 1, "changed")
    ]
    change(project, "  return text\n", "  return text.trim()\n")
    changed = impact()
    for what in ("reached", "files", "direct_files", "tests", "notes"):
        assert getattr(output, what) == getattr(changed, what)
    assert output.text().startswith("Compared: a change of parse\nChanged: 1 file\n")
    assert output.shape().title.startswith("Impact of a change of parse: 1 declaration, ")


PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 1\n",
    "shop/bill.py": "class Bill:\n    def total(self):\n        return 2\n",
    "shop/till.py": "from .cart import Cart\n\n\ndef pay():\n    return Cart().total()\n",
    "tests/test_till.py": "from shop.till import pay\n\n\ndef test_pay():\n    assert pay()\n",
}


def test_a_method_is_followed_and_the_file_chooses_between_two(run):
    call = run(PYTHON)
    output = call("get_impact", {"symbol": "Cart.total"}).output
    assert users(output) == [("pay", 1, "Cart.total"), ("test_pay", 2, "pay")]
    assert [(test.path, test.uses) for test in output.tests] == [("tests/test_till.py", True)]
    assert output.files == ("shop/till.py", "tests/test_till.py")
    both = call("get_impact", {"symbol": "total"}).output
    assert [one.name for one in both.touched] == ["Bill.total", "Cart.total"]
    bill = call("get_impact", {"symbol": "total", "declared_in": "shop/bill.py"}).output
    assert [one.name for one in bill.touched] == ["Bill.total"]
    assert bill.reached == ()


def test_what_may_be_a_use_of_a_declaration_is_told_as_not_certain(run):
    result = run(UNTYPED)("get_impact", {"symbol": "Box.pack"})
    assert [(one.name, one.certain) for one in result.output.reached] == [("wrap", False)]
    assert "1 place named pack could not be resolved" in result.text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"symbol": "parse", "diff": "HEAD"}, "Both diff and symbol are given."),
        ({"declared_in": "src/core.ts"}, "declared_in is given without a symbol."),
        ({"symbol": "prase"}, "No declaration of prase is known here."),
        ({"symbol": "load", "declared_in": "src/core.ts"}, "src/core.ts does not declare load."),
    ],
)
def test_an_impact_of_no_one_declaration_is_an_error(project, open_assistant, arguments, message):
    error = open_assistant(project, []).call("get_impact", arguments).error
    assert error.message == message


DIFF = """--- a/src/core.ts
+++ b/src/core.ts
@@ -1,3 +1,3 @@
 export function parse(text: string) {
-  return text
+  return text.trim()
 }
"""


def test_a_diff_counts_whether_or_not_it_is_applied(project, impact):
    assert [one.name for one in impact(diff=DIFF).touched] == ["parse"]
    change(project, "  return text\n", "  return text.trim()\n")
    assert [one.name for one in impact(diff=DIFF).touched] == ["parse"]
    change(project, "text.trim()", "1")
    output = impact(diff=DIFF)
    assert output.touched == ()
    assert "does not fit these files as they are: src/core.ts" in output.text()


def test_a_diff_that_adds_a_file_counts_whether_or_not_it_is_applied(project, impact):
    diff = "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1,1 @@\n+export function fresh() {}\n"
    for _ in range(2):
        (one,) = impact(diff=diff).touched
        assert (one.path, one.name, one.line, one.how) == ("src/new.ts", "fresh", 1, "added")
        (project / "src/new.ts").write_text("export function fresh() {}\n")


def test_a_diff_of_files_outside_of_the_project_fits_nothing(project, impact):
    (project.parent / "outside.ts").write_text(
        "export function parse(text: string) {\n  return text\n}\n"
    )
    output = impact(diff=DIFF.replace("src/core.ts", "../outside.ts"))
    assert output.touched == ()
    assert "does not fit" in output.text()


def test_nothing_changed_is_told(impact):
    nothing = impact()
    assert nothing.text().startswith("Nothing has changed since HEAD. Name a revision or a range")
    assert nothing.shape().text == nothing.text()
    assert impact(diff="HEAD..HEAD").text().startswith("Nothing has changed in HEAD..HEAD. ")


def test_a_diff_that_changes_nothing_and_no_such_revision_are_errors(project, open_assistant):
    call = open_assistant(project, []).call
    same = "--- a/src/core.ts\n+++ b/src/core.ts\n@@ -2 +2 @@\n-  return text\n+  return text\n"
    assert call("get_impact", {"diff": same}).error.message == "The given diff changes nothing."
    assert "no revision 'nope'" in call("get_impact", {"diff": "nope"}).error.message
    assert "no revision '--output=x'" in call("get_impact", {"diff": "--output=x"}).error.message


UNTYPED = {
    "core.ts": "export class Box {\n  pack() {\n    return 2\n  }\n}\n",
    "use.ts": "export function wrap(box) { return box.pack() }\n",
}
PACK_DIFF = "--- a/core.ts\n+++ b/core.ts\n@@ -3,1 +3,1 @@\n-    return 1\n+    return 2\n"


def test_uses_that_cannot_be_resolved_are_told_as_not_certain(run):
    result = run(UNTYPED)("get_impact", {"diff": PACK_DIFF})
    assert [(one.name, one.certain) for one in result.output.reached] == [("wrap", False)]
    told = "1 place named pack could not be resolved and may be uses; they are not followed"
    assert told in result.text()
    assert told in result.output.shape().note
    assert "use.ts:1 wrap (uses Box.pack, by name only)" in result.text()


@pytest.mark.parametrize(
    ("tool", "arguments", "name"),
    [
        ("get_impact", {"diff": PACK_DIFF}, "Box.pack"),
        ("get_callers", {"symbol": "Small.pack"}, "Base.pack"),
        ("get_callers", {"symbol": "low", "depth": 2}, "high"),
        ("find_implementations", {"symbol": "Base"}, "Small"),
        ("find_implementations", {"symbol": "Base.pack"}, "Base.pack"),
    ],
)
def test_files_that_time_ran_out_for_are_told(run, monkeypatch, tool, arguments, name):
    more = {
        "base.ts": "export class Base { pack() {} }\n"
        "export class Small extends Base { pack() {} }\n",
        "calls.ts": "export function low() {}\nexport function high() { low() }\nhigh()\n",
    }
    call, of = run(UNTYPED | more), ReferenceFinder.of

    def late(self, symbol, *args, **more):
        found = of(self, symbol, *args, **more)
        return found.without({"late.ts"}) if symbol == name else found

    monkeypatch.setattr(ReferenceFinder, "of", late)
    assert (
        f"the time was up: 1 file not looked at for uses of {name}" in call(tool, arguments).text()
    )


def test_time_that_is_up_before_uses_of_what_was_removed_is_told(run, monkeypatch):
    call = run(UNTYPED)

    def late(*_args, **_more):
        raise TimeUp

    monkeypatch.setattr(ReferenceFinder, "of", late)
    gone = "--- a/core.ts\n+++ b/core.ts\n@@ -5,2 +5,1 @@\n }\n-export function gone() {}\n"
    told = "the time was up: uses of gone were not looked for"
    assert told in call("get_impact", {"diff": gone}).text()


BARREL = project_files("get_impact, barrel")
REMOVED = """--- a/src/index.ts
+++ b/src/index.ts
@@ -1,3 +1,2 @@
-export { parse } from './core'
 export * from './more'
 export { parse as read } from './core'
"""
STAR = """--- a/src/index.ts
+++ b/src/index.ts
@@ -1,3 +1,2 @@
 export { parse } from './core'
-export * from './more'
 export { parse as read } from './core'
"""
DECLARED = """--- a/src/core.ts
+++ b/src/core.ts
@@ -1,2 +1,1 @@
-export function parse() {}
 export function other() {}
"""
PRIVATE = DECLARED.replace("-1,2 +1,1", "-1,2 +1,2").replace(
    " export function other", "+function parse() {}\n export function other"
)


@pytest.mark.parametrize("is_applied", [False, True])
@pytest.mark.parametrize(
    ("diff", "touched", "users"),
    [
        (REMOVED, [("parse", "no longer exported")], "a b c"),
        (STAR, [("* from './more'", "no longer exported")], "e"),
        (DECLARED, [("parse", "removed")], "a b c d f"),
        (PRIVATE, [("parse", "changed"), ("parse", "no longer exported")], "a b c d f"),
    ],
)
def test_users_of_what_is_exported_no_longer(
    make_project, open_assistant, *, is_applied, diff, touched, users
):
    root = make_project(BARREL)
    if is_applied:
        subprocess.run(["patch", "-p1"], cwd=root, input=diff, text=True, check=True)
    output = open_assistant(root, []).call("get_impact", {"diff": diff, "depth": 1}).output
    assert [(one.name, one.how) for one in output.touched] == touched
    assert sorted(one.name for one in output.reached if one.name) == users.split()


def _diff(files, changed):
    """A unified diff that gives files other contents; ``files`` are those before it."""
    parts = []
    for path, after in changed.items():
        before = files.get(path, "")
        rows = difflib.unified_diff(
            before.splitlines(keepends=True),
            after.splitlines(keepends=True),
            f"a/{path}" if path in files else "/dev/null",
            f"b/{path}",
        )
        parts += rows
    return "".join(parts)


MODULES = {
    "own.ts": "export function f() {}\nexport function g() {}\n",
    "far.ts": "export * from './own'\n",
    "open.ts": "export * from 'outside'\n",
    "common.js": "module.exports = make()\n",
    "list.json": "[]\n",
}
OUTER = [  # before, after, what becomes of f, whether its user is certain
    ("export { f } from '../own'", "export * from 'outside'", "perhaps no longer exported", False),
    ("export { f } from '../own'", "export * from '../open'", "perhaps no longer exported", False),
    ("export { f } from '../own'", "export * from '../gone'", "perhaps no longer exported", False),
    (
        "export { f } from '../own'",
        "export * from '../common'",
        "perhaps no longer exported",
        False,
    ),
    (
        "export { f } from '../own'",
        "export * from '../list.json'",
        "perhaps no longer exported",
        False,
    ),
    ("export { f } from '../own'", "export { g } from '../own'", "no longer exported", True),
    ("export { f } from '../own'", "export * from '../own'", None, None),
    ("export { f } from '../own'", "export * from '../far'", None, None),
    ("export { f } from 'outside'", "export * from '../far'", "exported from elsewhere", True),
    ("export function f() {}", "export * from '../far'", "removed", True),
    ("export * from '../own'", "export * from 'outside'", "no longer exported", False),
    ("export * from '../own'", "export const one = 1", "no longer exported", True),
    ("export * from '../own'", "export * from '../far'", "no longer exported", None),
]


def _applied(root, after):
    for path, text in after.items():
        (root / path).write_text(text)


@pytest.mark.parametrize("is_applied", [False, True])
def test_what_modules_outside_of_the_project_may_export_is_told_as_not_known(
    make_project, open_assistant, *, is_applied
):
    before = {f"m{n}/index.ts": f"{row[0]}\n" for n, row in enumerate(OUTER)}
    after = {f"m{n}/index.ts": f"{row[1]}\n" for n, row in enumerate(OUTER)}
    user = "import { f } from './index'\nexport const a = () => f()\n"
    root = make_project({**MODULES, **before, **{f"m{n}/a.ts": user for n in range(len(OUTER))}})
    if is_applied:
        _applied(root, after)
    asked = {"diff": _diff(before, after), "depth": 1}
    output = open_assistant(root, []).call("get_impact", asked).output
    for number, (_, _, how, is_certain) in enumerate(OUTER):
        path = f"m{number}/index.ts"
        told = [one.how for one in output.touched if one.path == path and one.name != "one"]
        assert told == ([how] if how else []), OUTER[number]
        users = {one.certain for one in output.reached if one.path == f"m{number}/a.ts"}
        assert users == (set() if is_certain is None else {is_certain}), OUTER[number]
        is_noted = any(f"whether {path} still exports f is not" in one for one in output.notes)
        assert is_noted == (how == "perhaps no longer exported"), OUTER[number]


PACKAGE = project_files("get_impact, package")
SECOND = "from .core import Other as Second\n"
BOTH = f"from .core import Client\n{SECOND}"
INITS = [  # before, after, what is touched, the users
    (BOTH, SECOND, {("Client", "no longer exported")}, "abcf"),
    (BOTH, "from .core import *\n", {("Second", "no longer exported")}, "d"),
    (BOTH, f"from outside import *\n{SECOND}", {("Client", "perhaps no longer exported")}, "abcf"),
    (
        BOTH,
        f"{SECOND}from .more import Other as Client\n",
        {("Client", "exported from elsewhere")},
        "abcf",
    ),
    (f"{SECOND}from . import inner\n", SECOND, {("inner", "perhaps no longer exported")}, ""),
    ("from .core import *\n", "", {("* from '.core'", "no longer exported")}, "abcf"),
    (
        f"{BOTH}__all__ = ['Client', 'Second']\n",
        f"{BOTH}__all__ = ['Second']\n",
        {("Client", "no longer in __all__"), ("__all__", "changed")},
        "c",
    ),
    (f"import os\n{SECOND}", SECOND, set(), ""),
    (
        f"{SECOND}def late():\n    from .core import Client\n    return Client\n",
        SECOND,
        {("late", "removed")},
        "",
    ),
]


@pytest.mark.parametrize("is_applied", [False, True])
def test_names_that_a_python_package_has_no_longer_are_followed(
    make_project, open_assistant, *, is_applied
):
    def named(number, files):
        pkg = f"pkg{number}"
        return {
            path.replace("pkg", pkg) if "/" in path else f"{path[0]}{number}.py": text.replace(
                "pkg", pkg
            )
            for path, text in files.items()
        }

    before = {f"pkg{n}/__init__.py": row[0] for n, row in enumerate(INITS)}
    after = {f"pkg{n}/__init__.py": row[1] for n, row in enumerate(INITS)}
    files = {path: text for n in range(len(INITS)) for path, text in named(n, PACKAGE).items()}
    root = make_project({**files, **before})
    if is_applied:
        _applied(root, after)
    asked = {"diff": _diff(before, after), "depth": 1}
    output = open_assistant(root, []).call("get_impact", asked).output
    for number, (_, _, touched, users) in enumerate(INITS):
        told = {(one.name, one.how) for one in output.touched if f"pkg{number}/" in one.path}
        assert told == touched, INITS[number]
        reached = [one for one in output.reached if one.path.endswith(f"{number}.py")]
        assert sorted({one.name for one in reached if one.name}) == [*users], INITS[number]
        is_open = any("perhaps" in how for _, how in touched)
        assert {one.certain for one in reached if one.name} <= {not is_open}, INITS[number]


def test_lines_of_a_notebook_are_those_of_its_cells(make_project, open_assistant):
    def notebook(body):
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": ["# a\n", "b\n", "c"]},
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": ["def first():\n", "    return 1\n", f"def second():\n    {body}"],
            },
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1) + "\n"

    root = make_project({"a.ipynb": notebook("return 1")})
    old, new = notebook("return 1"), notebook("return 2")
    diff = "".join(
        difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), "a/a.ipynb", "b/a.ipynb"
        )
    )
    output = open_assistant(root, []).call("get_impact", {"diff": diff}).output
    assert [(one.name, one.cell, one.line, one.how) for one in output.touched] == [
        ("second", 2, 3, "changed")
    ]
    assert "a.ipynb cell 2:3 second (changed)" in output.text()
    assert output.shape().rows[0][1] == "a.ipynb cell 2:3"
