"""The commands of the table are judged by the policy, and the page shows some of them."""

import re
from collections import Counter
from itertools import groupby

import pytest
from command_table import PAGE, ROWS, TEXT, WORDS, judged, read_page

SECTIONS = {name: list(rows) for name, rows in groupby(ROWS, key=lambda row: row.section)}


@pytest.mark.parametrize("section", SECTIONS)
def test_verdicts_of(section):
    wrong = []
    for row in SECTIONS[section]:
        verdict = judged(row.command)
        if (verdict.action, verdict.reason) != (WORDS[row.verdict], row.why):
            wrong.append((row.command, verdict.action, verdict.reason))
    assert not wrong


def test_table_holds_each_command_once():
    counted = Counter(row.command for row in ROWS)
    assert [command for command, times in counted.items() if times > 1] == []
    assert len(counted) > 1000
    assert min(Counter(row.verdict for row in ROWS).values()) > 80


def test_page_shows_commands_of_each_section_as_the_table_has_them():
    shown = read_page(TEXT)
    assert [row for row in shown if row not in ROWS] == []
    assert {row.section for row in shown} == set(SECTIONS)
    lines = [one for one in TEXT.splitlines() if re.match(r"\| (?!---|command )", one)]
    assert len(shown) == len(set(shown)) == len(lines)


def test_a_wrong_verdict_is_noticed():
    (row,) = read_page("## x\n| `` echo \\| `rm -rf x` `` | safe | it only looks |\n")
    assert row.command == "echo | `rm -rf x`"
    assert judged(row.command).action != WORDS[row.verdict]


@pytest.mark.checkout
def test_readme_tells_how_many_commands_are_judged():
    readme = (PAGE.parents[1] / "README.md").read_text("utf-8")
    assert f"{len(ROWS)} commands" in readme
    assert f"{len(read_page(TEXT))} commands" in readme
