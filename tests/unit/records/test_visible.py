"""Characters that hide or move others are spelled out wherever text is shown."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misleading_texts import ORDINARY, SPELLED

from ipuaro_jupyter.records import visible as rule
from ipuaro_jupyter.records.visible import visible

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "labextension-config" / "ipuaro-views" / "static" / "visible.js"
PARTS = ("HIDDEN", "EMOJI", "FLAG", "ARABIC", "INDIC", "VIRAMA", "EDGE")
SPECIAL = "".join(text for text, _ in SPELLED) + "".join(ORDINARY)


@pytest.mark.parametrize(("text", "shown"), SPELLED)
def test_what_hides_is_spelled_out(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_stay(text):
    assert visible(text) == text


def test_lone_surrogates_are_spelled_out():
    assert visible("half\ud800 \udcff") == "half[U+D800] [U+DCFF]"


def test_no_control_or_format_character_is_left():
    planes = (*range(0x20000), *range(0xE0000, 0xE1000))
    special = [
        character
        for character in map(chr, planes)
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and character not in "\t\n"
    ]
    shown = visible("a" + "a".join(special) + "a")
    assert not set(special) & set(shown)


def test_nothing_that_a_variation_selector_may_follow_is_part_of_a_name():
    emoji = re.compile(f"[{rule.EMOJI}]")
    found = [one for one in map(chr, range(0x80, 0x20000)) if emoji.match(one)]
    assert len(found) > 2000
    assert [one for one in found if f"a{one}".isidentifier()] == []


@given(st.text(st.sampled_from(SPECIAL + "aZ_1 '\"")))
def test_what_is_shown_is_shown_as_it_is(text):
    shown = visible(text)
    assert visible(shown) == shown
    assert (shown == text) == (re.search(r"\[U\+[0-9A-F]{4,5}\]", shown) is None)


def test_the_front_end_has_the_same_rule():
    """The parts of the rule are the same in both languages but for long escapes."""
    script = SCRIPT.read_text()
    parts = {name: "".join(_raw(script, name)) for name in PARTS}
    wanted = {name: _in_javascript(getattr(rule, name)) for name in PARTS}
    assert parts == wanted
    kept = "|".join(_raw(script, "KEPT"))
    for name, part in wanted.items():
        kept = kept.replace(f"${{{name}}}", part)
    assert "|".join((parts["FLAG"], kept)) == _in_javascript(rule.KEPT)


def _raw(script, name):
    """Return the raw strings that a constant of a script is joined of."""
    (constant,) = re.findall(rf"^const {name} = (.*?);$", script, re.DOTALL | re.MULTILINE)
    return re.findall(r"String\.raw`([^`]*)`", constant)


def _in_javascript(pattern):
    return re.sub(r"\\U000([0-9a-f]{5})", lambda found: f"\\u{{{found[1]}}}", pattern)
