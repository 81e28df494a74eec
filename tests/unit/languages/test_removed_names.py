"""Names that a change no longer imports and still uses: told where that is certain, else not."""

import pytest

from ipuaro_jupyter.languages.removed_names import removed_name_problems

LOST = [
    ("a.ts", 'import { Node } from "x";', "Node.of(1);", "Node"),
    ("a.ts", 'import { foo } from "x";', "foo();", "foo"),
    ("a.ts", 'import { foo as bar } from "x";', "bar(1);", "bar"),
    ("a.ts", 'import * as ns from "x";', "ns.y();", "ns"),
    ("a.ts", 'import D, { type E } from "x";', "let a: D.Q;", "D"),
    ("a.ts", 'import type { T } from "x";', "let a: T[] = [];", "T"),
    ("a.ts", 'import { T } from "x";', "let a: typeof T;", "T"),
    ("a.ts", 'import { T } from "x";', "@T() class A {}", "T"),
    ("a.ts", 'import { T } from "x";', "class A implements T<string> {}", "T"),
    ("a.ts", 'import { P } from "x";', "function f(a: unknown): a is P {}", "P"),
    ("a.ts", 'import fs = require("fs");', "fs.x();", "fs"),
    ("a.ts", 'import { foo } from "x";', "export { foo };", "foo"),
    ("a.ts", 'import { foo } from "x";', "export default foo;", "foo"),
    ("a.ts", 'import { foo } from "x";', "const { b = foo } = c;", "foo"),
    ("a.ts", 'import { foo } from "x";', "const s = `${foo}`;", "foo"),
    ("a.ts", 'import { foo } from "x";', "for (const b of foo) b;", "foo"),
    ("a.ts", 'import { foo } from "x";', "[a[foo]] = 1;", "foo"),
    ("a.ts", 'import { foo } from "x";', "foo();\n// window.foo = 1", "foo"),
    ("a.ts", 'import { foo } from "x";', "foo('using foo = 1');", "foo"),
    ("a.js", 'const { foo } = require("x");', "foo();", "foo"),
    ("a.js", 'const { a: foo } = require("x");', "foo();", "foo"),
    ("a.js", 'const foo = require("x");', "module.exports = { foo };", "foo"),
    ("a.tsx", 'import { Foo } from "x";', "const a = <Foo b={1} />;", "Foo"),
    ("a.js", 'const foo = require("x")("y");', "foo();", "foo"),
    ("a.js", 'const foo = require("x").y.z;', "foo();", "foo"),
    ("a.ts", 'import { foo } from "x";', "for (foo of b) use(foo);", "foo"),
    ("a.py", "import os", "print(os.path)", "os"),
    ("a.py", "import a", "del a", "a"),
    ("a.py", "import a", "globals()[a]; globals().get(b)", "a"),
    ("a.py", "import a", "def f(): exec(a)", "a"),
    ("a.py", "from a import b", "def f(x: 'b | None'): pass", "b"),
    ("a.py", "from a import b", "x: list['b']", "b"),
    ("a.py", "from a import b", "def f() -> 'b': pass", "b"),
    ("a.py", "from a import b", "__all__ = ['b']", "b"),
    ("b/__init__.py", "from a.c import b", "__all__ = ['b']", "b"),
    ("b/__init__.py", "from .c import b", "__all__ += ['b']", "b"),
    ("a.py", "from a import b", "print(b)\ndef f(): vars()", "b"),
    ("a.py", "from a import b", "class C: b = lambda self: b()", "b"),
    ("a.py", "from a import b", "class C: b = lambda self: lambda: [b]", "b"),
    ("a.py", "import os.path as p, re", "print(p)", "p"),
    ("a.py", "from a import b as c", "def f(): return c", "c"),
    ("a.py", "try:\n    import a\nexcept ImportError: pass", "a.x", "a"),
    ("a.py", "if x:\n    import a", "class A(a.B): pass", "a"),
]
KEPT = [
    ("a.ts", 'import { foo } from "x";', '// foo\nlet s = "foo"; a.foo(); let o = { foo: 1 };'),
    ("a.ts", 'import { foo } from "x";', "class A { foo() {} }\nenum E { foo }"),
    ("a.ts", 'import { foo } from "x";', "function g(foo: number) { return foo; }"),
    ("a.ts", 'import { foo } from "x";', "const g = (foo) => foo; const h = foo => foo;"),
    ("a.ts", 'import { foo } from "x";', "const { foo } = b; foo;"),
    ("a.ts", 'import { foo } from "x";', "function f({ a: foo }) { foo; }"),
    ("a.ts", 'import { foo } from "x";', "try {} catch (foo) { foo; }"),
    ("a.ts", 'import { foo } from "x";', "for (const foo of b) foo;"),
    ("a.ts", 'import { foo } from "x";', 'export { foo } from "y";\nexport { a as foo };'),
    ("a.ts", 'import { foo } from "x";', "foo: for (;;) { break foo; }"),
    ("a.ts", 'import { foo } from "x";', 'import { bar as foo } from "y"; foo;'),
    ("a.ts", 'import { T } from "x";', "type A<T> = T[];"),
    ("a.ts", 'import { T } from "x";', "let a: A.T;"),
    ("a.ts", 'import { fetch } from "x";', "fetch();"),
    ("a.ts", 'import { foo } from "x";', "foo(;"),
    ("a.tsx", 'import { link } from "x";', "const a = <link b={1} />;"),
    (
        "a.ts",
        'import { foo } from "x";',
        "export async function f() { await using foo = b(); foo; }",
    ),
    ("a.ts", 'import { foo } from "x";', "globalThis.foo = 1;\nfoo;"),
    ("a.tsx", 'import { foo } from "x";', "const a = <a foo:bar='1' />;"),
    ("a.py", "from a import b", "def f(b): return b"),
    ("a.py", "from a import b", "from c import *\nb"),
    ("a.py", "from io import open", "open(1)"),
    ("a.py", "from __future__ import annotations", "annotations"),
    ("a.py", "import a", "try: pass\nexcept E as a: a"),
    ("a.py", "import a", 'match x:\n    case {"b": 1, **a}: a'),
    ("a.py", "import a.b", "import a.c\na.b"),
    ("a.md", "import a", "a"),
    ("a.py", "import a", "globals().update(b)\na"),
    ("a.py", "import a", "import sys\nsys.modules[__name__].a = 1\na"),
    ("a.py", "import a", "exec(b)\na"),
    ("a.py", "import a", "exec(b, globals())\na"),
    ("a.py", "import a", "try:\n    a\nexcept (NameError, b): pass"),
    ("a.py", "from a import b", "def f(x: Literal['b'], y: Annotated[int, 'b'], z: 'b c'): pass"),
    ("a.py", "from a import b", "def __getattr__(x): pass\n__all__ = ['b']"),
    ("a.py", "from a import b", "__getattr__, c, d = lazy.attach(e)\n__all__ = ['b']"),
    ("a/__init__.py", "from a import b", "__all__ = ['b']"),
    ("a/__init__.pyi", "from . import b as b", "__all__ = ['b']"),
    ("a/__init__.py", "from .b import b", "__all__ = ['b']"),
    ("a/__init__.py", "import a.b", "__all__ = ['b']"),
    ("a.py", "b = 1", "vars()['b'] = 1\nb"),
    ("a.py", "b = 1", "locals().update(c)\nb"),
    ("a.py", "from a import b", "class C:\n    def b(self): pass\n    x = b"),
    ("a.py", "from a import b", "class C:\n    b = 1\n    def f(self, x=b): pass"),
    ("a.vue", "<script setup>\nimport A from 'x';", "</script>\n<template><A/></template>"),
    (
        "a.vue",
        "<script setup>\nimport { a } from 'x';",
        "</script>\n<template><i v-for='a in b'>{{ a }}</i></template>",
    ),
]


@pytest.mark.parametrize(("path", "imports", "rest", "name"), LOST)
def test_a_name_that_is_used_without_its_import_is_told(path, imports, rest, name):
    before, after = f"{imports}\n\n{rest}\n", f"\n{rest}\n"
    told = (f'line 2 uses "{name}", which is no longer imported',)
    assert removed_name_problems(path, before.encode(), after.encode()) == told
    assert removed_name_problems(path, before.encode(), before.encode() + b"\n") == ()


@pytest.mark.parametrize(("path", "imports", "rest"), KEPT)
def test_a_name_that_may_be_another_one_is_not_told(path, imports, rest):
    before, after = f"{imports}\n{rest}\n", f"{rest}\n"
    assert removed_name_problems(path, before.encode(), after.encode()) == ()


@pytest.mark.parametrize(
    ("path", "imports", "rest"),
    [
        (
            "a.vue",
            "<script setup>\nimport { a } from 'x'",
            "</script>\n<template>{{ a }}</template>",
        ),
        ("a.svelte", "<script>\nimport A from 'x'", "</script>\n<A/>"),
        ("a.svelte", "<script>\nimport { a } from 'x'", "</script>\n<p>{$a}</p>"),
        ("a.svelte", "<script>\nimport { a } from 'x'", "$a = 1;\n</script>"),
        ("a.astro", "---\nimport A from 'x'", "---\n<A/>"),
    ],
)
def test_a_template_uses_the_names_of_its_script(path, imports, rest):
    opening = imports.partition("\n")[0]
    before, after = f"{imports}\n{rest}\n", f"{opening}\n\n{rest}\n"
    (told,) = removed_name_problems(path, before.encode(), after.encode())
    assert "which is no longer imported" in told


SETUP = "<script setup lang='ts'>\n%s\n</script>\n<template><p :b='a'>{{ a }}</p></template>\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("const a = 'x';", "defineProps(['a']);"),
        ("const a = 'x';", "defineProps<{ b: () => void; a: string }>();"),
        ("import { a } from 'x';", "import type { Props } from 'y';\ndefineProps<Props>();"),
        ("const a = ref(1);", "const b = defineModel('a');"),
    ],
)
def test_a_template_has_the_props_that_its_script_declares(before, after):
    assert removed_name_problems("a.vue", (SETUP % before).encode(), (SETUP % after).encode()) == ()


@pytest.mark.parametrize(
    "props",
    [
        "",
        "defineProps(['c']);",
        "defineProps<Props>();",
        "defineProps(['c']); // a was here",
        "// defineProps(['a'])",
    ],
)
def test_a_template_does_not_get_a_name_from_other_props(props):
    before, after = SETUP % f"import {{ a }} from 'x';\n{props}", SETUP % f"\n{props}"
    (told,) = removed_name_problems("a.vue", before.encode(), after.encode())
    assert 'uses "a", which is no longer imported' in told


def test_the_builtins_of_the_kernel_are_not_those_of_the_module(monkeypatch):
    monkeypatch.setattr("builtins.shout", print, raising=False)
    told = removed_name_problems("a.py", b"from a import shout\nshout()\n", b"\nshout()\n")
    assert told == ('line 2 uses "shout", which is no longer imported',)


def test_a_component_is_judged_by_its_script():
    before = b'<script setup>\nimport { ref } from "vue";\nconst a = ref(1);\n</script>\n'
    after = b"<script setup>\nconst a = ref(1);\n</script>\n"
    told = ('line 2 uses "ref", which is no longer imported',)
    assert removed_name_problems("a.vue", before, after) == told


def test_five_names_are_told_at_most():
    names = [f"name{number}" for number in range(9)]
    before = f"from a import {', '.join(names)}\nprint({', '.join(names)})\n"
    after = before.partition("\n")[2]
    assert len(removed_name_problems("a.py", before.encode(), after.encode())) == 5


def test_a_text_with_very_many_places_is_not_judged():
    rest = "use([" + "foo, " * 50_000 + "]);\n"
    before = f'import {{ foo }} from "x";\n{rest}'
    assert removed_name_problems("a.ts", before.encode(), rest.encode()) == ()


UNDECLARED = [
    ("a.ts", "export {};\nconst foo = 1;", "export const a = typeof foo;", "foo"),
    ("a.ts", "export {};\nlet foo = 1;", "export const a = b;\nfoo = 2;", "foo"),
    ("a.ts", "export {};\nlet A = 1;", "export enum E { B = A }", "A"),
    ("a.py", "c = get()", "print(c)", "c"),
    ("a.py", "from a import get_config as b\nget_config = b", "get_config()", "get_config"),
    ("a.ts", "export {};\nfunction foo() {}", "export const a = foo();", "foo"),
    ("a.ts", "export function foo() {}", "export const a = foo();", "foo"),
    ("a.ts", "export {};\nconst { b: foo = 1 } = c;", "export const a = foo;", "foo"),
    ("a.ts", "export interface T {}", "export type U = T[];", "T"),
    ("a.ts", "export type T = 1;", "export type U = T[];", "T"),
    ("a.ts", "export enum E { A }", "export const a = E.A;", "E"),
    ("a.ts", "export abstract class C {}", "export class D extends C {}", "C"),
    ("a.js", "export default function foo() {}", "export const a = foo;", "foo"),
    (
        "a.vue",
        "<script>\nfunction foo() {}\n</script>",
        "<script>\nexport default { a: foo };\n</script>",
        "foo",
    ),
    ("a.js", "const foo = 1;", "module.exports = foo;", "foo"),
    ("a.js", "const foo = 1;", "exports.bar = foo;", "foo"),
    ("a.mjs", "const foo = 1;", "console.log(foo);", "foo"),
    ("a.js", "const foo = 1;", "const fs = require('fs');\nfs.x(foo);", "foo"),
    ("a/__init__.py", "def foo(): pass", "__all__ = ['foo']", "foo"),
    ("a.ts", "export {};\nimport A = B.C;", "export let a: A;", "A"),
    ("a.ts", "export {};\nconst { location: here } = window;", "export const a = here;", "here"),
    ("a.vue", "<script setup>\nconst a = 1;\n</script>", "<script setup>\nuse(a);\n</script>", "a"),
    ("a.py", "def foo(): pass", "foo()", "foo"),
    ("a.py", "foo = 0", "def f():\n    global foo\n    foo += 1", "foo"),
    ("a.py", "for foo in x: pass", "foo", "foo"),
    ("a.py", "with x as (foo, b): pass", "foo", "foo"),
    ("a.py", "try: pass\nexcept E:\n    foo = 1", "foo", "foo"),
    ("a.py", "class A: pass", "def f(a: A): pass", "A"),
    ("a.py", "a, (b, *c) = x", "print(c)", "c"),
    ("a.py", "limit: int = 1", "print(limit)", "limit"),
]
STILL = [
    ("a.ts", "function foo() {}", "foo();"),
    ("a.js", "const foo = 1;", "if (typeof module) module.exports = foo;"),
    ("a.ts", "export {};\nconst { location } = window;", "export const a = location;"),
    ("a.ts", "export {};\nconst location = window.location;", "export const a = location;"),
    ("a.py", "WindowsError = OSError", "try: pass\nexcept WindowsError: pass"),
    ("a.ts", "export function foo() {}", 'export * from "x";\nfunction g(foo: number) { foo; }'),
    ("a.ts", "export function foo(): void;", 'export { foo } from "x";'),
    ("a.ts", "export class A { foo() {} }", "export const a = b.foo;"),
    ("a.ts", "export declare const foo: 1;", "export const a = foo;"),
    ("a.ts", "export {};\n{ const foo = 1; }", "export const a = foo;"),
    ("a.py", "def f():\n    foo = 1", "print(foo)"),
    ("a.py", "foo = 1", "from x import *\nprint(foo)"),
    ("a.py", "foo = 1", "def f():\n    global foo\n    foo = 2\nprint(foo)"),
    ("a.py", "a.foo = 1", "print(foo)"),
    ("a.ts", "export const A = 1;\nconst B = A;", "export enum E { A = 1, B = A }"),
    ("a.ts", "export const A = 1;", "export enum E { A, B = A }"),
    ("a.ts", "type Omit<T, K> = T;\nexport {};", "export let a: Omit<A, B>;"),
    ("a.ts", "export const isNaN = (a: unknown) => a !== a;", "export const a = isNaN(1);"),
    ("a.ts", "export interface Window {}", "export const a: Window = b;"),
    ("a.js", "const foo = 1;", "export const a = typeof foo === 'number' ? foo : 0;"),
    ("a.js", "const foo = 1;", "/* global bar, foo:writable */\nexport const a = foo;"),
    ("a.ts", "export type Record<K, V> = V;", "export let a: Record<A, B>;"),
    ("a.ts", "export const caf = 1;", "export const a = b.é; use(caf\u00e9);"),
    ("a.tsx", 'import React from "react";\nexport {};', "export let a: React.ReactNode;"),
    ("a.ts", "class Node {}\nexport {};", "export let a: Node;"),
    ("a.py", "f = lambda a: a", "print(a)"),
    ("a.py", "f = [a for a in x]", "print(a)"),
    ("a.py", "__file__ = 'x'", "print(__file__)"),
    ("a.py", "_ = str", "print(_('x'))"),
    ("jupyter_lab_config.py", "c = get_config()", "c.a = 1"),
    (
        "a.svelte",
        "<script>\nexport let b;\nlet d;\n$: d = b * 2;\n</script>",
        "<script>\nexport let b;\n$: d = b * 2;\n</script>\n<p>{d}</p>",
    ),
]


@pytest.mark.parametrize(("path", "before", "after", "name"), UNDECLARED)
def test_a_name_that_a_module_no_longer_declares_and_uses_is_told(path, before, after, name):
    (told,) = removed_name_problems(path, before.encode(), after.encode())
    assert f'"{name}", which is no longer declared' in told


@pytest.mark.parametrize(("path", "before", "after"), STILL)
def test_a_name_that_may_be_declared_is_not_told(path, before, after):
    assert removed_name_problems(path, before.encode(), after.encode()) == ()
