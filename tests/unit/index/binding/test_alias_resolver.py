"""Uses and declarations are found through modules that import one another, in every question."""

import pytest

pytestmark = pytest.mark.timeout(20)


def test_a_name_behind_hundreds_of_stars_is_found(make_index):
    files = {f"m{n}.ts": f"export const c{n} = 1\n" for n in range(300)}
    files["all.ts"] = "".join(f"export * from './m{n}'\n" for n in range(300))
    files["use.ts"] = "import { c299 } from './all'\nc299\n"
    index, _ = make_index(files)
    found = index.references("c299")
    assert [(r.path, r.line, r.resolved) for r in found] == [
        ("m299.ts", 1, True),
        ("use.ts", 1, True),
        ("use.ts", 2, True),
    ]


def test_a_name_behind_a_long_chain_of_stars_is_found(make_index):
    files = {f"m{n}.ts": f"export * from './m{n + 1}'\n" for n in range(400)}
    files |= {"m400.ts": "export const D = 1\n", "use.ts": "import { D } from './m0'\nD\n"}
    index, _ = make_index(files)
    assert [r.path for r in index.references("D") if r.resolved] == ["m400.ts", "use.ts", "use.ts"]
