"""The members of the object types that a type alias is made of: declared and used like others."""

import pytest

OPTIONS = """export type Options = { label: string; run(): void; "with-dash"?: number }
export type Other = { label: string }
"""


def at(found, path="use.tsx"):
    """The columns of the uses in a file, in order."""
    return [mark.partition(":")[2] for mark in found if mark.startswith(f"{path}:")]


@pytest.mark.parametrize(
    "line",
    [
        "export const f = (o: Options) => o.label",
        "export const f = (o?: Options) => o?.label",
        "export const f = ({ label }: Options) => 1",
        "export const f = ({ label: own }: Readonly<Options>) => own",
        "export const o: Options = { label: '', run() {} }",
        "export const o: Partial<Options> = { label: '' }",
        "export const o = { label: '' } satisfies Partial<Options>",
        "export const f = (o: Options | Missing) => o.label",
        "export const f = (o: Options & { more: 1 }) => o.label",
        "export const f = (o: Options[]) => o[0].label",
        "interface More extends Options {} export const f = (o: More) => o.label",
        "type More = Options & { more: 1 }; export const f = (o: More) => o.label",
        "type Copy = Options; export const f = (o: Copy) => o.label",
        "type Part = Omit<Options, 'run'>; export const f = (o: Part) => o.label",
        "const Box = (props: Options) => null; export const b = <Box label='' />",
        "export const f = (o: Options) => o['label']",
        "export type L = Options['label']",
    ],
)
def test_a_member_of_an_alias_is_used_like_one_of_an_interface(uses, line):
    files = {"options.ts": OPTIONS, "use.tsx": f"import {{ Options }} from './options'\n{line}\n"}
    found = uses(files, "Options.label")
    assert at(found) == [f"2:{line.index('label') + 1}"]
    assert at(found, "options.ts") == ["1:25!"]
    assert at(uses(files, "Other.label")) == []


@pytest.mark.parametrize(
    ("alias", "count"),
    [
        ("Base & { label: string }", 1),
        ("{ label: string } | null", 1),
        ("({ label: string } & Base) | { other: 1 }", 1),
        ("| { kind: 'a'; label: string } | { kind: 'b'; label: number }", 2),
        ("{ [key: string]: number; label: number }", 1),
    ],
)
def test_the_object_types_of_intersections_and_unions_declare_members(uses, alias, count):
    text = f"interface Base {{ base: 1 }}\nexport type A = {alias}\nexport let a: A\na.label\n"
    found = uses({"a.ts": text}, "A.label")
    assert sum(mark.endswith("!") for mark in found) == count
    assert found[-1] == "a.ts:4:3"


@pytest.mark.parametrize(
    "alias",
    [
        "{ inner: { label: string } }",
        "Array<{ label: string }>",
        "(o: { label: string }) => void",
        "{ label: string }[]",
        "{ [K in 'label']: string }",
    ],
)
def test_object_types_inside_another_type_are_not_the_members_of_the_alias(make_index, alias):
    index, _ = make_index({"a.ts": f"export type A = {alias}\n"})
    assert index.definitions("A.label") == []


def test_members_of_an_alias_are_defined_renamed_and_completed(make_index, rename):
    files = {"options.ts": OPTIONS, "use.ts": "import { Options } from './options'\n" + USE}
    index, _ = make_index(files)
    (found,) = index.definitions("Options.run")
    assert (found.path, found.line, found.kind) == ("options.ts", 1, "function")
    (found,) = index.definitions("Options.label")
    assert (found.path, found.line, found.kind) == ("options.ts", 1, "property")
    names = ["Options.label", "Options.run", "Options.with-dash"]
    assert index.known_symbols("Options.", limit=10) == names
    _, lines = rename(files, "options.ts", "Options.label", "title")
    first, second = USE.replace("label", "title").splitlines()
    assert lines == {
        "options.ts:1": OPTIONS.splitlines()[0].replace("label", "title"),
        "use.ts:2": first,
        "use.ts:3": second,
    }


USE = "export const f = (o: Options) => o.label\nf({ label: '', run() {} })\n"


def test_a_member_of_a_value_is_that_of_its_type(make_index):
    text = (
        "export type A = { label: string }\nexport const a: A = { label: '' }\na.label\n"
        "export class B { go() {} }\nexport const b = new B()\nb.go()\n"
    )
    index, _ = make_index({"a.ts": text})
    found = index.uses("a.label", limit=None)
    assert found.is_inherited
    assert found.declared == {("a.ts", "A.label")}
    assert [use.line for use in found.first] == [1, 2, 3]
    assert [use.line for use in index.uses("b.go", limit=None).first] == [4, 6]
    assert not index.uses("b.none", limit=None).declared
