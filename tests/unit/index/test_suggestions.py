"""Names that are meant by a misspelt one."""

import random
import time

import pytest

from ipuaro_jupyter.index.suggestions import similar_names

KNOWN = ["getUserById", "getUserByEmail", "setUser", "UserStore", "UserStore.fetchAll", "zzz", "id"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GETUSERBYID", "getUserById"),
        ("getUserByid", "getUserById"),
        ("getUsrById", "getUserById"),
        ("getUserByIdd", "getUserById"),
        ("getUserByEmial", "getUserByEmail"),
        ("fetchAll", "UserStore.fetchAll"),
        ("UserStor", "UserStore"),
        ("setUsr", "setUser"),
        ("zz", "zzz"),
    ],
)
def test_likeliest_name_comes_first(name, expected):
    assert similar_names(name, KNOWN, limit=3)[0] == expected


@pytest.mark.parametrize("name", ["", "qqqq", "x"])
def test_nothing_is_better_than_nonsense(name):
    assert similar_names(name, KNOWN, limit=5) == []


def test_names_in_another_case_come_before_longer_and_before_misspelt_ones():
    known = ["parsed", "Parse", "reparse", "prase"]
    assert similar_names("parse", known, limit=9) == ["Parse", "parsed", "reparse", "prase"]


def test_limit_is_kept():
    assert len(similar_names("user", [f"user{i}" for i in range(50)], limit=5)) == 5


def test_hundred_thousand_names_take_a_moment():
    words = [
        "get",
        "User",
        "By",
        "Name",
        "Index",
        "Store",
        "Parse",
        "Read",
        "Node",
        "Tree",
        "Token",
    ]
    chooser = random.Random(1)
    known = {"".join(chooser.choices(words, k=6)) + str(i) for i in range(100_000)}
    began = time.perf_counter()
    similar_names("getUserByNmae", known, limit=5)
    assert time.perf_counter() - began < 1


def test_names_are_returned_as_written_though_a_letter_becomes_two_in_lower_case():
    assert similar_names("getuser", ["\u0130zmir", "getUser", "other"], limit=3) == ["getUser"]
