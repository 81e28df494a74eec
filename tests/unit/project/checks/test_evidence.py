"""What counts as looked at, and what decides the result of a check itself."""

import pytest

from ipuaro_jupyter.project.checks.check_lines import is_type_checked, sets_the_rules


@pytest.mark.parametrize(
    ("path", "text", "is_checked"),
    [
        ("a.ts", "1\n", True),
        ("a.ts", "// @ts-nocheck\n1\n", False),
        ("a.d.ts", "export {};\n", False),
        ("a.d.mts", "export {};\n", False),
        ("a.js", "1\n", False),
        ("a.mjs", "1\n// @ts-check\n", False),
        ("a.js", "\n", False),
        ("a.jsx", "#!/usr/bin/env node\n\n// about\n// @ts-check\n1\n", True),
        ("a.vue", "<script>\n1\n</script>\n", False),
        ("a.vue", '<script setup lang="ts">\n1\n</script>\n', True),
        ("a.py", "x = 1  # type: ignore[assignment]\n", True),
        ("a.py", "# mypy: ignore-errors\n", False),
        ("a.py", "# type: ignore\n", False),
        ("a.py", "# pyright: basic\n", False),
        ("a.py", "# pyright: strict, reportCallIssue=false\n", False),
        ("a.py", "# pyright: strict\n", True),
    ],
)
def test_a_file_may_keep_checkers_away(path, text, is_checked):
    assert is_type_checked(path, text.encode()) is is_checked


@pytest.mark.parametrize(
    "path",
    [
        "a.test.ts",
        "src/__tests__/a.ts",
        "tests/shared.py",
        "src/__snapshots__/a.snap",
        "conftest.py",
        "package.json",
        "web/tsconfig.build.json",
        "vite.config.mts",
        "vitest.setup.ts",
        "jest-setup.js",
        "pyproject.toml",
        "pytest.ini",
        ".mocharc.json",
        ".mypy.ini",
    ],
)
def test_tests_and_configurations_set_the_rules(path):
    assert sets_the_rules(path)


@pytest.mark.parametrize(
    "path", ["src/a.ts", "contest.py", "data.json", "src/vite.ts", "setups.py"]
)
def test_sources_do_not(path):
    assert not sets_the_rules(path)
