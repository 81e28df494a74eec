import threading
from contextlib import closing

import pytest
from fit_models import opener, replying, right_replies

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.fit import FitPlan, fit
from ipuaro_jupyter.fit.run_fit import duration
from ipuaro_jupyter.fit.tasks import tasks_of
from ipuaro_jupyter.records.fitted import FitReport
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.projects import stored_projects
from ipuaro_jupyter.views.drawing import mimebundle

ONE = FitPlan(forms=("text",), profiles=("core",), windows=(8192,), tasks=4)


@pytest.fixture(scope="module")
def replies(demo):
    return right_replies(tasks_of(demo.project(), count=40))


def ways(report):
    return [(row.way.form, row.way.profile, row.way.window) for row in report.rows]


def test_a_model_that_always_takes_the_right_step_is_always_right(replies):
    report = fit("tester", ONE, opened=opener(replying(replies)))
    (row,) = report.rows
    assert (row.valid, row.right, row.found, row.mended) == (1.0, 1.0, 1.0, 1.0)
    assert [one.question for one in row.attempts] == list(replies)[:4]
    assert not report.stopped


def test_each_task_is_asked_once_and_in_a_conversation_of_its_own(replies):
    opened = opener(replying(replies))
    fit("tester", ONE, opened=opened)
    requests = opened.models[-1].requests
    assert len(requests) == 4
    for request, question in zip(requests, replies, strict=False):
        assert [message.role for message in request.messages] == ["system", "user"]
        assert question in request.messages[-1].content
    assert len({(request.messages[0], request.tools) for request in requests}) == 1


def test_what_is_invalid_is_asked_once_more(replies):
    spoilt = {}

    def reply(message):
        question = next((q for q in replies if q in message), "")
        if question not in spoilt:
            spoilt[question] = True
            return "<tool_call name='get_everything'><path>x</path></tool_call>"
        return replies[question]

    opened = opener(reply)
    report = fit("tester", ONE, opened=opened)
    assert (report.rows[0].valid, report.rows[0].mended) == (0.0, 1.0)
    assert len(opened.models[-1].requests) == 8


def test_all_forms_and_windows_are_tried_where_the_model_can(replies):
    plan = FitPlan(tasks=1, profiles=("core",))
    report = fit("tester", plan, opened=opener(replying(replies)))
    assert len(set(ways(report))) == len(report.rows) == 6
    small = fit("tester", plan, opened=opener(replying(replies), native=False, most=8192))
    assert {form for form, _, _ in ways(small)} == {"text", "constrained"}
    assert {window for *_, window in ways(small)} == {8192}
    assert "It does not take the schemas of tools." in small.notices
    assert "Its window has 8,192 tokens, not 32,768." in small.notices


def test_the_best_way_is_right_most_often(replies):
    def opened(llm):
        is_native = llm.use_native_tools is not False
        return opener(replying(replies) if is_native else lambda _: "I cannot.")(llm)

    plan = FitPlan(forms=("text", "native"), profiles=("core",), windows=(8192,), tasks=3)
    report = fit("tester", plan, opened=opened)
    assert report.best is not None
    assert report.best.way.form == "native"
    llm = report.settings()["llm"]
    assert (llm["model"], llm["useNativeTools"], llm["contextWindow"]) == ("tester", True, 8192)
    assert report.settings()["tools"] == {"profile": "core"}


def test_it_says_early_how_long_it_will_take(replies):
    told = []
    fit("tester", ONE, opened=opener(replying(replies)), progress=told.append)
    assert [(one.done, one.total) for one in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [bool(one.estimate) for one in told] == [False, True, False, False]
    assert "4 requests" in told[1].estimate
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
    assert [one.is_valid for one in report.rows[0].attempts] == [False] * 4


def test_each_way_is_what_the_model_is_asked_for(replies):
    opened = opener(replying(replies))
    plan = FitPlan(forms=("native", "constrained"), profiles=("core",), windows=(8192,), tasks=1)
    fit("tester", plan, opened=opened)
    native, constrained = (model.requests[0] for model in opened.models if model.requests)
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
    assert report.rows[0].valid > 0
    assert report.rows[0].right == 0


def test_the_report_is_a_table_and_a_data_frame(replies):
    report = fit("te<b>st", ONE, opened=opener(replying(replies)))
    drawn = mimebundle(report)
    for said in ("as text", "8192", "100", "Best: calls as text, core tools, window 8,192."):
        assert said in drawn["text/plain"]
        assert said in drawn["text/html"]
    assert "<b>st" not in drawn["text/html"]
    frame = report.to_pandas()
    assert list(frame["right"]) == [1.0]
    assert list(FitReport(model="m", rows=()).to_pandas()) == list(frame)
    assert report.to_dict()["rows"][0]["attempts"][0]["isRight"] is True
    assert "| as text | core |" in report.to_markdown()


def test_a_report_without_tasks_has_no_best_way():
    report = FitReport(model="m", rows=())
    assert report.best is None
    assert report.settings() == {}
    assert "No task was done." in mimebundle(report)["text/plain"]
