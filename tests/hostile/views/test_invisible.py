"""No question hides a character, whichever of Unicode's ignorable ones and line ends it is."""

import html
import unicodedata
from typing import get_args

import pytest
import regex

from ipuaro_jupyter.mcp_server import _schema, _shown
from ipuaro_jupyter.records.change import Decision, Proposal, ProposedFile
from ipuaro_jupyter.records.visible import visible
from ipuaro_jupyter.views import proposal as view

IGNORABLE = [
    *filter(regex.compile(r"\p{Default_Ignorable_Code_Point}").match, map(chr, range(0x110000))),
    *("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\r"),
]
"""By the data of Unicode that the package ``regex`` is made from."""
ASSIGNED = [one for one in IGNORABLE if unicodedata.category(one) != "Cn"]
AROUND = ["a{}b", "let is{}Admin = 1", "// note{}evil()", "'{}'", "{}", "x{0}{0}", "a\n{}\nb"]


def proposals(text):
    """Every kind of question, with a text at each place where a model or a file puts one."""
    every = {
        "title": text,
        "path": text,
        "old_text": "old\n",
        "new_text": f"{text}\n",
        "command": text,
        "runs": (text,),
        "message": text,
        "called": (text, text),
        "files": (text,),
        "states": ("added",),
        "problems": (text,),
        "reason": text,
        "pattern": text,
        "check": (text,),
    }
    for kind in get_args(Proposal.model_fields["kind"].annotation):
        changed = (
            ProposedFile(
                path=text, kind="edit", old_text="old\n", new_text=text, group=text, note=text
            ),
        )
        more = {"changed": changed} if kind == "changes" else {}
        yield Proposal(id="1", kind=kind, tool="edit_lines", **{**every, **more})


def surfaces(asked):
    yield view.detail_text(asked)
    yield view.detail_html(asked)
    yield view.question_html(asked)
    yield view.page_html(asked, "key") or ""
    yield view.text(asked, Decision(action="apply"))
    yield view.html(asked, Decision(action="reject", reason=asked.reason))
    yield _shown(asked)
    yield str(_schema(asked))


def test_the_rule_knows_every_ignorable_character():
    assert len(IGNORABLE) > 4000
    for one in IGNORABLE:
        for around in AROUND:
            shown = visible(around.format(one))
            assert one not in shown
            assert f"[U+{ord(one):04X}]" in shown


@pytest.mark.parametrize("around", AROUND)
def test_no_question_has_an_ignorable_character(around):
    hidden = "".join(ASSIGNED)
    for asked in proposals(around.format(f"{hidden}\U000e0fff")):
        for shown in surfaces(asked):
            left = {f"{ord(one):04X}" for one in set(IGNORABLE) & set(html.unescape(shown))}
            assert not left, (asked.kind, shown[:80])
