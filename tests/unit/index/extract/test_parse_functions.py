"""Functions of TypeScript and JavaScript: which there are, their names, lines and signatures."""

import pytest


def test_a_declaration_has_its_lines_parameters_and_return_type(functions_of):
    found = functions_of(
        "// above\n"
        "export async function book(plate: string, minutes = 30, ...tags: Tag[]): Promise<Slot> {\n"
        "  return plate\n"
        "}\n"
    )["book"]
    assert (found.line_start, found.line_end) == (2, 4)
    assert [p.name for p in found.params] == ["plate", "minutes", "tags"]
    assert [p.type for p in found.params] == ["string", None, "Tag[]"]
    assert [p.is_optional for p in found.params] == [False, True, False]
    assert [p.is_rest for p in found.params] == [False, False, True]
    assert found.return_type == "Promise<Slot>"
    assert found.is_async
    assert found.is_exported


def test_patterns_are_parameters_without_their_defaults(functions_of):
    found = functions_of(
        "function pack(box, count = 1, { fragile,\n   top } = {}, [first], ...rest) {}", "a.js"
    )["pack"]
    assert [p.name for p in found.params] == ["box", "count", "{ fragile, top }", "[first]", "rest"]


def test_optional_parameters_are_flagged_and_this_is_none(functions_of):
    found = functions_of("function f(this: Window, a?: string) {}")["f"]
    assert [(p.name, p.is_optional) for p in found.params] == [("a", True)]


@pytest.mark.parametrize(
    ("source", "type_"),
    [
        ("function f(x): x is string {}", "x is string"),
        ("function f(x): asserts x is T {}", "asserts x is T"),
        ("const f = (x): { a: number;\n  b?: string } => x", "{ a: number; b?: string }"),
        ("const f = x => x", None),
        ("function f(): void", "void"),
    ],
)
def test_the_return_type_is_the_text_of_the_source(functions_of, source, type_):
    assert functions_of(source)["f"].return_type == type_


def test_an_arrow_has_the_range_of_its_statement(functions_of):
    found = functions_of("const pad = (n: number): string =>\n  String(n)\n\nexport const b = 1")
    assert (found["pad"].line_start, found["pad"].line_end) == (1, 2)
    assert found["pad"].kind == "arrow"
    assert not found["pad"].is_exported


def test_one_of_several_declarators_has_its_own_range(functions_of):
    found = functions_of("export const a = 1,\n  b = () => 2,\n  c = function () {\n  }\n")
    assert (found["b"].line_start, found["b"].line_end) == (2, 2)
    assert (found["c"].line_start, found["c"].line_end) == (3, 4)
    assert found["b"].is_exported


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("function* rows() {}", (False, True)),
        ("async function* rows() {}", (True, True)),
        ("const rows = async function* () {}", (True, True)),
        ("const rows = async () => {}", (True, False)),
        ("let rows; rows = async () => {}", (True, False)),
        ("var rows = function inner() {}", (False, False)),
    ],
)
def test_generators_and_async_functions_are_flagged(functions_of, source, flags):
    found = functions_of(source, "a.js")["rows"]
    assert (found.is_async, found.is_generator) == flags


def test_overloads_come_before_their_implementation(read_facts):
    found = read_facts(
        "export function label(id: number): string\n"
        "export function label(code: string, upper: boolean): string\n"
        "export function label(a: unknown) {\n  return a\n}\n"
    )
    assert [(f.line_start, f.has_body) for f in found.functions] == [
        (1, False),
        (2, False),
        (3, True),
    ]
    assert all(f.is_exported for f in found.functions)
    assert [e.name for e in found.exports] == ["label"]


def test_nested_functions_are_named_by_their_path(functions_of):
    found = functions_of(
        "function outer() {\n"
        "  const inner = () => {\n    function deepest() {}\n  }\n"
        "  if (a) { function late() {} }\n"
        "  rows.forEach(() => { const hidden = () => 1 })\n"
        "}\n"
        "class Depot { load() { const step = () => 1 } }\n"
    )
    assert set(found) == {
        *("outer", "outer.inner", "outer.inner.deepest", "outer.late", "outer.hidden"),
        "Depot.load.step",
    }
    assert found["outer.inner.deepest"].name == "deepest"


@pytest.mark.parametrize(
    "source",
    [
        "const Row = memo(() => <b/>)",
        "const Row = memo(function Inner(props) { return <b/> })",
        "const Row = React.forwardRef<HTMLElement, P>((props, ref) => null)",
        "const Row = memo(forwardRef((props, ref) => null))",
        "const Row = (memo(() => null) as any)",
        "export const Row = observer(() => null)",
    ],
)
def test_a_wrapped_component_has_the_name_it_is_bound_to(functions_of, source):
    assert list(functions_of(source, "a.tsx")) == ["Row"]


@pytest.mark.parametrize(
    "source",
    [
        "const names = rows.map((row) => row.name)",
        "const timer = setTimeout(() => {}, 10)",
        "const total = useMemo(() => 1, [])",
        "const value = new Promise((done) => done())",
        "const x = (() => 1)()",
        "const y = wait(10, () => 1)",
        "const [state] = reduce((s) => s)",
        "const { data } = ask(() => 1)",
        "let rows\nrows[0] = () => 1",
    ],
)
def test_the_result_of_a_call_is_no_function(read_facts, source):
    found = read_facts(source)
    assert not found.functions
    assert len(found.variables) == 1


def test_the_methods_of_objects_are_named_by_the_object(functions_of):
    found = functions_of(
        "export const api = {\n"
        "  get(path) {},\n"
        "  post: async () => 1,\n"
        "  nested: { deep: function () {}, get size() { return 1 } },\n"
        "  'a-b': () => 1,\n"
        "} as const\n"
        "const slice = createSlice({ reducers: { add(state) {}, drop: (s) => s } })\n"
        "function factory() { return { start() {}, stop: () => {} } }\n"
        "export default { methods: { save() {} } }\n"
    )
    assert set(found) == {
        *("api.get", "api.post", "api.nested.deep", "api.nested.size", "api.a-b"),
        *("slice.reducers.add", "slice.reducers.drop"),
        *("factory", "factory.start", "factory.stop", "default.methods.save"),
    }
    assert found["api.get"].kind == "method"
    assert found["api.nested.size"].kind == "getter"
    assert found["api.post"].is_async


@pytest.mark.parametrize(
    ("source", "name", "is_exported"),
    [
        ("export default function App() {}", "App", True),
        ("export default function () {}", "default", True),
        ("export default async () => {}", "default", True),
        ("export default (function Named() {})", "Named", True),
        ("export default memo(function Badge() {})", "Badge", True),
        ("export default memo(() => null)", "default", True),
        ("function f() {}\nexport { f as g }", "f", True),
        ("const f = () => 1\nexport default f", "f", True),
        ("function f() {}", "f", False),
        ("module.exports = function () {}", "default", True),
        ("module.exports = function parse() {}", "parse", True),
        ("const app = module.exports = function () {}", "app", True),
        ("exports.load = async () => {}", "load", True),
        ("module.exports.load = function () {}", "load", True),
        ("function f() {}\nmodule.exports = f", "f", True),
        ("function f() {}\nmodule.exports = { f }", "f", True),
        ("module.exports = { f() {} }", "f", True),
        ("app.use = function () {}", "app.use", False),
        ("Truck.prototype.stop = function () {}", "Truck.stop", False),
        ("rows.forEach(function each(row) {})", "each", False),
        ("declare function f(): void", "f", False),
        ("export declare function f(): void", "f", True),
        ("namespace N { export function f() {} }", "N.f", True),
        ("namespace N { function f() {}\nexport { f } }", "N.f", True),
    ],
)
def test_names_and_exports(functions_of, source, name, is_exported):
    found = functions_of(source, "a.ts")
    assert list(found) == [name]
    assert found[name].is_exported is is_exported


def test_a_function_set_on_this_belongs_to_the_class(functions_of):
    found = functions_of("class A { constructor() { this.click = () => {} } }\n", "a.js")
    assert list(found) == ["A.click"]


def test_complexity_of_a_function_leaves_out_the_functions_inside(functions_of):
    found = functions_of(
        "function outer(rows) {\n"
        "  if (rows && rows.length) {\n"
        "    const pick = (row) => {\n      for (;;) { while (row) {} }\n    }\n"
        "  } else if (rows) {}\n"
        "}\n"
    )
    assert (found["outer"].cyclomatic, found["outer"].nesting) == (4, 1)
    assert (found["outer.pick"].cyclomatic, found["outer.pick"].nesting) == (3, 2)


def test_what_a_broken_file_made_of_a_text_is_not_taken_for_another(read_facts):
    broken = "function f(a: number, b = [1, ) { }\nfunction g(a: number): ) { }\n"
    whole = "function f(a: number, b = [1]) {}\nfunction g(a: number): void {}\n"
    alone = read_facts(whole)
    assert read_facts(broken).parse_error is not None
    assert read_facts(whole) == alone
    assert [(p.name, p.type) for p in alone.functions[1].params] == [("a", "number")]
