import pytest

from ipuaro_jupyter.fit.judging import Judge
from ipuaro_jupyter.fit.task import FitTask, Step
from ipuaro_jupyter.records.chat import ToolCall

LOGIN = "src/auth/login.ts"
TASK = FitTask(
    kind="where defined",
    question="Where is `LoginService` defined?",
    steps=(Step(tool="find_definition", symbol="LoginService"),),
)


@pytest.fixture(scope="module")
def judge(demo):
    return Judge(demo)


def judged(judge, name, task=TASK, **arguments):
    return judge.judged(task, ToolCall(name=name, arguments=arguments))


def test_no_call_is_neither_valid_nor_right(judge):
    assert judge.judged(TASK, None, is_answer=True) == (False, False, False)


def test_a_call_that_no_tool_takes_is_not_valid(judge):
    assert not judged(judge, "find_everything", symbol="LoginService").is_valid
    assert not judged(judge, "find_definition").is_valid
    assert not judged(judge, "get_lines", path=LOGIN, start="the first").is_valid


def test_names_that_do_not_exist_are_told_from_others(judge):
    assert judged(judge, "find_definition", symbol="LoginService").names_exist
    assert not judged(judge, "find_definition", symbol="LogoutService").names_exist
    assert not judged(judge, "get_lines", path="src/login.py").names_exist
    assert judged(judge, "create_file", path="src/new.ts", content="x").names_exist


def test_a_call_that_changes_something_is_not_run(judge, demo):
    task = TASK.model_copy(update={"steps": (Step(tool="delete_file", path=LOGIN),)})
    found = judged(judge, "delete_file", task, path=LOGIN)
    assert (found.is_valid, found.is_right) == (True, True)
    assert judged(judge, "bash", command=f"rm {LOGIN} && touch gone").is_valid
    assert (demo.root / LOGIN).exists()
    assert not (demo.root / "gone").exists()
