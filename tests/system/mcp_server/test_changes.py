"""``ipuaro mcp``: changes, which the client's user decides on."""

import asyncio
import json

import mcp_types as types
import pytest
from clients import DECLINED, EDIT, EDITED, FILES, MODES, YES, User, run, served, text


@pytest.mark.parametrize("mode", MODES)
def test_a_change_that_the_clients_user_accepts_is_made(root, mode):
    user = User(YES)

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert not result.is_error, text(result)
    assert (root / "a.ts").read_text() == EDITED
    (asked,) = user.asked
    assert asked.message.startswith("Edit line 2 of a.ts\n")
    assert "-  return 1;\n+  return 2;" in asked.message
    assert set(asked.requested_schema["properties"]) == {"apply", "reason"}


SET = {
    "changes": [
        {"path": "a.ts", "start": 2, "end": 2, "content": "  return 2;"},
        {"path": "new.ts", "content": "export {};\n"},
    ]
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("files", "edited", "created"),
    [("", True, True), ("2", False, True), ("1.1", True, False), ("3", False, False)],
)
def test_the_clients_user_chooses_among_the_files_of_a_set(root, mode, files, edited, created):
    user = User(types.ElicitResult(action="accept", content={"apply": True, "files": files}))

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("propose_changes", SET)

    result = run(talk())
    assert (root / "a.ts").read_text() == (EDITED if edited else FILES["a.ts"])
    assert (root / "new.ts").exists() is created
    (asked,) = user.asked
    assert "[x] 1 a.ts (edited, +1 \u22121)" in asked.message
    assert list(asked.requested_schema["properties"]) == ["apply", "files", "reason"]
    if not edited and not created:
        assert "the files are 1 to 2, and '3' names others" in text(result)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (DECLINED, "The user rejected it."),
        (types.ElicitResult(action="cancel"), "dismissed"),
        (
            types.ElicitResult(action="accept", content={"apply": False, "reason": "not today"}),
            "The user rejected it: not today",
        ),
    ],
)
def test_a_change_that_the_clients_user_does_not_want_is_not_made(root, mode, answer, said):
    async def talk():
        async with served(root, "--write", mode=mode, user=User(answer)) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert result.is_error
    assert said in text(result)
    assert result.structured_content["error"]["type"] == "cancelled"
    assert (root / "a.ts").read_text() == FILES["a.ts"]


@pytest.mark.parametrize("mode", MODES)
def test_without_a_client_that_can_ask_changes_are_rejected(root, mode):
    async def talk():
        async with served(root, "--write", mode=mode) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert result.is_error
    assert "this MCP client cannot ask the user" in text(result)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


@pytest.mark.parametrize("mode", MODES)
def test_what_changes_while_the_user_thinks_is_asked_anew(root, mode):
    changed = "export const before = 0;\n" + FILES["b.ts"]

    def edit_meanwhile():
        (root / "b.ts").write_text(changed)
        return YES

    user = User(edit_meanwhile, DECLINED)

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("delete_file", {"path": "b.ts"})

    assert run(talk()).is_error
    first, second = user.asked
    assert "before" not in first.message
    assert "before" in second.message
    assert (root / "b.ts").read_text() == changed


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_counts_whatever_time_the_check_of_its_repetition_takes(
    root, mode, home, tmp_path
):
    """The newest protocol calls again with the answer, and the change is checked once more."""
    slower = f"echo run >> {tmp_path}/runs; sleep 0.$(($(wc -l < {tmp_path}/runs) * 4))"
    program = root / "node_modules/.bin/tsc"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/bash\n{slower}\n")
    program.chmod(0o755)
    (root / "tsconfig.json").write_text("{}")
    counting = {"checks": {"before": "always"}, "commands": {"sandbox": "off"}}
    (home / "settings.json").write_text(json.dumps(counting))  # it counts outside of the copy
    user = User(YES)

    async def talk():
        async with served(root, "--write", mode=mode, user=user) as client:
            return await client.call_tool("edit_lines", EDIT)

    result = run(talk())
    assert not result.is_error, text(result)
    assert (root / "a.ts").read_text() == EDITED
    assert (tmp_path / "runs").read_text().count("run") == 2


def test_an_answer_is_for_the_question_that_was_shown(root):
    """In the newest protocol the client sends the question's state back, and may err."""
    answer = types.ElicitResult(action="accept", content={"apply": True})

    async def talk():
        async with served(root, "--write", mode="auto", user=User()) as client:
            asked = await client.session.call_tool("edit_lines", EDIT, allow_input_required=True)
            others = [
                await client.session.call_tool(
                    name,
                    arguments,
                    input_responses={"question": answer},
                    request_state=state,
                    allow_input_required=True,
                )
                for name, arguments, state in [
                    ("delete_file", {"path": "a.ts"}, asked.request_state),
                    ("edit_lines", EDIT, "no state"),
                    ("edit_lines", EDIT, "[]"),
                    ("edit_lines", EDIT, None),
                ]
            ]
            return [asked, *others]

    for result in run(talk()):
        assert isinstance(result, types.InputRequiredResult)
    assert (root / "a.ts").read_text() == FILES["a.ts"]


def test_others_are_served_while_the_user_thinks(root):
    async def talk():
        thinking, answered = asyncio.Event(), asyncio.Event()

        async def user(_context, _params):
            thinking.set()
            await answered.wait()
            return YES

        async with served(root, "--write", user=user) as client:
            edit = asyncio.create_task(client.call_tool("edit_lines", EDIT))
            await thinking.wait()
            read = await client.call_tool("get_lines", {"path": "b.ts"})
            answered.set()
            return read, await edit

    read, edited = run(talk())
    assert "export const b = 2;" in text(read)
    assert not edited.is_error
    assert (root / "a.ts").read_text() == EDITED


def test_users_settings_decide_for_them(root):
    (root / ".ipuaro.json").write_text(json.dumps({"approve": "never"}))
    user = User()

    async def talk():
        async with served(root, "--write", user=user) as client:
            return await client.call_tool("edit_lines", EDIT)

    assert 'the setting "approve" is "never"' in text(run(talk()))
    assert user.asked == []


def test_the_clients_user_is_not_told_of_a_check_that_cannot_be_asked_for(root):
    """Mypy is configured, and would look at what is changed."""
    (root / "pyproject.toml").write_text("[tool.mypy]\n")
    (root / "b.py").write_text("one = 1\n")
    user = User(YES)

    async def talk():
        async with served(root, "--write", user=user) as client:
            await client.call_tool("get_lines", {"path": "b.py"})
            arguments = {"path": "b.py", "start": 1, "end": 1, "content": "one = 2"}
            return await client.call_tool("edit_lines", arguments)

    assert not run(talk()).is_error
    assert "+one = 2" in user.asked[0].message
    assert "A check would run" not in user.asked[0].message
