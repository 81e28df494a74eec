from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.events import IndexProgress, Noticed
from ipuaro_jupyter.views import progress


def test_the_status_line_says_time_tokens_and_context():
    usage = Usage(prompt_tokens=1000, completion_tokens=204)
    line = progress.status_text("Thinking", 65.3, usage, 12.4)
    assert line == "Thinking \u00b7 1 min 5 s \u00b7 1\u202f204 tokens \u00b7 context 12 %"


def test_a_nearly_full_window_is_said_in_words():
    assert progress.status_text("Writing", 1, Usage(), 91).endswith("context 91 % (nearly full)")


def test_running_names_the_tool():
    assert progress.phase_words("running", "grep") == "Running grep"
    assert progress.phase_words("thinking", "some-model") == "Thinking"
    assert progress.phase_words("writing", "grep") == "Writing a call of grep"
    assert progress.phase_words("writing", "") == "Writing"


def test_a_notice_has_its_level_in_words():
    html = progress.notice_html(Noticed(text="a <b>", level="warning"))
    assert "Warning: a &lt;b&gt;" in html


def test_the_index_is_a_bar_with_its_counts_in_words():
    half = IndexProgress(phase="parsing", done=1500, total=3000)
    text = progress.progress_text(half)
    assert text == "Reading files: 1\u202f500 of 3\u202f000 files (50 %)"
    html = progress.progress_html(half, text)
    assert 'role="progressbar"' in html
    assert 'aria-valuenow="50"' in html
    assert "width: 50%" in html
    assert text.replace("\u202f", " ") in html.replace("\u202f", " ")


def test_an_unknown_total_has_words_but_no_bar():
    waiting = IndexProgress(phase="waiting")
    text = progress.progress_text(waiting)
    assert text == "Waiting for another kernel that is indexing"
    assert "progressbar" not in progress.progress_html(waiting, text)
