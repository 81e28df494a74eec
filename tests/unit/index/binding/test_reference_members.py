"""Where members are used: a method is told apart by what it is called on."""

import pytest

TWO = """export class Cat { say() { return this.say } }
export class Dog { say() {} static make() {} }
"""


@pytest.mark.parametrize(
    "line",
    [
        "Named.make()",
        "this.own()",
        "new Named().own()",
        "const n = new Named(); n.own()",
    ],
)
def test_the_own_name_of_a_class_expression_is_known_inside_it(uses, line):
    """Outside it is no name at all: the members are those of what the class is bound to."""
    inside = (
        f"const A = class Named {{\n  static make() {{}}\n  own() {{}}\n  go() {{ {line} }}\n}}\n"
    )
    member = "make" if "make" in line else "own"
    found = uses({"a.ts": f"{inside}Named.make()\nNamed.own()\n"}, f"A.{member}")
    assert f"a.ts:4:{10 + line.index(member)}" in found
    assert not [mark for mark in found if mark.startswith(("a.ts:6", "a.ts:7"))]


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


def test_a_base_may_have_comments_among_its_type_arguments(uses):
    files = {
        "pets.ts": "export class Cat<A, B> { say() {} }\n",
        "use.ts": "import { Cat } from './pets'\n"
        "class Kitten extends Cat<\n  1, // one\n  2\n> {}\nnew Kitten().say()\n",
    }
    assert "use.ts:6:14" in uses(files, "Cat.say")


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


PROPS = "export interface Props { label: string }\nexport interface Other { label: string }\n"


@pytest.mark.parametrize(
    "component",
    [
        "export function Box(props: Props) { return props.label }",
        "export function Box({ label }: Readonly<Props>) { return label }",
        "export const Box = ({ label }: Props) => label",
        "import { PropsWithChildren as P } from 'react'; export const Box = (p: P<Props>) => null",
        "export class Box extends React.Component<Props, {}> {}",
        "import React from 'react'; export class Box extends React.Component<Props> {}",
        "export default function Box(props: Props) { return null }",
        "import { FC } from 'react'; export const Box: FC<Props> = () => null",
        "import * as React from 'react'; export const Box: React.FunctionComponent<Props> = f",
        "import React from 'react'; function A(p: Props) {} export const Box = React.memo(A)",
        "import { memo } from 'react'; export const Box = memo(({ label }: Props) => null)",
        "import { memo } from 'react'; export const Box = memo<Props>(p => null)",
        "import { forwardRef } from 'react'; export const Box = forwardRef<Ref, Props>(f)",
        "import { forwardRef as f } from 'react'; export const Box = f((p: Props, ref) => null)",
        "import React from 'react'; function A(p: Props) {} export default React.memo(A)",
        "export default ({ label }: Props) => null",
        "export function Box<T>(props: Props & { items: T[] }) { return null }",
        "export const Box = <T,>(props: Props) => null",
        "export class Box<P extends Props = Props> extends Base<P> {}; class Base<P> { props!: P }",
    ],
)
@pytest.mark.parametrize("element", ["<Box label='a' />", "<Box label={1}></Box>"])
def test_an_attribute_of_an_element_is_the_property_of_its_component(uses, component, element):
    name = "Box" if "default" in component else "{ Box }"
    files = {
        "props.ts": PROPS,
        "box.tsx": f"import {{ Props }} from './props'\n{component}\n",
        "use.tsx": f"import {name} from './box'\nexport const a = {element}\n",
    }
    assert f"use.tsx:2:{18 + element.index('label')}" in uses(files, "Props.label")


def test_an_attribute_is_not_the_property_of_another_component(uses):
    files = {
        "props.ts": PROPS,
        "box.tsx": "import { Props } from './props'\nexport const Box = (p: Props) => null\n",
        "use.tsx": "import { Box } from './box'\nexport const a = <Box label='a' />\n",
    }
    assert uses(files, "Other.label") == ["props.ts:2:26!"]


@pytest.mark.parametrize("element", ["<div label='a' />", "<Unknown label='a' />"])
def test_an_attribute_of_another_element_is_not(uses, element):
    files = {"props.ts": PROPS, "use.tsx": f"export const a = {element}\n"}
    assert [mark for mark in uses(files, "Props.label") if "use" in mark] == []


TABLE = "export interface Table { reset: () => void; size: number; open(): void }\n"
SETS = (
    "import type { Table } from './table'\n"
    "export function build(table: Table, any: any) {\n"
    "  table.reset = () => {}\n"
    "  any.reset = function () {}\n"
    "  const other = { reset: 1 }\n"
    "  table.reset()\n"
    "}\n"
)


def test_assigning_a_function_to_a_member_is_a_use_of_it(make_index):
    index, _ = make_index({"table.ts": TABLE, "build.ts": SETS})
    found = index.uses("Table.reset", limit=None)
    assert [(one.path, one.line) for one in found.first] == [
        ("build.ts", 3),
        ("build.ts", 6),
        ("table.ts", 1),
    ]
    assert [(one.path, one.line) for one in found.unresolved] == [
        ("build.ts", 4),
        ("build.ts", 5),
    ]


KEYED = (
    "import type { Table } from './table'\n"
    "declare const key: unique symbol\n"
    "interface Holder { [key]: Table; list: Table[] }\n"
    "export function f(holder: Holder, n: string) {\n"
    "  (holder as any as Holder)[key].open()\n"
    "  holder.list[0].open()\n"
    "}\n"
)


def test_members_behind_a_computed_key_are_told_apart(make_index):
    index, _ = make_index({"table.ts": TABLE, "keyed.ts": KEYED})
    found = index.uses("Table.open", limit=None)
    assert [(one.path, one.line) for one in found.first] == [("keyed.ts", 6), ("table.ts", 1)]
    assert [(one.path, one.line) for one in found.unresolved] == [("keyed.ts", 5)]


def test_a_class_without_the_member_does_not_hide_a_use(make_index):
    files = {
        "n.ts": "export class Plain { id = 1 }\nexport class Tree extends Plain { leaves() {} }\n"
        "export const isTree = (one: Plain) => one instanceof Tree\n",
        "u.ts": "import { Plain, Tree, isTree } from './n'\n"
        "export function f(one: Plain) { if (isTree(one)) one.leaves() }\n",
    }
    index, _ = make_index(files)
    found = index.uses("Tree.leaves", limit=None)
    assert [one.path for one in (*found.first, *found.unresolved)] == ["n.ts", "u.ts"]


LITERAL = (
    "import { Props } from 'far'\n"
    "export const props: Props = { label: '' }\n"
    "props.label\n"
    "const label = 1\n"
)


@pytest.mark.parametrize("symbol", ["props.label", "nothing.label"])
def test_places_with_the_name_are_listed_where_no_declaration_is_known(make_index, symbol):
    index, _ = make_index({"a.ts": LITERAL})
    found = index.uses(symbol, limit=None)
    assert found.total == 0
    assert not found.declared
    assert [one.line for one in found.unresolved] == [2, 3]


def test_a_member_that_is_declared_in_quotes_is_listed_with_its_declaration(uses):
    text = "export class Box { ['open']() {} }\nnew Box().open()\n"
    assert uses({"box.ts": text}, "Box.open") == ["box.ts:1:20!", "box.ts:2:11"]


def test_members_of_a_module_that_is_loaded_later_are_told_apart(make_index):
    files = {
        "a.ts": "export const late = 1\nexport const other = 1\n",
        "u.ts": "import('./a').then(({ late }) => 1)\nimport('./a').then(m => m.late)\n"
        "const { late } = await import('./a')\n[].late\n"
        "import('./a').then((m: any) => m.late)\n",
        "v.ts": "export const f = (m: any) => m.late\n",
    }
    index, _ = make_index(files)
    found = index.uses("late", limit=None, declared_in="a.ts")
    assert [(one.path, one.line) for one in found.first] == [
        ("a.ts", 1),
        ("u.ts", 1),
        ("u.ts", 2),
        ("u.ts", 3),
    ]
    assert [(one.path, one.line) for one in found.unresolved] == [("u.ts", 5)]


def test_a_method_says_what_this_is(make_index):
    files = {
        "traits.ts": "import type { Mixed } from './mixed'\n"
        "export class Engine { use(this: Mixed) { this.skip(); [1].map(() => this.own()) } }\n"
        "export class Lexer { skip(): void {}\n  own(): void { this.own() } }\n"
        "class Other { skip() {} own() {} static go(this: Mixed) { this.skip(); this.use() } }\n",
        "mixed.ts": "import { Engine, Lexer } from './traits'\n"
        "type Of = Lexer\nexport type Mixed = Engine & Of\n",
    }
    index, _ = make_index(files)

    def lines(symbol):
        found = index.uses(symbol, limit=None)
        assert not found.unresolved
        return [use.line for use in found.first]

    assert lines("Lexer.skip") == [2, 3, 5]
    assert lines("Lexer.own") == [2, 4, 4]
    assert lines("Engine.use") == [2, 5]
    assert lines("Other.skip") == [5]


COMPANIONS = {
    "a.ts": "export interface Point { x: number; same(): void }\n"
    "export const Point = { x: 'key', same() {}, origin(): Point { return { x: 0 } } }\n"
    "export class Way { end = 1\n  static of() {} }\n"
    "export namespace Way { export const top = 1 }\n"
    "export const Typed: Point = make()\n",
    "b.ts": "import { Point, Way, Typed } from './a'\nPoint.x\nPoint.same()\nPoint.origin().x\n"
    "let p: Point\np.x\nWay.end\nWay.of()\nWay.top\nnew Way().end\nTyped.x\n",
}


@pytest.mark.parametrize(
    ("symbol", "certain", "apart"),
    [
        ("Point.x", [4, 6, 11], [2]),
        ("Point.same", [3], []),
        ("Point.origin", [4], []),
        ("Way.end", [10], [7]),
        ("Way.of", [8], []),
        ("Way.top", [9], []),
    ],
)
def test_members_of_instances_are_none_of_the_value_with_that_name(
    make_index, symbol, certain, apart
):
    index, _ = make_index(COMPANIONS)
    found = index.uses(symbol, limit=None)
    assert [use.line for use in found.first if use.path == "b.ts"] == certain
    assert [use.line for use in found.unresolved if use.path == "b.ts"] == apart
