"""Names of the top of a file that are bound again inside it."""

import pytest

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.postings import INNER, MEMBER, UNSURE, offset_of, places, role_of

HEAD = "import { vat, Res } from './tax'\n"
VALUES = [
    "function f(vat) { return vat } §vat",
    "const f = (vat) => vat, g = vat => vat, h = §vat",
    "const f = async vat => await vat, g = async (vat) => vat; §vat",
    "const f = ({ vat }, [x = vat]) => vat; §vat",
    "const f = ({ q: { r: [vat = §vat2] } }) => vat; §vat",
    "const f = ({ vat: q }) => §vat + q",
    "const f = (q = §vat) => q",
    "function f(...vat) { return vat } §vat",
    "function f(a, // the first one\n  vat: number // the rate\n) { return vat } §vat",
    "function f(a, /* the rate */ vat, b) { return vat } §vat",
    "class A { constructor(private vat: number) { vat; this.vat } } §vat",
    "class A { constructor(readonly vat: number) { vat } } §vat",
    "class A { constructor(@In(1) vat: number, @In vat2) { vat } } §vat",
    "class A { constructor(@In vat: number) { vat } } §vat",
    "class A { m(vat) { return vat } set s(vat) { vat } static { const vat = 1; vat } x = §vat }",
    "class A { vat() { return §vat() } static vat = §vat; get vat() { return this.vat } }",
    "() => { const vat = 1; vat }; §vat",
    "if (1) { let a, vat; vat } §vat",
    "function f() { if (1) { var vat = 1 } return vat } §vat",
    "function f() { vat(); function vat() {} } §vat",
    "for (const vat of []) vat; §vat",
    "for (const [vat, b] of []) vat; for (var { vat: c } of §vat) c; §vat",
    "for (let vat = 0; vat < 1; vat++) vat; §vat",
    "for (const vat in {}) vat; §vat",
    "try { §vat } catch (vat) { vat } finally { §vat }",
    "try { §vat } catch ({ vat }) { vat }",
    "switch (1) { case §vat: } switch (2) { default: { const vat = 1; vat } }",
    "const e = class vat { a = vat }, f = function vat() { vat }; §vat",
    "vat: for (;;) { §vat; break vat }",
    "enum E { vat = 1, b = vat } E.vat + §vat",
    "namespace N { export const vat = 1; vat } namespace N { vat } §vat",
    "namespace N { const vat = 1; vat } namespace N { §vat }",
    "type F = (vat: number) => void; type G = { [vat: string]: number; m(vat: §Res): vat is T }",
    "let o = { vat: §vat, [§vat]: 1, vat() { return §vat } }, p = { §vat }; o.vat",
    "let t: typeof §vat; function f(vat: typeof vat) {}",
    "function f(Res: any): §Res { Res; let t: §Res }",
]
TYPES = [
    "type A<Res> = Res | B<Res>; type C = §Res",
    "type A<T> = T extends B<infer Res> ? Res : §Res",
    "type A<T> = T extends B<infer Res extends string, infer U> ? [Res, U] : §Res",
    "type A = { [Res in 'a']: Res }; type B = §Res",
    "type A = { [Res in 'a' as `x${Res}`]: Res } & §Res",
    "function f<Res>(a: Res): Res { let b: Res } let c: §Res",
    "function f<const Res extends A>(a: Res) {} let c: §Res",
    "const f = <Res,>(a: Res) => a as Res, g = §vat as §Res",
    "class A<Res> extends B<Res> { m<U = Res>(a: U): Res { } } let c: §Res",
    "interface A<in out Res> extends B<Res> { m<U>(a: Res): Res; new <Res>(a: Res): Res }",
    "interface A { <Res>(a: Res): Res; m<Res>(a: Res): void; n: §Res }",
    "function f() { type Res = 1; let a: Res } let b: §Res",
    "function f() { interface Res {} let a: Res; §vat as Res } let b: §Res",
    "function f() { class Res {} new Res() } new §Res()",
    "namespace N { export type Res = 1; let a: Res } let b: §Res",
    "function f() { const Res = 1; let a: §Res = Res }",
    "f(vat => vat, (vat) => vat, [vat => vat], <Res>(a: Res) => a); f(§vat, [§vat], { §vat })",
    "let a: A<§Res, B<§Res>> = new Map<§Res, <Res>(a: Res) => void>(); export { §vat, §Res as R }",
]


def read(path, text):
    """Return the roles of names in a file: (name, offset, role)."""
    blob = parse_file(path, text.encode())[0].postings
    return [(n, offset_of(p), role_of(p)) for n in ("vat", "Res") for p in places(blob, n)]


@pytest.mark.parametrize("line", VALUES + TYPES)
def test_a_place_has_the_role_that_its_scope_gives(line):
    """What is marked with a sign means what the import brings; all the rest does not."""
    marked = HEAD + line.replace("§vat2", "vat2")
    text = marked.replace("§", "")
    real = set()
    for at in range(len(marked)):
        if marked[at] == "§":
            real.add(at - marked.count("§", 0, at))
    found = read("use.ts", text)
    assert UNSURE not in {role for _, _, role in found}
    assert {at for _, at, role in found if not role and at > len(HEAD)} == real
    assert {role for _, at, role in found if at < len(HEAD)} == {0}


def test_what_a_function_requires_is_left_to_the_tree():
    inner = "function f() { const { vat } = require('./b'); vat }\n"
    text = f"const {{ vat }} = require('./a')\n{inner}vat\n"
    roles = [role for _, _, role in read("use.js", text)]
    assert roles == [0, UNSURE, UNSURE, 0]


def test_a_function_expression_that_is_exported_is_left_to_the_tree():
    roles = [role for _, _, role in read("use.js", "module.exports = function vat() { vat }\n")]
    assert roles == [UNSURE, UNSURE]


@pytest.mark.parametrize("line", ["{ const vat = 1; vat }", "declare global { const vat: 1 }"])
def test_what_is_declared_in_a_block_at_the_top_is_left_to_the_tree(line):
    found = read("use.ts", f"{HEAD}{line}\nvat\n")
    assert {role for name, at, role in found if name == "vat"} == {0, UNSURE}


@pytest.mark.parametrize("around", ["declare global {", "{"])
def test_what_is_exported_in_a_block_at_the_top_is_left_to_the_tree(around):
    found = read("own.ts", f"{around}\nexport const vat = 1\n}}\nexport {{ vat }}\n")
    assert [role for _, _, role in found] == [UNSURE, 0]


def test_exported_declarations_are_told_from_those_inside():
    text = (
        "export function vat() {}\nexport namespace N {\nexport function vat() {}\nvat()\n}\nvat()"
    )
    assert [role for _, _, role in read("own.ts", text)] == [0, INNER, INNER, 0]


def test_tags_bind_nothing():
    text = "import { Res } from 'a'\nconst a = <Res><Res.B /></Res>, b = (Res) => <Res></Res>\n"
    roles = [role for _, _, role in read("use.tsx", text)]
    assert roles == [0, 0, 0, 0, INNER, INNER, INNER]


def test_names_that_nobody_shares_have_no_inner_places():
    roles = [role for _, _, role in read("use.ts", "const vat = 1\nfunction f(vat) { vat.vat }\n")]
    assert roles == [0, 0, 0, MEMBER]


def test_many_places_among_errors_are_left_to_the_tree():
    text = HEAD + "function f(vat) { vat }\n" + "vat )\n" * 300
    assert {role for _, _, role in read("use.ts", text)} == {0, UNSURE}


def test_names_of_other_letters_are_told_apart():
    text = "import { ünï as vat } from './a'\nconst f = ünï => ünï, g = vat => vat\nvat\n"
    assert [role for _, _, role in read("use.ts", text)] == [0, INNER, INNER, 0]
    blob = parse_file("use.ts", text.encode())[0].postings
    assert [role_of(place) for place in places(blob, "ünï")] == [0, INNER, INNER]
