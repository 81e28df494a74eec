"""The rules that an output saves with it."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall
from ipuaro_jupyter.records.outputs import Diff, Plain, Table, TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.views import answer, markup
from ipuaro_jupyter.views.drawing import mimebundle
from ipuaro_jupyter.views.markup import needed_rules, whole_sheets

SHEETS = [path.stem for path in Path(markup.__file__).parent.glob("static/*.css")]
STATES = re.compile(r":(?:hover|focus-visible)")


def called(*, success):
    output = TextOutput(content="seen", shown=Plain(text="seen")) if success else None
    error = None if success else ToolFailure(type="file", message="no such file")
    call = ToolCall(name="get_lines", arguments={"path": "a.ts"})
    return CalledTool(call=call, result=ToolResult(tool="get_lines", output=output, error=error))


SHOWN = [
    Answer(question="q", text="short"),
    Answer(
        question="q",
        text="```ts\nlet a = 'b';\n```\n\n- [ ] a\n\n$$x$$\n\n|a|\n|-|\n|1|",
        tool_calls=(called(success=True), called(success=False)),
        edits=(Change(path="a.ts", before=b"1\n2\n", after=b"1\n3\n"),),
        notice="a notice",
    ),
    Table(title="t", columns=("a", "b"), rows=(("x", 1),)),
    Diff(title="t", path="a.ts", old="1\n", new="2\n"),
]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: type(shown).__name__)
def test_a_rule_is_left_out_only_if_it_matches_nothing(shown):
    html = mimebundle(shown)["text/html"]
    page = BeautifulSoup(html, "html.parser")
    kept = needed_rules(SHEETS, re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))
    rules = whole_sheets(SHEETS).split("\n")
    left_out = [rule for rule in rules if rule not in kept.split("\n")]
    assert left_out
    for rule in left_out:
        selectors = re.findall(r"(?:^|[{}])([^{}@]+)\{", rule)
        assert selectors
        for selector in selectors:
            assert page.select(STATES.sub("", selector)) == [], rule


def test_all_rules_are_read():
    """Their braces say how many there are; a media query holds others."""
    for name in SHEETS:
        sheet = (Path(markup.__file__).parent / "static" / f"{name}.css").read_text("utf-8")
        base = 0 if name == "base" else whole_sheets(["base"]).count("{")
        assert whole_sheets([name]).count("{") - base == sheet.count("{")


def test_a_short_answer_saves_few_of_them():
    html = mimebundle(SHOWN[0])["text/html"]
    whole = whole_sheets(answer.STYLES)
    assert len(html) < len(whole) / 4
