"""The overloads that literals choose, as the compiler has it."""

import pytest

KIT = """export class A { run() {} }
export class B { run() {} }
export declare function r(x: "s"): A
export declare function r(x: string): B
export declare function n(x: 1): A
export declare function n(x: number): B
export declare function big(x: number): A
export declare function big(x: bigint): B
export declare function id<T>(x: T): T
export declare class Box<T> { held: T }
export declare function boxed<T>(x: T): Box<T>
export declare function named<K extends string>(x: K): K
export declare const some: any
"""
HEAD = "import { big, boxed, id, n, named, r, some } from './kit'\n"
FIRST = [
    *('r("s").run()', 'r(("s")).run()', "n(1).run()", 'const c = "s"; r(c).run()'),
    *('const c = "s" as const; r(c).run()', 'let c: "s"; r(c).run()', 'r(named("s")).run()'),
    *('const o = { k: "s" } as const; r(o.k).run()', "let y = 's' as const; r(y).run()"),
    'class C { readonly k = "s"; m() { r(this.k).run() } }',
    *("big(1).run()", "big(0x1f).run()", "big(1 + 2).run()", "big(-1).run()"),
]
WIDENED = [
    *('let y = "s"; y = "t" as string; r(y).run()', "let y = 1; y = some; n(y).run()"),
    *('const o = { k: "s" }; r(o.k).run()', 'const { k } = { k: "s" }; r(k).run()'),
    *('function z(p = "s") { r(p).run() }', 'function z({ p = "s" }) { r(p).run() }'),
    *('const z = (p = "s") => r(p).run()', 'const c = "s"; const o = { c }; r(o.c).run()'),
    *('const a = ["s"]; r(a[0]).run()', 'for (const a of ["s"]) r(a).run()'),
    *('const [a] = ["s"]; r(a).run()', 'const a = [["s"]]; r(a[0][0]).run()'),
    'class C { k = "s"; m() { r(this.k).run() } }',
    'class C { k; constructor() { this.k = "s" } m() { r(this.k).run() } }',
    *('const f = () => "s"; r(f()).run()', 'function f() { return "s" } r(f()).run()'),
    *('r(boxed("s").held).run()', 'const c = "s"; let d = c; r(d).run()'),
]
SECOND = [
    *("big(1n).run()", "big(0x1fn).run()", "const c = 1n; big(c).run()", "big(1n + 2n).run()"),
    *("big(-1n).run()", "let c = 1n; c++; big(c).run()"),
]


@pytest.fixture
def certain(uses):
    """Return the lines whose last `run` is a certain use of ``A.run`` (1st) or ``B.run`` (2nd)."""

    def find(lines, name):
        files = {f"{number}.ts": f"{HEAD}{line}\n" for number, line in enumerate(lines)}
        marks = set(uses({"kit.ts": KIT, **files}, f"{name}.run"))
        ends = [f"{number}.ts:2:{line.rindex('run') + 1}" for number, line in enumerate(lines)]
        return [line for line, mark in zip(lines, ends, strict=True) if mark in marks]

    return find


def test_a_literal_chooses_the_overload_for_it(certain):
    assert certain(FIRST, "A") == FIRST


def test_a_literal_that_may_have_changed_chooses_none_for_certain(certain):
    assert certain(WIDENED, "A") == []


def test_a_bigint_is_no_number(certain):
    assert (certain(SECOND, "A"), certain(SECOND, "B")) == ([], SECOND)


def test_what_may_be_a_text_or_a_bigint_is_no_number_for_certain(certain):
    lines = ["big(some + 1).run()", "big(some - some).run()", "big(-some).run()"]
    assert certain(lines, "A") == []
