"""Uses of what files add to others: ``declare module`` and global interfaces."""

import pytest

from ipuaro_jupyter.index.relations.implementations import ImplementationSearch

STATE = "export interface State { base: string }\nexport class Box { own = 1 }\n"
ADDING = (
    "declare module '{}' {{\n  interface State {{ more: string }}\n"
    "  interface Box {{ more2(): void }}\n  function added(): void\n}}\nexport {{}}\n"
)
USES = (
    "import { State, Box, added } from './state'\n"
    "function f(s: State) { s.more; s.base }\n"
    "new Box().more2()\n"
    "const s: State = { base: '', more: '' }\n"
    "added()\n"
    "class Tin extends Box { f() { this.more2(); this.none } }\n"
)


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ("./state", {}),
        ("./state.js", {}),
        ("../src/state", {}),
        ("./index", {"src/index.ts": "export * from './state'\n"}),
    ],
)
def test_members_that_a_module_augmentation_adds_are_found(places, source, more):
    files = {"src/state.ts": STATE, "src/use.ts": USES, "src/plug.ts": ADDING.format(source)}
    files |= more
    if source == "./index":  # the specifier is resolved where it is imported, too
        files["src/plug.ts"] += "import './index'\n"
    assert places(files, "State.more") == (
        ["src/plug.ts:2:21", "src/use.ts:2:26", "src/use.ts:4:30"],
        [],
    )
    assert places(files, "Box.more2") == (
        ["src/plug.ts:3:19", "src/use.ts:3:11", "src/use.ts:6:36"],
        [],
    )


BASES = "export interface Far { far: string }\nexport interface Near extends Far { near: string }\n"
PLUG = (
    "import {{ Near as Renamed }} from './bases'\n"
    "declare module './state' {{\n"
    "  interface Inner {{ inner: string }}\n"
    "  interface State extends {} {{}}\n"
    "  interface Box extends {} {{}}\n"
    "}}\n"
)


@pytest.mark.parametrize("of", ["State", "Box"])
@pytest.mark.parametrize(
    ("base", "member", "declared"),
    [
        ("Renamed", "Near.near", "src/bases.ts:2:37"),
        ("Renamed", "Far.far", "src/bases.ts:1:24"),
        ("Inner", "./state.Inner.inner", "src/plug.ts:3:21"),
        ("Own", "Own.own2", "src/state.ts:3:24"),
    ],
)
def test_members_of_bases_that_an_augmentation_adds_are_found(places, of, base, member, declared):
    name = member.rpartition(".")[2]
    files = {
        "src/state.ts": f"{STATE}export interface Own {{ own2: string }}\n",
        "src/bases.ts": BASES,
        "src/plug.ts": PLUG.format(base, base),
        "src/use.ts": f"import {{ {of} }} from './state'\n"
        f"function f(s: {of}) {{ s.{name}; s.none }}\n",
    }
    column = len(f"function f(s: {of}) {{ s.") + 1
    certain, open_ = places(files, member, declared_in=declared.partition(":")[0])
    assert certain == [declared, f"src/use.ts:2:{column}"]
    assert open_ == []


def test_a_rename_keeps_a_member_with_that_of_a_base_that_an_augmentation_adds(make_index):
    files = {
        "src/state.ts": "export interface State { near: string }\n",
        "src/bases.ts": BASES,
        "src/plug.ts": PLUG.format("Renamed", "Renamed"),
    }
    index, _ = make_index(files)
    family = index.ask(lambda asked: asked.families.of(("src/state.ts", "State.near")))
    assert family == {("src/state.ts", "State.near"), ("src/bases.ts", "Near.near")}


def test_what_implements_an_interface_implements_the_base_that_an_augmentation_adds(make_index):
    files = {
        "src/state.ts": "export interface State { near: string }\n"
        "export class Real implements State { near = ''; far = '' }\n",
        "src/bases.ts": BASES,
        "src/plug.ts": PLUG.format("Renamed", "Renamed"),
    }
    index, _ = make_index(files)
    far = ("src/bases.ts", "Far")
    found = index.ask(lambda asked: ImplementationSearch(asked).of([far]))
    assert ("Real", "src/state.ts") in {(one.name, one.path) for one in found.listed}
    far = ("src/bases.ts", "Far.far")
    found = index.ask(lambda asked: ImplementationSearch(asked).of([far]))
    assert [(one.name, one.way) for one in found.listed] == [("Real.far", "overrides")]


MERGED = {
    "src/state.ts": "export interface State { base: string }\n",
    "src/plug.ts": "declare module './state' {\n  interface State { base: string }\n}\nexport {}\n",
    "src/use.ts": "import { State } from './state'\nfunction f(s: State) { s.base }\n",
    "a.d.ts": "interface Shared { one: number }\n",
    "b.ts": "interface Shared { one: number }\nlet x: Shared\nx.one\n",
    "c.ts": "export {}\ndeclare global {\n  interface Shared { three: number }\n}\n",
}


@pytest.mark.parametrize(
    ("declared", "places"),
    [
        (
            ("src/state.ts", "State"),
            {"src/plug.ts": [2], "src/state.ts": [1], "src/use.ts": [1, 2]},
        ),
        (
            ("src/state.ts", "State.base"),
            {"src/plug.ts": [2], "src/state.ts": [1], "src/use.ts": [2]},
        ),
        (("a.d.ts", "Shared"), {"a.d.ts": [1], "b.ts": [1, 2], "c.ts": [3]}),
        (("b.ts", "Shared.one"), {"a.d.ts": [1], "b.ts": [1, 3]}),
    ],
)
def test_a_rename_changes_all_declarations_of_an_interface(make_index, declared, places):
    index, _ = make_index(MERGED)
    renaming = index.ask(lambda asked: asked.renamer.of(declared, "fresh", []))
    assert {path: [e.line for e in edits] for path, edits in renaming.certain.items()} == places
