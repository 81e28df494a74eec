"""Where symbols are used, and which uses are certain."""

import pytest

TAX = "export function vat(net: number) { return net }\n"


def test_references_are_identifiers_sorted_by_place_with_the_definition(uses):
    files = {
        "tax.ts": "// vat(1)\n" + TAX + "export const vatRate = 'vat'\n",
        "bill.ts": "import { vat } from './tax'\nexport const a = vat(1), b = `${vat(2)} vat`\n",
    }
    assert uses(files, "vat") == ["bill.ts:1:10", "bill.ts:2:18", "bill.ts:2:33", "tax.ts:2:17!"]


def test_columns_count_characters_and_skip_the_byte_order_mark(uses):
    files = {"a.ts": "\ufeffvat()\n'ä€😀', vat()\nconst vat = 1\r\nvat\n"}
    assert uses(files, "vat") == ["a.ts:1:1", "a.ts:2:8", "a.ts:3:7!", "a.ts:4:1"]


def test_same_name_in_a_file_that_imports_it_not_is_unresolved_and_counts(uses):
    files = {"tax.ts": TAX, "other.ts": "const vat = 1\nvat\nexport {}\n", "use.ts": "vat()\n"}
    assert uses(files, "vat") == [
        "other.ts:1:7!",
        "other.ts:2:1",
        "tax.ts:1:17!",
        "use.ts:1:1?",
    ]


def test_import_that_leads_elsewhere_is_unresolved(uses):
    files = {"tax.ts": TAX, "use.ts": "import { vat } from 'pkg'\nvat()\n"}
    assert uses(files, "vat") == ["tax.ts:1:17!", "use.ts:1:10?", "use.ts:2:1?"]


@pytest.mark.parametrize(
    "line",
    [
        "function a(vat: number) { return vat }",
        "const b = (vat) => vat",
        "const b = vat => vat",
        "const b = ({ vat }, [x = vat]) => vat",
        "if (1) { const vat = 1; vat }",
        "for (const vat of []) vat",
        "try {} catch (vat) { vat }",
        "const e = class vat { a = vat }",
        "function f() { if (1) { var vat = 1 } return vat }",
        "type T<vat> = vat[]",
        "vat: for (;;) break vat",
    ],
)
def test_shadowed_name_is_unresolved(uses, line):
    files = {"tax.ts": TAX, "use.ts": f"import {{ vat }} from './tax'\n{line}\nvat(1)\n"}
    found = uses(files, "vat")
    assert found[:2] == ["tax.ts:1:17!", "use.ts:1:10"]
    assert found[-1] == "use.ts:3:1"
    assert all(mark.endswith("?") for mark in found[2:-1])


def test_member_of_the_same_name_is_unresolved(uses):
    files = {
        "tax.ts": TAX,
        "use.ts": "import { vat } from './tax'\nconst o = { vat: vat(1) }\no.vat\nf({ vat })\n",
    }
    assert uses(files, "vat") == [
        "tax.ts:1:17!",
        "use.ts:1:10",
        "use.ts:2:13?",
        "use.ts:2:18",
        "use.ts:3:3?",
        "use.ts:4:5",
    ]


def test_renamed_import_is_followed_to_its_alias(uses):
    files = {
        "tax.ts": TAX,
        "use.ts": "import { vat as tax } from './tax'\ntax(1)\nconst o = { tax: 1 }\n",
        "other.ts": "const tax = 1\n",
    }
    assert uses(files, "vat") == ["tax.ts:1:17!", "use.ts:1:10", "use.ts:1:17", "use.ts:2:1"]


def test_barrels_and_renaming_exports_are_followed(uses):
    files = {
        "tax.ts": TAX,
        "all.ts": "export * from './tax'\n",
        "named.ts": "export { vat as levy } from './all'\n",
        "again.ts": "import { levy } from './named'\nexport { levy as due }\n",
        "use.ts": "import { vat } from './all'\nimport { due as d } from './again'\nvat(d(1))\n",
    }
    assert uses(files, "vat") == [
        "again.ts:1:10",
        "again.ts:2:10",
        "again.ts:2:18",
        "named.ts:1:10",
        "named.ts:1:17",
        "tax.ts:1:17!",
        "use.ts:1:10",
        "use.ts:2:10",
        "use.ts:2:17",
        "use.ts:3:1",
        "use.ts:3:5",
    ]


def test_barrels_in_a_circle_end(uses):
    files = {
        "a.ts": "export * from './b'\n" + TAX,
        "b.ts": "export * from './a'\n",
        "use.ts": "import { vat } from './b'\nvat\n",
    }
    assert uses(files, "vat") == ["a.ts:2:17!", "use.ts:1:10", "use.ts:2:1"]


def test_namespaces_are_followed(uses):
    files = {
        "tax.ts": TAX,
        "ns.ts": "export * as money from './tax'\n",
        "use.ts": "import * as t from './tax'\nimport { money } from './ns'\n"
        "t.vat(money.vat(1))\nother.vat()\nlet x: typeof t.vat\n",
    }
    assert uses(files, "vat") == [
        "tax.ts:1:17!",
        "use.ts:3:3",
        "use.ts:3:13",
        "use.ts:4:7?",
        "use.ts:5:17",
    ]


def test_default_export_is_followed_under_any_name(uses):
    files = {
        "tax.ts": "export default function vat() {}\n",
        "use.ts": "import levy from './tax'\nlevy()\n",
        "pass.ts": "export { default as due } from './tax'\n",
        "last.ts": "import { due } from './pass'\ndue()\n",
    }
    found = uses(files, "vat")
    assert {"tax.ts:1:25!", "use.ts:1:8", "use.ts:2:1", "last.ts:1:10", "last.ts:2:1"} <= set(found)
    assert not [mark for mark in found if mark.endswith("?")]


def test_commonjs_is_followed(uses):
    files = {
        "tax.js": "function vat() {}\nmodule.exports = { vat }\n",
        "whole.js": "class Bill { pay() {} }\nmodule.exports = Bill\n",
        "use.js": "const { vat } = require('./tax')\nconst tax = require('./tax')\n"
        "vat(tax.vat())\nconst Bill = require('./whole')\nnew Bill().pay()\n",
    }
    assert uses(files, "vat") == [
        "tax.js:1:10!",
        "tax.js:2:20",
        "use.js:1:9",
        "use.js:3:1",
        "use.js:3:9",
    ]
    assert "use.js:4:7" in uses(files, "Bill")
    assert uses(files, "Bill.pay") == ["use.js:5:12", "whole.js:1:14!"]


def test_types_jsx_and_shorthands_count(uses):
    files = {
        "pill.tsx": "export class Pill {}\n",
        "use.tsx": "import { Pill } from './pill'\nimport type { Pill as P } from './pill'\n"
        "class X extends Pill { a: Array<Pill> = []; b?: P }\n"
        "const e = <Pill>Pill text</Pill>, s = { Pill }\n",
    }
    assert uses(files, "Pill") == [
        "pill.tsx:1:14!",
        "use.tsx:1:10",
        "use.tsx:2:15",
        "use.tsx:2:23",
        "use.tsx:3:17",
        "use.tsx:3:33",
        "use.tsx:3:49",
        "use.tsx:4:12",
        "use.tsx:4:28",
        "use.tsx:4:41",
    ]


def test_path_is_a_folder_boundary(uses):
    files = {
        "tax.ts": TAX,
        "api/a.ts": "import { vat } from '../tax'\n",
        "api-old/a.ts": "import { vat } from '../tax'\n",
    }
    assert uses(files, "vat", path="api") == ["api/a.ts:1:10"]
    assert uses(files, "vat", path="tax.ts") == ["tax.ts:1:17!"]


def test_unknown_symbol_has_no_references(uses):
    assert uses({"a.ts": TAX}, "noSuch") == []
    assert uses({"a.ts": TAX}, "Cat.noSuch") == []
    assert uses({"a.ts": TAX}, "") == []


def test_types_and_values_of_one_name_are_told_apart(uses):
    files = {
        "a.ts": "export interface Opt { x: number }\nexport const opt = 1\n",
        "use.ts": "import { Opt, opt } from './a'\nfunction f(Opt: any): Opt { return Opt }\n"
        "type G<opt> = opt | typeof opt\nconst g = <Opt,>(a: Opt) => a as Opt\n",
    }
    assert [u for u in uses(files, "Opt") if not u.endswith("?")] == [
        "a.ts:1:18!",
        "use.ts:1:10",
        "use.ts:2:23",
    ]
    assert [u for u in uses(files, "opt") if not u.endswith("?")] == [
        "a.ts:2:14!",
        "use.ts:1:15",
        "use.ts:3:28",
    ]


def test_modules_in_expressions_and_types_are_followed(uses):
    files = {
        "tax.ts": TAX + "export namespace N { export const k = 1 }\n",
        "ns.ts": "export * as money from './tax'\n",
        "other.ts": "export const vat = 1\n",
        "use.ts": "import { vat } from './other'\nimport * as ns from './ns'\n"
        "let t: typeof import('./tax').vat, u: import('./tax').vat\n"
        "ns.money.vat; (await import('./tax')).vat; ns.money.N.k\nvat\n",
    }
    found = uses(files, "vat", path="use.ts")
    assert found == [
        "use.ts:1:10",
        "use.ts:3:31",
        "use.ts:3:55",
        "use.ts:4:10",
        "use.ts:4:39",
        "use.ts:5:1",
    ]
    assert uses(files, "N.k") == ["tax.ts:2:35!", "use.ts:4:55"]
    files["tax.ts"] = TAX.replace("vat", "due")
    resolved = [u for u in uses(files, "vat", path="use.ts") if not u.endswith("?")]
    assert resolved == ["use.ts:1:10", "use.ts:5:1"]


def test_commonjs_is_followed_in_place(uses):
    files = {
        "lib.js": "exports.one = 1\nexports.two = exports.one\nmodule.exports.two\n",
        "use.js": "const { one: first } = require('./lib')\nrequire('./lib').one + first\n",
    }
    assert uses(files, "one") == [
        "lib.js:1:9!",
        "lib.js:2:23",
        "use.js:1:9",
        "use.js:1:14",
        "use.js:2:18",
        "use.js:2:24",
    ]
    assert uses(files, "two") == ["lib.js:2:9!", "lib.js:3:16"]
