"""Uses that are told from the postings and the text before them, without a syntax tree."""

import pytest

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.module_scope_uses import ModuleScopeUses, Wanted
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.text_cache import TextCache

TAX = {
    "tax.ts": "export function vat(n: number) { return n }\nexport default class Tax {}\n",
    "all.ts": "export * from './tax'\nexport * as money from './tax'\n",
    "named.ts": "export { vat as levy } from './tax'\nexport { vat } from './tax'\n",
    "lib.js": "function duty() {}\nmodule.exports = { duty }\n",
}


@pytest.fixture
def told(make_index):
    """Return a function from a file and a name to what is told of its places: "+", "-", "?"."""

    def tell(path, text, name="vat", *, declared=(("tax.ts", "vat"),), has_members=False):
        index, root = make_index({**TAX, path: text})
        known = index._sync.snapshot.files
        files = OpenedFiles(index._stored, TextCache(root), known=known, most_bytes=0)
        top_uses = ModuleScopeUses(AliasResolver(index._stored))
        wanted = Wanted([*declared, *[("other.ts", "A.vat")] * has_members])
        file = files.file(path)
        found = [top_uses.stands_for(file, name, p, wanted) for p in file.places(name)]
        return "".join("?" if some is None else "+" if some else "-" for some in found)

    return tell


NAMED = "import { vat } from './tax'\n"
ALL = "import * as t from './tax'\n"
MONEY = "import { money } from './all'\n"


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        (NAMED + "vat(vat)\nconst o = { vat, x: vat, ...vat }\nlet t: typeof vat\n", "+++++++"),
        (
            NAMED + "const o = { vat: 1 }\no.vat; o?.vat; o!.vat; f().vat; [1].vat; 'x'.vat",
            "+" + 7 * "-",
        ),
        (NAMED + "foo()\n  .vat\n  // then.\n  .vat\n", "+--"),
        (NAMED + "this.vat; super.vat; this.#x.vat; a.b.c.vat; a[0].vat", "+-----"),
        (
            NAMED + "// of the state.\nvat()\n/* of it. */ vat() /* a. */ + /* b. */\n// c.\nvat",
            "++++",
        ),
        (
            NAMED + "const f = /*#__PURE__*/ vat(1)\nf. /* a */ vat; f /* a */ .vat; f. // a\nvat",
            "++-?-",
        ),
        (NAMED + "const s = 'http://a.b' // c.\nvat\n", "+?"),
        (NAMED + f"// {'x' * 200}.\nvat\n", "+?"),
        (NAMED + "function f(vat) { vat }\nvat\n", "+--+"),
        (
            ALL + "t.vat; t?.vat; t!.vat; t\n  .vat; let x: t.vat, y: typeof t.vat; (t).vat",
            "++++++?",
        ),
        (ALL + "t.x.vat; x.t.vat; f().t.vat; f(t).vat; t().vat", "-----"),
        (ALL + "function f(t) { t.vat }\nt.vat\n", "-+"),
        (MONEY + "money.vat; money.x.vat; all.money.vat; vat", "+---"),
        ("import * as a from './all'\na.vat; a.money.vat; a.no.vat", "++-"),
        ("import { vat as tax } from './tax'\ntax; o.vat\n", "+-"),
        ("import { vat as tax } from './tax'\nfunction f(vat) { vat }\n", "+--"),
        ("import { vat as tax } from './tax'\nconst vat = 1\n", "??"),
        ("import { money as vat } from './all'\nvat.vat; vat\n", "--+-"),
        ("export { vat } from './tax'\n", "+"),
        ("export { vat as due } from './all'\n", "+"),
        ("export { levy as vat } from './named'\n", "+"),
        ("export { vat } from './tax'\nconst vat = 1\n", "??"),
        (
            "import { vat } from './tax'\nexport { vat }\nexport { vat as due, vat as default }\n",
            "++++",
        ),
        ("import { vat } from 'pkg'\nvat\n", "--"),
        ("const vat = 1\nvat\n", "--"),
        ("vat()\n", "-"),
        ("export const vat = 1\nvat\n", "--"),
        ("let x: import('./tax').vat, y = (await import('./tax')).vat\n", "??"),
    ],
)
def test_what_a_name_stands_for_is_told(told, text, signs):
    assert told("use.ts", text) == signs


def test_default_imports_are_told(told):
    text = "import Tax from './tax'\nnew Tax(); let t: Tax\nexport { Tax }\n"
    assert told("use.ts", text, "Tax", declared=[("tax.ts", "Tax")]) == "++++"


def test_what_is_required_is_told(told):
    text = (
        "const { duty } = require('./lib')\nconst lib = require('./lib')\nduty(lib.duty(o.duty))\n"
    )
    duty = [("lib.js", "duty")]
    assert told("use.js", text, "duty", declared=duty) == "+++-"
    text = "const { duty: d } = require('./lib')\n"
    assert told("use.js", text, "duty", declared=duty) == "?"
    assert told("use.js", "require('./lib').duty(); exports.duty", "duty", declared=duty) == "??"


def test_elements_that_are_no_components_are_left_to_the_tree(told):
    text = NAMED + "const e = <vat a={vat}></vat>, c = 1 <vat\n"
    assert told("use.tsx", text) == "+?+??"
    assert told("use.ts", NAMED + "const c = 1 <vat\n") == "++"


def test_a_private_declaration_is_left_to_the_tree_in_its_file_only(told):
    own = [("use.ts", "vat")]
    assert told("use.ts", "const vat = 1\nfunction f(vat) {}\n", declared=own) == "??"
    assert told("use.ts", "const vat = 1\nvat\n", declared=[("tax.ts", "vat")]) == "--"


def test_members_are_left_to_the_tree(told):
    text = NAMED + "vat(1)\nconst o = { vat, vat: 1, f: vat }\no.vat\nfunction f(vat) { vat }\n"
    assert told("use.ts", text, has_members=True) == "?+??+?--"


def test_members_of_whole_modules_are_told(told):
    text = ALL + "t.vat(1)\nlet v: t.vat\no.t.vat; (t).vat; t.other.vat; f().t.vat\n"
    assert told("use.ts", text, has_members=True) == "++????"
    text = ALL + "t.vat(1)\nfunction f(t) { t.vat }\n"
    assert told("use.ts", text, has_members=True) == "+?"
    text = MONEY + "money.vat(1)\nother.vat\n"  # a name of a module, not the module's own import
    assert told("use.ts", text, has_members=True) == "??"


def test_what_cannot_be_a_key_is_told_where_members_are_wanted(told):
    text = NAMED + "f(1, vat(1)); const o = { vat, a: 1, vat }; g(1, vat); h(vat, vat /* a */)\n"
    assert told("use.ts", text, has_members=True) == "?+??++?"
    text = (
        NAMED + "f(1, vat, 2); [1, vat, ...a]; let m: M<1, vat, N>; ({ a: 1 < 2, vat, b: f() })\n"
    )
    assert told("use.ts", text, has_members=True) == "?+++?"
    text = NAMED + "const { a, vat, ...b } = f(), c = { a, vat, b() {} }\n"
    assert told("use.ts", text, has_members=True) == "???"


def test_other_languages_are_left_to_the_tree(told):
    assert told("use.py", "vat = 1\n") == "?"
