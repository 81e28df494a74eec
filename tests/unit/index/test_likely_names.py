"""The names that a conversation most likely means: those it mentions, then the highest ranked."""

import pytest

from ipuaro_jupyter.index.likely_names import likely_names

FILES = {
    "src/price.ts": "export function price(item: string) { return 1 }\n",
    "src/deep/Bill.ts": "import { price } from '../price'\nexport class Bill { pay() {} }\n",
    "src/other.ts": "import { price } from './price'\nfunction inner() {}\nexport const o = 1\n",
    "docs/notes.md": "# Notes\n",
}


@pytest.fixture
def index(make_index):
    return make_index(FILES)[0]


def test_without_a_mention_the_most_used_come_first(index):
    names = likely_names(index, ["Hello"], most=200)
    assert names.files[0] == "src/price.ts"
    assert set(names.files) == set(FILES)
    assert names.folders[0] == "."
    assert set(names.places) == {*FILES, ".", "src", "src/deep", "docs"}
    assert {"price", "Bill", "Bill.pay", "inner", "o"} <= set(names.symbols)
    assert names.symbols.index("o") < names.symbols.index("inner"), "exported ones come first"


def test_what_is_mentioned_comes_first_and_the_first_text_counts_most(index):
    names = likely_names(index, ["Show `pay` of Bill.ts in src/deep", "src/other.ts"], most=200)
    assert names.files[:2] == ("src/deep/Bill.ts", "src/other.ts")
    assert names.folders[0] == "src/deep"
    assert names.places[:2] == ("src/deep/Bill.ts", "src/other.ts")
    assert set(names.symbols[:3]) == {"Bill", "Bill.pay", "pay"}


def test_there_are_never_more_than_asked_for(index):
    names = likely_names(index, ["Bill.ts src/other.ts price inner"], most=2)
    assert all(len(kind) <= 2 for kind in names)
    assert names.files == ("src/deep/Bill.ts", "src/other.ts")


def test_an_empty_project_has_only_its_root(make_index):
    names = likely_names(make_index({})[0], ["Where is Bill?"], most=200)
    assert names == ((), (".",), (".",), ())
