from collections import Counter

import pytest
from fit_models import step_call

from ipuaro_jupyter.agent.context.tool_profile import CORE
from ipuaro_jupyter.fit.judging import Judge
from ipuaro_jupyter.fit.task import FitTask, Step, meant
from ipuaro_jupyter.fit.tasks import tasks_of

PATHS = ("src/a.ts", "src/b/index.ts", "src/c/index.ts")


@pytest.fixture(scope="module")
def tasks(demo):
    return tasks_of(demo.project(), count=12)


def test_the_demo_has_twelve_tasks_of_all_kinds(tasks):
    kinds = Counter(task.kind for task in tasks)
    assert len(tasks) == len({task.question for task in tasks}) == 12
    assert max(kinds.values()) <= 2
    assert {"where defined", "who uses", "edit", "create", "no tool"} <= set(kinds)


def test_a_small_number_of_tasks_is_of_different_kinds(demo):
    assert len({task.kind for task in tasks_of(demo.project(), count=4)}) == 4
    assert tasks_of(demo.project(), count=0) == ()


def test_a_seed_draws_the_same_tasks_and_another_one_others(demo):
    drawn = [tasks_of(demo.project(), count=12, seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_every_task_can_be_done_with_the_core_tools(tasks):
    for task in tasks:
        assert not task.steps or CORE & {step.tool for step in task.steps}, task


def test_every_step_is_valid_and_right(demo, tasks):
    judge = Judge(demo)
    for task in tasks:
        for step in task.steps:
            judged = judge.judged(task, step_call(step))
            assert judged.is_valid, (task, step)
            assert judged.is_right, (task, step)


@pytest.mark.parametrize(
    ("given", "is_step"),
    [
        ({"path": "src/a.ts", "start": 3, "end": 9}, True),
        ({"path": "./src/a.ts", "start": 1, "end": 20}, True),
        ({"path": "a.ts"}, True),
        ({"path": "/work/app/src/a.ts", "start": 4, "end": 9}, True),
        ({"path": "src/a.ts", "start": 5, "end": 9}, False),
        ({"path": "src/a.ts", "start": 3, "end": 8}, False),
        ({"path": "index.ts", "start": 3, "end": 9}, False),
        ({}, False),
    ],
)
def test_a_step_is_a_call_of_at_least_its_lines_of_its_file(given, is_step):
    step = Step(tool="get_lines", path="src/a.ts", lines=(4, 9))
    assert step.is_taken_by("get_lines", given, paths=PATHS) == is_step
    assert not step.is_taken_by("get_class", given, paths=PATHS)


@pytest.mark.parametrize(
    ("pattern", "is_step"),
    [
        ("Unknown email", True),
        ("unknown email or wrong password.*", True),
        (r"Unknown\ email\b", True),
        ("password", False),
        ("a", False),
        ("", False),
    ],
)
def test_a_pattern_may_be_a_large_part_of_a_text_or_hold_it(pattern, is_step):
    step = Step(tool="grep", text="Unknown email")
    assert step.is_taken_by("grep", {"pattern": pattern}, paths=()) == (
        is_step and pattern != "password"
    )


@pytest.mark.parametrize("said", ["quote", "Carrier.quote", "quote()"])
def test_a_symbol_may_be_qualified(said):
    step = Step(tool="find_definition", symbol="quote")
    assert step.is_taken_by("find_definition", {"symbol": said}, paths=())
    assert not step.is_taken_by("find_definition", {"symbol": "unquote"}, paths=())


def test_a_bare_name_that_is_not_unique_stands_for_itself():
    assert meant("index.ts", PATHS) == "index.ts"
    assert meant("b/index.ts", PATHS) == "src/b/index.ts"


def test_a_task_without_steps_needs_no_tool(demo):
    judge, task = Judge(demo), FitTask(kind="no tool", question="Thanks.")
    call = step_call(Step(tool="git_status"))
    assert judge.judged(task, None, is_answer=True).is_right
    assert not judge.judged(task, None).is_right
    assert not judge.judged(task, call).is_right
