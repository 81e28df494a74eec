"""Comments inside of loading calls, and NULs inside of source code."""

import pytest

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.workspace.files.text_file import sniff

LOADS = b"""\
const a = await import(/* webpackChunkName: "a" */ "./a")
const b = import(
  // why
  './b'
)
type C = import("./c").C
const d = require(/* d */ './d')
vi.mock('./m', async (importOriginal) => await importOriginal<typeof import("./e")>())
"""
NUL = b'import { x } from "./x"\nconst a = `p\0q`\nexport function go() { return "\0" + x }\n'


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.js"])
def test_what_is_loaded_with_comments_or_as_a_type_is_an_import(path):
    facts = unpack_facts(parse_file(path, LOADS)[0].facts)
    assert [one["source"] for one in facts["imports"]] == ["./a", "./b", "./c", "./d", "./e"]


@pytest.mark.parametrize("path", ["a.ts", "a.js", "a.tsx"])
def test_a_nul_in_a_string_does_not_make_code_binary(path):
    assert sniff(NUL, path) is None
    parsed, *_ = parse_file(path, NUL)
    assert parsed.problem == ""
    facts = unpack_facts(parsed.facts)
    assert facts["parse_error"] is None
    assert [one["name"] for one in facts["functions"]] == ["go"]
    assert [one["source"] for one in facts["imports"]] == ["./x"]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.ts", NUL.decode().encode("utf-16-le")),
        ("a.ts", b"G@\0\x10" + b"\xff\xfe" * 90),
        ("a.dat", NUL),
        ("a.ts", b"\0\1\2"),
    ],
)
def test_other_nuls_do(path, data):
    assert sniff(data, path) == "binary, not UTF-8 text"
