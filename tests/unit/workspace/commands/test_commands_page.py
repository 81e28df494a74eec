"""Every row of the page about commands is judged by the policy."""

import re
from collections import Counter
from itertools import groupby

import pytest
from command_table import PAGE, ROWS, WORDS, judged, read_rows

SECTIONS = {name: list(rows) for name, rows in groupby(ROWS, key=lambda row: row.section)}


@pytest.mark.parametrize("section", SECTIONS)
def test_verdicts_of(section):
    wrong = []
    for row in SECTIONS[section]:
        verdict = judged(row.command)
        if (verdict.action, verdict.reason) != (WORDS[row.verdict], row.why):
            wrong.append((row.command, verdict.action, verdict.reason))
    assert not wrong


def test_page_holds_each_command_once():
    counted = Counter(row.command for row in ROWS)
    assert [command for command, times in counted.items() if times > 1] == []
    assert len(counted) > 1000
    assert min(Counter(row.verdict for row in ROWS).values()) > 80


def test_every_line_of_a_table_is_read():
    lines = PAGE.read_text("utf-8").splitlines()
    table = [line for line in lines if line.startswith("|") and not re.match(r"\| (---|co)", line)]
    assert len(table) == len(ROWS)


def test_a_wrong_verdict_is_noticed():
    (row,) = read_rows("## x\n| `` echo \\| `rm -rf x` `` | safe | it only looks |\n")
    assert row.command == "echo | `rm -rf x`"
    assert judged(row.command).action != WORDS[row.verdict]


@pytest.mark.checkout
def test_readme_tells_how_many_commands_are_judged():
    readme = (PAGE.parents[1] / "README.md").read_text("utf-8")
    assert f"{len(ROWS)} commands" in readme
