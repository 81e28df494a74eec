"""The type checkers that a project has configured and installed."""

import pytest

from ipuaro_jupyter.project.checks.checkers import find_checkers


@pytest.fixture
def project(tmp_path):
    """Give a function that writes files, programs among them, and returns the folder."""

    def make(*paths, **texts):
        for path in paths:
            place = tmp_path / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(texts.get(place.name.replace(".", "_"), ""))
            if "/bin/" in path or "/.bin/" in path:
                place.chmod(0o755)
        return tmp_path

    return make


def names(found):
    return [(one.name, one.folder, bool(one.missing)) for one in found]


def test_nothing_is_configured(project):
    assert find_checkers(project("a.ts", "a.py"), ["a.ts", "a.py"]) == ()


def test_the_nearest_tsconfig_of_each_file_counts(project):
    root = project("tsconfig.json", "packages/one/tsconfig.json", "node_modules/.bin/tsc")
    files = ["src/a.ts", "packages/one/deep/b.tsx", "packages/two/c.mts", "README.md"]
    assert names(find_checkers(root, files)) == [("tsc", "", False), ("tsc", "packages/one", False)]


def test_vue_has_its_own(project):
    root = project("tsconfig.json", "node_modules/.bin/tsc", "node_modules/.bin/vue-tsc")
    (found,) = find_checkers(root, ["src/App.vue"])
    assert found.argv[:2] == ("vue-tsc", "--noEmit")


def test_references_are_built(project):
    text = '{\n  // all of them\n  "files": [],\n  "references": [{ "path": "./a" }]\n}'
    (found,) = find_checkers(project("tsconfig.json", tsconfig_json=text), ["a.ts"])
    assert found.argv[1] == "-b"
    text = '{\n  // "references": [{ "path": "./a" }]\n}'
    (found,) = find_checkers(project("tsconfig.json", tsconfig_json=text), ["a.ts"])
    assert found.argv[1] == "--noEmit"


def test_what_is_not_installed_says_what_to_do(project):
    (found,) = find_checkers(project("tsconfig.json"), ["a.ts"])
    assert found.missing == "npm install typescript"


@pytest.mark.parametrize(
    ("name", "text", "listed"),
    [
        ("mypy.ini", "[mypy]\nstrict = true\n", ("a.py", "lib/b.py")),
        (".mypy.ini", "[mypy]\nfiles = lib, \n", ("lib", "a.py")),
        ("setup.cfg", "[mypy]\nfiles = .\n", (".",)),
        ("pyproject.toml", '[tool.mypy]\nfiles = ["lib/"]\n', ("lib/", "a.py")),
        ("pyproject.toml", '[tool.mypy]\nfiles = "a.py"\n', ("a.py", "lib/b.py")),
        ("pyproject.toml", "[tool.mypy]\n", ("a.py", "lib/b.py")),
    ],
)
def test_mypy_checks_what_is_configured_and_what_is_reached(project, name, text, listed):
    (found,) = find_checkers(project(name, **{name.replace(".", "_"): text}), ["lib/b.py", "a.py"])
    assert found.name == "mypy"
    assert (found.argv[-1], found.files) == ("--", listed)
    assert found.sees == {"a.py", "lib/b.py"}


def test_mypy_looks_into_the_environment_of_the_project(project):
    root = project("mypy.ini", ".venv/bin/mypy", ".venv/bin/python")
    (found,) = find_checkers(root, ["sub/a.py"])
    assert found.first[0] == str(root / ".venv/bin")
    assert ("--python-executable", str(root / ".venv/bin/python")) == found.argv[-3:-1]


@pytest.mark.parametrize(
    ("name", "text", "sees"),
    [
        ("pyrightconfig.json", "{}", {"a.py", "lib/b.py"}),
        ("pyproject.toml", "[tool.pyright]\n", {"a.py", "lib/b.py"}),
        ("pyproject.toml", '[tool.pyright]\ninclude = ["lib"]\n', {"lib/b.py"}),
        ("pyproject.toml", '[tool.pyright]\ninclude = "lib"\n', set()),
        ("pyproject.toml", "[tool]\npyright = 1\n", set()),
        ("pyproject.toml", '[tool.pyright]\nignore = ["a.py"]\n', set()),
        ("pyrightconfig.json", '{"include": ["lib"]}', {"lib/b.py"}),
        ("pyrightconfig.json", '{"include": ["l*"]}', set()),
        ("pyrightconfig.json", '{"exclude": ["lib"]}', set()),
        ("pyrightconfig.json", "{} // a comment", set()),
    ],
)
def test_pyright(project, name, text, sees):
    root = project(name, "node_modules/.bin/pyright", **{name.replace(".", "_"): text})
    (found,) = find_checkers(root, ["a.py", "lib/b.py", ".hidden/c.py"])
    assert names([found]) == [("pyright", "", False)]
    assert found.sees == sees


@pytest.mark.parametrize("text", ["[tool", "tool = 1\n", "[tool.mypy", "[other]\n"])
def test_a_broken_configuration_is_none(project, text):
    root = project("pyproject.toml", "setup.cfg", pyproject_toml=text, setup_cfg="no section\n")
    assert find_checkers(root, ["a.py"]) == ()


def test_settings_that_hide_errors_are_known(project):
    text = "[mypy]\n[mypy-lib.*]\nignore_errors = True\n"
    (found,) = find_checkers(project("mypy.ini", mypy_ini=text), ["lib/b.py", "a.py"])
    assert (found.silenced, found.silenced_by) == ({"lib/b.py"}, "ignore_errors in mypy's settings")
    text = '{"compilerOptions": {"noCheck": true}}'
    (found,) = find_checkers(project("tsconfig.json", tsconfig_json=text), ["a.ts", "a.md"])
    assert (found.silenced, found.silenced_by) == ({"a.ts"}, "noCheck in tsconfig.json")


def test_a_long_command_is_shown_shortened(project):
    (found,) = find_checkers(project("mypy.ini"), [f"{name}.py" for name in "abcde"])
    assert found.told.endswith(" -- a.py b.py c.py and 2 more files")
    (found,) = find_checkers(project("mypy.ini"), ["@a.py"])
    assert found.told.endswith(" -- ./@a.py")
