"""What CommonJS modules export: by hand and as compilers write it."""

import pytest


def _exports(facts):
    return [(e.name, e.local, e.source) for e in facts.exports]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("exports.$a = $a", [("$a", "$a", None)]),
        ("exports['a-b'] = c", [("a-b", "c", None)]),
        ("module.exports['a'] = () => 1", [("a", "a", None)]),
        ("exports.__esModule = true; exports.a = a", [("a", "a", None)]),
        ("exports.a = exports.b = c", [("a", "c", None), ("b", "c", None)]),
        ("exports.a = void 0;\nexports.a = 1", [("a", "a", None)]),
        ("exports.a = (x.indexOf('y') >= 0)", [("a", "a", None)]),
        (
            "const x_1 = require('x');\nexports.a = x_1.b;\nmodule.exports = x_1.default",
            [("a", "b", "x"), ("default", "default", "x")],
        ),
        (
            """exports.a = void 0;
            var x_1 = require('x');
            Object.defineProperty(exports, 'a', { get: function () { return x_1.b; } });""",
            [("a", "b", "x")],
        ),
        ("Object.defineProperty(exports, '__esModule', { value: true });", []),
        ("Object.defineProperty(exports, 'a', { get: () => b })", [("a", "b", None)]),
        ("Object.defineProperty(module.exports, 'a', { get() { return b } })", [("a", "b", None)]),
        ("Object.defineProperty(exports, 'a', { value: b })", [("a", "b", None)]),
        ("Object.defineProperty(exports, 'a', { get: f() })", [("a", "a", None)]),
        ("Object.defineProperty(exports, keys[i], { get: f })", []),
        ("Object.defineProperty(other, 'a', { value: b })", []),
        ("__exportStar(require('x'), exports);", [("*", "*", "x")]),
        ("tslib_1.__exportStar(require('x'), exports);", [("*", "*", "x")]),
        ("__exportStar(x, exports);", []),
    ],
)  # fmt: skip
def test_exports(read_facts, source, expected):
    assert _exports(read_facts(source, "a.js")) == expected


def test_an_announced_export_is_where_its_value_is(read_facts):
    found = read_facts("exports.LIMIT = void 0;\n\nexports.LIMIT = 10;\n", "a.cjs")
    assert [(e.name, e.line) for e in found.exports] == [("LIMIT", 3)]
    assert [(v.name, v.line_start, v.is_exported) for v in found.variables] == [("LIMIT", 3, True)]


def test_an_announced_export_that_never_comes_counts(read_facts):
    found = read_facts("exports.a = exports.b = void 0;\n", "a.js")
    assert _exports(found) == [("a", "a", None), ("b", "b", None)]


def test_a_class_in_a_function_has_one_path(functions_of):
    found = functions_of(
        "exports.Failed = make_1.make(function (_super) { return function FailedImpl() {} })",
        "a.js",
    )
    assert list(found) == ["Failed.FailedImpl"]


def test_a_default_of_another_module(read_facts):
    found = read_facts("export * as default from 'x'\nexport { default as b } from 'y'", "a.js")
    assert _exports(found) == [("default", "*", "x"), ("b", "default", "y")]
