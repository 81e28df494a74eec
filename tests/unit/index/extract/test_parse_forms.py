"""Forms that grammars and readers are easily wrong about."""

import pytest

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.postings import counts


def _identifiers(source, path="a.ts"):
    return dict(counts(parse_file(path, source.encode())[0].postings))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("let a: undefined | bigint = undefined", {"a": 1, "undefined": 1}),
        ("new.target; import.meta.env", {"target": 1, "meta": 1, "env": 1}),
        ("declare global { var a: string }", {"global": 1, "a": 1}),
        ("z.bigint(); type A = B<bigint>", {"z": 1, "bigint": 1, "A": 1, "B": 1}),
        ("export default function (): void", {}),
        ("const a = tag<{ b: C; d: string }>`e ${f} g`",
         {"a": 1, "tag": 1, "b": 1, "C": 1, "d": 1, "f": 1}),
    ],
)  # fmt: skip
def test_identifiers(source, names):
    assert _identifiers(source) == names


def test_the_default_of_a_module_is_a_name():
    source = "import { default as a } from 'x'\nexport { default } from 'x'"
    assert _identifiers(source, "a.js") == {"default": 2, "a": 1}
    assert _identifiers(source, "a.ts") == {"default": 2, "a": 1}
