"""Every character that Unicode lets a program ignore, and questions that hold them."""

import html
import unicodedata
from typing import get_args

import regex

from ipuaro_jupyter.records.change import Proposal, ProposedFile

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


def left_in(shown):
    """The code points of ignorable characters that are still in what is shown."""
    return sorted(f"{ord(one):04X}" for one in set(IGNORABLE) & set(html.unescape(shown)))


def all_in(around):
    """A text with all of them in one place."""
    return around.format("".join(ASSIGNED) + "\U000e0fff")
