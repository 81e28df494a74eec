"""What the index says: open where it is the answer, else a line that opens; text and HTML alike."""

import pytest

from ipuaro_jupyter.records.chat import Answer, NamedPlace, Usage
from ipuaro_jupyter.records.evidence import Evidence, EvidenceExcerpt, EvidenceSymbol
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import Place, Table, TextOutput, ToolResult, Tree
from ipuaro_jupyter.views import answer, index_answer

FEE = EvidenceSymbol(path="src/<fees>.py", name="fee", line=4, end=7, why="fee, weight")
FOUND = IndexAnswer(
    evidence=Evidence(
        kind="explanation",
        files=("src/<fees>.py",),
        symbols=(FEE,),
        facts=("fee is declared at src/<fees>.py:4 (function).",),
        text="E1 fee",
        tokens=3,
        ms=1.0,
        excerpts=(EvidenceExcerpt(id="E1", symbol=FEE, lines=("4\tdef fee(): return '<b>'",)),),
        root="/project",
    )
)


def exact(shape):
    output = TextOutput(content="Calls of fee: 1", shown=shape)
    return IndexAnswer(results=(ToolResult(tool="get_callers", output=output, root="/project"),))


def test_the_line_names_what_was_looked_at_and_opens_to_facts_and_source():
    html = index_answer.html(FOUND)
    assert index_answer.text(FOUND) == "Looked at: `fee` src/<fees>.py:4"
    assert "<details" in html
    assert "<a " not in html.partition("<summary>")[2].partition("</summary>")[0]
    assert "Looked at: " in html
    assert 'title="src/&lt;fees&gt;.py:4"' in html
    assert "fee is declared at" in html
    assert "return '&lt;b&gt;'" in html.replace("&#x27;", "'")
    assert "<b>" not in html


@pytest.mark.parametrize(
    "shape",
    [
        Tree(title="Callers", lines=("src/a.py:3 load",)),
        Table(
            title="Uses",
            columns=("where",),
            kinds={"where": "path"},
            rows=(("src/a.py:3",),),
            places=(Place(path="src/a.py", line=3),),
        ),
    ],
    ids=["tree", "table"],
)
def test_an_exact_answer_stands_open_and_its_rows_are_links(shape):
    html = index_answer.html(exact(shape))
    assert "<details" not in html
    assert 'class="ipuaro-place' in html
    assert 'title="src/a.py:3"' in html


def test_without_a_known_folder_nothing_is_a_link():
    shape = Tree(title="Callers", lines=("src/a.py:3 load",))
    found = IndexAnswer(
        results=(ToolResult(tool="get_callers", output=TextOutput(content="Calls", shown=shape)),)
    )
    assert "<a " not in index_answer.html(found)


def test_an_answer_says_below_it_what_it_rests_on():
    told = Answer(
        question="q",
        text="It is 2.5.",
        usage=Usage(prompt_tokens=90),
        found=FOUND.text,
        index_answer=FOUND,
    )
    assert "From 1 place: `fee` src/<fees>.py:4" in answer.text(told)
    assert "From 1 place: " in answer.html(told)
    assert "Nothing of your code" not in answer.text(told)


def test_what_was_looked_at_in_words_leads_to_its_place():
    told = Answer(
        question="q",
        text="Changed it.",
        root="/p",
        places=(NamedPlace(named="src/a.py:3", path="src/a.py", line=3),),
        usage=Usage(prompt_tokens=90),
        index_answer=IndexAnswer(looked_at=("`load` src/a.py:3",)),
    )
    html = answer.html(told)
    assert "From 1 place: <code>load</code> <a " in html
    assert 'title="src/a.py:3">src/a.py:3</a>' in html


def test_a_model_that_has_looked_at_nothing_is_said_to():
    told = Answer(question="q", text="It is 2.5.", usage=Usage(prompt_tokens=90))
    for drawn in (answer.text(told), answer.html(told)):
        assert "Nothing of your code was looked at." in drawn
    assert "Nothing of your code" not in answer.text(Answer(question="/help", text="Commands."))


def test_an_answer_that_may_be_about_something_else_begins_with_not_sure():
    told = Answer(question="q", text="Perhaps.", is_sure=False)
    assert answer.text(told).startswith(f"{answer.UNSURE}\n\nPerhaps.")
    html = answer.html(told)
    assert f"<strong>{answer.UNSURE}" in html
    assert html.index(answer.UNSURE) < html.index("Perhaps.")
    assert 'class="ipuaro-answer"' in html
    sure = answer.html(told.model_copy(update={"is_sure": True}))
    assert 'class="ipuaro-answer"' in sure
    assert "ipuaro-warn" not in sure


def test_the_exact_answer_is_shown_once_and_comes_before_a_models_words():
    found = exact(Tree(title="Callers", lines=("src/a.py:3 load",)))
    alone = Answer(question="q", text=found.text, found=found.text, index_answer=found)
    assert str(alone) == found.text
    assert answer.text(alone).count("Calls of fee: 1") == 1
    assert answer.html(alone).count(["src/a.py:3", "load"][0]) == 2  # and title
    worded = alone.model_copy(update={"text": "Only load."})
    assert str(worded) == f"{found.text}\n\nOnly load."
    assert answer.html(worded).index("Callers") < answer.html(worded).index("Only load.")


def test_a_restored_exact_answer_is_no_markdown():
    restored = Answer(question="q", text="* one *\n  two", found="* one *\n  two")
    assert "<pre>* one *\n  two</pre>" in answer.html(restored)
