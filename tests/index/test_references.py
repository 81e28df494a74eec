"""Where symbols are used, and which uses are certain."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

HARBOUR = Path(__file__).parents[1] / "projects/harbour"


@pytest.fixture
def uses(make_index):
    """Return a function from files and symbol to "path:line:column", with marks.

    A definition is marked "!", a match by name only "?".
    """

    def find(files, symbol, **options):
        index, _ = make_index(files)
        return [
            f"{r.path}:{r.line}:{r.column}" + "!" * r.is_definition + "?" * (not r.resolved)
            for r in index.references(symbol, **options)
        ]

    return find


TAX = "export function vat(net: number) { return net }\n"


def test_references_are_identifiers_sorted_by_place_with_the_definition(uses):
    files = {
        "tax.ts": "// vat(1)\n" + TAX + "export const vatRate = 'vat'\n",
        "bill.ts": "import { vat } from './tax'\nexport const a = vat(1), b = `${vat(2)} vat`\n",
    }
    assert uses(files, "vat") == ["bill.ts:1:10", "bill.ts:2:18", "bill.ts:2:33", "tax.ts:2:17!"]


def test_columns_count_characters_and_skip_the_byte_order_mark(uses):
    files = {"a.ts": "\ufeffvat()\n'ä€😀', vat()\nconst vat = 1\r\nvat\n"}
    assert uses(files, "vat") == ["a.ts:1:1", "a.ts:2:8", "a.ts:3:7!", "a.ts:4:1"]


def test_same_name_in_a_file_that_imports_it_not_is_unresolved_and_counts(uses):
    files = {"tax.ts": TAX, "other.ts": "const vat = 1\nvat\n", "use.ts": "vat()\n"}
    assert uses(files, "vat") == [
        "other.ts:1:7!",
        "other.ts:2:1",
        "tax.ts:1:17!",
        "use.ts:1:1?",
    ]


def test_import_that_leads_elsewhere_is_unresolved(uses):
    files = {"tax.ts": TAX, "use.ts": "import { vat } from 'pkg'\nvat()\n"}
    assert uses(files, "vat") == ["tax.ts:1:17!", "use.ts:1:10?", "use.ts:2:1?"]


@pytest.mark.parametrize(
    "line",
    [
        "function a(vat: number) { return vat }",
        "const b = (vat) => vat",
        "const b = vat => vat",
        "const b = ({ vat }, [x = vat]) => vat",
        "if (1) { const vat = 1; vat }",
        "for (const vat of []) vat",
        "try {} catch (vat) { vat }",
        "const e = class vat { a = vat }",
        "function f() { if (1) { var vat = 1 } return vat }",
        "type T<vat> = vat[]",
        "vat: for (;;) break vat",
    ],
)
def test_shadowed_name_is_unresolved(uses, line):
    files = {"tax.ts": TAX, "use.ts": f"import {{ vat }} from './tax'\n{line}\nvat(1)\n"}
    found = uses(files, "vat")
    assert found[:2] == ["tax.ts:1:17!", "use.ts:1:10"]
    assert found[-1] == "use.ts:3:1"
    assert all(mark.endswith("?") for mark in found[2:-1])


def test_member_of_the_same_name_is_unresolved(uses):
    files = {
        "tax.ts": TAX,
        "use.ts": "import { vat } from './tax'\nconst o = { vat: vat(1) }\no.vat\nf({ vat })\n",
    }
    assert uses(files, "vat") == [
        "tax.ts:1:17!",
        "use.ts:1:10",
        "use.ts:2:13?",
        "use.ts:2:18",
        "use.ts:3:3?",
        "use.ts:4:5",
    ]


def test_renamed_import_is_followed_to_its_alias(uses):
    files = {
        "tax.ts": TAX,
        "use.ts": "import { vat as tax } from './tax'\ntax(1)\nconst o = { tax: 1 }\n",
        "other.ts": "const tax = 1\n",
    }
    assert uses(files, "vat") == ["tax.ts:1:17!", "use.ts:1:10", "use.ts:1:17", "use.ts:2:1"]


def test_barrels_and_renaming_exports_are_followed(uses):
    files = {
        "tax.ts": TAX,
        "all.ts": "export * from './tax'\n",
        "named.ts": "export { vat as levy } from './all'\n",
        "again.ts": "import { levy } from './named'\nexport { levy as due }\n",
        "use.ts": "import { vat } from './all'\nimport { due as d } from './again'\nvat(d(1))\n",
    }
    assert uses(files, "vat") == [
        "again.ts:1:10",
        "again.ts:2:10",
        "again.ts:2:18",
        "named.ts:1:10",
        "named.ts:1:17",
        "tax.ts:1:17!",
        "use.ts:1:10",
        "use.ts:2:10",
        "use.ts:2:17",
        "use.ts:3:1",
        "use.ts:3:5",
    ]


def test_barrels_in_a_circle_end(uses):
    files = {
        "a.ts": "export * from './b'\n" + TAX,
        "b.ts": "export * from './a'\n",
        "use.ts": "import { vat } from './b'\nvat\n",
    }
    assert uses(files, "vat") == ["a.ts:2:17!", "use.ts:1:10", "use.ts:2:1"]


def test_namespaces_are_followed(uses):
    files = {
        "tax.ts": TAX,
        "ns.ts": "export * as money from './tax'\n",
        "use.ts": "import * as t from './tax'\nimport { money } from './ns'\n"
        "t.vat(money.vat(1))\nother.vat()\nlet x: typeof t.vat\n",
    }
    assert uses(files, "vat") == [
        "tax.ts:1:17!",
        "use.ts:3:3",
        "use.ts:3:13",
        "use.ts:4:7?",
        "use.ts:5:17",
    ]


def test_default_export_is_followed_under_any_name(uses):
    files = {
        "tax.ts": "export default function vat() {}\n",
        "use.ts": "import levy from './tax'\nlevy()\n",
        "pass.ts": "export { default as due } from './tax'\n",
        "last.ts": "import { due } from './pass'\ndue()\n",
    }
    found = uses(files, "vat")
    assert {"tax.ts:1:25!", "use.ts:1:8", "use.ts:2:1", "last.ts:1:10", "last.ts:2:1"} <= set(found)
    assert not [mark for mark in found if mark.endswith("?")]


def test_commonjs_is_followed(uses):
    files = {
        "tax.js": "function vat() {}\nmodule.exports = { vat }\n",
        "whole.js": "class Bill { pay() {} }\nmodule.exports = Bill\n",
        "use.js": "const { vat } = require('./tax')\nconst tax = require('./tax')\n"
        "vat(tax.vat())\nconst Bill = require('./whole')\nnew Bill().pay()\n",
    }
    assert uses(files, "vat") == [
        "tax.js:1:10!",
        "tax.js:2:20",
        "use.js:1:9",
        "use.js:3:1",
        "use.js:3:9",
    ]
    assert "use.js:4:7" in uses(files, "Bill")
    assert uses(files, "Bill.pay") == ["use.js:5:12", "whole.js:1:14!"]


def test_types_jsx_and_shorthands_count(uses):
    files = {
        "pill.tsx": "export class Pill {}\n",
        "use.tsx": "import { Pill } from './pill'\nimport type { Pill as P } from './pill'\n"
        "class X extends Pill { a: Array<Pill> = []; b?: P }\n"
        "const e = <Pill>Pill text</Pill>, s = { Pill }\n",
    }
    assert uses(files, "Pill") == [
        "pill.tsx:1:14!",
        "use.tsx:1:10",
        "use.tsx:2:15",
        "use.tsx:2:23",
        "use.tsx:3:17",
        "use.tsx:3:33",
        "use.tsx:3:49",
        "use.tsx:4:12",
        "use.tsx:4:28",
        "use.tsx:4:41",
    ]


def test_path_is_a_folder_boundary(uses):
    files = {
        "tax.ts": TAX,
        "api/a.ts": "import { vat } from '../tax'\n",
        "api-old/a.ts": "import { vat } from '../tax'\n",
    }
    assert uses(files, "vat", path="api") == ["api/a.ts:1:10"]
    assert uses(files, "vat", path="tax.ts") == ["tax.ts:1:17!"]


TWO = """export class Cat { say() { return this.say } }
export class Dog { say() {} static make() {} }
"""


@pytest.mark.parametrize(
    "line",
    [
        "new Cat().say()",
        "const c = new Cat(); c.say()",
        "let c: Cat; c!.say()",
        "let c: Cat | undefined; c?.say()",
        "let c: Readonly<Cat>[] = []; c[0].say()",
        "function f(c: Cat) { c.say() }",
        "const f = ({ c }: { c: Dog }, d: Cat) => d.say()",
        "const f = (c = new Cat()) => c.say()",
        "async function g() { const c: Promise<Cat> = h(); (await c).say() }",
        "(x as Cat).say()",
        "(<Cat>x).say()",
        "function make(): Cat { return x } make().say()",
        "function make(): Cat { return x } const c = make(); c.say()",
        "class Box { c = new Cat(); go() { this.c.say() } }",
        "class Box { private c!: Cat; go() { const { c } = this; c.say() } }",
        "class Box { constructor(private c: Cat) {} go() { this.c.say() } }",
        "class Box { get c(): Cat { return x } } new Box().c.say()",
        "class Kitten extends Cat { go() { this.say() } }",
        "class Kitten extends Cat { say() { super.say() } }",
        "class Kitten extends Cat {} new Kitten().say()",
        "interface Box { c: Cat } let b: Box; b.c.say()",
        "type Pet = Cat; let p: Pet; p.say()",
        "for (const c of [new Cat()]) c.say()",
        "const { say } = new Cat()",
        "const c = flag ? new Cat() : null; c.say()",
        "const c = x ?? new Cat(); c.say()",
        "ns.Cat.prototype; new ns.Cat().say()",
        "let c: ns.Cat; c.say()",
        "const make = () => new Cat(); make().say()",
        "class A { make() { if (1) { return new Cat() } return null } } new A().make().say()",
        "class Kitten extends Cat { own() { return this } } new Kitten().own().own().say()",
        "class Box { static make = (): Cat => x } const make = Box.make; make().say()",
        "let cs: Cat[] = []; cs.forEach((c) => c.say())",
        "let cs: Cat[] = []; cs.filter(function (c, i) { return i || c.say() })",
        "let cs: Cat[] = []; cs.map(c => c.say())",
        "let p: Promise<Cat>; p.then(({ say }) => 1)",
        "function f(a: Dog, o: Cat) {} f(1, { say() {} })",
        "function f(...o: Cat[]) {} f(1, { say() {} })",
        "class Vet { constructor(o: Cat) {} } new Vet({ say: null })",
        "class Vet { see(o?: Readonly<Cat>) {} } new Vet().see({ say: null })",
        "function f(): Cat { return { say() {} } }",
        "const f = (): Cat => ({ say() {} })",
        "class Box { c: Cat = x } const b: Box = { c: { say() {} } }",
        "let c: Cat; c = { say() {} }",
        "const cs: Cat[] = [{ say() {} }]",
        "const c: Cat = flag ? x : y ?? { say() {} }",
        "function f(o: Cat = { say() {} }) {}",
        "const c = { say() {} } satisfies Cat",
        "function f<T extends Cat>(c: T) { c.say() }",
        "function f<T extends U, U extends Cat>(c: T) { c.say() }",
        "const o = { c: new Cat(), d: 1 }; o.c.say()",
        "const o = { c: new Cat() }, { c } = o; c.say()",
        "interface Box { in: { c: Dog }; c: Cat } function f({ c: { say } }: Box) {}",
        "interface Box { cs: Cat[] } function f({ cs: [c], ...rest }: Box) { c.say() }",
        "interface Box { c: Cat } function f({ d, ...rest }: Box) { rest.c.say() }",
        "function f([c]: Cat[], [{ say }]: Cat[]) {}",
        "function f({ say } = new Cat()) {}",
    ],
)
def test_method_is_told_apart_by_what_it_is_called_on(uses, line):
    """The last `say` of the line is Cat's, and nothing in the line is Dog's."""
    head = "import { Cat, Dog } from './pets'; import * as ns from './pets'\n"
    files = {"pets.ts": TWO, "use.ts": head + line + "\n"}
    column = line.rindex("say") + 1
    cats = [mark for mark in uses(files, "Cat.say") if mark.startswith("use.ts")]
    assert f"use.ts:2:{column}" in cats


@pytest.mark.parametrize(
    "line",
    [
        "function f<Cat>(c: Cat) { c.say() }",
        "class Box<Cat> { c: Cat; m(c: Cat) { c.say() } }",
        "type Box<T> = T extends (infer Cat) ? { say: Cat } : never",
        "function f(o: Cat) {} f(1, { say() {} })",
        "function f(o: Cat) {} f(g({ say() {} }))",
        "let cs: Cat[] = []; cs.reduce((say, c) => say)",
        "let cs: Cat[] = []; cs.forEach((x, c) => c.say())",
        "function f() { g(() => { return new Cat() }) } f().say()",
        "class Box { own() { return this } } new Box().own().say()",
        "const Cat2 = { say: Cat }",
        "interface Box { c: Cat } function f({ say, c }: Box) {}",
        "interface Box { c: Cat; d: Dog } const { c: cat, d: { say } }: Box = x",
        "const { c: { say } } = { c: new Dog() } as { c: Dog }",
        "const { say = 1 } = new Dog()",
        "say: for (;;) break say",
    ],
)
def test_method_is_not_taken_for_that_of_another(uses, line):
    head = "import { Cat, Dog } from './pets'; import * as ns from './pets'\n"
    files = {"pets.ts": TWO, "use.ts": head + line + "\n"}
    assert [mark for mark in uses(files, "Cat.say") if mark.startswith("use.ts")] == []


def test_qualified_name_leaves_out_what_cannot_be_told(uses):
    files = {
        "pets.ts": TWO,
        "use.ts": "import { Dog } from './pets'\nconst d = new Dog()\n"
        "d.say()\nx.say()\nDog.make()\n",
    }
    assert uses(files, "Dog.say") == ["pets.ts:2:20!", "use.ts:3:3"]
    assert uses(files, "Dog.make") == ["pets.ts:2:36!", "use.ts:5:5"]
    assert uses(files, "Cat.say") == ["pets.ts:1:20!", "pets.ts:1:40"]
    assert uses(files, "say") == [
        "pets.ts:1:20!",
        "pets.ts:1:40",
        "pets.ts:2:20!",
        "use.ts:3:3",
        "use.ts:4:3?",
    ]


def test_members_of_objects_enums_and_namespaces_are_found(uses):
    files = {
        "a.ts": "export const api = { get() {}, put: () => 1 }\nexport enum Size { S, M }\n"
        "export namespace N { export const k = 1; k }\n"
        "function outer() { function inner() {} inner() }\n",
        "use.ts": "import { api, Size, N } from './a'\napi.get(Size.S, N.k)\nother.get(x.S, y.k)\n",
    }
    assert uses(files, "api.get") == ["a.ts:1:22!", "use.ts:2:5"]
    assert uses(files, "Size.S") == ["a.ts:2:20!", "use.ts:2:14"]
    assert uses(files, "N.k") == ["a.ts:3:35!", "a.ts:3:42", "use.ts:2:19"]
    assert uses(files, "outer.inner") == ["a.ts:4:29!", "a.ts:4:40"]


def test_initialisers_in_a_circle_end(uses):
    files = {
        "a.js": "class A { m() {} constructor() { this.p = this.q; this.q = this.p } }\n"
        "const b = c.d, c = b.d\nnew A().p.m()\nb.m()\n"
    }
    assert uses(files, "A.m") == ["a.js:1:11!"]


def test_unknown_symbol_has_no_references(uses):
    assert uses({"a.ts": TAX}, "noSuch") == []
    assert uses({"a.ts": TAX}, "Cat.noSuch") == []
    assert uses({"a.ts": TAX}, "") == []


MANY = {
    "tax.ts": TAX + "export default class Tax { pay() { return vat(1) } }\n",
    "all.ts": "export * from './tax'\nexport { vat as levy, default as Tax } from './tax'\n",
    "a.ts": "import { vat as tax } from './tax'\ntax(1); tax(2); vat\n",
    "b.ts": "import T, { vat } from './tax'\nnew T().pay(); vat(vat(1)); o.vat\n",
    "c.ts": "import { levy, Tax } from './all'\nlevy(1); new Tax().pay(); levy\n",
    "d.ts": "vat; vat; pay; Tax\n",
    "sub/e.ts": "import * as t from '../all'\nt.vat; t.levy; new t.Tax().pay()\n",
    "sub/f.py": "vat = 1\nprint(vat)\n",
}


@pytest.mark.parametrize("symbol", ["vat", "Tax", "pay", "Tax.pay", "levy", "none", "no.pay"])
def test_the_total_counts_what_lies_beyond_the_limit(make_index, symbol):
    index, _ = make_index(MANY)
    for path in (None, "sub", "b.ts", "c.ts", "none"):
        every = index.references(symbol, path=path)
        for limit in (1, 2, 5, 100):
            found = index.uses(symbol, path=path, limit=limit)
            assert found.first == every[:limit]
            assert found.total == len(every)
    assert bool(index.references(symbol)) is not symbol.startswith("no")


def test_files_beyond_the_limit_are_not_opened(make_index):
    files = {f"f{number:03}.ts": "vat(1)\n" for number in range(100)}
    index, root = make_index({**files, "tax.ts": TAX})
    found = index.uses("vat", limit=3)
    assert found.total == 101
    assert found.texts.keys() == {"f000.ts", "f001.ts", "f002.ts"}
    assert found.texts["f000.ts"][0] == (root / "f000.ts").read_bytes()


def test_several_threads_may_ask(make_index):
    index, _ = make_index(MANY)
    symbols = ["vat", "Tax", "pay", "Tax.pay", "levy"] * 4
    every = [index.references(symbol) for symbol in symbols]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(index.references, symbols)) == every


def test_answers_of_another_process_are_seen(make_index, open_index):
    index, root = make_index({"tax.ts": TAX, "use.ts": "import { vat } from './tax'\nvat()\n"})
    index.references("vat")
    (root / "more.ts").write_text("import { vat } from './tax'\nvat()\n")
    open_index(root).refresh()
    assert [r.path for r in index.references("vat")].count("more.ts") == 2


def test_types_and_values_of_one_name_are_told_apart(uses):
    files = {
        "a.ts": "export interface Opt { x: number }\nexport const opt = 1\n",
        "use.ts": "import { Opt, opt } from './a'\nfunction f(Opt: any): Opt { return Opt }\n"
        "type G<opt> = opt | typeof opt\nconst g = <Opt,>(a: Opt) => a as Opt\n",
    }
    assert [u for u in uses(files, "Opt") if not u.endswith("?")] == [
        "a.ts:1:18!",
        "use.ts:1:10",
        "use.ts:2:23",
    ]
    assert [u for u in uses(files, "opt") if not u.endswith("?")] == [
        "a.ts:2:14!",
        "use.ts:1:15",
        "use.ts:3:28",
    ]


def test_enums_and_namespaces_hold_together(uses):
    files = {
        "a.ts": "export const X = 5\nexport enum E { X = 1, Y = X }\nexport enum E { Z = X }\n"
        "export namespace N { export const k = 1; const p = k }\n"
        "export namespace N { export const j = k; p }\nN.k; let t: typeof N.k\n",
        "use.ts": "import { N, E } from './a'\nimport * as all from './a'\n"
        "function q(N: any) { N.k; let t: N.S }\nall.N.k; all!.N; all?.E.X; E.X\n",
    }
    assert uses(files, "E.X") == [
        "a.ts:2:17!",
        "a.ts:2:28",
        "a.ts:3:21",
        "use.ts:4:25",
        "use.ts:4:30",
    ]
    assert uses(files, "N.k") == [
        "a.ts:4:35!",
        "a.ts:4:52",
        "a.ts:5:39",
        "a.ts:6:3",
        "a.ts:6:22",
        "use.ts:4:7",
    ]
    assert [u for u in uses(files, "N") if "use" in u and not u.endswith("?")] == [
        "use.ts:1:10",
        "use.ts:3:34",
        "use.ts:4:5",
        "use.ts:4:15",
    ]


def test_modules_in_expressions_and_types_are_followed(uses):
    files = {
        "tax.ts": TAX + "export namespace N { export const k = 1 }\n",
        "ns.ts": "export * as money from './tax'\n",
        "other.ts": "export const vat = 1\n",
        "use.ts": "import { vat } from './other'\nimport * as ns from './ns'\n"
        "let t: typeof import('./tax').vat, u: import('./tax').vat\n"
        "ns.money.vat; (await import('./tax')).vat; ns.money.N.k\nvat\n",
    }
    found = uses(files, "vat", path="use.ts")
    assert found == [
        "use.ts:1:10",
        "use.ts:3:31",
        "use.ts:3:55",
        "use.ts:4:10",
        "use.ts:4:39",
        "use.ts:5:1",
    ]
    assert uses(files, "N.k") == ["tax.ts:2:35!", "use.ts:4:55"]
    files["tax.ts"] = TAX.replace("vat", "due")
    resolved = [u for u in uses(files, "vat", path="use.ts") if not u.endswith("?")]
    assert resolved == ["use.ts:1:10", "use.ts:5:1"]


def test_commonjs_is_followed_in_place(uses):
    files = {
        "lib.js": "exports.one = 1\nexports.two = exports.one\nmodule.exports.two\n",
        "use.js": "const { one: first } = require('./lib')\nrequire('./lib').one + first\n",
    }
    assert uses(files, "one") == [
        "lib.js:1:9!",
        "lib.js:2:23",
        "use.js:1:9",
        "use.js:1:14",
        "use.js:2:18",
        "use.js:2:24",
    ]
    assert uses(files, "two") == ["lib.js:2:9!", "lib.js:3:16"]


def test_elements_in_lower_case_are_no_components(uses):
    files = {
        "a.tsx": "export const pill = () => null\nexport const UI = { Row: { Cell: () => 1 } }\n",
        "use.tsx": "import { pill, UI } from './a'\n"
        "const a = <pill/>, b = <UI.Row.Cell x={pill}></UI.Row.Cell>\n",
    }
    assert uses(files, "pill") == [
        "a.tsx:1:14!",
        "use.tsx:1:10",
        "use.tsx:2:12?",
        "use.tsx:2:40",
    ]
    assert uses(files, "UI.Row.Cell") == ["a.tsx:2:28!", "use.tsx:2:32", "use.tsx:2:55"]


def test_beyond_the_limit_imports_alone_decide(make_index):
    index, _ = make_index(
        {
            "tax.ts": TAX,
            "use.ts": "import { vat } from './tax'\nvat()\n",
            "other.ts": "vat()\n",
        },
        parsed_bytes=0,
    )
    found = [(r.path, r.line, r.resolved) for r in index.references("vat")]
    assert found == [
        ("other.ts", 1, False),
        ("tax.ts", 1, True),
        ("use.ts", 1, True),
        ("use.ts", 2, True),
    ]


def test_change_of_a_file_in_the_answer_is_seen(make_index):
    index, root = make_index({"tax.ts": TAX, "use.ts": "import { vat } from './tax'\nvat()\n"})
    index.references("vat")
    (root / "use.ts").write_text("\n\nimport { vat } from './tax'\n")
    assert [(r.path, r.line) for r in index.references("vat")] == [("tax.ts", 1), ("use.ts", 3)]
    (root / "use.ts").unlink()
    assert [(r.path, r.line) for r in index.references("vat")] == [("tax.ts", 1)]


def test_what_has_to_do_with_a_member_is_looked_at_first_with_a_limit_too(make_index):
    """However many files use the name for something else, before it in the order of paths."""
    long = "// what they are about\n" * 50
    other = "export function other(it: unknown) { return it.pay() }\n" + long
    files = {f"a{number:02}.ts": other for number in range(60)}
    files["bill.ts"] = "export class Bill { pay() {} }\n"
    files["use.ts"] = "import { Bill } from './bill'\nnew Bill().pay()\n" + long
    index, _ = make_index(files, parsed_bytes=8_000)
    expected = [("bill.ts", 1, True), ("use.ts", 2, True)]
    for limit in (None, 200, 2):
        found = index.uses("Bill.pay", limit=limit).first
        assert [(r.path, r.line, r.resolved) for r in found] == expected


def test_the_first_uses_in_a_project_are_those_of_all_uses(tmp_path, open_index):
    for copy in range(12):
        shutil.copytree(HARBOUR, tmp_path / str(copy))
    index = open_index(tmp_path, parsed_bytes=5_000)
    index.refresh()
    names = sorted(index._stored.symbol_names())
    for name in random.Random(7).sample(names, 40):
        first = index.uses(name, limit=10).first
        every = open_index(tmp_path, parsed_bytes=5_000).references(name)
        assert first == every[:10], name
