"""A file that was renamed as it is: no declaration is told as removed or added."""

import subprocess

import pytest

FILES = {
    "src/core.ts": "export function parse() {}\nexport class Box {\n  fill() {}\n}\n",
    "src/same.ts": "export const same = 1\n",
    "src/use.ts": "import { parse } from './core'\nexport const use = () => parse()\n",
    "src/use.test.ts": "import { use } from './use'\nuse()\n",
}
HEAD = "diff --git a/src/core.ts b/lib/core.ts\n"
PURE = f"{HEAD}similarity index 100%\nrename from src/core.ts\nrename to lib/core.ts\n"
TOLD = (
    "Renamed: 1 file\n  src/core.ts -> lib/core.ts (src/core.ts is imported by src/use.ts)\n"
    "Declarations touched: 0\n"
)


def git(root, *words):
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *names, *words], cwd=root, check=True, capture_output=True)
    return done.stdout.decode()


@pytest.fixture
def root(make_project):
    root = make_project(FILES)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(root, *words)
    return root


def rename(root, before="src/core.ts", after="lib/core.ts"):
    (root / after).parent.mkdir(parents=True, exist_ok=True)
    (root / before).rename(root / after)


def checked(result):
    output = result.output
    assert TOLD in result.text()
    assert output.touched == ()
    assert output.changed == ("lib/core.ts", "src/core.ts")
    assert output.files == ("src/use.test.ts", "src/use.ts")
    assert [test.path for test in output.tests] == ["src/use.test.ts"]
    assert result.to_dict()["output"]["renamed"] == [
        {"old": "src/core.ts", "new": "lib/core.ts", "importers": ["src/use.ts"]}
    ]
    rows = output.shape().rows
    assert ("renamed", "lib/core.ts", "", None, "from src/core.ts") in rows
    assert ("imports the old path", "src/use.ts", "", None, "src/core.ts") in rows


@pytest.mark.parametrize("is_applied", [True, False])
@pytest.mark.parametrize("options", [["-M"], ["--no-renames"]])
def test_a_renamed_file_in_a_diff_is_told_as_renamed(root, open_assistant, options, is_applied):
    rename(root)
    git(root, "add", "-A")
    diff = git(root, "diff", "--cached", *options)
    if not is_applied:
        rename(root, "lib/core.ts", "src/core.ts")
    checked(open_assistant(root, []).call("get_impact", {"diff": diff}))


def test_a_file_that_was_renamed_on_the_disk_is_told_as_renamed(root, open_assistant):
    call = open_assistant(root, []).call
    rename(root)
    checked(call("get_impact", {}))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "second")
    checked(call("get_impact", {"diff": "HEAD~1..HEAD"}))
    checked(call("get_impact", {"diff": git(root, "show", "-M", "HEAD")}))


@pytest.mark.parametrize("is_applied", [True, False])
def test_what_a_diff_changes_of_a_renamed_file_is_told_too(root, open_assistant, is_applied):
    diff = PURE.replace("100%", "90%") + (
        "--- a/src/core.ts\n+++ b/lib/core.ts\n@@ -1,2 +1,2 @@\n"
        "-export function parse() {}\n+export function parse() { 1 }\n export class Box {\n"
    )
    place = "src/core.ts"
    if is_applied:
        rename(root)
        place = "lib/core.ts"
        (root / place).write_text(FILES["src/core.ts"].replace("{}", "{ 1 }", 1))
    output = open_assistant(root, []).call("get_impact", {"diff": diff}).output
    assert [(one.path, one.name, one.how) for one in output.touched] == [
        (place, "parse", "changed")
    ]
    assert [(one.old, one.new, one.importers) for one in output.renamed] == [
        ("src/core.ts", "lib/core.ts", ("src/use.ts",))
    ]


def test_a_file_that_nothing_imports_is_told_so(root, open_assistant):
    rename(root, "src/same.ts", "src/other.ts")
    text = open_assistant(root, []).call("get_impact", {}).text()
    assert "  src/same.ts -> src/other.ts (nothing imports src/same.ts)\n" in text


def test_files_with_the_same_content_are_paired_by_their_names(root, open_assistant):
    for name in ("b", "a"):
        (root / f"src/{name}.ts").write_text("export const twin = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "second")
    for name in ("a", "b"):
        rename(root, f"src/{name}.ts", f"lib/{name}.ts")
    output = open_assistant(root, []).call("get_impact", {}).output
    assert [(one.old, one.new) for one in output.renamed] == [
        ("src/a.ts", "lib/a.ts"),
        ("src/b.ts", "lib/b.ts"),
    ]


def test_files_that_move_along_do_not_import_the_old_path(root, open_assistant):
    (root / "src/one.ts").write_text("import './core'\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "second")
    (root / "src").rename(root / "lib")
    rename(root, "lib/one.ts", "src/other/one.ts")
    git(root, "add", "-A")
    diff = git(root, "diff", "--cached", "-M")
    git(root, "reset", "-q", "--hard")
    output = open_assistant(root, []).call("get_impact", {"diff": diff}).output
    found = {one.old: one.importers for one in output.renamed}
    assert found["src/use.ts"] == ()
    assert found["src/core.ts"] == ("src/one.ts",)


def test_many_renamed_files_are_counted(root, open_assistant):
    for number in range(40):
        (root / f"src/n{number:02}.ts").write_text(f"export const n{number} = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "second")
    (root / "src").rename(root / "lib")
    result = open_assistant(root, []).call("get_impact", {})
    assert "Renamed: 44 files\n" in result.text()
    assert "\n  and 24 more\n" in result.text()
    assert len(result.output.renamed) == 44


def test_a_rename_of_a_file_that_is_not_there_does_not_fit(root, open_assistant):
    diff = PURE.replace("src/core.ts", "src/none.ts").replace("lib/core.ts", "lib/none.ts")
    result = open_assistant(root, []).call("get_impact", {"diff": diff})
    assert "the diff does not fit these files as they are: lib/none.ts" in result.output.notes
