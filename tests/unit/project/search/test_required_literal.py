import random
import re

import pytest

from ipuaro_jupyter.project.search.search import required_literal

PIECES = [
    *("a", "b", "ab", "-", "é", "{", "}", "a{", "\\.", "\\(", "\\[", "\\{", "\\\\", " ", ","),
    *("\\w", "\\d", "\\b", "\\A", ".", "^", "$", "[ab]", "[^a]", "[]a]", "[^]a]", "[(]", "[\\]b]"),
    *("(a)", "(?:ab)", "(a|b)", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?P<n>a)", "((a)b)"),
    *("(?>a)", "([)]a)", "(\\)a)", "()"),
]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{0,}", "*?", "+?", "??", "*+", "++", "?+"]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"class \w+ extends", " extends"),
        (r"\bfoo\w*bar\.baz\b", "bar.baz"),
        (r"^\s*(async )?function\s+get[A-Z]\w*\(", "function"),
        ("colou?r", "colo"),
        ("ab{2}cd", "cd"),
        ("a{x", "a"),
        ("ab+c", "ab"),
        ("[abc]+", ""),
        ("one|two", ""),
        ("(one|two)three", "three"),
        ("(?i)one", ""),
        ("(?x) one two", ""),
        ("a(?i:b)c", ""),
        (r"(a)\1bcd", ""),
        (r"\x41bcd", ""),
        ("(?#note)abc", ""),
        ("(abc", ""),
        ("[abc", ""),
        ("abc\\", ""),
    ],
)
def test_the_longest_text_that_must_be_there(pattern, text):
    assert required_literal(pattern) == text


def test_whatever_matches_holds_it():
    chance = random.Random(5)
    lines = ["".join(chance.choices("abé-{}.([\\] ,1A", k=k % 9)) for k in range(400)]
    held = 0
    for _ in range(1500):
        pattern = ""
        for _ in range(chance.randint(1, 5)):
            pattern += chance.choice(PIECES)
            pattern += chance.choice(QUANTIFIERS) if chance.random() < 0.35 else ""
        try:
            regex = re.compile(pattern)
        except re.error:
            continue
        text = required_literal(pattern)
        matching = [line for line in lines if regex.search(line)]
        held += bool(text) and len(matching)
        assert all(text in line for line in matching), (pattern, text)
    assert held > 1000


def test_of_a_group_that_does_not_end_nothing_is_known():
    for pattern in ("abc(d[e", "abc(d[e)", "abc(d"):
        with pytest.raises(re.error):
            re.compile(pattern)
        assert required_literal(pattern) in ("", "abc")
