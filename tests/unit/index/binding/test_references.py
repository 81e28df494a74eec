"""Where symbols are used, and which uses are certain."""

TAX = "export function vat(net: number) { return net }\n"


def test_columns_count_characters_and_skip_the_byte_order_mark(uses):
    files = {"a.ts": "\ufeffvat()\n'ä€😀', vat()\nconst vat = 1\r\nvat\n"}
    assert uses(files, "vat") == ["a.ts:1:1", "a.ts:2:8", "a.ts:3:7!", "a.ts:4:1"]


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
