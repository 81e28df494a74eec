"""Ids of evidence in a text that streams."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.citations import Citations
from ipuaro_jupyter.records.evidence import EvidenceExcerpt, EvidenceSymbol

PLACES = [
    EvidenceExcerpt(
        id=f"E{number}",
        symbol=EvidenceSymbol(path=f"src/{name}.py", name=name, line=number, end=9),
        lines=(),
    )
    for number, name in ((1, "fee"), (2, "tax"))
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Here [E1].", "Here (`fee` src/fee.py:1)."),
        ("Here [E1] and there [E1].", "Here (`fee` src/fee.py:1) and there (`fee`)."),
        ("Both [E1, E2].", "Both (`fee` src/fee.py:1, `tax` src/tax.py:2)."),
        ("Both (E1 and E2).", "Both (`fee` src/fee.py:1, `tax` src/tax.py:2)."),
        ("Nowhere [E7].", "Nowhere."),
        ("A list[Entry] and f(E).", "A list[Entry] and f(E)."),
        ("E2 calls E1, not E7.", "`tax` calls `fee`, not E7."),
        ("`E1`:\n```ts\nconst E1 = [E2];\n```\nE1.", "`E1`:\n```ts\nconst E1 = [E2];\n```\n`fee`."),
    ],
)
def test_ids_become_names_and_places(text, told):
    assert Citations(PLACES).whole(text) == told


@given(
    st.lists(
        st.sampled_from(
            ["[E1]", "[E2, E1]", " (E2)", "[", "E1", "```", "`", "word ", "word", ", ", "]", "\n"]
        )
    ),
    st.randoms(use_true_random=False),
)
def test_any_splitting_gives_the_same_text(parts, random):
    text = "".join(parts)
    split = Citations(PLACES)
    told, at = "", 0
    while at < len(text):
        step = random.randint(1, 4)
        told += split.feed(text[at : at + step])
        at += step
    assert told + split.finish() == Citations(PLACES).whole(text)
