"""What a command starts is certain, or no setting answers for the user."""

from pathlib import Path

import pytest
from command_table import judged

from ipuaro_jupyter.workspace.commands.certain_commands import certainty

HERE = Path(__file__).parent
COMMANDS = {
    kind: (HERE / f"{kind}_commands.txt").read_text().splitlines()
    for kind in ("certain", "doubtful")
}
OWN = {name: (f"node_modules/.bin/{name}",) for name in ("mine", "prettier", "cross-env")}


def doubt(text, variables=None):
    """Return the doubt in a project with a program of its own; ``⏎`` ends a line."""
    return certainty(
        text.replace("⏎", "\n"),
        find_program=lambda name, _: OWN.get(name, () if name != "nowhere" else None),
        is_inside=lambda path: ".." not in path.split("/") and not path.startswith(("link", "/")),
        starts_code=lambda name: name in ("PATH", "LD_PRELOAD", "BASH_ENV"),
        variables=variables or {},
    ).doubt


@pytest.mark.parametrize("text", COMMANDS["certain"])
def test_what_plain_words_start_is_certain(text):
    assert doubt(text) == ""


@pytest.mark.parametrize("text", COMMANDS["doubtful"])
def test_there_is_doubt_about_all_else(text):
    assert doubt(text) != ""


@pytest.mark.parametrize(
    "text",
    [
        "ls\u00a0x",
        "$(" * 21 + "ls" + ")" * 21,
        *(f"{wrapper} ls" for wrapper in ["nice -n " + "9" * 30_000, "x" * 200]),
        "make " + "a" * 30_000,
    ],
    ids=["blank", "deep", "long value", "name", "long"],
)
def test_odd_texts_are_doubtful_or_harmless(text):
    assert isinstance(doubt(text), str)


def test_a_shell_in_a_shell_has_an_end():
    text = "ls"
    for _ in range(13):
        text = f"sh -c '{text}'".replace("''", "") if text == "ls" else f"env env {text}"
    assert doubt(text) == ""
    nested = "ls"
    for _ in range(14):
        nested = "sh -c " + '"' + nested.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert "intricate" in doubt(nested)


def test_a_number_of_processors_is_one_where_the_project_does_not_say_it(monkeypatch):
    assert doubt("make -j$(nproc)") == ""
    monkeypatch.setitem(OWN, "nproc", ("node_modules/.bin/nproc",))
    assert "nproc" in doubt("make -j$(nproc)")


def test_variables_that_the_model_sets_are_read():
    assert doubt("make", {"FOO": "1"}) == ""
    assert "LD_PRELOAD" in doubt("make", {"LD_PRELOAD": "x"})
    assert judged("make", env={"LD_PRELOAD": "x"}).doubt


def test_a_denied_command_is_denied_by_either_reader():
    assert judged("rm -r d").action == "deny"
    assert judged("npm test && ls").doubt == ""
    assert judged("x" * 100_001).doubt
    assert judged("(" * 900 + "ls" + ")" * 900).doubt
    assert judged("git status").doubt == ""


def test_what_runs_from_outside_is_not_remembered():
    assert judged("pytest /tmp/x.py").pattern is None
    assert judged("mysql -e x").pattern == "mysql -e x"
    assert judged("mysql -e 'source ../x'").pattern is None


def test_a_script_of_another_folder_is_judged_there():
    scripts = {"sub/": {"test": "jest"}, "bad/": {"test": "x; rm -rf a"}}

    def there(text):
        return judged(text, scripts_of=lambda folder: scripts.get(folder, {}).get)

    assert there("cd sub && npm test").doubt == ""
    assert there("cd bad && npm run test -- x").action == "deny"
    assert there("cd sub; cd ../bad && npm test").doubt
    assert there("( cd bad; npm test ); ls").action == "deny"
    assert "another folder" in judged("cd sub && npm test").doubt


def test_a_script_that_the_project_lacks_is_doubtful():
    assert "no package.json of the project" in judged("npm run nowhere").doubt
    assert "no package.json of the project" in judged("npm start").doubt
    assert "no package.json of the project" in judged("yarn nowhere").doubt
    assert judged("yarn local-tool --x; npm run").doubt == ""


@pytest.mark.parametrize(
    "form",
    [
        "npm --prefix {} test",
        "npm --prefix={} run test",
        "npm -C {} test",
        "npm run test --prefix={}",
        "pnpm -C {} test",
        "pnpm --dir {} run test",
        "yarn --cwd {} test",
        "pushd {} && npm test",
        "cd -L {} && npm test",
        "cd -- {} && npm test",
        "command cd {} && npm test",
        "cd . && npm --prefix {} test",
    ],
)
def test_a_script_is_judged_in_the_folder_that_the_command_enters(form):
    scripts = {"sub/": {"test": "jest"}, "bad/": {"test": "x; rm -rf a"}}

    def there(folder):
        return judged(form.format(folder), scripts_of=lambda name: scripts.get(name, {}).get)

    assert (there("sub").action, there("sub").doubt) == ("ask", "")
    assert there("bad").action == "deny"
    for outside in ("..", "sub/../..", "/tmp", "~", "-", "$x", '"$(x)"'):
        assert there(outside).doubt, outside
