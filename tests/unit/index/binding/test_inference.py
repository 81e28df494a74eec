"""The members that inferred types lead to, as the compiler has it."""

import pytest
from inference_cases import CATS, HEAD, OTHERS, PETS

from ipuaro_jupyter.index.binding.inference.type_reader import type_parameters, type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import OTHER, Named, Predicate


@pytest.fixture
def found(uses):
    """Return the lines whose last `say` is a use of ``Cat.say``, each in a file of its own."""

    def find(lines):
        files = {f"{number}.ts": f"{HEAD}{line}\n" for number, line in enumerate(lines)}
        marks = set(uses({"pets.ts": PETS, **files}, "Cat.say"))
        ends = [f"{number}.ts:3:{line.rindex('say') + 1}" for number, line in enumerate(lines)]
        return [line for line, mark in zip(lines, ends, strict=True) if mark in marks]

    return find


def test_members_are_found_by_the_inferred_types_of_their_objects(found):
    missing = set(CATS) - set(found(CATS))
    assert missing == set()


def test_members_of_other_types_are_not_taken_for_them(found):
    assert found(OTHERS) == []


@pytest.mark.parametrize("text", ["{", "A<", "(a) =>", "<T>(", "[", "x is", "((((", "a b", ""])
def test_what_is_no_type_is_not_understood(text):
    assert type_syntax(text) in {OTHER, Named(("a",))}


def test_types_are_read():
    assert type_syntax(": x is A<B>") == Predicate(
        "x", Named(("A",), (Named(("B",)),)), is_assertion=False
    )
    assert type_parameters("<const T extends A = B, U>") == (("T", Named(("A",))), ("U", OTHER))
