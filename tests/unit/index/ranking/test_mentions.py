"""Which files a text means."""

import pytest

from ipuaro_jupyter.index.ranking.mentions import mentions_in


@pytest.fixture
def said(make_index):
    """Return a function from a text to the files that it means, the most meant first."""
    files = {
        "src/pay/Bill.ts": "export class Bill { total() {} }\nfunction helper_fn() {}\n",
        "src/pay/index.ts": "export * from './Bill'\n",
        "src/ship/index.ts": "export const dock = 1\n",
        "src/ship/tugBoat.ts": "export function pull() {}\nexport function total() {}\n",
        "test/Bill.test.ts": "test('x', () => {})\n",
        "app/(shop)/[id]/page.ts": "export {}\n",
        "app/(shop)/page.ts": "export {}\n",
    }
    survey = make_index(files)[0].imports.survey()

    def find(*texts, changed=()):
        found = mentions_in(survey, texts, changed=changed).files
        order = sorted(found, key=lambda number: (-found[number], number))
        return [survey.paths[number] for number in order]

    return find


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/ship/index.ts", "src/ship/index.ts"),
        ("look at ./ship/index.ts:12-20, please", "src/ship/index.ts"),
        ("pay/index is wrong", "src/pay/index.ts"),
        ("(see SRC/SHIP/TUGBOAT.TS)", "src/ship/tugBoat.ts"),
        ("`app/(shop)/[id]/page.ts`, (see it)", "app/(shop)/[id]/page.ts"),
        ("[it](src/ship/tugBoat.ts#L3)", "src/ship/tugBoat.ts"),
        ("tugBoat.ts.", "src/ship/tugBoat.ts"),
        ("Why does Bill.total() fail?", "src/pay/Bill.ts"),
        ("Bill::total or Bill#total", "src/pay/Bill.ts"),
        ("`pull` does nothing", "src/ship/tugBoat.ts"),
        ("does pull() work", "src/ship/tugBoat.ts"),
        ("helper_fn", "src/pay/Bill.ts"),
        ("the boat", "src/ship/tugBoat.ts"),
        ("Bill.test.ts", "test/Bill.test.ts"),
    ],
)
def test_a_text_means_a_file(said, text, path):
    assert said(text)[0] == path


def test_a_name_of_several_files_means_each_a_little(said):
    assert set(said("index.ts")[:2]) == {"src/pay/index.ts", "src/ship/index.ts"}


@pytest.mark.parametrize("text", ["", "?", "why is it so", "../../etc/passwd", "\0", "é" * 100_000])
def test_other_texts_mean_nothing(said, text):
    assert said(text) == []


def test_long_texts_and_talks_are_read_in_reasonable_time(said):
    for text in ("a" * 10**6, "a/" * 10**6, "a." * 10**6, "src/ship/index.ts " * 10**5):
        said(text)
    assert said(*["tugBoat"] * 5000)[0] == "src/ship/tugBoat.ts"
    assert said("tugBoat", *["?"] * 500) == []


def test_changed_files_count_and_unknown_ones_do_not(said):
    assert said(changed=["src/ship/index.ts", "gone.ts"]) == ["src/ship/index.ts"]


def test_names_are_told(make_index):
    survey = make_index({"a.ts": "export const b = 1"})[0].imports.survey()
    names = mentions_in(survey, ["Is `a.b` camelCase?"], changed=()).names
    assert {"a.b", "a", "b", "camelCase"} <= names
