"""No result that is sent takes more than its share of the window; what is returned stays whole."""

import json
import re
import subprocess

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.context.tokens import count_tokens, message_tokens
from ipuaro_jupyter.agent.mcp.mcp_results import read_result
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult

WINDOWS = (32_768, 8_192, 4_096)
SHARE = 0.12
NAMES = ("load", "store", "price", "Order", "Item")


def _module(number):
    lines = [f'import {{ {name} }} from "../shared/base";' for name in NAMES]
    for at in range(6):
        lines += [
            f"export function step{number}_{at}(order: Order, item: Item): number {{",
            f"  // TODO check the price of step {at} again before the harvest of {number}",
            "  if (load(item) && store(order)) { return price(order) + price(item); }",
            "  return price(item);",
            "}",
        ]
    return "\n".join(lines) + "\n"


def _write(root):
    base = [f"export function {name}(x: any): any {{ return x; }}" for name in NAMES[:3]]
    base += [f"export class {name} {{ a = 1 }}" for name in NAMES[3:]]
    method = "  method{0}(x: number): number {{ return x > {0} ? x : {0}; }}"
    giant = ["export class Giant {", *(method.format(at) for at in range(900))]
    giant += ["}", "export function huge() {"]
    giant += [f"  console.log('line {at} of the huge function', {at});" for at in range(900)]
    files = {
        "src/shared/base.ts": "\n".join(base) + "\n",
        "src/giant.ts": "\n".join([*giant, "}"]) + "\n",
        "src/minified.js": "var a=" + "+".join(f"f{n}({n})" for n in range(9000)) + ";\n",
        "book.ipynb": json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "source": f"price({n})\n" * 9, "metadata": {}}
                    for n in range(300)
                ],
                "metadata": {},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        ),
        **{f"src/part{n % 12}/module{n}.ts": _module(n) for n in range(240)},
        **{f"assets/icons/icon{n}.svg": "<svg/>\n" for n in range(400)},
    }
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The root of a large project, half of it changed since its last commit, and half new."""
    root = tmp_path_factory.mktemp("large") / "orchard"
    _write(root)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "src"], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    for number in range(0, 240, 2):
        file = root / f"src/part{number % 12}/module{number}.ts"
        file.write_text(file.read_text().replace("harvest", "frost"))
    return root


@pytest.fixture(scope="module")
def assistant(large):
    from ipuaro_jupyter import start  # noqa: PLC0415 - it needs the store of the run

    with start(large, model=ScriptedModel([]), auto_apply=True) as opened:
        yield opened


CALLS = [
    ("get_structure", {}),
    ("get_structure", {"path": "assets"}),
    ("glob", {"pattern": "**/*"}),
    ("glob", {"pattern": "**/*.ts", "sort_by": "size"}),
    ("grep", {"pattern": "price"}),
    ("grep", {"pattern": "e", "context_lines": 9}),
    ("grep", {"pattern": "f1", "path": "src/minified.js"}),
    ("list_dir", {"path": "assets/icons"}),
    *(("find_references", {"symbol": name}) for name in NAMES),
    *(("find_definition", {"symbol": name}) for name in (*NAMES, "step", "step1_1")),
    ("get_complexity", {}),
    ("get_todos", {}),
    ("get_dependencies", {"path": "src/part1/module1.ts"}),
    ("get_dependents", {"path": "src/shared/base.ts"}),
    ("get_lines", {"path": "src/giant.ts"}),
    ("get_lines", {"path": "src/giant.ts", "start": 700}),
    ("get_lines", {"path": "src/minified.js"}),
    ("get_lines", {"path": "book.ipynb"}),
    ("read_file", {"filepath": "src/giant.ts"}),
    ("get_class", {"path": "src/giant.ts", "name": "Giant"}),
    ("get_function", {"path": "src/giant.ts", "name": "huge"}),
    ("get_function", {"path": "src/giant.ts", "name": "none"}),
    ("git_status", {}),
    ("git_diff", {}),
    ("run_command", {"command": "git log -p --stat"}),
    ("bash", {"command": "git show --stat -p HEAD"}),
]


def _room(window, settings=None, arguments=()):
    model = ScriptedModel([], context_tokens=window)
    return ContextWindow(model, settings or AgentSettings()).result_room(arguments)


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=lambda value: str(value)[:40])
def test_every_result_fits_its_share_and_says_how_to_get_the_rest(assistant, tool, arguments):
    result = assistant.call(tool, arguments)
    whole, text = json.dumps(result.to_dict()), result.text()
    for window in WINDOWS:
        sent = result.within(_room(window))
        assert count_tokens(sent) <= SHARE * window
        if sent != text:
            is_whole = tool == "get_structure" and sent.count(".svg") == text.count(".svg")
            assert is_whole or "[… " in sent or "[Folders with a number" in sent
            if "left out" not in sent and not is_whole:
                assert count_tokens(sent) > SHARE * window / 3, "little of it is left"
    assert json.dumps(result.to_dict()) == whole
    assert result.text() == text


def test_what_is_asked_for_may_be_more_and_never_more_than_there_is_room_for(assistant):
    arguments = {"path": "src/giant.ts", "start": 1, "end": 1700}
    result = assistant.call("get_lines", arguments)
    for window in WINDOWS:
        more = result.within(_room(window, arguments=arguments))
        assert SHARE * window < count_tokens(more) < 0.31 * window


def test_the_share_is_a_setting_and_a_tiny_window_keeps_a_useful_piece(assistant):
    result = assistant.call("get_lines", {"path": "src/giant.ts"})
    assert count_tokens(result.within(_room(32_768, AgentSettings(result_share=0.05)))) < 1_640
    assert 250 < count_tokens(result.within(_room(2_048))) <= 400


def test_the_rest_of_a_file_follows_where_the_note_says(assistant):
    first = assistant.call("get_lines", {"path": "src/giant.ts"}).within(_room(8_192))
    *lines, note = first.split("\n")
    assert note.endswith(f"{len(lines) + 1} to 1804: ask with start={len(lines) + 1}]")
    rest = assistant.call("get_lines", {"path": "src/giant.ts", "start": len(lines) + 1})
    assert rest.within(_room(8_192)).startswith(f"{len(lines) + 1:6d}\t")
    code = assistant.call("get_function", {"path": "src/giant.ts", "name": "huge"})
    assert 'get_lines with path="src/giant.ts", start=' in code.within(_room(8_192))


def test_a_line_with_uses_is_told_once(assistant):
    result = assistant.call("find_references", {"symbol": "price", "path": "src/part1/module1.ts"})
    _, heading, uses = result.text().partition("src/part1/module1.ts (19 uses)")
    numbers = re.findall(r"^[> ] +(\d+): ", uses, flags=re.MULTILINE)
    assert heading
    assert len(numbers) == len(set(numbers)) > 10


def test_closed_folders_are_told_with_their_number_of_files(assistant):
    sent = assistant.call("get_structure", {}).within(_room(4_096))
    assert "part3/ (20 files)" in sent
    assert "ask with path" in sent


def test_other_results_are_cut_at_lines(assistant):
    del assistant
    blocks = [{"type": "text", "text": "\n".join(f"row {n}: a value" for n in range(3000))}]
    output = read_result({"content": blocks}, server="s", tool="t")
    failure = ToolFailure(type="command", message="no " * 9000)
    for result in (ToolResult(tool="t", output=output), ToolResult(tool="t", error=failure)):
        for window in WINDOWS:
            sent = result.within(_room(window))
            assert count_tokens(sent) <= SHARE * window
            assert "[… " in sent


def test_a_turn_sends_no_more_than_the_share(large, open_assistant):
    calls = [("get_structure", {}), ("grep", {"pattern": "price"}), ("git_diff", {})]
    calls += [("get_lines", {"path": "src/giant.ts"}), ("find_references", {"symbol": "price"})]
    replies = [json.dumps({"name": name, "arguments": given}) for name, given in calls]
    model = ScriptedModel([*replies, "Done."], context_tokens=8_192)
    answer = open_assistant(large, model, new=True).ask("What is here?")
    assert answer.text == "Done."
    results = [m for request in model.requests for m in request.messages if m.role == "tool"]
    assert {message.tool for message in results} == {name for name, _ in calls}
    assert max(message_tokens(message) for message in results) <= SHARE * 8_192
    structure = answer.tool_calls[0].result.to_dict()["output"]
    assert structure.count("📄") > 600
