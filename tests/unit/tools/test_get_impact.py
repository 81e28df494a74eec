"""What a change touches, who uses that, and which tests reach it."""

import subprocess

import pytest

from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.references import ReferenceFinder

FILES = {
    "src/core.ts": "export function parse(text: string) {\n  return text\n}\n"
    "export class Box {\n  fill() {\n    return 1\n  }\n  close() {}\n}\n"
    "export function old() {}\n",
    "src/use.ts": "import { parse, old } from './core'\n"
    "export function load() { return parse('x') }\n"
    "export function clean() { old() }\n",
    "src/app.ts": "import { load } from './use'\nexport const run = () => load()\nrun()\n",
    "src/far.test.ts": "import { run } from './app'\ntest('runs', () => { run() })\n",
    "src/near.test.ts": "import { Box } from './core'\nnew Box().fill()\n",
    "src/other.test.ts": "export const nothing = 1\n",
}


@pytest.fixture
def project(make_project):
    """A repository whose files are committed."""
    root = make_project(FILES)
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


def test_the_innermost_declaration_counts_and_a_removed_one_is_found_by_name(project, impact):
    change(project, "return 1", "return 2")
    change(project, "export function old() {}\n", "")
    output = impact()
    assert [(one.name, one.how) for one in output.touched] == [
        ("Box.fill", "changed"),
        ("old", "removed"),
    ]
    assert [(one.path, one.name, one.certain) for one in output.reached] == [
        ("src/near.test.ts", "", True),
        ("src/use.ts", "clean", False),
    ]
    assert "by name only" in output.text()


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


def test_nothing_changed_and_no_such_revision_are_errors(project, open_assistant):
    call = open_assistant(project, []).call
    assert "Nothing is changed" in call("get_impact", {}).error.message
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
