"""Types that name a module, as ``import("x").T`` and ``typeof import("x")`` in TypeScript."""

import pytest

MODULE = """export interface Shape { side: number }
export function area() {}
export class Box { open() {} static make() {} }
export namespace Units { export class Meter {} export namespace Small { export type Inch = 1 } }
"""


@pytest.fixture
def places(make_index):
    """Return a function from a file beside the module to the columns of a symbol's uses in it."""

    def find(text, symbol, path="use.ts", **others):
        index, _ = make_index({"shapes.ts": MODULE, path: text, **others})
        found = index.uses(symbol, limit=None, declared_in="shapes.ts")
        assert found.unresolved == ()
        return [one.column for one in found.first if one.path == path]

    return find


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("let a: import('./shapes').Shape", "Shape"),
        ("let a: Array<import('./shapes').Shape>", "Shape"),
        ("let a: import('./shapes').Shape[] = []", "Shape"),
        ("let a: import(/* the 'shape' */ './shapes') . Shape[] = []", "Shape"),
        ("let a: import('./shapes', { with: { k: 'import' } }).Shape", "Shape"),
        ("class A implements Partial<import('./shapes').Shape> {}", "Shape"),
        ("declare global { interface Window { a: import('./shapes').Shape } }", "Shape"),
        ("let a: typeof import('./shapes').area", "area"),
        ("let a: ReturnType<typeof import('./shapes').area>", "area"),
        ("let a: InstanceType<typeof import('./shapes').Box>", "Box"),
        ("let a: (typeof import('./shapes'))['area']", "area"),
        ("let a: typeof import('./shapes')['Box']", "Box"),
        ("let a: import('./shapes').Units.Meter", "Units.Meter"),
        ("let a: import('./shapes').Units.Meter", "Units"),
        ("let a: Set<typeof import('./shapes').Units.Meter>", "Units.Meter"),
        ("let a: import('./shapes').Units.Small.Inch[] = []", "Units.Small.Inch"),
    ],
)
def test_a_name_behind_an_imported_module_in_a_type_is_a_use(places, line, symbol):
    name = symbol.rpartition(".")[2]
    assert places(f"{line}\n", symbol) == [line.rindex(name) + 1]


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("declare const m: typeof import('./shapes'); m.area()", "area"),
        ("const f = (m: typeof import('./shapes')) => new m.Box()", "Box"),
        ("const f = ({ Box }: typeof import('./shapes')) => 1", "Box"),
        ("declare const m: typeof import('./shapes'); m.Box.make()", "Box.make"),
        ("declare const m: typeof import('./shapes'); new m.Box().open()", "Box.open"),
        ("declare const b: import('./shapes').Box; b.open()", "Box.open"),
        ("const f = (b: InstanceType<typeof import('./shapes').Box>) => b.open()", "Box.open"),
        ("import('./shapes').then(m => m.area())", "area"),
        ("const load = () => import('./shapes'); load().then(m => m.area())", "area"),
        ("Promise.all([import('./shapes')]).then(([m]) => m.area())", "area"),
    ],
)
def test_members_of_a_value_whose_type_is_a_module_are_its_exports(places, line, symbol):
    name = symbol.rpartition(".")[2]
    assert places(f"{line}\n", symbol) == [line.rindex(name) + 1]


@pytest.mark.parametrize(
    "line",
    [
        "ns['area']()",
        "const f = (m = ns) => m['area']()",
        "const o = { ns }; o.ns['area']()",
        "let a: typeof ns['area']",
    ],
)
def test_a_name_in_quotes_behind_a_module_is_a_use(places, line):
    text = f"import * as ns from './shapes'; {line}\n"
    assert places(text, "area") == [text.index("area") + 1]
    passed = {"pass.ts": "import * as ns from './shapes'\nexport { ns }\n"}
    text = text.replace("* as ns from './shapes'", "{ ns } from './pass'")
    assert places(text, "area", **passed) == [text.index("area") + 1]


@pytest.mark.parametrize(
    "line",
    [
        "declare const m: typeof import('./other'); m.area()",
        "let a: InstanceType<typeof import('./other').Box>",
        "let a: import('./none').Shape, b: typeof import('./none'), c = [b.area]",
        "const o = { area() {} }; o['area'](); let a: typeof import('./shapes')",
        "import * as area from './shapes'; let a: typeof import('./shapes')",
    ],
)
def test_names_of_other_modules_are_no_uses(places, line):
    other = {"other.ts": "export function area() {}\nexport class Box {}\n"}
    for symbol in ("area", "Box", "Shape"):
        assert places(f"{line}\n", symbol, **other) == []
