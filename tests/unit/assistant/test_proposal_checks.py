"""A proposal is checked with what the index knows, in a copy, with the consent that there is."""

import threading

import pytest
from checking_user import CHECK, CheckingUser
from folder_states import snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.workspace.changes.change_set import SetFile

BROKEN = "grep -n broken src/*.ts | sed 's/:\\([0-9]*\\):.*/(\\1,1): error TS1: broken/'"
FILES = {
    ".gitignore": "node_modules\n",
    "package.json": '{"devDependencies": {"vitest": "3"}}',
    "tsconfig.json": "{}",
    "src/a.ts": "export function a() {\n  return 1;\n}\n",
    "src/b.ts": 'import { a } from "./a";\na();\n',
    "src/a.test.ts": 'import { a } from "./a";\na();\n',
}
TSC = f"#!/bin/bash\n{BROKEN}; ls $PWD/src/*.ts; ! grep -q broken src/*.ts\n"
VITEST = '#!/bin/bash\necho "      Tests  1 passed (1)"\n'


@pytest.fixture
def project(make_project):
    root = make_project(FILES)
    for name, text in (("tsc", TSC), ("vitest", VITEST)):
        program = root / "node_modules/.bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    return root


def edit(assistant, content, path="src/a.ts"):
    arguments = {"path": path, "start": 2, "end": 2, "content": content}
    return assistant.call("edit_lines", arguments)


def test_a_question_is_asked_again_with_what_was_found(project, open_assistant):
    user, before = CheckingUser(), snapshot(project)
    assistant = open_assistant(project, [], confirm=user)
    result = edit(assistant, "  return broken;")
    first, second = user.asked
    assert first.check == (
        "tsc --noEmit --pretty false --listFiles",
        "vitest run src/a.test.ts",
    )
    assert second.checked.verdict == "failed"
    assert second.checked.lines == (
        "types: 1 new error; 1 of 1 test that reaches it passes; 1 caller not covered",
        "src/a.ts:2: broken (TS1)",
        "not covered: src/b.ts:2",
    )
    assert "A check has found" in result.text()
    assert snapshot(project) == before
    (logged,) = assistant.decisions()
    assert "1 new error" in logged.shown
    assert logged.proposal.checked == second.checked


@pytest.mark.parametrize(("content", "applied"), [("  return 2;", True), ("  broken;", False)])
def test_checked_applies_only_what_passes(project, open_assistant, content, applied):
    assistant = open_assistant(project, [], settings={"approve": "checked"})
    result = edit(assistant, content)
    assert (result.error is None) is applied
    assert (content in (project / "src/a.ts").read_text()) is applied
    if not applied:
        assert "src/a.ts:2: broken (TS1)" in result.text()


def test_checked_applies_nothing_that_nobody_has_looked_at(project, open_assistant):
    assistant = open_assistant(project, [], settings={"approve": "checked"})
    assert assistant.call("create_file", {"path": "NOTES.md", "content": "x\n"}).error
    (project / "package.json").unlink()
    (project / "tsconfig.json").unlink()
    assert edit(assistant, "  return 2;").error


def test_an_approval_set_later_is_the_users_own(project, open_assistant):
    user = CheckingUser()
    assistant = open_assistant(project, [], confirm=user)
    assistant.approve = "checked"
    assert edit(assistant, "  return 2;").error is None
    assert user.asked == []


def test_an_installed_package_is_not_checked_and_stays_as_it_is(project, open_assistant):
    package = project / "node_modules/x/index.ts"
    package.parent.mkdir()
    package.write_text("export const x = 1;\n")
    user = CheckingUser()
    assistant = open_assistant(project, [], confirm=user)
    arguments = {"path": "node_modules/x/index.ts", "content": "broken\n", "start": 1, "end": 1}
    assert assistant.call("edit_lines", arguments).error
    report = user.asked[-1].checked
    assert report.verdict == "unknown"
    assert report.lines[0].startswith("Not checked: ")
    assert "which the copy shares" in report.lines[0]
    assert package.read_text() == "export const x = 1;\n"


@pytest.mark.parametrize("approve", ["checked", "ask"])
def test_the_consent_ends_with_the_setting(project, open_assistant, home, approve):
    del home
    (project / ".ipuaro.json").write_text('{"checks": {"before": "always"}}')
    asked = []

    def confirm(proposal):
        asked.append(proposal.kind)
        return proposal.kind == "settings"

    assistant = open_assistant(project, [], confirm=confirm, settings={"approve": "checked"})
    assistant.approve = approve
    edit(assistant, "  return broken;")
    assert ("command" in asked) is (approve == "ask"), asked


def test_a_project_that_the_user_trusts_does_not_agree_for_the_user(project, open_assistant, home):
    del home
    (project / ".ipuaro.json").write_text('{"checks": {"before": "always"}}')
    (project / "vitest.config.ts").write_text("export default {}\n")
    asked = []

    def confirm(proposal):
        asked.append(proposal)
        return proposal.kind == "settings"

    assistant = open_assistant(project, [], confirm=confirm)
    assistant.call("create_file", {"path": "src/vitest.setup.ts", "content": "1\n"})
    kinds = [proposal.kind for proposal in asked]
    assert kinds[0] == "settings"
    assert kinds[-1] == "create"
    edit(assistant, "1;", path="vitest.config.ts")
    assert asked[-1].checked is not None


def test_never_offers_none(project, open_assistant):
    user = CheckingUser()
    settings = {"approve": "checked", "checks": {"before": "never"}}
    assert edit(open_assistant(project, [], confirm=user, settings=settings), "  return 2;").error
    assert [(one.check, one.checked) for one in user.asked] == [((), None)]


def test_a_check_is_cancelled_and_the_question_comes_again(project, open_assistant):
    (project / "node_modules/.bin/tsc").write_text("#!/bin/bash\nsleep 60\n")
    user = CheckingUser()
    assistant = open_assistant(project, [], confirm=user)
    assistant.cancel_check()
    threading.Timer(1.0, assistant.cancel_check).start()
    assert edit(assistant, "  return 2;").error
    assert user.asked[1].checked.lines == ("The check was cancelled.",)
    assert not user.asked[1].checked.is_final


def test_a_set_of_files_is_checked_as_it_was_chosen(project, open_assistant):
    asked = []

    def confirm(proposal):
        asked.append(proposal)
        if len(asked) == 1:
            return CHECK
        return Decision(action="check", chosen=({"number": 1},)) if len(asked) == 2 else False

    assistant = open_assistant(project, [], confirm=confirm)
    texts = {"src/a.ts": FILES["src/a.ts"].replace("1", "2"), "src/b.ts": "broken;\n"}
    files = [
        SetFile(change=Change(path=path, before=FILES[path].encode(), after=text.encode()))
        for path, text in texts.items()
    ]
    with pytest.raises(ToolError):
        assistant.project().workspace.apply_set(files, tool="t", title="Change two files")
    assert [one.checked and one.checked.verdict for one in asked] == [None, "failed", "passed"]
    assert "src/b.ts:1: broken (TS1)" in asked[1].checked.lines
