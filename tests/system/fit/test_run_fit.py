import threading
from contextlib import closing

import pytest
from fit_models import opener, replying, right_replies
from ollama_server import is_beside

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.fit import FitPlan, fit
from ipuaro_jupyter.fit.demo_questions import questions
from ipuaro_jupyter.fit.run_fit import duration
from ipuaro_jupyter.fit.tasks import tasks_of
from ipuaro_jupyter.records.fitted import FitReport
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.projects import stored_projects
from ipuaro_jupyter.views.drawing import mimebundle

ONE = FitPlan(forms=("text",), sizes=(800,), tasks=4)
EVIDENCE = FitPlan(forms=(), sizes=(800,), tasks=4)


@pytest.fixture(scope="module")
def replies(demo):
    return right_replies(tasks_of(demo.project(), count=12))


def ways(report):
    return [str(row.way) for row in report.rows]


def answering(model):
    """Return the requests for an answer."""
    return [one for one in model.requests if not is_beside(one.messages[-1].content)]


def test_a_model_that_knows_everything_is_always_right(replies):
    report = fit("tester", ONE, opened=opener(replying(replies)))
    assert ways(report) == [
        "by evidence, 800 tokens",
        "tasks, calls as text",
        "by the loop, calls as text",
    ]
    for row in report.rows:
        assert (row.right, row.valid, row.false_names) == (4, 4, 0)
        assert row.tokens > 0
        assert row.seconds > 0
    evidence, tasks, loop = report.rows
    assert [one.question for one in evidence.attempts] == [one.text for one in questions()[:4]]
    assert [one.question for one in loop.attempts] == [one.text for one in questions()[:4]]
    assert [one.question for one in tasks.attempts] == list(replies)[12:16]
    assert not report.stopped


def test_each_is_asked_once_and_in_a_conversation_of_its_own(replies):
    opened = opener(replying(replies))
    fit("tester", ONE, opened=opened)
    asked = [*questions()[:4], *list(replies)[12:16], *questions()[:4]]
    requests = [request for model in opened.models for request in answering(model)]
    assert len(requests) == len(asked) == 12
    for request, question in zip(requests, asked, strict=True):
        assert [message.role for message in request.messages] == ["system", "user"]
        assert getattr(question, "text", question) in request.messages[-1].content


def test_the_evidence_has_the_size_that_is_tried(replies):
    opened = opener(replying(replies))
    plan = FitPlan(forms=(), sizes=(1500, 400), tasks=2)
    report = fit("tester", plan, opened=opened)
    assert ways(report) == ["by evidence, 400 tokens", "by evidence, 1,500 tokens"]
    sizes = [
        [count_tokens(request.messages[-1].context) for request in answering(model)]
        for model in opened.models[1:]
    ]
    for small, large in zip(*sizes, strict=True):
        assert small < 450
        assert 1.5 * small < large < 1600


def test_an_answer_of_the_index_is_not_the_models(replies):
    said = dict.fromkeys(replies, "I'm sorry, but I can't assist with that.")
    report = fit("tester", EVIDENCE, opened=opener(replying(said)))
    assert (report.rows[0].right, report.rows[0].valid) == (0, 0)
    assert report.advice == "No answer was right: take another model."


def test_false_names_are_counted(replies):
    said = {
        asked: f"{answer} See `LoginService`, `lockForever`." for asked, answer in replies.items()
    }
    report = fit("tester", EVIDENCE, opened=opener(replying(said)))
    assert report.rows[0].false_names == report.rows[0].right == 4


def test_what_is_invalid_is_not_asked_again():
    opened = opener(lambda _: "<tool_call name='get_everything'><path>x</path></tool_call>")
    report = fit("tester", ONE, opened=opened)
    tasks = report.rows[-1]
    assert (str(tasks.way), tasks.valid) == ("tasks, calls as text", 0)
    assert len(opened.models[-1].requests) == 4
    assert "The loop is left out: no first call was right." in report.notices


def test_all_forms_are_tried_where_the_model_can(replies):
    plan = FitPlan(sizes=(800,), tasks=1)
    report = fit("tester", plan, opened=opener(replying(replies)))
    forms = [row.way.form for row in report.rows if row.way.by == "call"]
    assert forms == ["native", "text", "constrained"]
    other = fit("tester", plan, opened=opener(replying(replies), native=False))
    assert [row.way.form for row in other.rows if row.way.by == "call"] == ["text", "constrained"]
    assert "It does not take the schemas of tools." in other.notices


def test_the_loop_calls_in_the_best_form(replies):
    def opened(llm):
        is_native = llm.use_native_tools is not False
        return opener(replying(replies) if is_native else lambda _: "I cannot.")(llm)

    plan = FitPlan(forms=("text", "native"), sizes=(800,), tasks=3)
    report = fit("tester", plan, opened=opened)
    assert report.best is not None
    assert str(report.best.way) == "by the loop, calls by schema"
    llm = {"model": "tester", "way": "loop", "useNativeTools": True, "constrainCalls": "repair"}
    assert report.settings() == {"llm": llm}


def test_a_saved_way_does_not_decide_how_tasks_are_asked(replies):
    saved = {"llm": {"way": "evidence", "firstWordS": 1.0}}
    report = fit("tester", ONE, settings=saved, opened=opener(replying(replies)))
    assert [row.right for row in report.rows] == [4, 4, 4]


def test_it_says_early_how_long_it_will_take(replies):
    told = []
    fit("tester", ONE, opened=opener(replying(replies)), progress=told.append)
    assert [(one.done, one.total) for one in told] == [(done, 12) for done in range(1, 13)]
    assert [bool(one.estimate) for one in told] == [False, True] + [False] * 10
    assert "12 questions and tasks" in told[1].estimate
    assert len(told[2].so_far.rows[0].attempts) == 3


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 second"), (40, "40 seconds"), (100, "2 minutes")]
)
def test_durations_are_told_in_words(seconds, words):
    assert duration(seconds) == words


def test_stop_gives_the_report_so_far(replies):
    cancel = CancelToken()

    def progress(one):
        if one.done == 2:
            threading.Thread(target=cancel.cancel).start()
            cancel.wait(10)

    report = fit("tester", ONE, opened=opener(replying(replies)), progress=progress, cancel=cancel)
    assert report.stopped
    assert len(report.rows[0].attempts) == 2
    assert "Stopped" in mimebundle(report)["text/plain"]


def test_stop_ends_a_reply_in_the_middle():
    cancel = CancelToken()

    def reply(_message):
        threading.Timer(0.1, cancel.cancel).start()
        return ["Let me", float("inf")]

    report = fit("tester", ONE, opened=opener(reply), cancel=cancel)
    assert report.stopped
    assert not report.rows


def test_a_reply_that_runs_on_is_ended():
    report = fit("tester", ONE, opened=opener(lambda _: ["and so on, "] * 400 + [float("inf")]))
    assert {one.is_valid for row in report.rows for one in row.attempts} == {False}


def test_each_way_is_what_the_model_is_asked_for(replies):
    opened = opener(replying(replies))
    fit("tester", FitPlan(forms=("native", "constrained"), sizes=(), tasks=1), opened=opened)
    native, constrained, _ = (model.requests[0] for model in opened.models if model.requests)
    assert native.tools
    assert "schema" not in native.wishes
    assert not constrained.tools
    assert "find_definition" in str(constrained.wishes["schema"])


def test_a_model_that_cannot_be_asked_is_an_error():
    def reply(_message):
        raise ModelError("It is gone. Start it.")

    with pytest.raises(ModelError, match="Start it"):
        fit("tester", ONE, opened=opener(reply))


def test_nothing_is_changed_or_kept():
    evil = '<tool_call name="write_file"><filepath>a.ts</filepath><content>x</content></tool_call>'
    with closing(connect(StoreSettings())) as store:
        before = stored_projects(store)
        report = fit("tester", ONE, opened=opener(lambda _: evil))
        assert stored_projects(store) == before
    assert [(row.way.by, row.right) for row in report.rows] == [("evidence", 0), ("call", 0)]
    assert report.rows[1].valid > 0


def test_the_report_is_a_table_and_a_data_frame(replies):
    report = fit("te<b>st", ONE, opened=opener(replying(replies)))
    drawn = mimebundle(report)
    for said in ("calls as text", "by evidence, 800 tokens", "Ask by evidence, 800 tokens: 4 of 4"):
        assert said in drawn["text/plain"]
        assert said in drawn["text/html"]
    assert "<b>st" not in drawn["text/html"]
    frame = report.to_pandas()
    assert list(frame["right"]) == [4, 4, 4]
    assert list(FitReport(model="m", rows=()).to_pandas()) == list(frame)
    assert report.to_dict()["rows"][0]["attempts"][0]["isRight"] is True
    assert "| tasks, calls as text | 4 | 4 |" in report.to_markdown()


def test_a_report_without_tasks_has_no_best_way():
    report = FitReport(model="m", rows=())
    assert report.best is None
    assert report.settings() == {}
    assert "Nothing was asked." in mimebundle(report)["text/plain"]
