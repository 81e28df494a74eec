"""Settings with which a type checker reports no errors."""

import pytest

from ipuaro_jupyter.project.checks.type_settings import has_no_check, mypy_settings

OVERRIDE = "[tool.mypy]\n[[tool.mypy.overrides]]\nmodule = {}\nignore_errors = {}\n"


@pytest.mark.parametrize(
    ("name", "text", "ignored"),
    [
        ("mypy.ini", "[mypy]\nignore_errors = True\n", True),
        ("mypy.ini", "[mypy]\nstrict = True\n", False),
        ("mypy.ini", "[mypy]\n[mypy-other,pkg.old.*]\nignore_errors = on\n", True),
        ("mypy.ini", "[mypy]\nignore_errors = true\n[mypy-pkg.old.a]\nignore_errors = no\n", False),
        ("setup.cfg", "[mypy]\n[mypy-pkg.*]\nignore_errors = 1\n", True),
        ("setup.cfg", "[mypy]\n[mypy-old]\nignore_errors = 1\n", False),
        ("pyproject.toml", "[tool.mypy]\nignore_errors = true\n", True),
        ("pyproject.toml", OVERRIDE.format('"pkg.old.a"', "true"), True),
        ("pyproject.toml", OVERRIDE.format('["x", "pkg.*"]', "true"), True),
        ("pyproject.toml", OVERRIDE.format('["x", "pkg"]', "true"), False),
        ("pyproject.toml", "[tool.mypy]\noverrides = 3\nfiles = 3\n", False),
    ],
)
def test_where_mypy_ignores_errors(tmp_path, name, text, ignored):
    (tmp_path / name).write_text(text)
    settings = mypy_settings(tmp_path)
    assert settings.ignores_errors("src/pkg/old/a.py") is ignored
    assert settings.files == []


def test_a_package_is_meant_by_the_pattern_for_what_is_in_it(tmp_path):
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-pkg.*]\nignore_errors = True\n")
    assert mypy_settings(tmp_path).ignores_errors("pkg/__init__.py")
    assert not mypy_settings(tmp_path).ignores_errors("pkgs/__init__.py")


@pytest.mark.parametrize("name", ["setup.cfg", "pyproject.toml"])
def test_without_a_section_there_are_no_settings(tmp_path, name):
    (tmp_path / name).write_text("[other]\n")
    assert mypy_settings(tmp_path) is None


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({"tsconfig.json": '{"compilerOptions": {"noCheck": true}}'}, True),
        ({"tsconfig.json": '{"compilerOptions": {/* "noCheck": true */ "x": "//", }, }'}, False),
        ({"tsconfig.json": '{"extends": "./b"}',
          "b.json": '{"compilerOptions":{"noCheck":true}}'}, True),
        ({"tsconfig.json": '{"extends": ["./b", "none"], "compilerOptions": {"noCheck": false}}',
          "b.json": '{"compilerOptions": {"noCheck": true}}'}, False),
        ({"tsconfig.json": '{"extends": "@x/base"}',
          "node_modules/@x/base/tsconfig.json": '{"compilerOptions": {"noCheck": true}}'}, True),
        ({"tsconfig.json": '{"references": [{"path": "./app"}, {"path": "b.json"}, 3]}',
          "app/tsconfig.json": '{"compilerOptions": {"noCheck": true}}'}, True),
        ({"tsconfig.json": '{"extends": "./tsconfig.json"}'}, False),
        ({"tsconfig.json": "[]"}, False),
        ({"tsconfig.json": "{"}, False),
    ],
)  # fmt: skip
def test_where_tsc_looks_for_no_errors(tmp_path, texts, found):
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert has_no_check(tmp_path / "tsconfig.json") is found
