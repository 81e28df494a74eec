"""Which places a rename changes, and what it writes there."""

import pytest
from renames import by_name

from ipuaro_jupyter.index.binding.renaming import edited


def test_imports_and_exports_take_the_new_name_and_aliases_stay(rename):
    files = {
        "a.ts": "export const vat = 1\n",
        "b.ts": "export { vat } from './a'\nexport { vat as rate } from './a'\n",
        "c.ts": "import { vat } from './b'\nimport { vat as v } from './a'\n"
        "export const x = vat + v\n",
        "d.ts": "import { rate as vat } from './b'\nconsole.log(vat)\n",
        "e.ts": "export * from './b'\n",
        "f.ts": "import * as ns from './e'\nexport type { vat } from './e'\nns.vat\n",
    }
    renaming, lines = rename(files, "a.ts", "vat", "tax")
    assert lines == {
        "a.ts:1": "export const tax = 1",
        "b.ts:1": "export { tax } from './a'",
        "b.ts:2": "export { tax as rate } from './a'",
        "c.ts:1": "import { tax } from './b'",
        "c.ts:2": "import { tax as v } from './a'",
        "c.ts:3": "export const x = tax + v",
        "f.ts:2": "export type { tax } from './e'",
        "f.ts:3": "ns.tax",
    }
    assert by_name(renaming) == []


def test_shorthands_keep_the_other_name(rename):
    files = {
        "a.ts": "export const vat = 1\nexport const o = { vat }\n"
        "export interface P { rate: number }\nexport const { q } = { q: 1 }\n",
        "b.ts": "import * as ns from './a'\nconst { vat } = ns\nconst { vat: k = 2 } = ns\n"
        "console.log(vat, k)\n",
        "c.ts": "import type { P } from './a'\nfunction f({ rate }: P) { return rate }\n"
        "const rate = 1, p: P = { rate }\n",
    }
    assert rename(files, "a.ts", "vat", "tax")[1] == {
        "a.ts:1": "export const tax = 1",
        "a.ts:2": "export const o = { vat: tax }",
        "b.ts:2": "const { tax: vat } = ns",
        "b.ts:3": "const { tax: k = 2 } = ns",
    }
    assert rename(files, "a.ts", "P.rate", "share")[1] == {
        "a.ts:3": "export interface P { share: number }",
        "c.ts:2": "function f({ share: rate }: P) { return rate }",
        "c.ts:3": "const rate = 1, p: P = { share: rate }",
    }
    assert rename(files, "a.ts", "q", "r")[1] == {"a.ts:4": "export const { q: r } = { q: 1 }"}


def test_types_and_values_of_one_name_are_two_things(rename):
    files = {
        "a.ts": "export const Key: Set<Key> = f<Key>(Key)\n"
        "export interface Port extends Event {}\nexport const p: Port = new Port(typeof Port)\n"
        "export const Both = 1\nexport type Both = Set<Both>\nexport const b: Both = Both\n"
        "export const o = { Port, Key }\nexport class C<T extends Key> { k: Key = Key }\n",
        "b.ts": "import { Key, type Port } from './a'\nimport * as ns from './a'\n"
        "export type K = Key | typeof Key\nexport { Key, Port }\n"
        "export class P implements Port { p: ns.Port = Port }\nexport default Port\n",
    }
    assert rename(files, "a.ts", "Key", "Name")[1] == {
        "a.ts:1": "export const Name: Set<Key> = f<Key>(Name)",
        "a.ts:7": "export const o = { Port, Key: Name }",
        "a.ts:8": "export class C<T extends Key> { k: Key = Name }",
        "b.ts:1": "import { Name, type Port } from './a'",
        "b.ts:3": "export type K = Key | typeof Name",
        "b.ts:4": "export { Name, Port }",
    }
    assert rename(files, "a.ts", "Port", "Slot")[1] == {
        "a.ts:2": "export interface Slot extends Event {}",
        "a.ts:3": "export const p: Slot = new Port(typeof Port)",
        "b.ts:1": "import { Key, type Slot } from './a'",
        "b.ts:4": "export { Key, Slot }",
        "b.ts:5": "export class P implements Slot { p: ns.Slot = Port }",
        "b.ts:6": "export default Slot",
    }
    assert list(rename(files, "a.ts", "Both", "All")[1].values()) == [
        "export const All = 1",
        "export type All = Set<All>",
        "export const b: All = All",
    ]


def test_a_function_in_javascript_is_the_type_that_it_constructs(rename):
    files = {
        "a.js": "export function Box() { this.x = 1 }\n",
        "b.ts": "import { Box } from './a.js'\nexport const b: Box = new Box()\n",
    }
    assert rename(files, "a.js", "Box", "Case")[1]["b.ts:2"] == "export const b: Case = new Case()"


def test_commonjs_exports_keep_in_step_with_those_who_load_them(rename):
    files = {
        "a.js": "function vat() {}\nfunction sum() {}\n"
        "module.exports = { vat, sum: sum, rate: vat }\n",
        "b.js": "const { vat } = require('./a')\nconst t = require('./a')\n"
        "vat(), t.vat(), t.sum()\n",
        "c.js": "exports.total = () => exports.total()\n",
        "d.js": "const { total: t } = require('./c')\n",
        "e.js": "export function get() {}\nexport default { get }\n",
    }
    assert rename(files, "a.js", "vat", "tax")[1] == {
        "a.js:1": "function tax() {}",
        "a.js:3": "module.exports = { tax, sum: sum, rate: tax }",
        "b.js:1": "const { tax } = require('./a')",
        "b.js:3": "tax(), t.tax(), t.sum()",
    }
    assert rename(files, "a.js", "sum", "add")[1] == {
        "a.js:2": "function add() {}",
        "a.js:3": "module.exports = { vat, add: add, rate: vat }",
        "b.js:3": "vat(), t.vat(), t.add()",
    }
    assert rename(files, "c.js", "total", "all")[1] == {
        "c.js:1": "exports.all = () => exports.all()",
        "d.js:1": "const { all: t } = require('./c')",
    }
    assert rename(files, "e.js", "get", "read")[1]["e.js:2"] == "export default { get: read }"


def test_overriding_members_are_renamed_together(rename):
    files = {
        "a.ts": "export interface Shape { area(): number }\n"
        "export class Base implements Shape { area() { return 1 } }\n"
        "export class Square extends Base { area() { return super.area() } }\n"
        "export const s: Shape = { area: () => 2 }\n"
        "class Other { area() { return 3 } }\nnew Other().area()\n",
        "b.ts": "import { Square, Shape } from './a'\n"
        "export const f = (q: Square, any: any) => {\n  q.area()\n  any.area()\n}\n",
    }
    renaming, lines = rename(files, "a.ts", "Square.area", "surface")
    assert sorted(lines) == ["a.ts:1", "a.ts:2", "a.ts:3", "a.ts:4", "b.ts:3"]
    assert lines["a.ts:3"].count("surface") == 2
    assert by_name(renaming) == ["b.ts:4"]


def test_default_exports_jsx_overloads_and_merged_declarations(rename):
    files = {
        "a.tsx": "export default function Page() { return null }\n"
        "export function get(a: string): string\nexport function get(a: any) { return a }\n"
        "export interface Box { x: 1 }\nexport const Box = { x: 1 }\n",
        "b.tsx": "import Page from './a'\nimport Other from './a'\nimport { Box, get } from './a'\n"
        "export const b = (o: Box) => <Page><Other>Page get</Other></Page>\nget(Box.x)\n",
    }
    assert rename(files, "a.tsx", "Page", "View")[1] == {
        "a.tsx:1": "export default function View() { return null }",
        "b.tsx:1": "import View from './a'",
        "b.tsx:4": "export const b = (o: Box) => <View><Other>Page get</Other></View>",
    }
    assert sorted(rename(files, "a.tsx", "get", "read")[1]) == [
        *("a.tsx:2", "a.tsx:3", "b.tsx:3", "b.tsx:5"),
    ]
    assert sorted(rename(files, "a.tsx", "Box", "Case")[1]) == [
        *("a.tsx:4", "a.tsx:5", "b.tsx:3", "b.tsx:4", "b.tsx:5"),
    ]


def test_what_stands_for_something_else_is_left_out_and_the_unknown_is_listed_apart(rename):
    files = {
        "a.ts": "export const vat = 1\n",
        "b.ts": "export const vat = 2\nfunction f(vat: number) { return vat }\n",
        "c.js": "vat()\n",
        "d.ts": "import { vat } from './none'\nlet x: any\nx.vat\nconst o = { vat: 1 }\n",
        "e.py": "def vat(): pass\nx.vat\n",
    }
    renaming, lines = rename(files, "a.ts", "vat", "tax")
    assert lines == {"a.ts:1": "export const tax = 1"}
    assert by_name(renaming) == ["c.js:1", "d.ts:1", "d.ts:3"]


def test_a_name_that_may_be_two_things_is_not_certain(rename):
    files = {
        "a.py": "def load(): pass\n",
        "b.py": "try:\n    from a import load\nexcept ImportError:\n    def load(): pass\nload()\n",
    }
    renaming, lines = rename(files, "a.py", "load", "read")
    assert "b.py:5" not in lines
    assert "b.py:5" in by_name(renaming)


def test_variables_of_javascript_that_get_an_unknown_value_are_not_certain(rename):
    head = "import { Person } from './a'\n"
    codes = {
        "again.js": "let p = new Person()\np = load()\np.run()\n",
        "each.js": "let p = new Person()\nfor (p of load()) {}\np.run()\n",
        "inner.js": "function f() { p = load() }\nvar p = new Person()\np.run()\n",
        "part.js": "let p = new Person()\n;[p] = load()\n;(p).run()\n",
    }
    certain = {
        "z.js": "let p = new Person()\n{ let p; p = load(); [p] = p }\np = p.run()\n",
        "z1.js": "let p = new Person()\np = null\np = new Person(); p.run()\n",
        "z2.js": "let [p] = [new Person()]\n\np.run()\n",
        "z3.ts": "let p = new Person()\np = load()\np.run()\n",
    }
    files = {path: head + code for path, code in (codes | certain).items()}
    files["a.js"] = "export class Person {\n  run() { return new Person() }\n}\n"
    renaming, lines = rename(files, "a.js", "Person.run", "go")
    assert by_name(renaming) == [f"{path}:4" for path in codes]
    assert list(lines) == ["a.js:2", *(f"{path}:4" for path in certain)]


def test_a_clash_says_what_would_come_of_it(rename):
    code = "const a = 1\nconst b = 2\nfunction f(c: number) {\n  return a + c\n}\n"
    for to, told in {
        "b": "a.ts:2: name clash: b would be declared twice, here and in line 1",
        "c": "a.ts:4: name clash: this line would use the c that line 3 declares",
    }.items():
        assert told in rename({"a.ts": code}, "a.ts", "a", to)[0].clashes
    python = {"a.py": "def a(): pass\ndef f(b): return a() + b\n"}
    told = "a.py:2: name clash: this line would use the local b of f"
    assert told in rename(python, "a.py", "a", "b")[0].clashes
    printing = {"a.py": "def a(): print(1)\n"}
    told = "a.py:1: name clash: print here would mean the renamed symbol"
    assert told in rename(printing, "a.py", "a", "print")[0].clashes


@pytest.mark.parametrize(
    ("files", "path", "change", "expected"),
    [
        ({"a.ts": "export const a = 1\nconst b = 2\n"}, "a.ts", "a b", "a.ts:2"),
        (
            {"a.ts": "export const a = 1\n", "b.ts": "import { a } from './a'\nconst b = a\n"},
            *("a.ts", "a b", "b.ts:2"),
        ),
        (
            {"a.ts": "const a = 1\nfunction f(b: number) { return a + b }\n"},
            *("a.ts", "a b", "a.ts:2"),
        ),
        ({"a.ts": "export function a() { return parse() }\n"}, "a.ts", "a parse", "a.ts:1"),
        ({"a.ts": "class A { x = 1; y = 2 }\n"}, "a.ts", "A.x y", "A.y"),
        ({"a.ts": "class A { x = 1 }\nclass B extends A { y = 1 }\n"}, "a.ts", "A.x y", "B.y"),
        ({"a.ts": "class A { y = 1 }\nclass B extends A { x = 1 }\n"}, "a.ts", "B.x y", "A.y"),
        (
            {
                "a.ts": "export const a = 1\n",
                "i.ts": "export * from './a'\nexport * from './b'\n",
                "b.ts": "export const b = 1\n",
            },
            *("a.ts", "a b", "i.ts"),
        ),
        ({"a.py": "def a(): return b\nimport b\n"}, "a.py", "a b", "a.py"),
        ({"a.py": "def a(): pass\ndef f(b): return a() + b\n"}, "a.py", "a b", "a.py:2"),
        ({"a.py": "def a(): print(1)\n"}, "a.py", "a print", "a.py:1"),
        (
            {"a.py": "class A:\n    def x(self): pass\n    def y(self): pass\n"},
            *("a.py", "A.x y", "A.y"),
        ),
    ],
)
def test_a_name_in_scope_is_a_clash(rename, files, path, change, expected):
    symbol, to = change.split()
    renaming, _ = rename(files, path, symbol, to)
    assert any(expected in clash for clash in renaming.clashes), renaming.clashes
    assert rename(files, path, symbol, "unheardOf")[0].clashes == ()


def test_public_names_and_bases_outside_of_the_project_are_told(rename):
    files = {
        "package.json": '{"name": "p", "main": "./index.js"}',
        "index.ts": "export * from './a'\n",
        "a.ts": "import { Widget } from 'widgets'\nexport const a = 1\n"
        "class In extends Widget { draw() {} }\n",
    }
    assert rename(files, "a.ts", "a", "b")[0].public == ("index.ts",)
    renaming, _ = rename(files, "a.ts", "In.draw", "paint")
    assert (renaming.public, renaming.outer_bases) == ((), ("Widget",))


def test_every_other_byte_stays(make_index):
    data = "\ufeffexport const vat = 1\r\n'é' + vat\r\nvat".encode()
    renaming = make_index({"a.ts": data})[0].renaming("a.ts", "vat", "größe")
    new = edited(data, renaming.certain["a.ts"])
    assert new == "\ufeffexport const größe = 1\r\n'é' + größe\r\ngröße".encode()


def test_members_that_are_named_in_quotes_are_renamed(rename):
    files = {
        "a.ts": "export interface Truck { wheels: number; load: string }\n"
        "export class Yard { gate = 1 }\n",
        "b.ts": "import { Truck, Yard } from './a'\n"
        "const axles = 1\nexport function f(t: Truck) { return t['wheels'] }\n"
        'export const t: Truck = { "wheels": 4, load: "wheels" }\n'
        'export type W = Truck["wheels"]\nconsole.log("wheels", axles)\n'
        "new Yard()['gate']\n",
        "c.js": 'import { Yard } from "./a"\nlet one = new Yard()\none = other()\none["gate"]\n',
    }
    renaming, lines = rename(files, "a.ts", "Truck.wheels", "axles")
    assert lines == {
        "a.ts:1": "export interface Truck { axles: number; load: string }",
        "b.ts:3": "export function f(t: Truck) { return t['axles'] }",
        "b.ts:4": 'export const t: Truck = { "axles": 4, load: "wheels" }',
        "b.ts:5": 'export type W = Truck["axles"]',
    }
    assert (by_name(renaming), renaming.clashes) == ([], ())
    renaming, lines = rename(files, "a.ts", "Yard.gate", "door")
    assert lines == {"a.ts:2": "export class Yard { door = 1 }", "b.ts:7": "new Yard()['door']"}
    assert by_name(renaming) == ["c.js:4"]
