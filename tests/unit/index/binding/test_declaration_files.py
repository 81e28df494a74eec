"""A file and the declarations beside it are one module: what imports it uses both."""

import pytest

from ipuaro_jupyter.index.relations.callers import Callers
from ipuaro_jupyter.index.relations.users import UserSearch

FILES = {
    "a.js": "export function f(x) {}\nexport class C { m() {} }\nexport const extra = 1\nf(0)\n",
    "a.d.ts": "export declare function f(x: number): void\nexport declare class C { m(): void }\n"
    "export interface Options { key: number }\n",
    "use.ts": "import { f, C, Options } from './a'\nf(1); new C().m()\nlet o: Options\n",
    "use.js": "import { f, extra } from './a.js'\nf(2, extra)\n",
    "required.js": "const { f } = require('./a')\nf(3)\n",
    "pass.ts": "export * from './a'\n",
    "passed.ts": "import { f } from './pass'\nf(4)\n",
    "space.ts": "import * as ns from './a'\nns.f(5); let t: typeof import('./a').f\n",
}


@pytest.fixture
def uses_in(make_index):
    """Return a function from a symbol and its file to its uses, with the index."""
    index, _ = make_index(FILES)

    def find(symbol, path):
        found = index.uses(symbol, limit=None, declared_in=path)
        assert found.unresolved == ()
        return [f"{one.path}:{one.line}:{one.column}" for one in found.first]

    find.index = index
    return find


def test_calls_are_told_once_for_both(uses_in):
    every = [("passed.ts", 2), ("required.js", 2), ("space.ts", 2), ("use.js", 2), ("use.ts", 2)]
    for targets in ([("a.js", "f")], [("a.d.ts", "f"), ("a.js", "f")]):
        found = uses_in.index.ask(lambda asked, of=targets: Callers(asked).of(of, depth=1))
        assert sorted((one.path, one.line) for one in found.calls) == [("a.js", 4), *every]
    found = uses_in.index.ask(lambda asked: Callers(asked).of([("a.d.ts", "f")], depth=1))
    assert sorted((one.path, one.line) for one in found.calls) == every


@pytest.mark.parametrize("path", ["a.js", "a.d.ts"])
def test_a_change_of_either_reaches_the_users(uses_in, path):
    asked = uses_in.index.ask
    found = asked(lambda one: UserSearch(one).of([(path, "f")], (), given={}, depth=1))
    reached = {one.path for one in found.listed}
    assert reached >= {"passed.ts", "required.js", "space.ts", "use.js", "use.ts"}


@pytest.mark.parametrize("path", ["a.js", "a.d.ts"])
def test_a_rename_renames_in_both_files(uses_in, path):
    found = uses_in.index.renaming(path, "f", "g")
    assert {one: len(edits) for one, edits in found.certain.items()} == {
        "a.js": 2,
        "a.d.ts": 1,
        "use.ts": 2,
        "use.js": 2,
        "required.js": 2,
        "passed.ts": 2,
        "space.ts": 2,
    }
    assert found.by_name == {}
    assert uses_in.index.renaming(path, "C.m", "n").certain.keys() == {"a.js", "a.d.ts", "use.ts"}


@pytest.mark.parametrize(
    ("code", "declarations", "source"),
    [
        ("x.mjs", "x.d.mts", "./x.mjs"),
        ("x.cjs", "x.d.cts", "./x.cjs"),
        ("x.jsx", "x.d.ts", "./x"),
        ("X.svelte", "X.svelte.d.ts", "./X.svelte"),
    ],
)
def test_every_kind_of_code_has_its_declarations(make_index, code, declarations, source):
    text = "export function f() {}\n"
    files = {
        code: f"<script module>{text}</script>\n" if code.endswith("svelte") else text,
        declarations: "export declare function f(): void\n",
        "use.ts": f"import {{ f }} from '{source}'\nf()\n",
    }
    index, _ = make_index(files)
    for path in (code, declarations):
        found = index.uses("f", limit=None, declared_in=path)
        assert [(one.path, one.line) for one in found.first if not one.is_definition] == [
            ("use.ts", 1),
            ("use.ts", 2),
        ]


def test_code_that_appears_beside_declarations_is_found(make_index, change_disk):
    files = {path: text for path, text in FILES.items() if path != "a.js"}
    index, root = make_index(files)
    assert len(index.uses("f", limit=None, declared_in="a.d.ts").first) == 11
    change_disk(root, "a.js", FILES["a.js"])
    assert len(index.uses("f", limit=None, declared_in="a.js").first) == 12
    change_disk(root, "a.js", None)
    assert index.uses("f", limit=None, declared_in="a.js").first == []
