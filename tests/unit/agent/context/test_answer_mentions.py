"""What an answer names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.context.answer_mentions import answer_mentions


def places(text):
    return [place.text for place in answer_mentions(text).places]


def symbols(text):
    return [symbol.name for symbol in answer_mentions(text).symbols]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `src/a.ts`", ["src/a.ts"]),
        ("see src/a.ts, and ./b/c.py.", ["src/a.ts", "./b/c.py"]),
        ("`src/a.ts:3`", ["src/a.ts:3"]),
        ("(src/a.ts:3-9)", ["src/a.ts:3-9"]),
        ("src/a.ts:10:5", ["src/a.ts:10"]),
        ("`src/a.ts:3\u201312`", ["src/a.ts:3-12"]),
        ("src/a.ts:9-3", ["src/a.ts:3-9"]),
        ("[here](src/a.ts#L3-L5)", ["src/a.ts:3-5"]),
        ("`src/a.ts` (line 12)", ["src/a.ts:12"]),
        ("`src/a.ts`, lines 3 to 9", ["src/a.ts:3-9"]),
        ("`src/a.ts`:7", ["src/a.ts:7"]),
        ("in lines 4-5 of `src/a.ts`", ["src/a.ts:4-5"]),
        ("Zeile 4 in src/a.ts", ["src/a.ts:4"]),
        ("`src/a.ts`, Zeilen 4 bis 6", ["src/a.ts:4-6"]),
        ("**src/ui/** and `lib/`", ["src/ui/", "lib/"]),
        ("`app/[id]/(x)/page.tsx`", ["app/[id]/(x)/page.tsx"]),
        ("see app/(shop)/[[...slug]]/page.tsx:2.", ["app/(shop)/[[...slug]]/page.tsx:2"]),
        ("src/[id].ts:3, src/user.$id.tsx", ["src/[id].ts:3", "src/user.$id.tsx"]),
        ("`n/(k)`, `a/(b)/2`, rows[0].c, [a.b](c), f(x)/2, [x]/a.ts", []),
        ("`app/[id]/page.tsx#L2`", ["app/[id]/page.tsx:2"]),
        ("`.env` and `package.json`", [".env", "package.json"]),
        ("https://x.y/src/a.ts and [x](https://x.y/b.ts)", []),
        ("```ts\nimport './src/a.ts'\n```\nthen src/b.ts", ["src/b.ts"]),
        ("~~~\n`src/a.ts`\n", []),
        ("and/or, TCP/IP, 3.5, e.g. this, v1.2.3", []),
    ],
)
def test_places_are_found(text, found):
    assert places(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`vat` and `Bill.pay()`", ["vat", "Bill.pay"]),
        ("`Bill#pay`, `Bill::pay(1, x)`, `bill?.pay`", ["Bill.pay", "Bill.pay", "bill.pay"]),
        ("`this.total`, `self.total`, `#count`", ["total", "total", "#count"]),
        ("`class Tug extends Boat`, `await pull()`, `new Bill(1)`", ["Tug", "pull", "Bill"]),
        ("`Map<string, X>` and `<Board rows={1} />`", ["Map", "Board"]),
        ("call doIt(x) or run()", ["doIt", "run"]),
        ("Bill.total is read", ["Bill.total"]),
        ("file(s), a function (of x), Node.js", []),
        ("`npm test`, `a + b`, `--flag`, `true`, `42`, `''`, `x = 1`", []),
        ("``a `b` c``", []),
        ("```\n`hidden()`\n```", []),
        ("`Bill.total`", ["Bill.total"]),
    ],
)
def test_symbols_are_found(text, found):
    assert symbols(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`vat` in `src/tax.ts:1-3` and `pay` (src/pay.ts:3)", [("vat", 1), ("pay", 3)]),
        ("`vat` is defined in src/tax.ts:1.", [("vat", 1)]),
        ("- `src/tax.ts:1`: `vat`", [("vat", 1)]),
        ("src/tax.ts:1 defines `vat`", [("vat", 1)]),
        ("| `vat` | src/tax.ts:1 |", [("vat", 1)]),
        ("`pay` uses src/tax.ts:1", []),
        ("`pay` is fine. In src/tax.ts:1 there is more", []),
        ("`pay`\nsrc/tax.ts:1", []),
        ("`pay` calls `vat` in src/tax.ts:1", [("vat", 1)]),
    ],
)
def test_a_symbol_is_told_with_its_place(text, found):
    assert [(s.name, place.first) for s, place in answer_mentions(text).beside] == found


@given(st.text(st.sampled_from("`ab.:/#-L1 ()<>*\n~[]{}|,é\u2013")))
def test_any_text_is_read(text):
    found = answer_mentions(text)
    assert all(0 <= one.start < one.end <= len(text) for one in (*found.places, *found.symbols))
    assert all(p.first is None or p.first <= p.last for p in found.places)


@pytest.mark.parametrize(
    "part", ["`", "a/", "+a", "-a.b", "`a` in ", "the file in ", "a/[b]", "a/(b)"]
)
def test_long_texts_are_read_in_linear_time(part):
    def took_s(times):
        text = part * times + "a.ts:1"
        began_s = time.thread_time()
        answer_mentions(text)
        return time.thread_time() - began_s

    short_s = min(took_s(2_000) for _ in range(3))
    long_s = min(took_s(16_000) for _ in range(3))
    assert long_s < 24 * max(short_s, 0.002), "eight times the text; squared would be 64 times"


def test_a_place_in_a_list_belongs_to_the_name_behind_it():
    named = answer_mentions("Called at src/a.ts:3 in `load`, src/b.ts:4 in `save`.")
    assert [(of.name, place.path) for of, place in named.beside if of.name == "load"] == []
