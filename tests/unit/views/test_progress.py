import pytest

from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.events import IndexProgress, Noticed, PromptSent
from ipuaro_jupyter.views import progress

FIGURES = progress.Figures(65.3, Usage(prompt_tokens=1000, completion_tokens=204), 12.4)


def test_the_status_line_says_time_tokens_context_model_and_branch():
    figures = FIGURES._replace(model="gguf:/home/ada/models/qwen.gguf", branch="main")
    parts = ("1 min 5 s", "1,204 tokens", "context 12 %", "model qwen.gguf", "branch main")
    told = " \u00b7 ".join(parts)
    assert progress.figures_text(figures) == told
    assert progress.status_text("Thinking", figures) == f"Thinking \u00b7 {told}"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (PromptSent(tokens=1400), "Reading about 1,400 tokens"),
        (PromptSent(tokens=1400, seconds=28), "Reading 350 of 1,400 tokens, about 21 s left"),
        (
            PromptSent(tokens=1400, read=400, seconds=14),
            "Reading 900 of 1,400 tokens, about 7 s left",
        ),
        (PromptSent(tokens=9, seconds=2), "Reading 9 tokens, longer than the last ones"),
    ],
)
def test_it_says_how_far_the_prompt_is_read(sent, told):
    assert progress.reading_words(sent, 7.0) == told
    assert 0 <= progress.read_by(sent, 7.0) <= progress.read_by(sent, 8.0) <= sent.tokens


@pytest.mark.parametrize(
    ("percent", "told", "tone"),
    [
        (59.4, "context 59 %", None),
        (60, "\u26a0 context 60 % (filling up)", "ipuaro-warn"),
        (79.4, "\u26a0 context 79 % (filling up)", "ipuaro-warn"),
        (80, "\u203c context 80 % (nearly full)", "ipuaro-bad"),
        (100, "\u203c context 100 % (nearly full)", "ipuaro-bad"),
    ],
)
def test_a_window_that_fills_up_is_said_with_a_sign_and_a_word(percent, told, tone):
    figures = progress.Figures(1, context_percent=percent)
    assert progress.figures_text(figures).endswith(told)
    html = progress.figures_html(figures)
    assert told in html
    assert ("ipuaro-warn" in html, "ipuaro-bad" in html) == (
        tone == "ipuaro-warn",
        tone == "ipuaro-bad",
    )


def test_a_screen_reader_is_told_of_the_phase_and_not_of_the_time():
    assert 'role="status"' in progress.phase_html("Thinking")
    assert "role" not in progress.figures_html(FIGURES)
    assert "role" not in progress.line_html("Reading files")


def test_names_in_the_status_stay_text():
    html = progress.figures_html(FIGURES._replace(model="<b>", branch="\u202e<i>"))
    assert "&lt;b&gt;" in html
    assert "[U+202E]&lt;i&gt;" in html


def test_running_names_the_tool():
    assert progress.phase_words("running", "grep") == "Running grep"
    assert progress.phase_words("thinking", "some-model") == "Thinking"
    assert progress.phase_words("writing", "grep") == "Writing a call of grep"
    assert progress.phase_words("writing", "") == "Writing"
    assert progress.phase_words("waiting", "") == "Waiting for your decision"
    assert progress.phase_words("waiting", "another model") == "Waiting for another model"


def test_a_notice_has_its_level_in_words():
    html = progress.notice_html(Noticed(text="a <b>", level="warning"))
    assert "Warning: a &lt;b&gt;" in html


def test_the_index_is_a_bar_with_its_counts_in_words():
    half = IndexProgress(phase="parsing", done=1500, total=3000)
    text = progress.progress_text(half)
    assert text == "Reading files: 1,500 of 3,000 files (50 %)"
    html = progress.progress_html(half, text)
    assert 'role="progressbar"' in html
    assert 'aria-valuenow="50"' in html
    assert "width: 50%" in html
    assert text in html


def test_an_unknown_total_has_words_but_no_bar():
    waiting = IndexProgress(phase="waiting")
    text = progress.progress_text(waiting)
    assert text == "Waiting for another kernel that is indexing"
    assert "progressbar" not in progress.progress_html(waiting, text)
