"""The names in type annotations."""

import pytest

from ipuaro_jupyter.index.binding.type_names import type_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cat", ["Cat"]),
        ("ns.Cat", ["ns.Cat"]),
        ("Cat | null", ["Cat", "null"]),
        ("Cat & Dog", ["Cat", "Dog"]),
        ("Cat[]", ["Cat"]),
        ("readonly Cat[][]", ["Cat"]),
        ("(Cat | Dog)[]", ["Cat", "Dog"]),
        ("Promise<Cat>", ["Cat"]),
        ("Promise<Array<Cat | Dog>>", ["Cat", "Dog"]),
        ("Omit<Cat, 'a' | 'b'>", ["Cat"]),
        ("Repo<Cat>", ["Repo"]),
        ("typeof cat", ["cat"]),
        ("InstanceType<typeof Cat>", ["Cat"]),
        ("() => Cat", []),
        ("(a: Cat) => Dog", []),
        ("{ a: Cat }", []),
        ("'Cat'", []),
        ("", []),
        ("((((", []),
    ],
)
def test_names_are_those_whose_members_a_value_has(text, expected):
    assert [".".join(names) for names in type_names(text)] == expected
