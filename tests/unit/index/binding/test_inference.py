"""The members that inferred types lead to, as the compiler has it."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.index.binding.inference.type_reader import type_parameters, type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import OTHER, Named, Predicate

CASES = tomllib.loads((Path(__file__).parent / "inference.toml").read_text())
HEAD, PETS = CASES["head"], CASES["pets"]


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
    missing = set(CASES["cats"]) - set(found(CASES["cats"]))
    assert missing == set()


def test_members_of_other_types_are_not_taken_for_them(found):
    assert found(CASES["others"]) == []


def test_members_of_arrays_and_texts_are_not_listed_apart(make_index):
    index, _ = make_index({"a.ts": "class A { at() {} }\n[1].at; 'a'.at; f().at; [1].map(x).at\n"})
    found = index.uses("A.at", limit=None)
    assert (found.total, found.unresolved_total) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        *("{", "A<", "(a) =>", "<T>(", "[", "x is", "((((", "a b", "", "A | B % C", "Mixin(Base)"),
        *("A /* open", "{ a: A % B }", "A<B % C>", "A.%", "/* a */ " * 5000 + "%"),
    ],
)
def test_what_is_no_type_is_not_understood(text):
    assert type_syntax(text) == OTHER


@pytest.mark.parametrize(
    "text", ["/* a */ " * 5000 + "Été", "Été /* a */ // b", "Été; // a\n", "// a\n/**/Été"]
)
def test_types_are_read_among_comments(text):
    assert type_syntax(text) == Named(("Été",))


def test_types_are_read():
    assert type_syntax(": x is A<B>") == Predicate(
        "x", Named(("A",), (Named(("B",)),)), is_assertion=False
    )
    assert type_parameters("<const T extends A = B, U>") == (("T", Named(("A",))), ("U", OTHER))


@pytest.mark.parametrize(
    "code",
    [
        f"function f(c: Cat) {{ if ({' || '.join(['isCat(c)'] * 900)}) c.say() }}",
        f"function f(c: Cat) {{ if ({'!' * 900}isCat(c)) c.say() }}",
        f"declare const c: {'Box<' * 200}Cat{'>' * 200}; c.say()",
        f"const c = {'(' * 300}new Cat(){')' * 300}; c.say()",
        f"declare const all: Cat[]; {'all.map(c => ' * 60}c.say(){')' * 60}",
        "type A<T> = B<A<T[]>>; type B<T> = { say: T } & A<B<T>>; let a: A<Cat>; a.say.say.say",
        "let c = c.say; const f = x => f(x).say; f(f).say; class S extends S {} new S().say()",
    ],
)
def test_what_is_deep_or_circular_ends(uses, code):
    found = uses({"pets.ts": PETS, "use.ts": f"{HEAD}{code}\n"}, "Cat.say")
    assert "pets.ts:2:65!" in found


_REASSIGNED = (
    "if (p instanceof Dog) { if (flag) { p = new Cat() } p.say() }",
    "if (p instanceof Cat) return; if (flag) { p = new Cat() } p.say()",
    "if (p instanceof Cat) return; { p = new Cat() } p.say()",
    "if (p instanceof Dog) { while (flag) { p.say(); p = new Cat() } }",
    "while (p instanceof Dog) { p = new Cat(); break } p.say()",
    "if (p instanceof Dog) { try { p = x } catch {} p.say() }",
    "if (p instanceof Dog) { switch (x) { case 1: p = new Cat() } p.say() }",
    "if (p instanceof Dog) { switch (x) { case 1: p = x; case 2: p.say() } }",
    "if (p instanceof Dog) { [p] = [new Cat()]; p.say() }",
    "if (p instanceof Dog) { for (p of [new Cat()]) { p.say() } }",
    "if (p instanceof Dog) { x(() => p.say()) } p = new Cat()",
    "if (p instanceof Dog && (p = new Cat())) p.say()",
    "switch (p.kind) { case 'cat': flag; case 'dog': p.say() }",
    "if (o.p instanceof Dog) { if (flag) { o = x } o.p.say() }",
    "if (o.p instanceof Dog) { x(() => o.p.say()) }",
)
_KEPT = (
    "while (p instanceof Dog) { p.say(); p = new Cat() }",
    "while (p instanceof Dog) { p = p.say() }",
    "p = x; if (p instanceof Dog) { p.say() }",
    "for (const a of x) { p = a; if (p instanceof Cat) continue; p.say(); p = x }",
    "if (p instanceof Dog) { x(() => p.say()) }",
    "const f = () => { o.p = new Cat() }; x(() => { if (o.p instanceof Dog) o.p.say() })",
    "if (p instanceof Dog) { const f = () => { q = new Cat() }; p.say() }",
    "switch (p.kind) { case 'cat': flag; break; case 'dog': p.say() }",
    "if (p instanceof Dog) { for (const a of x) { q = a; p.say() } }",
)


def test_narrowing_ends_where_the_name_may_be_assigned(found):
    sign = "function f(p: Cat | Dog, o: { p: Cat | Dog }, q: Cat)"
    lines = [f"{sign} {{ {body} }}" for body in (*_REASSIGNED, *_KEPT)]
    assert found(lines) == lines[: len(_REASSIGNED)]


_GUESSES = (
    "declare function f(x: string): Cat; declare function f(x: number): Dog; f(x).say()",
    "function f(x: string): Cat; function f(x: number): Dog; function f(x: any) {} f(x).say()",
    "declare const o: { (a: string): Cat; (a: number): Dog }; o(x).say()",
    "class A { f(a: 1): Cat; f(a: 2): Dog; f(a: any): any {} } new A().f(x).say()",
    "declare function f(c: Cat): void; declare function f(d: Dog): void; f({ say: x })",
    (
        "declare function f(g: (c: Cat) => 1): 1; declare function f(g: (d: Dog) => 1): 1;"
        " f(c => c.say())"
    ),
    "declare function f(x: 1): Box<Cat>; declare function f(x: 2): Box<Dog>; f(x).held.say()",
    "type If<T> = T extends Pet ? Cat : Dog; declare const c: If<Cat>; c.say()",
    "type If<T> = T extends { a: 1 } ? Cat[] : Dog[]; declare const c: If<Pet>; c[0].say()",
    "declare const c: Exclude<Cat | Dog, Pet>; c.say()",
    "declare const c: Extract<Cat | Dog, { kind: 'cat' }>; c.say()",
    "declare const m: { new (a: 1): Cat; new (a: 2): Dog }; new m(x).say()",
    (
        "declare function f(x: string): Cat; declare function f(x: number): Dog;"
        " declare const c: ReturnType<typeof f>; c.say()"
    ),
)
_KNOWN = (
    "declare function f(x: string): Cat; declare function f(x: number): Cat; f(x).say()",
    "declare function f(x: string): Cat; declare function f(x: number): Dog; f('s').say()",
    "declare function f(x: 'a' | 1): Dog; declare function f(x: 'b'): Cat; f('b').say()",
    "declare function f(x: () => 1): Dog; declare function f(x: string): Cat; f('b').say()",
    "declare function f(): Dog; declare function f(x: number): Cat; f(1).say()",
    "declare function f(x: 1): Box<Cat>; declare function f(x: 2): null; f(x).held.say()",
    "declare function f(x: 1): Cat | Dog; declare function f(x: 2): Cat; f(x).say()",
    "type If<T> = T extends string ? Cat : Cat; declare const c: If<Pet>; c.say()",
    "type If<T> = T extends string ? Cat : Dog; declare const c: If<string>; c.say()",
    "type If<T> = T extends 'a' ? Dog : Cat; declare const c: If<'b'>; c.say()",
    "type If<T> = T extends Pet ? T : never; declare const c: If<Cat>; c.say()",
    "declare const c: Exclude<Cat | Dog, Dog>; c.say()",
    "declare const c: Exclude<Cat | null, null>; c.say()",
    "declare const c: Exclude<'a' | 'b', 'b'>, t: { a: Cat; b: Dog }; t[c].say()",
    "declare const c: Extract<Cat | Dog, Cat>; c.say()",
    "declare const c: Extract<Cat, { kind: 'cat' }>; c.say()",
    (
        "if (flag) { function f() { return new Cat() } } else { function f() { return new Dog() } }"
        " f().say()"
    ),
)


def test_what_depends_on_other_types_is_told_apart(found, make_index):
    assert found([*_GUESSES, *_KNOWN]) == list(_KNOWN)
    files = {f"{number}.ts": f"{HEAD}{line}\n" for number, line in enumerate(_GUESSES)}
    index, _ = make_index({"pets.ts": PETS, **files})
    for name in ("Cat.say", "Dog.say"):
        open_ = {(use.path, use.column) for use in index.uses(name, limit=None).unresolved}
        assert {
            line
            for number, line in enumerate(_GUESSES)
            if (f"{number}.ts", line.rindex("say") + 1) not in open_
        } == set()
