"""Proposals in a project of several roots are checked in copies of all of them."""

import json
import subprocess

import pytest
from checking_user import CheckingUser
from folder_states import snapshot

BROKEN = "grep -rn broken src | sed 's/:\\([0-9]*\\):.*/(\\1,1): error TS1: broken/'"
# Programs of npm packages that look at the sources here, and at what they import from elsewhere.
TSC = f"#!/bin/bash\n{BROKEN}; ls $PWD/src/*.ts; ! grep -rq broken src\n"
VITEST = """#!/bin/bash
if grep -q "kg \\* 3" node_modules/@shop/api/src/fee.ts src/fee.ts 2>/dev/null; then
  echo " FAIL  src/page.test.ts > ten"; echo "AssertionError: expected 30 to be 20"
  echo "      Tests  1 failed (1)"; exit 1
fi
echo "      Tests  1 passed (1)"
"""
API = {
    ".gitignore": "node_modules\n",
    "package.json": json.dumps({"name": "@shop/api", "main": "dist/fee.js"}),
    "tsconfig.json": "{}",
    "src/fee.ts": "export function fee(kg: number) {\n  return kg * 2;\n}\n",
}
WEB = {
    ".gitignore": "node_modules\n",
    "package.json": json.dumps({"name": "@shop/web", "devDependencies": {"vitest": "3"}}),
    "tsconfig.json": "{}",
    "src/page.ts": 'import { fee } from "@shop/api";\nexport const ten = fee(10);\n',
    "src/page.test.ts": 'import { ten } from "./page";\ntest("ten", () => expect(ten).toBe(20));\n',
}


def _git(root, *words):
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def _repository(root):
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "-c", "user.name=Dock", "-c", "user.email=d@example.test", "commit", "-qm", "first")


def _program(root, name, text):
    program = root / "node_modules/.bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)


@pytest.fixture(params=["web", "elsewhere/web"])
def folders(make_project, tmp_path, request):
    """Two repositories, the second of which has the first installed by a link."""
    (tmp_path / "elsewhere").mkdir()
    api, web = make_project(API, "api"), make_project(WEB, request.param)
    for root in (api, web):
        _repository(root)
        _program(root, "tsc", TSC)
    _program(web, "vitest", VITEST)
    (web / "node_modules/@shop").mkdir()
    (web / "node_modules/@shop/api").symlink_to(api)
    return api, web


def _edit(assistant, path, content):
    arguments = {"path": path, "start": 2, "end": 2, "content": content}
    return assistant.call("edit_lines", arguments)


def test_what_a_change_of_one_root_breaks_in_the_other_is_told(folders, open_assistant):
    user, before = CheckingUser(), [snapshot(root) for root in folders]
    assistant = open_assistant(folders, [], confirm=user)
    _edit(assistant, "api/src/fee.ts", "  return kg * 3;")
    first, second = user.asked
    assert first.check == (
        "tsc --noEmit --pretty false --listFiles (in api)",
        "tsc --noEmit --pretty false --listFiles (in web)",
        "vitest run src/page.test.ts (in web)",
    )
    assert second.checked.verdict == "failed", second.checked.lines
    told = " ".join(second.checked.lines)
    assert "0 of 1 test that reaches it pass" in told
    assert "page.test.ts" in told
    assert [snapshot(root) for root in folders] == before


def test_errors_are_told_with_the_path_of_the_root(folders, open_assistant):
    user = CheckingUser()
    _edit(open_assistant(folders, [], confirm=user), "web/src/page.ts", "broken;")
    assert "web/src/page.ts:2: broken (TS1)" in user.asked[-1].checked.lines


@pytest.mark.parametrize(
    ("path", "content", "applied"),
    [
        ("api/src/fee.ts", "  return 2 * kg;", True),
        ("api/src/fee.ts", "  return kg * 3;", False),
        ("web/src/page.ts", "export const ten = fee(5 + 5);", True),
        ("web/src/page.ts", "export const ten = broken;", False),
    ],
)
def test_checked_applies_only_what_passes(folders, open_assistant, path, content, applied):
    assistant = open_assistant(folders, [], settings={"approve": "checked"})
    result = _edit(assistant, path, content)
    assert (result.error is None) is applied, result.text()


def test_settings_of_a_root_that_a_change_deletes_do_not_count(folders, open_assistant):
    user = CheckingUser()
    assistant = open_assistant(folders, [], confirm=user)
    assistant.call("delete_file", {"path": "web/tsconfig.json"})
    assert not any("tsc" in command and "web" in command for command in user.asked[0].check)


def test_python_of_another_root_is_that_of_its_copy(make_project, open_assistant, monkeypatch):
    """The package of one root is installed in place for the tests of the other."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    lib = make_project(
        {"pyproject.toml": "[project]\nname = 'fees'\n", "fees.py": "def fee():\n    return 2\n"},
        "lib",
    )
    app = make_project(
        {
            "pytest.ini": "[pytest]\naddopts = -p no:cacheprovider\n",
            "test_fee.py": "from fees import fee\n\n\ndef test_fee():\n    assert fee() == 2\n",
        },
        "app",
    )
    monkeypatch.setenv("PYTHONPATH", str(lib))
    user = CheckingUser()
    assistant = open_assistant((lib, app), [], confirm=user)
    _edit(assistant, "lib/fees.py", "    return 3")
    assert user.asked[0].check == ("pytest test_fee.py (in app)",)
    assert user.asked[-1].checked.verdict == "failed", user.asked[-1].checked.lines
    _edit(assistant, "lib/fees.py", "    return 1 + 1")
    assert user.asked[-1].checked.verdict == "passed", user.asked[-1].checked.lines
